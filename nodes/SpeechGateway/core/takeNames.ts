/**
 * Who may send under a name, where several runs in several processes want the same one. They share a table: rows are added
 * (seen by others once all are in), changed under a condition (one statement), and deleted.
 *
 *   free ── its row is added, under the lock ──▶ taken ── charged ──▶ result, or lost: charged without one
 *    ▲                                           │   │
 *    ├─────── certainly not charged, or ended ───┘   │
 *    └─────── its run is dead: the next taker deletes all of its rows, under the lock
 *
 * Whoever has a name still asks n8n's list of keys before it sends. Where that knows the key, it was sent by a run that died,
 * or by one that only seemed dead: `seenBefore` tells what to do then.
 *
 * A run shows that it lives by a row of its own, which it changes all the time. The lock is a row, too: its taker is a new word
 * for each taking, and nobody's when empty. A holder that stands still may lose it, and finds out when it gives it back; then it
 * has nothing. This file decides, and does nothing: each step is handed out, to be done in n8n's table, or in a test that
 * tries every order of the steps of several runs.
 */

/** What a row of the table has. `result`: JSON; empty in a row that takes a name. */
export interface NewRow {
	name: string;
	content: string;
	taker: string;
	execution: string;
	result: string;
}

/** A row as the table has it; IDs rise with each row that is added. */
export type Row = NewRow & { id: number };

/** One step in the table. The answer to `look` are the rows of these names; to `change`, the changed row. */
export type Step =
	| { look: string[] }
	| { add: NewRow[] }
	| { change: Partial<Row>; to: Partial<NewRow> }
	/** Deletes the rows that have all values of one of these. */
	| { remove: Array<Partial<NewRow>> };

/** Steps to be done one after the other; each gets the rows of the one before. */
export type Steps<R> = Generator<Step, R, Row[]>;

/** The name of the lock's row. */
export const LOCK = '#lock';
/** The name of the row by which a run shows that it lives. */
export const SIGN = '#run';

/** A name as one run sees it: free, taken by another run that lives, or charged with or without a result. */
export type NameState = { is: 'free' } | { is: 'taken' | 'result' | 'lost'; row: Row };

/** Whether a run is dead, by its taker's word. */
export type IsDead = (taker: string, rows: Rows) => boolean;

/** Rows that were looked up. */
export class Rows {
	private readonly byName = new Map<string, Row[]>();

	constructor(rows: Row[]) {
		for (const row of rows) {
			const others = this.byName.get(row.name);
			if (others) others.push(row);
			else this.byName.set(row.name, [row]);
		}
	}

	of(name: string): Row[] {
		return this.byName.get(name) ?? [];
	}

	/** The row by which a run shows that it lives. */
	signOf(taker: string): Row | undefined {
		return this.of(SIGN).find((row) => row.taker === taker);
	}

	/** Of several, as when two processes make one, the lowest is the lock. */
	get lock(): Row | undefined {
		return this.of(LOCK).toSorted((one, other) => one.id - other.id)[0];
	}
}

/** What a row says of its name; a result that people have edited is lost. */
function kindOf({ result }: Row): 'result' | 'lost' {
	try {
		return 'item' in JSON.parse(result) ? 'result' : 'lost';
	} catch {
		return 'lost';
	}
}

/** The state of a name. A result counts more than why there is none, as when a retry finished what had failed. */
export function stateOf({ name, taker }: NewRow, rows: Rows, isDead: IsDead): NameState {
	const all = rows.of(name);
	const ends = all.flatMap((row) => (row.result ? [{ is: kindOf(row), row }] : []));
	const end = ends.find(({ is }) => is === 'result') ?? ends[0];
	if (end) return end;
	const row = all.find((one) => one.taker !== taker && !isDead(one.taker, rows));
	return row ? { is: 'taken', row } : { is: 'free' };
}

/** Whether a run has a row in which nothing has come of the name yet. */
const isThere = ({ name, taker }: NewRow, rows: Rows): boolean =>
	rows.of(name).some((row) => row.taker === taker && row.result === '');

/**
 * Whether a name is to be taken: it is free or, after a taking that came to nothing, this run's row is there beside another's.
 * If both just waited, they would wait for each other.
 */
