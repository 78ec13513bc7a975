import { asError } from '../core/errors';
import type { Execution } from '../engine/execution';
import { timeoutAt } from '../engine/sleep';
import type { OperationDescription } from '../fields/form';
import { Parameters } from '../fields/parameters';
import { concurrency } from '../fields/settings';
import { ConcurrencyLimiter } from '../gateway/concurrencyLimiter';
import { Transport } from '../gateway/transport';
import { CircuitBreaker } from './circuitBreaker';
import { SentKeys } from './claims';
import { LastingRecord, MOST_KEYS } from './lasting';
import type { Ledger } from './ledger';
import { type Traffic, trafficOf } from './traffic';

export interface Session {
	execution: Execution;
	transport: Transport;
	limiter: ConcurrencyLimiter;
	lasting: LastingRecord;
	breaker: CircuitBreaker;
	keys: SentKeys;
	traffic: Traffic;
	/** Shown in the editor when the node has finished; each once, however many items have cause for it. */
	hints: Set<string>;
	/** Shares one result among the items of a run, such as one clone for one title: the first item asks, all get the answer. */
	share: <T>(key: string, action: () => Promise<T>) => Promise<T>;
	/** When the workflow's timeout ends the execution, ms since 1970; undefined: never, as far as is known. */
	endsAt?: number;
	/** In a retry of a failed execution: see Ledger.retryOf. */
	retryOf?: string;
	/** Files on record are those of the failed execution that this one retries, and may be gone. */
	retries?: boolean;
	/** Why no request can be made at all; what an earlier attempt has paid for is still handed over. */
	unavailable?: Error;
	/** Tokens beyond the estimate of the run: of segments that went on as jobs. */
	extraTokens: number;
	/** What the dear jobs of the run cost, and what Generate would, with the hint that says so. */
	dearJobs: { asJob: number; asSpeech: number; hint: string };
	/** Polls of the run. */
	polls: { tasks: number; nextAt: number };
	/** What the run may spend beyond its estimate without passing the spending limit. */
	tokensToSpare: number;
}

/** Counts tokens beyond the estimate of the run, if they may be spent; else returns by how many they pass the limit. */
export function spendExtra(session: Session, tokens: number): number {
	const beyond = session.extraTokens + tokens - session.tokensToSpare;
	if (beyond <= 0) session.extraTokens += tokens;
	return Math.max(0, beyond);
}

const ENGINE_2 =
	'n8n\'s engine 2.0 keeps nothing for a retry of this node. There, only "Send Once Key" keeps a request from being sent, and paid for, again.';

/** The session of one attempt. One that cannot reach the gateway still delivers what is paid for: see `unavailable`. */
export async function openFor(
	execution: Execution,
	{ sends, billed }: OperationDescription,
	ledger: Ledger,
	lasting: LastingRecord,
): Promise<Session> {
	const { context } = execution;
	const { retryOf, wokeUp, attempts, before } = ledger;
	let session = openSession(execution, Transport.offline(context), concurrency.unset);
	if (sends.length > 0)
		try {
			const atOnce = concurrency.read(new Parameters(execution, 0));
			session = openSession(execution, await Transport.open(context), atOnce, lasting, attempts);
		} catch (error) {
			session.unavailable = asError(error);
		}
	for (const hint of before.hints ?? []) session.hints.add(hint);
	if (billed && !execution.keepsMemory) session.hints.add(ENGINE_2);
	const { keys = 0 } = lasting.value;
	if (keys >= 0.8 * MOST_KEYS)
		session.hints.add(
			`This execution has brought ${keys.toLocaleString('en')} different values of "Send Once Key". It may bring ${MOST_KEYS.toLocaleString('en')}: those beyond are not sent.`,
		);
	const endsAt = timeoutAt(execution, wokeUp ? before.endsAt : undefined);
	return { ...session, retryOf, endsAt, retries: retryOf !== undefined && !wokeUp };
}

export function openSession(
	execution: Execution,
	transport: Transport,
	atOnce: number,
	lasting = new LastingRecord({}),
	attempt = 1,
): Session {
	const limiter = new ConcurrencyLimiter(atOnce, transport.cancel);
	const shared = new Map<string, Promise<unknown>>();
	return {
		execution,
		transport,
		limiter,
		lasting,
		breaker: new CircuitBreaker(limiter, lasting, attempt),
		keys: new SentKeys(execution.helpers, transport.cancel),
		traffic: trafficOf(execution.memory),
		hints: new Set(),
		share: async <T>(key: string, action: () => Promise<T>) => {
			const result = shared.get(key) ?? action();
			shared.set(key, result);
			return (await result) as T;
		},
		extraTokens: 0,
		dearJobs: { asJob: 0, asSpeech: 0, hint: '' },
		polls: { tasks: 0, nextAt: 0 },
		tokensToSpare: Infinity,
	};
}
