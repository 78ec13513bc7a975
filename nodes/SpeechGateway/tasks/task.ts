import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError, NotStoredError } from '../core/errors';
import { plain } from '../gateway/gatewayWords';
import { idIn, isRecord, withoutErrorKey } from '../core/json';
import { fileAt, taskEndpoints } from '../gateway/endpoints';
import type { GatewayResponse } from '../gateway/transport';
import { type FreeRequest, isFailure } from '../requests/exchange';
import type { BilledRequest, ItemRequests } from '../requests/itemRequests';
import { storeAgain } from '../requests/storeAgain';
import { readPaidJson } from '../files/received';

/** A job or video, by its ID. */
export type Task = { kind: keyof typeof taskEndpoints; id: string };

/** n8n keeps this many entries an execution; later IDs are only in the items. */
const MAX_CUSTOM_DATA = 10;

/** Submits a task; billed at once. Resolves to the gateway's answer, after its ID is in the ledger. */
export async function submitTask(
	item: ItemRequests,
	kind: Task['kind'],
	request: Pick<BilledRequest<IDataObject>, 'input' | 'about' | 'price'>,
): Promise<IDataObject & { id: string }> {
	const { create: endpoint } = taskEndpoints[kind];
	const body = await item.billed({
		...request,
		endpoint,
		read: async (response) => {
			const answer = await readPaidJson(item, response, accepted);
			return item.isNewTask(String(answer.id)) ? answer : { ...answer, isAnothers: true };
		},
	});
	const id = String(body.id);
	// Both items would wait for one file: this one would get the other's words, as if all were well.
	if (body.isAnothers)
		throw new GatewayError(
			`The gateway gave the ${kind} "${quoted(id)}" to two items of this execution: this one was charged, too, and has no ${kind} of its own`,
			'Ask the support of the gateway about this ID. The item is not sent again by a retry.',
			{ jobId: id },
		);
	// Makes the execution findable by the ID.
	if (item.index < MAX_CUSTOM_DATA) item.session.nodeCall.tag(`${kind}_${item.index + 1}`, id);
	return { ...body, id };
}

/** The body of an accepted job or video. Throws when it has no id: then it was paid for and cannot be found again. */
function accepted(answer: unknown): IDataObject {
	const body = resourceBody(answer);
	const id = idIn(body, 'id', ...TASK_IDS);
	if (id === undefined) throw new Error('the answer has no id');
	return { ...body, id };
}

/** A task as item json; its `error` never keeps that name. */
export const taskJson = ({ kind }: Task, body: IDataObject): IDataObject =>
	withoutErrorKey(body, `${kind}Error`);

/** What the gateway says of a task now; free. Throws GatewayError. */
export async function fetchStatus(item: ItemRequests, task: Task): Promise<IDataObject> {
	return await withTaskId(item, task, async () => await item.free(statusRequest(item, task)));
}

/**
 * Fetches the file of a finished task, from where its status says if the gateway has no address for it, and stores it.
 * Free: what n8n cannot store is fetched again, until sending stops for the whole run.
 */
export async function fetchFile<T>(
	item: ItemRequests,
	task: Task,
	read: (response: GatewayResponse) => Promise<T>,
): Promise<T> {
	return await withTaskId(item, task, async () => {
		const status = statusRequest(item, task);
		const fetched = async () =>
			await item.free<T>({
				endpoint: taskEndpoints[task.kind].content(task.id),
				about: task,
				read,
				whenMissing: async (ask) => {
					const body = await ask(status);
					const from = item.session.transport.addressOf(status.endpoint);
					return isFailure(body) ? undefined : fileAt(body.url, from);
				},
			});
		const atGateway = (error: unknown): never => {
			if (!(error instanceof NotStoredError)) throw asError(error);
			throw new GatewayError(
				error.message,
				`The file is still at the gateway: fetch it later by its ID, which is free. n8n says: "${error.words}"`,
			);
		};
		return await fetched()
			.catch(async (error) => {
				if (!(error instanceof NotStoredError)) throw asError(error);
				return await storeAgain(item.session, error, fetched);
			})
			.catch(atGateway);
	});
}

/** Adds the ID of a paid task to any error: without the ID, it cannot be found again. */
export async function withTaskId<T>(
	item: ItemRequests,
	task: Task,
	action: () => Promise<T>,
): Promise<T> {
	try {
		return await action();
	} catch (error) {
		item.session.transport.cancel?.throwIfAborted();
		throw named(task, byOtherKey(item, task, asError(error)));
	}
}

/** Whether another key than the present one made a task. */
export function isByOtherKey({ ledger, session }: ItemRequests, { id }: Task): boolean {
	const payer = ledger.payerOf(id);
	return payer !== undefined && payer !== session.transport.account.name;
}

/** The refusal of a task (403, 404), with its cause where another key made it. Other errors stay as they are. */
function byOtherKey(item: ItemRequests, task: Task, error: Error): Error {
	if (!isByOtherKey(item, task) || !(error instanceof GatewayError)) return error;
	const { message, details } = error;
	if (details.httpCode !== '403' && details.httpCode !== '404') return error;
	return new GatewayError(
		`${message}: another API key made it`,
		'Set the credential back to the key that made it, or to another one of the same account. Nothing more is charged.',
		details,
	);
}

/** Any error as a GatewayError with the task's ID. */
function named({ kind, id }: Task, error: Error): Error {
	if (error instanceof GatewayError) {
		error.details.jobId ??= id;
		return error;
	}
	return new GatewayError(
		`The ${kind} "${quoted(id)}" cannot be fetched: ${plain(error.message)}`,
		`Nothing more is charged. Ask the support of the gateway about this ID.`,
		{ jobId: id },
	);
}

/** An id within a sentence: it may be of any length, and hold anything. */
export const quoted = (id: string): string => plain(id.slice(0, 100)) ?? '';

/** Asks for the status of a task; an answer that is no JSON object is no status. */
export const statusRequest = (
	{ session: { transport } }: ItemRequests,
	task: Task,
): FreeRequest<IDataObject> => ({
	endpoint: taskEndpoints[task.kind].status(task.id),
	read: async (response) => resourceBody(await transport.readJson(response)),
	about: task,
});

// Where gateways put a resource and its ID: `{ id }`, `{ task_id }`, `{ data: { id } }`, `{ video: { … } }` and the like.
const KINDS = [...Object.keys(taskEndpoints), 'task'].sort();
const TASK_IDS = KINDS.map((kind) => `${kind}_id`);
const IDS = ['id', '_id', ...TASK_IDS, 'voice_id'];
const WRAPPERS = ['data', ...KINDS, 'voice', 'result'];

/** A resource's JSON, which some gateways wrap in another object. Throws when it is no object. */
export function resourceBody(body: unknown): IDataObject {
	if (!isRecord(body)) throw new Error('the answer is not a JSON object');
	const wrapped = WRAPPERS.map((name) => body[name]).find(isRecord);
	if (!wrapped || idIn(body, ...IDS) !== undefined) return body;
	// A status next to the wrapped object may be the resource's own, or only mean that the request succeeded.
	const isWhole = idIn(wrapped, ...IDS) !== undefined && wrapped.status !== undefined;
	return body.status === undefined || isWhole ? wrapped : body;
}
