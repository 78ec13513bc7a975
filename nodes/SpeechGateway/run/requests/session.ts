import type { IExecuteFunctions } from 'n8n-workflow';
import { ConcurrencyLimiter } from '../../gateway/concurrencyLimiter';
import type { GatewayContext, Transport } from '../../gateway/transport';
import { SentKeys } from './claims';

/** What all items of one run of the node share. */
export interface Session {
	context: GatewayContext &
		Pick<IExecuteFunctions, 'helpers' | 'getInputData'> &
		Partial<Pick<IExecuteFunctions, 'sendMessageToUI' | 'sendChunk' | 'getWorkflowDataProxy'>>;
	transport: Transport;
	limiter: ConcurrencyLimiter;
	pacer: Pacer;
	keys: SentKeys;
	/** Shown in the editor when the node has finished; each once, however many items have cause for it. */
	hints: Set<string>;
	/** What several items of one run need only once, such as one clone for one title: the first asks, all get its result. */
	once: <T>(key: string, action: () => Promise<T>) => Promise<T>;
	/** Why the execution cannot sleep; undefined: it can. */
	whyAwake?: () => string | undefined;
	/** In a retry of a failed execution: see Ledger.retryOf. */
	retryOf?: string;
	/** Why no request can be made at all; what an earlier attempt has paid for is still handed over. */
	unavailable?: Error;
	/** Tokens that segments which went on as jobs cost beyond the estimate of the run. */
	extraTokens: number;
	/** Jobs and videos waited for in this run, for the progress line. */
	jobs: { waiting: number; done: number };
}

/** Polls a second that one run asks for at the most: hundreds of jobs are spread out, not asked all at once. */
const POLLS_PER_SECOND = 40;

/** Hands out evenly spaced moments, so that polls of many jobs never come as a burst. */
export class Pacer {
	private nextAt = 0;

	/** Milliseconds to wait until the caller's turn. To be asked when the caller is ready, or it would hold up others. */
	turn(): number {
		const now = Date.now();
		const at = Math.max(now, this.nextAt);
		this.nextAt = at + 1000 / POLLS_PER_SECOND;
		return at - now;
	}
}

function shared(): Session['once'] {
	const results = new Map<string, Promise<unknown>>();
	return async <T>(key: string, action: () => Promise<T>) => {
		const result = results.get(key) ?? action();
		results.set(key, result);
		return (await result) as T;
	};
}

export function openSession(
	context: Session['context'],
	transport: Transport,
	concurrency: number,
): Session {
	return {
		context,
		transport,
		limiter: new ConcurrencyLimiter(concurrency, transport.cancel),
		pacer: new Pacer(),
		keys: new SentKeys(context.helpers),
		hints: new Set(),
		once: shared(),
		extraTokens: 0,
		jobs: { waiting: 0, done: 0 },
	};
}
