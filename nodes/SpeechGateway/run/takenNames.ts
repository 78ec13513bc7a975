import { randomUUID } from 'crypto';
import { asError } from '../core/errors';
import { cancelled, pause } from '../core/pause';
import {
	type IsDead,
	isToTake,
	LOCK,
	LOCK_DEAD_AFTER_MS,
	type NewRow,
	type Row,
	rowOf,
	Rows,
	seenBefore,
	SIGN,
	signOf,
	type NameState,
	stateOf,
	type Step,
	type Steps,
	take,
	Watch,
} from '../core/takeNames';
import type { NodeCall } from '../engine/nodeCall';
import { NoTableError, ResultsTable } from '../engine/resultsTable';

/** Names are taken this many at a time, so that other runs get the lock in between. */
const TAKEN_AT_ONCE = 1_000;
/** How often a run shows that it lives, and the holder of the lock that it is at work. */
const SIGN_EVERY_MS = 15_000;
const HOLD_EVERY_MS = 3_000;
/** How often the lock is looked at, and how long a process that had it leaves it to others. */
const LOOK_EVERY_MS = 200;
const LEFT_FOR_MS = 300;
/** How long a table that fails is asked again. */
const PATIENCE_MS = 60_000;

/** The first pause between questions, and the one after another: 0.25, 0.5, 1, 2 and then 5 s. */
const FIRST_ASK_MS = 250;
const longer = (pauseMs: number) => (pauseMs < 2_000 ? pauseMs * 2 : 5_000);

/** Names that one run wants. Another run of the process may take them together with its own. */
interface Wish {
	wants: NewRow[];
	isDead: IsDead;
	/** Those that it got; undefined as long as nobody had the lock for it. */
	taken?: Set<string>;
}

/** Those in one process that want names in the same table: whoever comes first takes for all. */
interface Queue {
	wishes: Wish[];
	/** The last of them, which the next one waits for. */
	last: Promise<unknown>;
	/** Words under which the lock was taken, and not given back because the table failed. */
	leftBehind: Set<string>;
}

/** By workflow. */
const queues = new Map<string, Queue>();

/** An item that waits for a name. */
interface Waiting {
	want: NewRow;
	resolve: (state: NameState) => void;
	reject: (error: Error) => void;
}

/**
 * The names that one run has in n8n's table or waits for. `core/takeNames` decides what is done in which order; this class does
 * it: again where the table fails, and not any more once the run is cancelled.
 */
export class TakenNames {
	private readonly taker = randomUUID();
	private readonly table: ResultsTable;
	private readonly queue: Queue;
	private readonly watch = new Watch();
	/** The names that this run has. */
	private readonly mine = new Set<string>();
	/** What the last question has told of the names that this run does not have. */
	private readonly states = new Map<string, NameState>();
	private readonly lastTakers = new Map<string, string>();
	private readonly waiting = new Map<string, Waiting>();
	private isAsking = false;
	/** Aborts when there is something new to ask. */
	private news = new AbortController();
	/** Rows of names that are free again, still to be deleted. */
	private readonly toFree = new Map<string, NewRow>();
	private freeing: Promise<void> = Promise.resolve();
	private failingSince: number | undefined;
	private mayHaveRows = false;
	/** Aborts when the run ends. */
	private readonly ended = new AbortController();
	private readonly cancelled: Promise<never>;

	constructor(
		private readonly nodeCall: NodeCall,
		private readonly cancel: AbortSignal,
	) {
		const { context } = nodeCall;
		this.table = new ResultsTable(context);
		const { id = '' } = context.getWorkflow();
		this.queue = queues.get(id) ?? { wishes: [], last: Promise.resolve(), leftBehind: new Set() };
		queues.set(id, this.queue);
		this.cancelled = cancelled(cancel);
		this.cancelled.catch(() => undefined);
	}

	/** A row that takes a name or, with a result, ends it. */
	row(name: string, content: string, result = ''): NewRow {
		return { name, content, taker: this.taker, execution: this.nodeCall.id ?? '', result };
	}

	/** Takes the names of many items together, as far as they are free. */
	async takeAll(wants: NewRow[]): Promise<void> {
		if (wants.length > 0) await this.patiently(async () => await this.ask(wants));
	}

	/** The execution of a dead run that had taken a name: what it has sent is unknown. */
	lastTaker(name: string): string | undefined {
		return this.lastTakers.get(name);
	}

	/** What is known of a name that another run has, or has ended with. */
	known(name: string): NameState | undefined {
		return this.states.get(name);
	}

	/**
	 * Waits until a name is this run's (`free`), until there is a result or none to be had, or until it is known that another
	 * run has it for something else (`taken`). Throws the table's error when it fails for too long.
	 */
	async take(want: NewRow): Promise<NameState> {
		const { name } = want;
		if (this.mine.has(name)) return { is: 'free' };
		const before = this.states.get(name);
		if (before && isTold(before, want)) return before;
		return await new Promise((resolve, reject) => {
			this.waiting.set(name, { want, resolve, reject });
			if (!before) this.news.abort();
			if (!this.isAsking) void this.askForAll();
		});
	}

