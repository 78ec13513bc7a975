import { asError } from '../core/errors';
import type { Execution } from '../engine/execution';
import { timeoutAt } from '../engine/sleep';
import { Parameters } from '../fields/parameters';
import { concurrency } from '../fields/settings';
import { Transport } from '../gateway/transport';
import { type LastingRecord, MOST_KEYS } from '../requests/lasting';
import type { Ledger } from '../requests/ledger';
import { openSession, type Session } from '../requests/session';
import type { Operation } from './operation';

const ENGINE_2 =
	'n8n\'s engine 2.0 keeps nothing for a retry of this node. There, only "Send Once Key" keeps a request from being sent, and paid for, again.';

/** The session of one attempt. One that cannot reach the gateway still delivers what is paid for: see `unavailable`. */
export async function openFor(
	execution: Execution,
	operation: Operation,
	ledger: Ledger,
	lasting: LastingRecord,
): Promise<Session> {
	const { context } = execution;
	const { retryOf, wokeUp, attempts, before } = ledger;
	let session = openSession(execution, Transport.offline(context), concurrency.unset);
	if (operation.sends.length > 0)
		try {
			const atOnce = concurrency.read(new Parameters(execution, 0));
			session = openSession(execution, await Transport.open(context), atOnce, lasting, attempts);
		} catch (error) {
			session.unavailable = asError(error);
		}
	for (const hint of before.hints ?? []) session.hints.add(hint);
	if (operation.billed && !execution.keepsMemory) session.hints.add(ENGINE_2);
	const { keys = 0 } = lasting.value;
	if (keys >= 0.8 * MOST_KEYS) session.hints.add(keysHint(keys));
	const endsAt = timeoutAt(context, wokeUp ? before.endsAt : undefined);
	return { ...session, retryOf, endsAt, retries: retryOf !== undefined && !wokeUp };
}

const keysHint = (keys: number) =>
	`This execution has brought ${keys.toLocaleString('en')} different values of "Send Once Key". It may bring ${MOST_KEYS.toLocaleString('en')}: those beyond are not sent.`;
