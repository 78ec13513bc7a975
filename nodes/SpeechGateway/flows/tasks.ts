import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { GatewayError } from '../core/errors';
import { gatewayWords, isRecord } from '../core/explain';
import { jobProgress, nextPollMs } from '../core/pollSchedule';
import { endpoints, type FreeEndpoint } from '../gateway/endpoints';
import { pause } from '../gateway/pause';
import type { GatewayResponse } from '../gateway/transport';
import { isFailure } from '../run/requests/exchange';
import type { ItemRequests } from '../run/requests/itemRequests';
import { withoutErrorKey } from '../run/outputItems';
import type { ItemOutcome } from '../run/operation';

/** What is submitted, waited for and fetched in the same way; a row each. */
export const taskEndpoints = {
	job: { create: endpoints.createJob, status: endpoints.job, content: endpoints.jobContent },
	video: {
		create: endpoints.createVideo,
		status: endpoints.video,
		content: endpoints.videoContent,
	},
};

export type Task = { thing: keyof typeof taskEndpoints; id: string };

export interface WaitSettings {
	pollIntervalMs: number;
	maxPollIntervalMs: number;
	maxWaitMs: number;
	whenMaxWaitReached: 'fail' | 'stillProcessing';
}

const statusOf = ({ thing, id }: Task): FreeEndpoint => taskEndpoints[thing].status(id);

export const contentOf = ({ thing, id }: Task): FreeEndpoint => taskEndpoints[thing].content(id);

/** The body of an accepted job or video. Throws when it has no id: then it was paid for and cannot be found again. */
export function readAccepted(item: ItemRequests): (reply: GatewayResponse) => Promise<IDataObject> {
	return async (reply) => {
		const body = resourceBody(await item.session.transport.readJson(reply));
		const id = body.id ?? body.job_id ?? body.task_id;
		if ((typeof id !== 'string' || id === '') && typeof id !== 'number')
			throw new Error('the answer has no id');
		return { ...body, id: String(id) };
	};
}

/** A task as item json; its `error` never keeps that name. */
export const taskJson = ({ thing }: Task, body: IDataObject): IDataObject =>
	withoutErrorKey(body, `${thing}Error`);

/**
 * Waits for a task and then saves its file; the item goes on to Still Processing when the user chose so. `known`: what
 * the submission said of it; `resumed`: it may be done already, so look at once.
 */
export async function waitAndSave(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	{ known = {}, resumed }: { known?: IDataObject; resumed: boolean },
	save: (json: IDataObject) => Promise<INodeExecutionData>,
): Promise<ItemOutcome> {
	const { completed, body, waitedSeconds } = await waitForTask(item, task, settings, resumed);
	const json = taskJson(task, { ...known, ...body });
	return completed
		? { branch: 'success', items: [await save(json)] }
		: { branch: 'waiting', items: [{ json: { ...json, waitedSeconds } }] };
}

export async function fetchStatus(item: ItemRequests, task: Task): Promise<IDataObject> {
	return await item.free(statusOf(task), readStatus(item), task);
}

const readStatus =
	(item: ItemRequests) =>
	async (reply: GatewayResponse): Promise<IDataObject> => {
		return resourceBody(await item.session.transport.readJson(reply));
	};

/** A resource's JSON; some gateways wrap it in `data`. Throws when it is no object. */
export function resourceBody(body: unknown): IDataObject {
	if (!isRecord(body)) throw new Error('the answer is not a JSON object');
	const wrapped =
		isRecord(body.data) &&
		body.id === undefined &&
		body._id === undefined &&
		body.status === undefined;
	return (wrapped ? body.data : body) as IDataObject;
}

/**
 * Polls until the task is completed (true) or `maxWait` has passed (false, when the user chose to go on). Polls of all
 * items are spread over time; one that fails only means no news. Throws GatewayError, with the id, when the task failed,
 * may not be read, or `maxWait` has passed; the cancel signal's reason at once after Stop.
 */
export async function waitForTask(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	pollAtOnce: boolean,
): Promise<{ completed: boolean; body: IDataObject; waitedSeconds: number }> {
	const { session } = item;
	const started = Date.now();
	const age = () => Date.now() - started;
	const interval = { initialMs: settings.pollIntervalMs, maximumMs: settings.maxPollIntervalMs };
	let body: IDataObject = { id: task.id };
	let failures = 0;
	session.jobs.waiting++;
	for (let first = true; ; first = false) {
		const wanted =
			first && pollAtOnce ? 0 : nextPollMs(age(), interval) * Math.min(2 ** failures, 8);
		const left = Math.max(0, settings.maxWaitMs - age());
		await pause(Math.min(wanted, left), session.transport.cancel);
		await pause(session.pacer.turn(), session.transport.cancel);
		const last = age() >= settings.maxWaitMs;

		const answer = await item.freeOnce(statusOf(task), readStatus(item), task);
		if (isFailure(answer)) {
			if (answer.outcome === 'refused') throw answer.error;
			failures++;
		} else {
			body = { ...answer, id: task.id };
			failures = 0;
			const progress = jobProgress(body.status);
			if (progress === 'failed') throw failed(task, body);
			if (progress === 'completed') {
				showProgress(item);
				return { completed: true, body, waitedSeconds: seconds(age()) };
			}
		}
		if (!last) continue;
		if (settings.whenMaxWaitReached === 'stillProcessing')
			return { completed: false, body, waitedSeconds: seconds(age()) };
		throw stillProcessing(task, body, seconds(age()));
	}
}

function failed({ thing, id }: Task, body: IDataObject): GatewayError {
	const { message } = gatewayWords(body);
	return new GatewayError(
		`The ${thing} "${id}" failed${message ? `: ${message}` : ''}`,
		`It was charged when it was submitted, and is not submitted again within this execution. Ask the gateway about the ${thing} with this id before you send it anew.`,
		{ jobId: id },
	);
}

function stillProcessing({ thing, id }: Task, body: IDataObject, waited: number): GatewayError {
	return new GatewayError(
		`The ${thing} "${id}" is still "${String(body.status ?? 'unknown')}" after ${waited} seconds`,
		`It goes on at the gateway. Raise the option "Max Wait", set "When Max Wait Is Reached" to "Still Processing", or fetch it later with the operation "Wait" and this id. A retry goes on waiting for the same ${thing}: it is not submitted or charged again.`,
		{ jobId: id, status: String(body.status ?? 'unknown'), waitedSeconds: waited },
	);
}

const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;

/** n8n has no progress bar for a running node; a line in the browser's console of a manual run is what there is. */
function showProgress(item: ItemRequests): void {
	const { session } = item;
	const line = `${++session.jobs.done} of ${session.jobs.waiting} jobs done`;
	session.context.sendMessageToUI?.(line);
}

/** n8n keeps this many entries an execution; later ids are only in the items. */
const MAX_CUSTOM_DATA = 10;

/** Makes the execution findable by the id of what was submitted. */
export function rememberId(item: ItemRequests, { thing, id }: Task): void {
	if (item.index >= MAX_CUSTOM_DATA) return;
	const { customData } = (item.session.context.getWorkflowDataProxy?.(0).$execution ?? {}) as {
		customData?: { set(key: string, value: string): void };
	};
	customData?.set(`${thing}_${item.index + 1}`, id.slice(0, 500));
}