	/** Asked when n8n's list knows the key of a name that this run has: whether another run has the name, or has ended with it. */
	async isOthers(want: NewRow): Promise<boolean> {
		this.mine.delete(want.name);
		const state = await this.patiently(
			async () => await this.perform(seenBefore(want, this.isDead)),
		);
		if (state.is !== 'free') this.states.set(want.name, state);
		return state.is !== 'free';
	}

	/** Adds rows with results. */
	async write(rows: NewRow[]): Promise<void> {
		await this.patiently(async () => await this.do({ add: rows }));
	}

	/** Frees names that this run has; those that cannot be freed now are freed before the next question. */
	async free(wants: NewRow[]): Promise<void> {
		for (const want of wants) {
			this.mine.delete(want.name);
			this.toFree.set(want.name, want);
		}
		await this.freeRows().catch(() => undefined);
	}

	/** The run has ended: all names that it has are free again. */
	async end(): Promise<void> {
		this.ended.abort();
		if (!this.mayHaveRows) return;
		const { taker } = this;
		await this.do({ remove: [{ taker, result: '' }] }).catch(() => undefined);
	}

	/** See `ResultsTable.clean`. Says nothing when it fails. */
	async clean(before: Date, most: number): Promise<void> {
		const cleaned = this.table.clean(before, most);
		await Promise.race([cleaned, this.cancelled]).catch(() => undefined);
	}

	private readonly isDead: IsDead = (taker, rows) =>
		this.watch.isDead(taker, rows.signOf(taker), performance.now(), Date.now());

	/** Asks for all names that items wait for, again and again. Never rejects. */
	private async askForAll(): Promise<void> {
		this.isAsking = true;
		for (let pauseMs = FIRST_ASK_MS; this.waiting.size > 0; pauseMs = longer(pauseMs)) {
			const sooner = AbortSignal.any([this.news.signal, this.cancel]);
			await pause(pauseMs, sooner).catch(() => undefined);
			this.news = new AbortController();
			const waiting = [...this.waiting.values()];
			try {
				await this.takeAll(waiting.map((one) => one.want));
				for (const { want, resolve } of waiting) {
					const { name } = want;
					const state = this.mine.has(name) ? NOW_FREE : this.states.get(name);
					if (!state || !isTold(state, want)) continue;
					this.waiting.delete(name);
					resolve(state);
				}
			} catch (error) {
				for (const { want, reject } of waiting) {
					this.waiting.delete(want.name);
					reject(asError(error));
				}
			}
		}
		this.isAsking = false;
	}

	/** One question for many names; those that are free are taken. */
	private async ask(wants: NewRow[]): Promise<void> {
		await this.freeRows();
		const rows = new Rows(await this.do({ look: [...namesOf(wants), SIGN, LOCK] }));
		const toTake: NewRow[] = [];
		for (const want of wants) {
			const { name } = want;
			if (isToTake(want, rows, this.isDead)) {
				toTake.push(want);
				this.states.delete(name);
				for (const { execution, taker } of rows.of(name))
					if (taker !== this.taker) this.lastTakers.set(name, execution);
			} else this.states.set(name, stateOf(want, rows, this.isDead));
		}
		for (let from = 0; from < toTake.length; from += TAKEN_AT_ONCE) {
			const some = toTake.slice(from, from + TAKEN_AT_ONCE);
			const taken = await this.inLine(some, rows.lock);
			for (const want of some)
				if (taken.has(want.name)) this.mine.add(want.name);
				// Another was faster, and has it: it is asked for again in a while.
				else this.states.set(want.name, { is: 'taken', row: { ...want, id: 0 } });
		}
	}

	/** Takes names under the lock, together with all that others in the process want by then. Returns those that it got. */
	private async inLine(wants: NewRow[], lock: Row | undefined): Promise<Set<string>> {
		const { queue } = this;
		const wish: Wish = { wants, isDead: this.isDead };
		queue.wishes.push(wish);
		if (!this.mayHaveRows) void this.showLife();
		this.mayHaveRows = true;
		const mine = queue.last.then(async () => {
			if (wish.taken) return false;
			await this.serve(wish, lock);
			return true;
		});
		queue.last = mine.then(
			async (hasServed) => (hasServed ? await pause(LEFT_FOR_MS) : undefined),
			() => undefined,
		);
		try {
			await Promise.race([mine, this.cancelled]);
			return wish.taken ?? new Set();
		} finally {
			queue.wishes = queue.wishes.filter((one) => one !== wish);
		}
	}

