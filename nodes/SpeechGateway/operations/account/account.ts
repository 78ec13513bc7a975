/**
 * Account → Get Prices and Settle: what the gateway says of prices (`GET /api/pricing`) and of what it charged (`GET
 * /api/log/token`), both as new-api has them. All of it is free and may be asked again; other gateways lack these
 * lists, which is said, and not guessed.
 */
import type { IDataObject } from 'n8n-workflow';
import { defined } from '../../core/json';
import { pause } from '../../core/pause';
import type { ItemRequests } from '../../requests/itemRequests';
import { fetchPrices } from '../../requests/lists';
import { defineOperation } from '../../requests/operation';
import type { LogEntry } from '../../usage/logEntry';
import { certainAt, type UnknownRequest } from '../../usage/moment';
import { mayBeRestarted, requestVerdict, type UsageLog, type Verdict } from '../../usage/settle';
import { account } from './account.form';
import { unknownItemIn, unknownRequestsIn } from './unknownItem';
import { readTotalUsed, readUsageLog } from './usageLog';

/**
 * Lists the prices of the gateway's price list, an item a model. Asked once a run and account. A gateway without such a
 * list is an error that says where it was looked for.
 */
export const getPrices = defineOperation(account.getPrices, {
	async execute(_, item) {
		const prices = await item.session.share('prices', async () => await fetchPrices(item));
		return { branch: 'success', items: prices.map((price) => ({ json: { ...price } })) };
	},
});

type SettleInput = ReturnType<typeof account.settle.values> & {
	requests: UnknownRequest[];
	/** When the log can tell for certain of all items of the run, ms since 1970. */
	certainAt: number;
};

/**
 * Tells of items of unknown outcome whether they were charged, by the gateway's usage log. It waits until the log must
 * have every charge (the gateway may settle minutes after the request), reads it once for all items, and judges each
 * request by `usage/settle`; what the key has used in all is asked for where the log alone proves nothing. The item comes back as it was, with `charged` (yes, no or unknown), `why` and the entry
 * that says so in the field that tells of it. Only with "no" does the node that sent it send it again.
 */
export const settle = defineOperation(account.settle, {
	prepare(values, { nodeCall, index }): SettleInput {
		const requests = unknownRequestsIn(unknownItemIn(nodeCall.items[index]?.json ?? {}));
		return { ...values, requests, certainAt: Math.max(...requests.map(certainAt)) };
	},

	// One moment for all, so that the log is read once: an earlier reading would miss what later items need.
	checkAll(all) {
		const latest = Math.max(...all.map(({ input }) => input.certainAt));
		for (const { input } of all) input.certainAt = latest;
	},

	async execute(input, item) {
		const { nodeCall, hints, share } = item.session;
		await untilCertain(item, input);
		const log = await share(`usage log ${input.keyInAddress}`, async () => {
			return await readUsageLog(item, input.keyInAddress);
		});
		if (typeof log !== 'string' && input.requests.some((request) => mayBeRestarted(request, log)))
			log.totalUsed = await share('total used', async () => await readTotalUsed(item));
		if (typeof log === 'string') hints.add(log);
		else if (log.entries.length === 0 && !input.keyInAddress) hints.add(EMPTY);
		const { json, binary } = nodeCall.items[item.index];
		const { facts, field, row } = unknownItemIn(json);
		const verdict = fieldsOf(itemVerdict(input.requests, facts, log));
		// First in the field, which is long, and over those of an earlier Settle.
		const told = { ...verdict, ...facts, ...EARLIER, ...verdict };
		const settled = { ...row, [field]: defined(told) };
		return { branch: 'success', items: [{ json: settled, ...(binary && { binary }) }] };
	},
});

/** What an earlier Settle has said leaves. */
const EARLIER = { logEntry: undefined, candidates: undefined };

const EMPTY =
	'The usage log of the gateway is empty for this key. Older versions of new-api list it only with the option "Key in Address".';

/** Waits until the log can tell for certain of all items, at most Max Wait. */
async function untilCertain(item: ItemRequests, input: SettleInput): Promise<void> {
	if (!input.waitUntilCertain) return;
	const left = Math.min(input.certainAt - Date.now(), input.maxWaitMs);
	await pause(left, item.session.transport.cancel);
}

/**
 * The verdict on an item, which may have several requests: charged if any was; unknown if any is; not charged only if
 * none was. A job is charged when it is accepted, so its ID alone says yes.
 */
function itemVerdict(
	requests: UnknownRequest[],
	{ jobId }: IDataObject,
	log: UsageLog | string,
): Verdict {
	if (typeof jobId === 'string')
		return { charged: 'yes', why: `The gateway accepted the job "${jobId}", and charged it then.` };
	if (typeof log === 'string') return { charged: 'unknown', why: log };
	const verdicts = requests.map((request) => requestVerdict(request, log));
	const of = (charged: Verdict['charged']) =>
		verdicts.find((verdict) => verdict.charged === charged);
	return of('yes') ?? of('unknown') ?? verdicts[0];
}

/** The fields that an item gets. `seconds` and `quota` of an entry are the log's own: duration and units of account. */
const fieldsOf = ({ charged, why, entry, candidates }: Verdict): IDataObject =>
	defined({
		charged,
		why,
		logEntry: entry && entryOf(entry),
		candidates: candidates?.map(entryOf),
	});

const entryOf = ({ at, seconds, quota, requestId }: LogEntry): IDataObject =>
	defined({ at: new Date(at).toISOString(), seconds, quota, requestId });
