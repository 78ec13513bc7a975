import { asError } from '../core/errors';
import type { NodeCall } from '../engine/nodeCall';
import type { OperationDescription } from '../fields/form';
import { Parameters } from '../fields/parameters';
import { concurrency } from '../fields/settings';
import type { Account, Accounts } from '../gateway/account';
import { AccountLimiter, ConcurrencyLimiter } from '../gateway/concurrencyLimiter';
import { Transport } from '../gateway/transport';
import { CircuitBreaker, StoreBreaker } from './circuitBreaker';
import { SentKeys } from './claims';
import { Gate } from './gate';
import { InProcess } from './inProcess';
import { LastingMemory, MOST_KEYS } from './lasting';
import type { Ledger } from './ledger';
import { Paces } from './paces';
import type { Patience } from './patience';
import type { Traffic } from './traffic';

/** One attempt at all items, whoever pays for them. */
export interface Run {
	nodeCall: NodeCall;
	/** Which attempt at this round it is, from 1. */
	attempt: number;
	/** Bounds the requests of all accounts. */
	concurrency: ConcurrencyLimiter;
	runGate: Gate;
	lasting: LastingMemory;
	store: StoreBreaker;
	keys: SentKeys;
	/** Shown in the editor when the node has finished; each once, however many items have cause for it. */
	hints: Set<string>;
	/** Who pays for each item. */
	accounts?: Accounts;
	/** In a retry of a failed execution, whose files on record may be gone: see Ledger.retryOf. */
	retryOf?: string;
	/** Jobs that cost more than Generate would: the sum of both prices, and the hint that names it. */
	dearJobs: { asJob: number; asSpeech: number; hint: string };
	/** How fast its items speak. */
	paces: Paces;
	/** What can only be told when all items have ended, before they leave. */
	afterAll: Array<() => void>;
	/** What this process knows of the execution's other calls of the node. */
	inProcess: InProcess;
	/** How many tasks the run has begun to poll, and when its next poll may go. */
	polls: { tasks: number; nextAt: number };
}

/** What the items of one account have in common. */
export interface Session extends Run {
	transport: Transport;
	limiter: AccountLimiter;
	gate: Gate;
	breaker: CircuitBreaker;
	traffic: Traffic;
	patience: Patience;
	/** Longest segment still sent, in characters, because a longer one was cut; with the hint that says so. */
	longest: { characters: number; hint: string };
	/** Shares one result among the account's items, such as one clone for one title: the first asks, all get the answer. */
	share: <T>(key: string, action: () => Promise<T>) => Promise<T>;
}

const ENGINE_2 =
	'n8n\'s engine 2.0 keeps nothing for a retry of this node. There, only "Send Once Key" keeps a request from being sent, and paid for, again.';

/** A run as it begins. `atOnce`: how many requests it may have in flight. */
export function openRun(
	nodeCall: NodeCall,
	atOnce: number,
	lasting = new LastingMemory({}),
	attempt = 1,
): Run {
	const { cancel } = nodeCall;
	const limiter = new ConcurrencyLimiter(atOnce, cancel);
	const runGate = new Gate(cancel);
	return {
		nodeCall,
		attempt,
		concurrency: limiter,
		runGate,
		lasting,
		store: new StoreBreaker(runGate, limiter, lasting.stopping(), attempt),
		keys: new SentKeys(nodeCall.helpers, cancel),
		hints: new Set(),
		dearJobs: { asJob: 0, asSpeech: 0, hint: '' },
		paces: new Paces(),
		afterAll: [],
		inProcess: InProcess.of(nodeCall.memory),
		polls: { tasks: 0, nextAt: 0 },
	};
}

/** The run of one attempt. */
export function openAttempt(
	nodeCall: NodeCall,
	{ sends, billed }: OperationDescription,
	ledger: Ledger,
	lasting: LastingMemory,
): Run {
	const { retryOf, attempts } = ledger;
	let atOnce = concurrency.unset;
	let barred: Error | undefined;
	if (sends.length > 0)
		try {
			atOnce = concurrency.read(new Parameters(nodeCall, 0));
		} catch (error) {
			barred = asError(error);
		}
	const run = openRun(nodeCall, atOnce, lasting, attempts);
	run.runGate.barred = barred;
	if (billed && !nodeCall.keepsMemory) run.hints.add(ENGINE_2);
	const { keys = 0 } = lasting.value;
	if (keys >= 0.8 * MOST_KEYS)
		run.hints.add(
			`This execution has brought ${keys.toLocaleString('en')} different values of "Send Once Key". It may bring ${MOST_KEYS.toLocaleString('en')}: those beyond are not sent.`,
		);
	for (const task of ledger.tasks()) run.inProcess.tasks.add(task);
	return { ...run, retryOf };
}

/** `transport`: to the gateway of an account, or one that reaches none. */
export function openSession(run: Run, transport: Transport): Session {
	const { attempt, lasting, runGate, inProcess } = run;
	const { name } = transport.account;
	const limiter = new AccountLimiter(run.concurrency);
	const gate = new Gate(runGate.signal);
	gate.barred = runGate.barred;
	const shared = new Map<string, Promise<unknown>>();
	return {
		...run,
		transport,
		limiter,
		gate,
		breaker: new CircuitBreaker(gate, limiter, lasting.stopping(name), attempt),
		traffic: inProcess.traffic(name),
		patience: inProcess.patience(name),
		share: async <T>(key: string, action: () => Promise<T>) => {
			const result = shared.get(key) ?? action();
			shared.set(key, result);
			return (await result) as T;
		},
		longest: { characters: Infinity, hint: '' },
	};
}

/** The sessions of a run, one for each account that its items pay with. */
export class Sessions {
	/** Reaches no gateway. */
	readonly offline: Session;
	private readonly opened = new Map<Account, Session>();

	constructor(
		private readonly run: Run,
		private readonly accounts: Accounts,
	) {
		this.offline = openSession(run, Transport.offline(run.nodeCall.context));
	}

	/** The session of an item. If its credential cannot be read, one whose gate is barred: it still delivers what is paid for. */
	async of(index: number): Promise<Session> {
		try {
			this.run.runGate.check('free');
			const account = await this.accounts.of(index);
			const session =
				this.opened.get(account) ??
				openSession(this.run, new Transport(this.run.nodeCall.context, account));
			this.opened.set(account, session);
			return session;
		} catch (error) {
			const gate = new Gate(this.offline.gate.signal);
			gate.barred = asError(error);
			return { ...this.offline, gate };
		}
	}

	get all(): Session[] {
		return [...this.opened.values()];
	}
}
