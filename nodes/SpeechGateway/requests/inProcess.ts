import { Patience } from './patience';
import { Traffic } from './traffic';

/**
 * What the calls of one node in one execution share in this process: its tries, the rounds of a loop, an agent's calls
 * at the same time. It is not in the execution's data, so a restart of n8n forgets it.
 */
export class InProcess {
	/** The tasks that this execution has made. */
	readonly tasks = new Set<string>();
	/** The different values of "Send Once Key" that it has brought. */
	readonly keys = new Set<string>();
	/** How many it had brought before, in another process; set with the first. */
	keysBefore?: number;
	/** Tokens that each call under way has set aside. */
	readonly setAside = new Map<object, number>();
	/** The first round of a loop that could not use the data table: its hint is the execution's only one. */
	roundWithoutTable?: number;
	private readonly traffics = new Map<string, Traffic>();
	private readonly patiences = new Map<string, Patience>();

	/** The state of the node whose memory this is; n8n gives all calls of a node in an execution the same object. */
	static of(memory: object): InProcess {
		const inProcess = byMemory.get(memory) ?? new InProcess();
		byMemory.set(memory, inProcess);
		return inProcess;
	}

	/** The billed requests that an account has paid for, by its name. */
	traffic(account: string): Traffic {
		const traffic = this.traffics.get(account) ?? new Traffic();
		this.traffics.set(account, traffic);
		return traffic;
	}

	/** How patient it still is with an account, by its name. */
	patience(account: string): Patience {
		const patience = this.patiences.get(account) ?? new Patience();
		this.patiences.set(account, patience);
		return patience;
	}
}

const byMemory = new WeakMap<object, InProcess>();
