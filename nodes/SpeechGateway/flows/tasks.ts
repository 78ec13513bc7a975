import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import { gatewayWords, isRecord, plain } from '../core/explain';
import { jobProgress, nextPollMs } from '../core/pollSchedule';
import { endpoints, type FreeEndpoint } from '../gateway/endpoints';
import { pause } from '../gateway/pause';
import type { GatewayResponse } from '../gateway/transport';
import { isFailure } from '../run/requests/exchange';
import type { ItemRequests } from '../run/requests/itemRequests';
import { withoutErrorKey } from '../run/outputItems';
import type { Result } from '../run/requests/ledger';

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
		const id = [body.id, body.job_id, body.task_id].find(
			(given) => typeof given === 'number' || (typeof given === 'string' && given.trim() !== ''),
		);
		if (id === undefined) throw new Error('the answer has no id');
		return { ...body, id: String(id) };
	};
}

/** A task as item json; its `error` never keeps that name. */
export const taskJson = ({ thing }: Task, body: IDataObject): IDataObject =>
	withoutErrorKey(body, `${thing}Error`);

/**
 * Waits for a task and then saves its file; the item goes on to Still Processing when the user chose so. `known`: what
 * the submission said of it; `resumed`: it may be done already, so look at once. All errors have the id.
 */
export async function waitAndSave(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	{ known, resumed }: { known?: IDataObject; resumed: boolean },
	save: (json: IDataObject) => Promise<INodeExecutionData>,
): Promise<Result> {
	const look = { atOnce: resumed, submitted: known !== undefined };
	const { completed, body, waitedSeconds } = await waitForTask(item, task, settings, look);
	const json = taskJson(task, { ...known, ...body });
	return completed
		? { branch: 'success', items: [await withTaskId(item, task, async () => await save(json))] }
		: { branch: 'waiting', items: [{ json: { ...json, waitedSeconds } }] };
}

export async function fetchStatus(item: ItemRequests, task: Task): Promise<IDataObject> {
	return await withTaskId(
		item,
		task,
		async () => await item.free(statusOf(task), readStatus(item), task),
	);
}

/** Whatever goes wrong with a task that is paid for, its id is in the error: without it, it cannot be found again. */
export async function withTaskId<T>(
	item: ItemRequests,
	task: Task,
	action: () => Promise<T>,
): Promise<T> {
	try {
		return await action();
	} catch (error) {
		item.session.transport.cancel?.throwIfAborted();
		throw named(task, asError(error));
	}
}

function named({ thing, id }: Task, error: Error): GatewayError {
	if (error instanceof GatewayError) {
		error.details.jobId ??= id;
		return error;
	}
	return new GatewayError(
		`The ${thing} "${quoted(id)}" cannot be fetched: ${plain(error.message)}`,
		`Nothing more is charged. Ask the gateway about the ${thing} with this id; a retry does not submit it again.`,
		{ jobId: id },
	);
}

/** An id within a sentence: it may be of any length, and hold anything. */
const quoted = (id: string): string => plain(id.slice(0, 100)) ?? '';

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

/** A poll has at least this long, ms, also when Max Wait is over: a look that has no time to answer is none. */
const SHORTEST_POLL_MS = 3_000;

/**
 * Polls until the task is completed (true) or `maxWait` has passed (false, when the user chose to go on). Polls of all
 * items are spread over time; one that fails only means no news, whatever it answers. Throws GatewayError, with the id,
 * when the task failed, the gateway itself says that it may not be read, or `maxWait` has passed; the cancel signal's
 * reason at once after Stop. `submitted`: the gateway has been heard of it, so that a proxy's page means nothing.
 */
export async function waitForTask(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	look: { atOnce: boolean; submitted: boolean },
): Promise<{ completed: boolean; body: IDataObject; waitedSeconds: number }> {
	return await withTaskId(item, task, async () => await poll(item, task, settings, look));
}

async function poll(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	{ atOnce, submitted }: { atOnce: boolean; submitted: boolean },
): Promise<{ completed: boolean; body: IDataObject; waitedSeconds: number }> {
	const { session } = item;
	const { cancel } = session.transport;
	const endpoint = statusOf(task);
	const started = Date.now();
	const age = () => Date.now() - started;
	const left = () => Math.max(0, settings.maxWaitMs - age());
	const interval = { initialMs: settings.pollIntervalMs, maximumMs: settings.maxPollIntervalMs };
	let body: IDataObject = { id: task.id };
	let heard = submitted;
	let failures = 0;
	let failure: Error | undefined;
	session.jobs.waiting++;
	for (let first = true; ; first = false) {
		const wanted = first && atOnce ? 0 : nextPollMs(age(), interval) * Math.min(2 ** failures, 8);
		await pause(Math.min(wanted, left()), cancel);
		await pause(session.pacer.turn(), cancel);

		const deadline = Date.now() + Math.max(left(), SHORTEST_POLL_MS);
		const answer = await item.freeOnce(endpoint, readStatus(item), task, deadline).catch(asError);
		cancel?.throwIfAborted();
		if (answer instanceof Error || isFailure(answer)) {
			const said = isFailure(answer) && answer.outcome === 'refused';
			if (said && (answer.byGateway || !heard)) throw answer.error;
			failure = isFailure(answer) ? answer.error : answer;
			failures++;
		} else {
			body = { ...answer, id: task.id };
			heard = true;
			failures = 0;
			failure = undefined;
			const progress = jobProgress(body.status);
			if (progress === 'failed') throw failed(task, body);
			if (progress === 'completed') {
				showProgress(item);
				return { completed: true, body, waitedSeconds: seconds(age()) };
			}
		}
		if (left() > 0) continue;
		if (settings.whenMaxWaitReached === 'stillProcessing')
			return { completed: false, body, waitedSeconds: seconds(age()) };
		throw stillProcessing(task, body, seconds(age()), failure);
	}
}

function failed({ thing, id }: Task, body: IDataObject): GatewayError {
	const { message } = gatewayWords(body);
	const status = statusWord(body);
	const words = status.toLowerCase() === 'failed' ? '' : ` (${status})`;
	return new GatewayError(
		`The ${thing} "${quoted(id)}" failed${words}${message ? `: ${message}` : ''}`,
		`It was charged when it was submitted, and is not submitted again within this execution. Ask the gateway about the ${thing} with this id before you send it anew.`,
		{ jobId: id },
	);
}

function stillProcessing(
	{ thing, id }: Task,
	body: IDataObject,
	waited: number,
	failure?: Error,
): GatewayError {
	const status = statusWord(body);
	const words = failure ? ` The last poll failed: ${plain(failure.message)}.` : '';
	return new GatewayError(
		`The ${thing} "${quoted(id)}" is still "${status}" after ${waited} seconds`,
		`It goes on at the gateway. Raise the option "Max Wait", set "When Max Wait Is Reached" to "Still Processing", or fetch it later with the operation "Wait" and this id. A retry goes on waiting for the same ${thing}: it is not submitted or charged again.${words}`,
		{ jobId: id, status, waitedSeconds: waited },
	);
}

/** A status as one word or two of a sentence. */
const statusWord = ({ status }: IDataObject): string =>
	plain(typeof status === 'string' ? status.slice(0, 100) : undefined) ?? 'unknown';

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
