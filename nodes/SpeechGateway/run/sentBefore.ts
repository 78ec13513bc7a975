import { randomUUID } from 'crypto';
import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';
import { asError, InputError } from '../core/errors';
import { isRecord } from '../core/json';
import { pause } from '../core/pause';
import type { Execution } from '../engine/execution';
import { hasEndedIn } from '../engine/history';
import { type NewRow, type ResultRow, ResultsTable } from '../engine/resultsTable';
import { keep, recall, takeName, type Taker } from './keptResults';
import { copyOf } from '../requests/ownFiles';
import { RECORD_VERSION } from '../requests/records';
import type { Run } from '../requests/session';

/**
 * Same key, same result. An item whose Send Once Key this node has sent before gets the first result again, and nothing
 * is sent. Results are in this process's memory and, for all workers, in a data table of n8n's. Whoever sends a key
 * takes its name first, in the process and in the table, where the lowest row has it; others wait for the result.
 * Neither keeps a key from being charged twice: n8n's list of keys stands in front of every request (see `claims`). So
 * whatever becomes of memory and table, the worst is an item that was already sent, without its result.
 */

/** A Send Once Key, as it is known in all executions. */
export interface NamedKey {
	/** Of the workflow, node, account and key. */
	name: string;
	/** The key of what is asked for. */
	content: string;
	/** Whether the item gets the first result again. */
	isGivenAgain: boolean;
}

/** What has come of an item: its result, why there is none, or undefined: nothing was charged. */
export type Ended = { item: INodeExecutionData } | { lost: string } | undefined;

/** What is kept under a name: the node's own fields and files or, without a result to give again, why. */
type Saved = { version: number; content: string; sentIn?: string } & (
	| { item: INodeExecutionData }
	| { lost: string }
);

/** What a key brought before: its result, or why there is none to give. */
type Earlier = { sentIn?: string } & ({ item: INodeExecutionData } | { lost: string });

/** Larger results are kept in this process only. */
const MOST_ROW_BYTES = 64 * 2 ** 10;

/** How long an item waits for another execution that is sending its key, and how often it looks. */
const LONGEST_WAIT_MS = 180_000;
const MOST_PAUSE_MS = 5_000;

/**
 * A run that adds so many rows deletes what it can: n8n has no index for its tables, so that each search reads all of
 * them, and takes 200 MB for all.
 */
const MANY_ROWS = 20;

/**
 * How long rows are gathered while other items go on. If n8n is killed meanwhile, these results are lost; no key is
 * sent again.
 */
const GATHERED_MS = 1_000;

const DAY_MS = 24 * 3_600_000;
/** How long rows stay in the table. */
const KEPT_MS = 30 * DAY_MS;
/** When this process last deleted old rows, by workflow, ms since 1970. */
const cleanedAt = new Map<string, number>();

const STILL_BUSY = 'it is not done yet';
const TOO_LARGE = 'its result is too large to be kept';
const GONE = 'its files have been deleted';

const noTable = (said: string) =>
	`"Give the Result Again" knows the results of this n8n process only, since it could not use a data table (n8n 2 has them). No key is sent twice all the same. n8n says: "${said}"`;

/** The names that one run has or asks for, in this process and in the table. */
export class SentBefore {
	private readonly table: ResultsTable;
	/** Names this run among those that take names in the table. */
	private readonly taker = randomUUID();
	private usesTable = true;
	/** The items of this run that have a name in the process, and what gives it back. */
	private readonly own = new Map<string, { asked: NamedKey; free: () => void }>();
	/** What the table had of a name when it was asked. */
	private readonly rows = new Map<string, ResultRow | undefined>();
	/** Rows that took a name. */
	private added = 0;
	/** Whether one of them came too late: when its name is free again, it must not look taken. */
	private cameLate = false;
	private unwritten: NewRow[] = [];
	private writing: Promise<void> | undefined;
	/** Aborts when there is nothing more to gather for the next write. */
	private gathered = new AbortController();

	constructor(
		private readonly execution: Execution,
		private readonly run: Pick<Run, 'hints' | 'inProcess'>,
		private readonly cancel?: AbortSignal,
	) {
		this.table = new ResultsTable(execution.context);
	}

	/** Takes the names of a run's items together, as far as nobody in this process has them. */
	async takeAll(asked: NamedKey[]): Promise<void> {
		const free = asked.filter((one) => recall(one.name) === undefined && !this.take(one));
		await this.takeRows(free);
		// What has failed here, a retry on another worker may have finished since.
		const failed = asked.flatMap(({ name }) => (savedAs(name, 'lost') ? name : []));
		if (failed.length > 0)
			await this.withTable(async () => {
				for (const row of await this.look(failed)) this.rows.set(row.name, row);
			});
	}

	/** Whether there is a result of the key, so that nothing will be sent. */
	knows({ name }: NamedKey): boolean {
		return recall(name) !== undefined || Boolean(this.rows.get(name)?.result);
	}

