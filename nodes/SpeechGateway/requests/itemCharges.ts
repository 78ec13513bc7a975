import { defined } from '../core/json';
import { type Charge, type Entry, type ItemRecord, taskIdOf } from './records';

/**
 * What an item was, or may have been, paid for ("Charges"), by the entries of its requests. A finished item has no entries
 * any more, and keeps its charges.
 */
export function chargesOf({ charges = [], requests }: Readonly<ItemRecord>): Charge[] {
	const entries = Object.entries(requests);
	return [...charges, ...entries.flatMap(([name, entry]) => chargeOf(name, entry) ?? [])];
}

/** What a request on record was charged; undefined where that was certainly nothing, or is another execution's. */
function chargeOf(request: string, entry: Entry): Charge | undefined {
	if (entry.state === 'cut') return undefined;
	if (entry.state === 'unknown') {
		const { facts, tokens } = entry;
		const { reason, sentAt, requestId } = facts;
		if (reason === 'already_sent') return undefined;
		return { request, charged: 'unknown', ...defined({ tokens, sentAt, requestId }) };
	}
	const { sentAt } = entry;
	if (entry.state === 'sending') return { request, charged: 'unknown', sentAt };
	const { tokens, requestId } = entry;
	const jobId = taskIdOf(entry);
	return { request, charged: 'yes', ...defined({ tokens, sentAt, requestId, jobId }) };
}
