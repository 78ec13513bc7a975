import { defined } from '../core/json';
import { OUTCOMES } from './outcome';
import { type Charge, type Entry, type ItemRecord, taskIdOf, wasSentElsewhere } from './records';

/**
 * What an item was, or may have been, charged ("Charges"), read from the entries of its requests. A finished item has no
 * entries any more: its charges are kept with its result.
 */
export function chargesOf({ charges = [], requests }: Readonly<ItemRecord>): Charge[] {
	const entries = Object.entries(requests);
	return [...charges, ...entries.flatMap(([name, entry]) => chargeOf(name, entry) ?? [])];
}

/** The charge of a request on record; undefined if it was certainly not charged, or another execution pays for it. */
function chargeOf(request: string, entry: Entry): Charge | undefined {
	const { charged } = OUTCOMES[entry.state];
	if (charged === 'no' || wasSentElsewhere(entry)) return undefined;
	const { sentAt, tokens, requestId } = costOf(entry);
	const jobId = taskIdOf(entry);
	return {
		request,
		charged: charged === 'maybe' ? 'unknown' : 'yes',
		...defined({ tokens, sentAt, requestId, jobId }),
	};
}

/** When a request on record left, and what is known of its price. */
const costOf = (entry: Entry): Omit<Charge, 'request' | 'charged'> =>
	entry.state === 'unknown' ? { ...entry.facts, tokens: entry.tokens } : entry;
