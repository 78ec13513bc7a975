import type { Execution } from '../engine/execution';
import { ConcurrencyLimiter } from '../gateway/concurrencyLimiter';
import type { Transport } from '../gateway/transport';
import { CircuitBreaker } from './circuitBreaker';
import { SentKeys } from './claims';
import { LastingRecord } from './lasting';
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
	/** Tokens beyond the estimate of the run: of segments that went on as jobs, and of further takes. */
	extraTokens: number;
	/** Those of further takes under way. */
	retakeTokens: number;
}

/** Counts tokens beyond the estimate of the run, if they may be spent; else returns by how many they pass the limit. */
export function spendExtra(session: Session, tokens: number, toSpare = Infinity): number {
	const beyond = session.extraTokens + tokens - toSpare;
	if (beyond <= 0) session.extraTokens += tokens;
	return Math.max(0, beyond);
}

function sharing(): Session['share'] {
	const results = new Map<string, Promise<unknown>>();
	return async <T>(key: string, action: () => Promise<T>) => {
		const result = results.get(key) ?? action();
		results.set(key, result);
		return (await result) as T;
	};
}

export function openSession(
	execution: Execution,
	transport: Transport,
	concurrency: number,
	lasting = new LastingRecord({}),
	attempt = 1,
): Session {
	const limiter = new ConcurrencyLimiter(concurrency, transport.cancel);
	return {
		execution,
		transport,
		limiter,
		lasting,
		breaker: new CircuitBreaker(limiter, lasting, attempt),
		keys: new SentKeys(execution.helpers, transport.cancel),
		traffic: trafficOf(execution.memory),
		hints: new Set(),
		share: sharing(),
		extraTokens: 0,
		retakeTokens: 0,
	};
}
