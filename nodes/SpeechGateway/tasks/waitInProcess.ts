import type { IDataObject } from 'n8n-workflow';
import { GatewayError } from '../core/errors';
import { plain } from '../gateway/gatewayWords';
import { firstPollMs, nextPollMs } from './pollSchedule';
import type { WaitSettings } from '../fields/wait';
import { pause } from '../core/pause';
import type { ItemRequests } from '../requests/itemRequests';
import { quoted, type Task } from './task';
import { look, statusWord } from './look';
import { pollingOf } from './polling';

/** How to start looking. `atOnce`: the task may be done already. `heard`: the gateway has answered for it before. */
export interface FirstLook {
	atOnce: boolean;
	heard: boolean;
	known?: IDataObject;
	/** Amount of work, such as the characters of a job: twice the size is expected to take twice as long. */
	size?: number;
}

export interface Waited {
	completed: boolean;
	body: IDataObject;
	waitedSeconds: number;
}

/**
 * Polls until the task is completed or `maxWait` has passed: then `completed` is false if the user chose to go on. `waitedMs`:
 * how long the task was waited for before, asleep.
 * Polls of all items are spread over time, and the first task that is done says when the others are likely to be; a poll
 * that fails only means no news. Throws as `look` does; GatewayError when `maxWait` has passed; at once what keeps the
 * gateway from being asked at all, and the cancel signal's reason after Stop.
 */
export async function waitInProcess(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	{ atOnce, heard, size = 1 }: FirstLook,
	waitedMs = 0,
): Promise<Waited> {
	const { transport, unavailable } = item.session;
	const polling = pollingOf(item.session);
	// The first look would throw it, too, but only after the first interval.
	if (unavailable) throw unavailable;
	const started = performance.now() - waitedMs;
	const age = () => performance.now() - started;
	const left = () => Math.max(0, settings.maxWaitMs - age());
	let body: IDataObject = { id: task.id };
	let failures = 0;
	const nth = polling.waiting++;
	let seenAt = 0;
	/** Waits `milliseconds`, or less if the task is likely to be done before that; resolves to whether it was less. */
	const untilDue = async (milliseconds: number): Promise<boolean> => {
		const due = performance.now() + Math.min(milliseconds, left());
		for (;;) {
			// The age of a task that was submitted before this run is not known.
			const likely = atOnce ? Infinity : started + polling.likelyAge(size, seenAt);
			const rest = Math.min(likely, due) - performance.now();
			if (rest <= 0) return likely < due;
			await pause(rest, transport.cancel, polling.news);
		}
	};
	const intervalMs = (first: boolean) => {
		if (first) return atOnce ? 0 : firstPollMs(nth, settings.pollIntervalMs);
		return nextPollMs(age(), settings) * Math.min(2 ** failures, 8);
	};
	for (let first = true; ; first = false) {
		const isLikelyDone = await untilDue(intervalMs(first));
		const seen = await look(item, task, started + settings.maxWaitMs, heard, isLikelyDone);
		seenAt = age();
		failures = seen.failure ? failures + 1 : 0;
		if (seen.body) {
			body = seen.body;
			heard = true;
		}
		if (seen.completed) {
			if (!atOnce) polling.learn(age(), size);
			return { completed: true, body, waitedSeconds: seconds(age()) };
		}
		if (left() > 0) continue;
		if (settings.whenMaxWaitReached === 'stillProcessing')
			return { completed: false, body, waitedSeconds: seconds(age()) };
		throw stillProcessing(item, task, body, seconds(age()), seen.failure);
	}
}

function stillProcessing(
	{ session: { execution } }: ItemRequests,
	{ thing, id }: Task,
	body: IDataObject,
	waited: number,
	failure?: Error,
): GatewayError {
	const status = statusWord(body);
	const retry = execution.canBeRetried
		? ` A retry continues to wait for the same ${thing}: it is not submitted or charged again.`
		: '';
	const words = failure ? ` The last poll failed: ${plain(failure.message)}.` : '';
	return new GatewayError(
		`The ${thing} "${quoted(id)}" is still "${status}" after ${waited} seconds`,
		`The gateway keeps working on it. Raise the option "Max Wait", set "When Max Wait Is Reached" to "Still Processing", or fetch it later with the operation "Wait" and this ID.${retry}${words}`,
		{ jobId: id, status, waitedSeconds: waited },
	);
}

export const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;
