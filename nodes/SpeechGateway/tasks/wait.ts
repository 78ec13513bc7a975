/** Waits for jobs and videos. All errors have the ID of the task, which is paid for. */
import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import { pause } from '../core/pause';
import type { WaitSettings } from '../fields/wait';
import { gatewayWords, plain } from '../gateway/gatewayWords';
import { isFailure } from '../requests/exchange';
import type { Failure } from '../requests/explain';
import type { ItemRequests } from '../requests/itemRequests';
import { mayGoAgain } from '../requests/outcome';
import { firstPollMs, jobProgress, nextPollMs } from './pollSchedule';
import { isByOtherKey, quoted, statusRequest, type Task, withTaskId } from './task';

/** What is known of a task before the first look. */
export interface BeforeWait {
	/** What the gateway said of it when it was submitted here. */
	said?: IDataObject;
	/** It may be done already, so look at once. */
	resumed: boolean;
}

interface Waited {
	/** False: Max Wait is over, and the user chose to go on. */
	completed: boolean;
	/** What the gateway last said of the task. */
	body: IDataObject;
	/** To a tenth. */
	waitedSeconds: number;
}

/** Of one run: polls of hundreds of jobs never come in a burst. */
const POLLS_PER_SECOND = 40;

/**
 * Polls until the task is completed or Max Wait is over: then `completed` is false if the user chose to go on. A poll that
 * fails only means no news. Throws as `look` does; GatewayError when Max Wait is over, and the cancel signal's reason after
 * Stop.
 */
export async function waitForTask(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	before: BeforeWait,
): Promise<Waited> {
	return await withTaskId(item, task, async () => {
		// No look would bring anything, and this does not change during the run.
		item.mustBeReachable();
		return await pollUntilDone(item, task, settings, before);
	});
}

async function pollUntilDone(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	{ said, resumed }: BeforeWait,
): Promise<Waited> {
	const { transport } = item.session;
	const started = performance.now();
	const age = () => performance.now() - started;
	const left = () => Math.max(0, settings.maxWaitMs - age());
	let body: IDataObject = { id: task.id };
	let heard = said !== undefined;
	let failures = 0;
	const nth = item.session.polls.tasks++;
	let interval = resumed ? 0 : firstPollMs(nth, settings.pollIntervalMs);
	for (;;) {
		await pause(Math.min(interval, left()), transport.cancel);
		const seen = await look(item, task, started + settings.maxWaitMs, heard);
		failures = seen.failure ? failures + 1 : 0;
		if (seen.body) {
			body = seen.body;
			heard = true;
		}
		const waitedSeconds = seconds(age());
		if (seen.completed) return { completed: true, body, waitedSeconds };
		if (left() === 0) {
			if (settings.whenMaxWaitReached === 'stillProcessing')
				return { completed: false, body, waitedSeconds };
			throw stillProcessing(item, task, body, waitedSeconds, seen.failure);
		}
		interval = nextPollMs(age(), settings) * Math.min(2 ** failures, 8);
	}
}

/** Shortest timeout of a poll, ms, even when Max Wait is nearly over: otherwise it might never get an answer. */
const SHORTEST_POLL_MS = 3_000;

/** What one look has brought: the task's status, or why there is no news. */
interface Seen {
	body?: IDataObject;
	completed?: boolean;
	failure?: Error;
}

/**
 * Looks at a task once, when polls may go, until `end` (by `performance.now()`, ms) at the latest. Throws GatewayError when the task
 * failed or the gateway itself says that it may not be read; once it was `heard`, a proxy's page means nothing.
 */
async function look(item: ItemRequests, task: Task, end: number, heard: boolean): Promise<Seen> {
	const { transport, polls } = item.session;
	const at = Math.max(performance.now(), polls.nextAt);
	polls.nextAt = at + 1000 / POLLS_PER_SECOND;
	await pause(at - performance.now(), transport.cancel);
	const deadline = Math.max(end, performance.now() + SHORTEST_POLL_MS);
	const answer = await item.freeOnce(statusRequest(item, task), deadline).catch(asError);
	transport.cancel?.throwIfAborted();
	if (answer instanceof Error) return { failure: answer };
	if (isFailure(answer)) {
		const says = answer.byGateway || !heard;
		const isFinal = says && !mayGoAgain(answer.outcome);
		if (isFinal && !isTooNew(item, task, answer)) throw answer.error;
		return { failure: answer.error };
	}
	const body: IDataObject = { ...answer, id: task.id };
	const progress = jobProgress(body.status);
	if (progress === 'failed') throw taskFailed(task, body);
	return { body, completed: progress === 'completed' };
}

/** A gateway of several servers may take this long to know a new task on all of them, ms. */
const UNTIL_KNOWN_MS = 60_000;

/** A 404 for a task just submitted means that this server does not know it yet. To another key, it is an answer. */
const isTooNew = (item: ItemRequests, task: Task, { error }: Failure): boolean =>
	error.details.httpCode === '404' &&
	!isByOtherKey(item, task) &&
	Date.now() - (item.ledger.submittedAt(task.id) ?? -Infinity) < UNTIL_KNOWN_MS;

/**
 * The error of a task that the gateway has given up. It was charged when it was submitted, so nothing submits it again
 * by itself.
 */
function taskFailed({ kind, id }: Task, body: IDataObject): GatewayError {
	const { message } = gatewayWords(body);
	const status = statusWord(body);
	const words = /^fail(ed)?$/i.test(status) ? '' : ` (${status})`;
	return new GatewayError(
		`The ${kind} "${quoted(id)}" failed${words}${message ? `: ${message}` : ''}`,
		'It was charged when it was submitted, and may have been refunded: see the usage log. It is not submitted again in this execution. Ask the support of the gateway about this ID before you send it again.',
		{ jobId: id, status: 'failed' },
	);
}

/** The error when Max Wait is over: three ways to get the result, which is paid for and on its way. */
function stillProcessing(
	{ session: { nodeCall } }: ItemRequests,
	{ kind, id }: Task,
	body: IDataObject,
	waitedSeconds: number,
	failure?: Error,
): GatewayError {
	const status = statusWord(body);
	const retry = nodeCall.canBeRetried
		? ` A retry continues to wait for the same ${kind}: it is not submitted or charged again.`
		: '';
	const words = failure ? ` The last poll failed: ${plain(failure.message)}.` : '';
	return new GatewayError(
		`The ${kind} "${quoted(id)}" is still "${status}" after ${waitedSeconds} seconds`,
		`The gateway keeps working on it. Raise the option "Max Wait", set "When Max Wait Is Reached" to "Still Processing", or fetch it later with the operation "Wait" and this ID.${retry}${words}`,
		{ jobId: id, status, waitedSeconds },
	);
}

const statusWord = ({ status }: IDataObject): string =>
	plain(typeof status === 'string' ? status.slice(0, 100) : undefined) ?? 'unknown';

const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;
