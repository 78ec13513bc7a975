import type { INodeExecutionData } from 'n8n-workflow';
import { asError, InputError, NOTHING_SENT } from '../core/errors';
import { isRecord } from '../core/json';
import { cancelled, pause } from '../core/pause';
import type { NewRow, NameState } from '../core/takeNames';
import type { NodeCall } from '../engine/nodeCall';
import { NoTableError } from '../engine/resultsTable';
import { RECORD_VERSION } from '../requests/records';
import type { Run } from '../requests/session';
import { keep, recall, takeName } from './keptResults';
import { TakenNames } from './takenNames';

/**
 * Same key, same result. An item whose Send Once Key this node has sent before gets the first result again, and nothing
 * is sent. Results are in this process's memory and, for all workers, in a data table of n8n's. Whoever sends a key
 * takes its name first, in the process and then in the table; others wait for the result. Neither keeps a key from being
 * charged twice: n8n's list of keys stands in front of every request (see `claims`). So whatever becomes of memory and
 * table, the worst is an item that was already sent, without its result.
 */

/** A Send Once Key, as it is known in all executions. */
export interface NamedKey {
	/** Of the workflow, node and key. */
	name: string;
	/** The key of what is asked for. */
	content: string;
	/** Whether the item gets the first result again. */
	isGivenAgain: boolean;
}

/** What an item has brought: its result, why there is none, or undefined: nothing was charged. */
export type Ended = FirstResult | undefined;

/** The first result of a key, with the options that added to it, or why there is none to give. */
export type FirstResult = { item: INodeExecutionData; extras: string[] } | { lost: string };

/** What is kept under a name. */
type Saved = { version: number; content: string; sentIn?: string } & FirstResult;

/** What a key brought before; `sentIn`: the execution. */
export type Earlier = { sentIn?: string } & FirstResult;

/** Larger results are kept in this process only. */
const MOST_ROW_BYTES = 64 * 2 ** 10;

/**
 * How long rows are gathered while other items go on. If n8n is killed meanwhile, these results are lost; no key is
 * sent again.
 */
const GATHERED_MS = 1_000;

const DAY_MS = 24 * 3_600_000;
/** How long rows stay in the table, and how many with a result: n8n takes 200 MB for all tables together. */
const ROWS_STAY_MS = 30 * DAY_MS;
const MOST_ROWS = 10_000;
/** When this process last deleted old rows, by workflow, ms since 1970. */
const cleanedAt = new Map<string, number>();

const TOO_LARGE = 'its result is too large to be kept';
const ROW_UNREADABLE = 'its row cannot be read';

const noTable = (said: string) =>
	`"Give the Result Again" knows the results of this n8n process only, since it could not use a data table (n8n 2 has them). No key is sent twice all the same. n8n says: "${said}"`;

/** The names that one run has or asks for, in this process and in the table. */
export class SentBefore {
	private readonly names: TakenNames;
	private readonly cancelled: Promise<never>;
	private usesTable = true;
	/** The items of this run that have a name in the process, and what gives it back. */
	private readonly own = new Map<string, { asked: NamedKey; free: () => void }>();
	/** The first item of each name. */
	private readonly firsts = new Map<string, NamedKey>();
	/** Rows with results, and names that are free again, still to be told to the table. */
	private toWrite: NewRow[] = [];
	private toFree: NewRow[] = [];
	private writing: Promise<void> | undefined;
	/** Aborts when there is nothing more to gather for the next write. */
	private gathered = new AbortController();

	constructor(
		private readonly nodeCall: NodeCall,
		private readonly run: Pick<Run, 'hints' | 'inProcess'>,
	) {
		const { cancel = new AbortController().signal } = nodeCall;
		this.names = new TakenNames(nodeCall, cancel);
		this.cancelled = cancelled(cancel);
		this.cancelled.catch(() => undefined);
	}

	/**
	 * Takes the names of a run's items together, as far as they are free. What has failed here, a retry on another worker may
	 * have finished since. A table that does not answer fails the items, one by one.
	 */
	async takeAll(asked: NamedKey[]): Promise<void> {
		for (const one of asked) if (!this.firsts.has(one.name)) this.firsts.set(one.name, one);
		const unknown = [...this.firsts.values()].filter(
			(one) => !savedAs(one.name, 'item') && !this.take(one),
		);
		await this.withTable(
			async () => await this.names.takeAll(unknown.map((one) => this.row(one))),
		).catch(() => undefined);
	}

	/** Whether an item sends nothing as far as is known: there is a result, or another item of the run has its key. */
	knows(asked: NamedKey): boolean {
		return this.hasEnded(asked) || (this.firsts.get(asked.name) ?? asked) !== asked;
	}

