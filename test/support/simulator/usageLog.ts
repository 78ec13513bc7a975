/** The gateway's log of what each key was charged, as new-api keeps it: seen in a run of it, and shares nothing with `charges`. */
import { now } from '../clock';
import { ApiError } from './errors';
import { json, type Reply } from './exchange';
import type { SimRequest, World } from './world';

/** One line of it. */
export interface LogEntry {
	/** Seconds since 1970 by the gateway's clock, when it was settled. */
	created_at: number;
	/** 2: charged, 5: an error, 6: refunded. */
	type: number;
	model_name: string;
	quota: number;
	/** Whole seconds from the request's arrival until it was settled. */
	use_time: number;
	request_id?: string;
}

export interface LogOptions {
	/** False: this gateway keeps none (404). */
	kept?: boolean;
	/** False: a key in a header is answered with success and an empty list, as older versions do. */
	bearer?: boolean;
	/** True: entries name their request, as newer versions do. */
	ids?: boolean;
	/** Real ms from the end of the work until it is settled. */
	settlesAfterMs?: number;
	/** By how much the gateway's clock is ahead. */
	aheadSeconds?: number;
	/** By how much the log's own clock is ahead of that. */
	logAheadSeconds?: number;
	/** What it calls a model. */
	nameOf?: (model: string) => string;
	/** Whether a charge is missing from it. */
	lacks?: (charge: World['charges'][number]) => boolean;
	/** How many entries are listed. */
	newest?: number;
	/** The header Date is left out. */
	withoutDate?: boolean;
	/** False: it does not say what a key has used in all (404). */
	total?: boolean;
	/** What it had set aside before it was restarted, and keeps without an entry. */
	keeps?: number;
	/** What other clients of the same key have done. */
	others?: LogEntry[];
}

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

function entryOf(
	{ at, tokens }: World['charges'][number],
	{ at: arrivedAt, begunAt = arrivedAt, body, requestId }: SimRequest,
	{ settlesAfterMs = 0, aheadSeconds = 0, logAheadSeconds = 0, nameOf, ids }: LogOptions,
): LogEntry {
	const settledAt = seconds(at + settlesAfterMs);
	const model = String((body as { model?: unknown } | undefined)?.model);
	return {
		created_at: settledAt + aheadSeconds + logAheadSeconds,
		type: 2,
		model_name: nameOf?.(model) ?? model,
		quota: Math.ceil(tokens),
		use_time: settledAt - seconds(begunAt),
		...(ids && { request_id: requestId }),
	};
}

/** GET /api/log/token: the newest entries of a key. A key that is not known has none. */
export function usageLog(
	{ options, requests, charges, accounts }: World,
	request: SimRequest,
): Reply {
	const log = options.usageLog;
	if (log.kept === false) throw new ApiError(404, `Invalid URL (GET ${request.path})`);
	const key = request.query.key ?? (log.bearer === false ? undefined : request.apiKey);
	const account = accounts.find(({ apiKey }) => apiKey === key)?.account;
	const own = charges
		.filter(
			(charge) =>
				charge.account === account &&
				charge.at + (log.settlesAfterMs ?? 0) <= now() &&
				!log.lacks?.(charge),
		)
		.map((charge) => entryOf(charge, requests[charge.requestIndex], log));
	const data = account === undefined ? [] : [...own, ...(log.others ?? [])];
	data.sort((one, other) => other.created_at - one.created_at);
	return {
		...json({ success: true, message: '', data: data.slice(0, log.newest ?? 100) }),
		headers: log.withoutDate ? { date: '' } : {},
	};
}

/** GET /api/usage/token/: what a key has used in all, whatever its log has. */
export function usage({ options, charges, accounts }: World, { apiKey, path }: SimRequest): Reply {
	const { total = true, keeps = 0, others = [] } = options.usageLog;
	if (!total) throw new ApiError(404, `Invalid URL (GET ${path})`);
	const account = accounts.find((one) => one.apiKey === apiKey)?.account;
	const own = charges.filter((charge) => charge.account === account);
	const charged = own.reduce((sum, { tokens }) => sum + Math.ceil(tokens), 0);
	const beside = others.reduce(
		(sum, { type, quota }) => sum + (type === 2 ? quota : type === 6 ? -quota : 0),
		keeps,
	);
	return json({ code: true, message: 'ok', data: { total_used: charged + beside } });
}
