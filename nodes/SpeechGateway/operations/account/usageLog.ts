import { asError, GatewayError } from '../../core/errors';
import { isRecord } from '../../core/json';
import { clockAheadMs } from '../../gateway/clock';
import { endpoints } from '../../gateway/endpoints';
import { readList } from '../../gateway/readList';
import type { GatewayResponse } from '../../gateway/transport';
import type { ItemRequests } from '../../requests/itemRequests';
import { readEntries } from '../../usage/logEntry';
import type { Clock } from '../../usage/moment';
import { time, type UsageLog } from '../../usage/settle';

/** The gateway answers for the log so often in so long, and then no more, ms. */
const LOG_WINDOW_MS = 20 * 60_000;
/** An answer that took longer, from question to headers, says too little about the clock there, ms. */
const LONGEST_ANSWER_MS = 5_000;

/**
 * Reads the usage log of the key once (`GET /api/log/token`, the shape of new-api); free. Resolves to a sentence, for
 * `why`, if there is none or it cannot be read. `keyInAddress`: older versions of new-api take the key from the query
 * alone.
 */
export async function readUsageLog(
	item: ItemRequests,
	keyInAddress: boolean,
): Promise<UsageLog | string> {
	const { transport } = item.session;
	const { usageLog } = endpoints;
	const nothing = `This gateway has no usage log at ${transport.addressOf(usageLog)}.`;
	try {
		return await item.free<UsageLog | string>({
			endpoint: { ...usageLog, keyInAddress },
			whenThrottled: (retryAfter = LOG_WINDOW_MS) =>
				`The gateway has shown its usage log too often (429). Ask again at ${time(Date.now() + retryAfter)}.`,
			read: async (response) => {
				const clock = clockOf(response);
				const body = await transport.readJson(response);
				const entries = entriesIn(body);
				const account = transport.account.name;
				return entries ? { entries, account, readAt: response.askedAt, clock } : nothing;
			},
		});
	} catch (error) {
		if (!(error instanceof GatewayError)) throw asError(error);
		return error.details.httpCode === '404'
			? nothing
			: `The usage log could not be read: ${error.message}.`;
	}
}

/** What the key has used in all, in the unit of the log (`GET /api/usage/token/`); undefined if the gateway does not say. */
export async function readTotalUsed(item: ItemRequests): Promise<number | undefined> {
	const { transport } = item.session;
	try {
		return await item.free({
			endpoint: endpoints.usage,
			whenThrottled: () => undefined,
			read: async (response) => {
				const body = await transport.readJson(response);
				const used = isRecord(body) && isRecord(body.data) ? body.data.total_used : undefined;
				return typeof used === 'number' ? used : undefined;
			},
		});
	} catch (error) {
		if (!(error instanceof GatewayError)) throw asError(error);
		return undefined;
	}
}

/** The entries of a log; undefined if the answer is no list, as from a gateway that is no new-api. */
function entriesIn(body: unknown): UsageLog['entries'] | undefined {
	try {
		return readEntries(readList(body));
	} catch {
		return undefined;
	}
}

/** What an answer's date says of the clock at the gateway. */
function clockOf({ headers, askedAt }: GatewayResponse): Clock | undefined {
	const took = Date.now() - askedAt;
	const aheadMs = clockAheadMs(headers, askedAt + took / 2);
	if (aheadMs === undefined || took > LONGEST_ANSWER_MS) return undefined;
	return { aheadMs, withinMs: took / 2 };
}