	/** Whether there is a result of an item's key, or it is known that there is none to be had. */
	hasEnded({ name }: NamedKey): boolean {
		const state = this.names.known(name)?.is;
		return state === 'result' || state === 'lost' || recall(name) !== undefined;
	}

	/**
	 * The first result of an item's key, which another may just be making; undefined: the key is new, and its item has the name
	 * until `finish` or `leave`. Throws InputError if something else was sent with the key, or nobody can tell whether it was.
	 */
	async find(asked: NamedKey): Promise<Earlier | undefined> {
		const { name } = asked;
		for (;;) {
			const done = savedAs(name, 'item');
			if (done) return this.giveAgain(asked, done);
			const other = this.take(asked);
			if (!other) break;
			await Promise.race([other, this.cancelled]);
		}
		const state = await this.inTable(asked);
		if (state?.is === 'taken') throw this.other(asked, state.row.execution);
		const isFree = state === undefined || state.is === 'free';
		const saved = isFree ? savedAs(name, 'lost') : savedIn(state.row);
		if (!saved) return undefined;
		if (isFree) await this.names.free([this.row(asked)]);
		return this.giveAgain(asked, saved);
	}

	/** Asked when n8n's list knows the key of an item that has its name: whether there is somebody to wait for, or a result. */
	async isOthers(asked: NamedKey): Promise<boolean> {
		const isOthers = this.withTable(async () => await this.names.isOthers(this.row(asked)));
		return (await isOthers.catch(() => false)) ?? false;
	}

	/** The execution that has sent a key, as far as is known here. */
	sentIn({ name }: NamedKey): string | undefined {
		const saved = recall(name);
		return saved === undefined ? this.names.lastTaker(name) : (JSON.parse(saved) as Saved).sentIn;
	}

	/** Records how an item with a name has ended. */
	async finish(asked: NamedKey, ended: Ended): Promise<void> {
		const { name, content, isGivenAgain } = asked;
		if (isGivenAgain && !this.has(asked)) return;
		if (ended) {
			const of = { version: RECORD_VERSION, content, sentIn: this.nodeCall.id };
			const json = JSON.stringify({ ...of, ...ended });
			// Another retry has finished what this one could not.
			if ('item' in ended || !savedAs(name, 'item')) keep(name, json);
			const isSmall = json.length <= MOST_ROW_BYTES;
			const result = isSmall ? json : JSON.stringify({ ...of, lost: TOO_LARGE });
			if (isGivenAgain) this.toWrite.push(this.row(asked, result));
		} else if (isGivenAgain) this.toFree.push(this.row(asked));
		if (isGivenAgain) await this.write();
		this.leave(asked);
	}

	/** An item needs its name no longer. Where another item of the run has the name, that one keeps it. */
	leave(asked: NamedKey): void {
		if (!this.has(asked)) return;
		this.own.get(asked.name)?.free();
		this.own.delete(asked.name);
	}

	/**
	 * The run was cancelled: whoever waits in this process for its names goes on, since what is under way may never end, as
	 * where a store does not answer. If it ends, its result is kept.
	 */
	freeAll(): void {
		for (const { free } of this.own.values()) free();
	}

	/** The run has ended: names are free again, and old rows go. `keys`: whether it had any. */
	async end(keys: boolean): Promise<void> {
		for (const { asked } of this.own.values()) this.leave(asked);
		await this.names.end();
		if (keys) await this.clean();
	}

	/** An item that an earlier attempt has paid for in part goes on: it has the name, and what comes of it is kept. */
	adopt(asked: NamedKey): void {
		if (!this.take(asked)) return;
		// If another item of this run has it, that one waits for this one; if another execution has it, it stays there.
		const { free = () => {} } = this.own.get(asked.name) ?? {};
		this.own.set(asked.name, { asked, free });
	}

	private has(asked: NamedKey): boolean {
		return this.own.get(asked.name)?.asked === asked;
	}

	/** Takes an item's name in this process; returns who has it if another does. */
	private take(asked: NamedKey): Promise<void> | undefined {
		if (this.has(asked)) return undefined;
		const taken = takeName(asked.name);
		if (typeof taken !== 'function') return taken;
		this.own.set(asked.name, { asked, free: taken });
		return undefined;
	}

	private row({ name, content }: NamedKey, result?: string): NewRow {
		return this.names.row(name, content, result);
	}