	/** Waits for the lock, and takes names for all who stand in queue. `lock`: as it was last seen. */
	private async serve(wish: Wish, lock: Row | undefined): Promise<void> {
		const { queue, watch } = this;
		for (let now = lock; ; now = new Rows(await this.do({ look: [LOCK] })).lock) {
			const looks = now ? `${now.taker} ${now.content}` : '';
			const isLeft =
				watch.unchanged(LOCK, looks, performance.now()) >= LOCK_DEAD_AFTER_MS ||
				(now !== undefined && queue.leftBehind.has(now.taker));
			if (!now && isLeft) await this.do({ add: [{ ...this.row(LOCK, ''), taker: '' }] });
			if (now && (isLeft || now.taker === '')) {
				const wishes = [wish];
				for (const other of queue.wishes)
					if (other !== wish && !other.taken && countOf([...wishes, other]) <= TAKEN_AT_ONCE)
						wishes.push(other);
				const taken = await this.takeUnder(now, wishes);
				for (const one of taken ? wishes : []) one.taken = taken;
				if (taken) return;
			}
			await pause(LOOK_EVERY_MS, this.cancel);
		}
	}

	/** Takes names under the lock; undefined if that was lost, or never taken. */
	private async takeUnder(lock: Row, wishes: Wish[]): Promise<Set<string> | undefined> {
		const word = randomUUID();
		const wants = wishes.flatMap((wish) => wish.wants);
		// Whoever has seen a run for long enough knows that it is dead.
		const isDead: IsDead = (taker, rows) =>
			wishes.map((wish) => wish.isDead(taker, rows)).includes(true);
		const done = new AbortController();
		void this.holdLock(word, done.signal);
		try {
			return await this.perform(take(wants, lock, word, isDead, new Date().toISOString()));
		} catch (error) {
			this.queue.leftBehind.add(word);
			throw asError(error);
		} finally {
			done.abort();
		}
	}

	/** Shows that the holder of the lock is at work. Never rejects. */
	private async holdLock(taker: string, done: AbortSignal): Promise<void> {
		for (let beat = 1; await passes(HOLD_EVERY_MS, done); beat++) {
			const change = { change: { name: LOCK, taker }, to: { content: String(beat) } };
			await this.do(change).catch(() => undefined);
		}
	}

	/** Shows that this run lives, until it ends. Never rejects. */
	private async showLife(): Promise<void> {
		const end = AbortSignal.any([this.ended.signal, this.cancel]);
		while (await passes(SIGN_EVERY_MS, end))
			try {
				const sign = signOf(this.row('', ''), new Date().toISOString());
				const { name, taker, content } = sign;
				const [changed] = await this.do({ change: { name, taker }, to: { content } });
				if (!changed && !end.aborted) await this.do({ add: [sign] });
			} catch {
				// It shows that it lives the next time.
			}
	}

	/** Deletes the rows of names that are free, one call after the other. */
	private async freeRows(): Promise<void> {
		this.freeing = this.freeing
			.catch(() => undefined)
			.then(async () => {
				const rows = [...this.toFree.values()];
				if (rows.length === 0) return;
				await this.do({ remove: rows.map(rowOf) });
				for (const { name } of rows) this.toFree.delete(name);
			});
		await this.freeing;
	}

	private async perform<R>(steps: Steps<R>): Promise<R> {
		let next = steps.next();
		while (!next.done) next = steps.next(await this.do(next.value));
		return next.value;
	}

	/** One step; once the run is cancelled, nothing is awaited any more. */
	private async do(step: Step): Promise<Row[]> {
		this.cancel.throwIfAborted();
		const rows = await Promise.race([this.table.perform(step), this.cancelled]);
		this.failingSince = undefined;
		return rows;
	}

	/** Does again what fails, for a minute. Where n8n has no table, it fails at once. */
	private async patiently<T>(action: () => Promise<T>): Promise<T> {
		for (let pauseMs = FIRST_ASK_MS; ; pauseMs = longer(pauseMs)) {
			try {
				return await action();
			} catch (error) {
				const now = performance.now();
				this.failingSince ??= now;
				const isOver = now - this.failingSince + pauseMs > PATIENCE_MS;
				if (isOver || error instanceof NoTableError || this.cancel.aborted) throw asError(error);
			}
			await pause(pauseMs, this.cancel);
		}
	}
}

const NOW_FREE: NameState = { is: 'free' };

const namesOf = (wants: NewRow[]): string[] => wants.map(({ name }) => name);

const countOf = (wishes: Wish[]): number =>
	wishes.reduce((count, { wants }) => count + wants.length, 0);

/** Whether an item need not wait: the name has ended, or another run has it for something else. */
const isTold = (state: NameState, { content }: NewRow): boolean =>
	state.is !== 'taken' || state.row.content !== content;

/** Waits; false as soon as it is no longer worth it. */
const passes = async (milliseconds: number, end: AbortSignal): Promise<boolean> =>
	await pause(milliseconds, end).then(
		() => true,
		() => false,
	);
