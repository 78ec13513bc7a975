import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import { gatewayWords, plain } from '../gateway/gatewayWords';
import { jobProgress } from './pollSchedule';
import { pause } from '../core/pause';
import { isFailure } from '../requests/exchange';
import type { ItemRequests } from '../requests/itemRequests';
import { pollingOf } from './polling';
import { quoted, statusRequest, type Task } from './task';

interface Seen {
	body?: IDataObject;
	completed?: boolean;
	failure?: Error;
}

/** Shortest timeout of a poll, ms, even when Max Wait is nearly over: otherwise it might never get an answer. */
const SHORTEST_POLL_MS = 3_000;

/**
 * Looks at a task once, in its turn, until `end` (by `performance.now()`, ms) at the latest. Throws GatewayError, with the id, when the
 * task failed or the gateway itself says that it may not be read; once it was `heard`, a proxy's page means nothing.
 */
export async function look(
	item: ItemRequests,
	task: Task,
	end: number,
	heard: boolean,
	isLikelyDone = false,
): Promise<Seen> {
	const { transport, unavailable } = item.session;
	// This does not change during the run.
	if (unavailable) throw unavailable;
	await pause(pollingOf(item.session).turn(isLikelyDone), transport.cancel);
	const deadline = Math.max(end, performance.now() + SHORTEST_POLL_MS);
	const answer = await item.freeOnce(statusRequest(item, task), deadline).catch(asError);
	transport.cancel?.throwIfAborted();
	if (answer instanceof Error) return { failure: answer };
	if (isFailure(answer)) {
		if (answer.outcome === 'refused' && (answer.byGateway || !heard)) throw answer.error;
		return { failure: answer.error };
	}
	const body: IDataObject = { ...answer, id: task.id };
	const progress = jobProgress(body.status);
	if (progress === 'failed') throw failed(task, body);
	return { body, completed: progress === 'completed' };
}

function failed({ thing, id }: Task, body: IDataObject): GatewayError {
	const { message } = gatewayWords(body);
	const status = statusWord(body);
	const words = /^fail(ed)?$/i.test(status) ? '' : ` (${status})`;
	return new GatewayError(
		`The ${thing} "${quoted(id)}" failed${words}${message ? `: ${message}` : ''}`,
		'It was charged when it was submitted, and may have been refunded: see the usage log. It is not submitted again in this execution. Ask the support of the gateway about this ID before you send it again.',
		{ jobId: id },
	);
}

export const statusWord = ({ status }: IDataObject): string =>
	plain(typeof status === 'string' ? status.slice(0, 100) : undefined) ?? 'unknown';