	/** What the table says of an item's name, which then may be this run's; undefined where there is no table. */
	private async inTable(asked: NamedKey): Promise<NameState | undefined> {
		const taken = this.withTable(async () => await this.names.take(this.row(asked)));
		return await taken.catch((error) => {
			if (this.nodeCall.isCancelled) throw asError(error);
			throw new InputError(
				'Nobody knows whether this "Send Once Key" was sent before, since n8n could not read its data table',
				`${NOTHING_SENT} Try again once the database responds. n8n says: "${asError(error).message}"`,
			);
		});
	}

	/**
	 * Tells the table what has come of names, together with what comes of others soon: one call takes as much CPU time as ten
	 * items.
	 */
	private async write(): Promise<void> {
		if (this.isLast) this.gathered.abort();
		this.writing ??= this.writeAll();
		await this.writing;
	}

	/** It looks for the last time and ends in one step: what came in between would be written by nobody. */
	private async writeAll(): Promise<void> {
		while (this.toWrite.length + this.toFree.length > 0) {
			if (!this.isLast) await this.gather();
			const [rows, free] = [this.toWrite.splice(0), this.toFree.splice(0)];
			await this.withTable(async () => {
				if (rows.length > 0) await this.names.write(rows);
				if (free.length > 0) await this.names.free(free);
			}).catch((error) => this.hintOnTable(asError(error)));
		}
		this.writing = undefined;
	}

	/** Whether all items that have a name wait for the table to be told. */
	private get isLast(): boolean {
		return this.toWrite.length + this.toFree.length >= this.own.size;
	}

	/** Waits for other items; after Stop, not at all. */
	private async gather(): Promise<void> {
		this.gathered = new AbortController();
		const signals = [this.gathered.signal, this.nodeCall.cancel ?? []].flat();
		await pause(GATHERED_MS, AbortSignal.any(signals)).catch(() => undefined);
	}

	/** Deletes old rows, once a day. */
	private async clean(): Promise<void> {
		const { id = '' } = this.nodeCall.context.getWorkflow();
		const now = Date.now();
		if (now - (cleanedAt.get(id) ?? 0) < DAY_MS) return;
		cleanedAt.set(id, now);
		await this.names.clean(new Date(now - ROWS_STAY_MS), MOST_ROWS);
	}

	/** Uses the table; undefined where n8n has none. */
	private async withTable<T>(action: () => Promise<T>): Promise<T | undefined> {
		if (!this.usesTable) return undefined;
		try {
			return await action();
		} catch (error) {
			if (!(error instanceof NoTableError)) throw asError(error);
			this.usesTable = false;
			this.hintOnTable(error);
			return undefined;
		}
	}

	/** Once an execution. */
	private hintOnTable({ message }: Error): void {
		const { hints, inProcess } = this.run;
		const { round, isCancelled } = this.nodeCall;
		inProcess.roundWithoutTable ??= round;
		if (inProcess.roundWithoutTable === round && !isCancelled) hints.add(noTable(message));
	}

	/** What is kept under a key, if it was sent for the same. */
	private giveAgain(asked: NamedKey, saved: Saved): Earlier {
		this.leave(asked);
		if (saved.content !== asked.content) throw this.other(asked, saved.sentIn);
		return saved;
	}

	/** The error of an item whose key stands for something else: the wrong file would be worse than none. */
	private other(asked: NamedKey, sentIn?: string): InputError {
		this.leave(asked);
		return new InputError(
			`Something else was sent with this "Send Once Key"${sentIn ? ` in execution ${sentIn}` : ''}`,
			'Give each text a key of its own, or make the text part of the key. Nothing was sent for this item.',
		);
	}
}

/** What this process knows of a name, if it is a result, or why there is none. */
function savedAs(name: string, kind: 'item' | 'lost'): Saved | undefined {
	const json = recall(name);
	const saved = json === undefined ? undefined : (JSON.parse(json) as Saved);
	return saved && kind in saved ? saved : undefined;
}

/** What a row holds. If people have edited it, it still says that the key was sent, but its result is lost. */
function savedIn({ result, content, execution }: NewRow): Saved {
	const version = RECORD_VERSION;
	try {
		const saved = JSON.parse(result) as Partial<Saved> & { item?: unknown; lost?: unknown };
		if (saved.version === version && typeof saved.content === 'string')
			if (typeof saved.lost === 'string' || isItem(saved.item)) return saved as Saved;
	} catch {
		// It is no JSON any more.
	}
	return { version, content, sentIn: execution, lost: ROW_UNREADABLE };
}

const isItem = (item: unknown): boolean =>
	isRecord(item) &&
	isRecord(item.json) &&
	(item.binary === undefined ||
		(isRecord(item.binary) && Object.values(item.binary).every(isSavedFile)));

const isSavedFile = (file: unknown): boolean =>
	isRecord(file) && typeof file.mimeType === 'string' && typeof file.data === 'string';