	/**
	 * The first result of an item's key, which another may just be making; undefined: the key is new, and its item has the name
	 * until `settle`. Throws InputError if something else was sent with the key.
	 */
	async find(asked: NamedKey): Promise<Earlier | undefined> {
		const { name } = asked;
		const { context } = this.execution;
		const until = performance.now() + LONGEST_WAIT_MS;
		for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS)) {
			const saved = savedAs(name, 'item') ?? this.savedInTable(name) ?? savedAs(name, 'lost');
			if (saved) return await this.giveAgain(asked, saved);
			const leftMs = until - performance.now();
			const other = this.take(asked);
			if (other) {
				if (leftMs <= 0) return { sentIn: other.execution, lost: STILL_BUSY };
				await Promise.race([other.free, pause(leftMs, this.cancel)]);
				continue;
			}
			if (!this.rows.has(name)) await this.takeRows([asked]);
			const row = this.rows.get(name);
			if (!row) return undefined;
			if (row.result) continue;
			const { execution: sentIn } = row;
			if (row.content !== asked.content) throw this.other(asked, sentIn);
			if (leftMs <= 0 || (await hasEndedIn(context, sentIn))) {
				// It may have written its result since the row was read.
				const rows: ResultRow[] = [];
				await this.withTable(async () => void rows.push(...(await this.look([name]))));
				if (rows[0]?.result) return await this.giveAgain(asked, savedIn(rows[0]));
				this.leave(asked);
				return { sentIn, lost: leftMs > 0 ? 'it has left no result' : STILL_BUSY };
			}
			await pause(pauseMs, this.cancel);
			this.rows.delete(name);
		}
	}

	/** Records how an item with a name has ended: its result, why there is none, or undefined if its key is free again. */
	async settle(asked: NamedKey, ended: Ended): Promise<void> {
		const { name, content, isGivenAgain } = asked;
		if (isGivenAgain && !this.has(asked)) return;
		if (ended) {
			const saved: Saved = {
				version: RECORD_VERSION,
				content,
				sentIn: this.execution.id,
				...ended,
			};
			const json = JSON.stringify(saved);
			// Another retry has finished what this one could not.
			if ('item' in saved || !savedAs(name, 'item')) keep(name, json);
			if (!isGivenAgain) return;
			const result =
				json.length <= MOST_ROW_BYTES
					? json
					: JSON.stringify({ ...saved, item: undefined, lost: TOO_LARGE });
			await this.write(this.row(asked, result));
		} else if (isGivenAgain)
			await this.withTable(async () => await this.table.remove({ name, taker: this.taker }));
		this.leave(asked);
	}

	/** The run has ended: names are free again. Rows that took a name have no use beside those with a result. */
	async end(): Promise<void> {
		const { taker } = this;
		const unsettled = [...this.own.values()].map(({ asked }) => asked);
		for (const asked of unsettled) this.leave(asked);
		if (unsettled.length === 0 && !this.cameLate && this.added < MANY_ROWS) return;
		await this.withTable(async () => await this.table.remove({ taker, result: '' }));
	}

	/** An item that an earlier attempt has paid for in part goes on: it has the name, and what comes of it is kept. */
	adopt(asked: NamedKey): void {
		if (!this.take(asked)) return;
		// Another item of this run has it, which waits for this one then; or another execution, whose it stays.
		const { free = () => {} } = this.own.get(asked.name) ?? {};
		this.own.set(asked.name, { asked, free });
	}

	private has(asked: NamedKey): boolean {
		return this.own.get(asked.name)?.asked === asked;
	}

	/** Takes an item's name in this process; returns who has it if another does. */
	private take(asked: NamedKey): Taker | undefined {
		if (this.has(asked)) return undefined;
		const taken = takeName(asked.name, this.execution.id);
		if (typeof taken !== 'function') return taken;
		this.own.set(asked.name, { asked, free: taken });
		return undefined;
	}

	/** An item needs its name no longer. Where another item of the run has the name, that one keeps it. */
	private leave(asked: NamedKey): void {
		const { name } = asked;
		this.rows.delete(name);
		if (!this.has(asked)) return;
		this.own.get(name)?.free();
		this.own.delete(name);
	}

	private row({ name, content }: NamedKey, result: string): NewRow {
		return { name, content, taker: this.taker, execution: this.execution.id ?? '', result };
	}

	/** Whether a row was added by another run, or by an earlier call of this node in the same execution that left its result. */
	private isOthers({ taker, execution, result }: ResultRow): boolean {
		if (result) return true;
		return taker !== this.taker && (execution === '' || execution !== this.execution.id);
	}

	/** Takes names in the table: adds a row for each that has none, and sees whose row is the lowest. */
	private async takeRows(asked: NamedKey[]): Promise<void> {
		const names = asked.map(({ name }) => name);
		for (const name of names) this.rows.set(name, undefined);
		if (names.length === 0) return;
		await this.withTable(async () => {
			await this.clean();
			const earlier = await this.look(names);
			const present = new Set(earlier.map(({ name }) => name));
			const added = asked.filter(({ name }) => !present.has(name));
			if (added.length > 0) await this.table.add(added.map((one) => this.row(one, '')));
			this.added += added.length;
			const now = added.length > 0 ? await this.look(names) : earlier;
			for (const row of now) if (this.isOthers(row)) this.rows.set(row.name, row);
			this.cameLate ||= added.some(({ name }) => this.rows.get(name) !== undefined);
		});
	}

	/** Of each name, the row with its result, else one that says why there is none, else the one that has taken it. */
	private async look(names: string[]): Promise<ResultRow[]> {
		const rows = new Map<string, ResultRow>();
		for (const row of await this.table.find(names)) {
			const first = rows.get(row.name);
			if (!first || worthOf(row) > worthOf(first)) rows.set(row.name, row);
		}
		return [...rows.values()];
	}

	private savedInTable(name: string): Saved | undefined {
		const row = this.rows.get(name);
		return row?.result ? savedIn(row) : undefined;
	}

	/** Writes a row, together with those of items that end soon: one write takes as much CPU time as ten items. */
	private async write(row: NewRow): Promise<void> {
		if (!this.usesTable) return;
		this.unwritten.push(row);
		if (this.isLast) this.gathered.abort();
		this.writing ??= this.writeAll();
		await this.writing;
	}

	/** The last look and the end are one step, so that no row comes between them, which nobody would write. */
	private async writeAll(): Promise<void> {
		while (this.unwritten.length > 0) {
			if (!this.isLast) await this.gather();
			const rows = this.unwritten.splice(0);
			await this.withTable(async () => await this.table.add(rows));
		}
		this.writing = undefined;
	}

	/** Whether all items that have a name wait for their rows to be written. */
	private get isLast(): boolean {
		return this.unwritten.length >= this.own.size;
	}

	/** Waits for rows of other items; after Stop, not at all. */
	private async gather(): Promise<void> {
		this.gathered = new AbortController();
		const signals = [this.gathered.signal, this.cancel ?? []].flat();
		await pause(GATHERED_MS, AbortSignal.any(signals)).catch(() => undefined);
	}

	/** Deletes old rows, once a day. */
	private async clean(): Promise<void> {
		const { id = '' } = this.execution.context.getWorkflow();
		const now = Date.now();
		if (now - (cleanedAt.get(id) ?? 0) < DAY_MS) return;
		cleanedAt.set(id, now);
		await this.table.removeBefore(new Date(now - KEPT_MS));
	}

	/** Where n8n has no table, or fails to use it, the run goes on with the memory of the process. */
	private async withTable(action: () => Promise<void>): Promise<void> {
		if (!this.usesTable) return;
		try {
			await action();
		} catch (error) {
			this.usesTable = false;
			this.unwritten = [];
			const { hints, inProcess } = this.run;
			const { round } = this.execution;
			inProcess.roundWithoutTable ??= round;
			if (inProcess.roundWithoutTable === round) hints.add(noTable(asError(error).message));
		}
	}

	/** A kept result as one of this execution, with files of its own. */
	private async giveAgain(asked: NamedKey, saved: Saved): Promise<Earlier> {
		const { sentIn } = saved;
		this.leave(asked);
		if (saved.content !== asked.content) throw this.other(asked, sentIn);
		if ('lost' in saved) return saved;
		const { json, binary } = saved.item;
		const item = { json: { ...json, replayed: true, sentIn } };
		if (!binary) return { sentIn, item };
		try {
			return { sentIn, item: { ...item, binary: await copies(this.execution, binary) } };
		} catch {
			return { sentIn, lost: GONE };
		}
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

/** The execution that has sent a key, as far as this process knows. */
export function sentIn({ name }: NamedKey): string | undefined {
	const saved = recall(name);
	return saved === undefined ? undefined : (JSON.parse(saved) as Saved).sentIn;
}

/** What this process knows of a name, if it is a result, or why there is none. */
function savedAs(name: string, kind: 'item' | 'lost'): Saved | undefined {
	const json = recall(name);
	const saved = json === undefined ? undefined : (JSON.parse(json) as Saved);
	return saved && kind in saved ? saved : undefined;
}

/** A retry may finish what has failed, and another retry of the same fail after that. */
const worthOf = (row: ResultRow): number => (row.result ? ('item' in savedIn(row) ? 2 : 1) : 0);

/**
 * What a row holds. People can edit the table, and another version of this node may have written it: then the row still says that
 * the key was sent, but its result is lost.
 */
function savedIn({ result, content, execution }: ResultRow): Saved {
	try {
		const saved: unknown = JSON.parse(result);
		if (isRecord(saved) && saved.version === RECORD_VERSION && ('item' in saved || 'lost' in saved))
			return saved as Saved;
	} catch {
		// It is no JSON any more.
	}
	return { version: RECORD_VERSION, content, sentIn: execution, lost: 'its row cannot be read' };
}

/** Files of another execution, stored anew in this one. Those that n8n keeps in memory are in the result itself. */
async function copies(execution: Execution, files: IBinaryKeyData): Promise<IBinaryKeyData> {
	const own: IBinaryKeyData = {};
	for (const [field, file] of Object.entries(files))
		own[field] = file.id === undefined ? file : await copyOf(execution, file);
	return own;
}