export const isToTake = (want: NewRow, rows: Rows, isDead: IsDead): boolean => {
	const { is } = stateOf(want, rows, isDead);
	return is === 'free' || (is === 'taken' && isThere(want, rows));
};

/**
 * Takes those of the wanted names that are free, all or none. `lock`: as it was last seen; with a taker, that one is dead.
 * Returns the names that were taken; undefined: another was faster, or the lock was lost on the way, and nothing may be sent.
 * A row that such a taking has left is found by the next one.
 */
export function* take(
	wants: NewRow[],
	lock: Row,
	word: string,
	isDead: IsDead,
	now: string,
): Steps<Set<string> | undefined> {
	const { id, taker: before, content } = lock;
	const [held] = yield { change: { id, taker: before, content }, to: { taker: word } };
	if (held?.taker !== word) return undefined;
	const names = wants.map(({ name }) => name);
	const rows = new Rows(yield { look: [...names, SIGN, LOCK] });
	const free = wants.filter((want) => stateOf(want, rows, isDead).is === 'free');
	const taking = names.flatMap((name) => rows.of(name)).filter(({ result }) => result === '');
	const takers = new Set(taking.map(({ taker }) => taker));
	for (const { taker } of wants) takers.delete(taker);
	const gone = [
		...[...takers].filter((taker) => isDead(taker, rows)).map((taker) => ({ taker, result: '' })),
		// Left by a taking that had lost the lock.
		...wants.filter((want) => !free.includes(want) && isThere(want, rows)).map(rowOf),
	];
	if (gone.length > 0) yield { remove: gone };
	const added = free.filter((want) => !isThere(want, rows));
	const unsigned = new Map(added.map((row) => [row.taker, signOf(row, now)]));
	for (const taker of unsigned.keys()) if (rows.signOf(taker)) unsigned.delete(taker);
	if (added.length > 0) yield { add: [...added, ...unsigned.values()] };
	const { lock: lowest } = new Rows(yield { look: [LOCK] });
	const [back] = yield { change: { id, taker: word }, to: { taker: '' } };
	return back && lowest?.id === id ? new Set(free.map(({ name }) => name)) : undefined;
}

/**
 * n8n's list of keys knows a name that this run has taken: what others have of it. Its own row goes first, so that no two wait
 * for each other. Free: nobody who lives has sent it, and nobody knows what became of it.
 */
export function* seenBefore(want: NewRow, isDead: IsDead): Steps<NameState> {
	yield { remove: [rowOf(want)] };
	return stateOf(want, new Rows(yield { look: [want.name, SIGN] }), isDead);
}

/** The row by which a run has a name. */
export const rowOf = ({ name, taker }: NewRow) => ({ name, taker, result: '' });

/** The row by which a run shows that it lives. `now`: changes. */
export const signOf = ({ taker, execution }: NewRow, now: string): NewRow => ({
	name: SIGN,
	content: now,
	taker,
	execution,
	result: '',
});

/** A run whose sign has not changed for so long is dead, and a holder of the lock that has not changed it; ms. */
const DEAD_AFTER_MS = 60_000;
/** A sign that is as old when it is first seen is a dead run's, ms. */
const LONG_DEAD_MS = 3_600_000;
/** A lock that has not changed for so long has lost its holder, ms. */
export const LOCK_DEAD_AFTER_MS = 10_000;

/** What one run sees others change, by its own clock: who stands still is dead. */
export class Watch {
	private readonly seen = new Map<string, { looks: string; since: number }>();

	/** How long something has looked like this, ms. `now`: ms. */
	unchanged(what: string, looks: string, now: number): number {
		const before = this.seen.get(what);
		if (before?.looks === looks) return now - before.since;
		this.seen.set(what, { looks, since: now });
		return 0;
	}

	/** Whether the run with this taker is dead; `date`: ms since 1970. Without a sign, it has not changed either. */
	isDead(taker: string, sign: Row | undefined, now: number, date: number): boolean {
		const isFirst = !this.seen.has(taker);
		const unchanged = this.unchanged(taker, sign?.content ?? '', now);
		const isLongDead = isFirst && date - Date.parse(sign?.content ?? '') > LONG_DEAD_MS;
		if (isLongDead) this.seen.get(taker)!.since = -Infinity;
		return isLongDead || unchanged >= DEAD_AFTER_MS;
	}
}
