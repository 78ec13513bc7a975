import {
	isToTake,
	LOCK,
	type NewRow,
	rowOf,
	type Row,
	Rows,
	seenBefore,
	SIGN,
	stateOf,
	type Step,
	take,
} from '../../nodes/SpeechGateway/core/takeNames';

/**
 * Every order of the steps of several runs that want the same names: each world that can come is looked at once. The table is
 * PostgreSQL's: added rows are seen all together, at the commit, which may come after the run is dead or has been told that
 * adding failed; the ID of a row is given before. A change under a condition is one statement.
 */

/** How often each may happen. */
export interface Faults {
	/** A run is killed, between two steps or in one. */
	deaths: number;
	/** A run loses the lock although it lives. */
	thefts: number;
	/** A run is taken for dead although it lives. */
	doubts: number;
	/** A step of a taking fails: it is done or not, or rows come later. */
	failures: number;
	/** A request is refused, and certainly not charged. */
	refusals: number;
	/** A run finds no lock, and makes one. */
	locks: number;
}

/** How far a run is with a name. Recorded in n8n's list and sent is one step, since nobody sees what is between. */
type Item =
	| 'wants'
	| 'has'
	| 'paid'
	| 'refused'
	| 'forgotten'
	/** n8n's list knows the key; then its own row is deleted. */
	| 'seen'
	| 'alone'
	| 'given'
	| 'givenAgain'
	| 'failed'
	| 'unknown';
const ENDED: readonly Item[] = ['given', 'givenAgain', 'failed', 'unknown'];
/** Nobody else may have the name. */
const HAVE: readonly Item[] = ['has', 'paid', 'refused', 'forgotten', 'given'];
/** Its key is in n8n's list, and it has no result yet. */
const SENT: readonly Item[] = ['paid', 'refused'];

interface Taking {
	names: string[];
	lock: Row;
	word: string;
	/** What the table answered so far, and who was dead then. */
	answers: Array<{ rows: Row[]; dead: string[] }>;
}

interface Run {
	state: 'lives' | 'died' | 'done';
	items: Record<string, Item>;
	taking?: Taking;
	/** A lock that it is adding, before the commit. */
	newLock?: Row;
}

interface World extends Faults {
	rows: Row[];
	/** Rows that are still to be committed, of runs that do not wait for them any more. */
	late: Row[][];
	/** n8n's list of keys. */
	list: string[];
	paid: string[];
	/** Runs that seem dead. */
	doubted: string[];
	runs: Run[];
}

/** A world that can come next. `isFault`: nobody may wait for that to happen. */
interface Next {
	what: string;
	world: World;
	isFault: boolean;
	/** What must not have happened on the way. */
	wrong?: string;
}
type Change = (what: string, alter: (world: World, run: Run) => void, isFault?: boolean) => Next;

const TAKERS = ['A', 'B', 'C'];
const nameRow = (name: string, taker: string, result = ''): NewRow => ({
	name,
	taker,
	result,
	content: '',
	execution: '',
});
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const text = ({ name, taker, result, id }: Row) => `${name}|${taker}|${result}|${id}`;
const inOrder = (rows: Row[]) => rows.sort((a, b) => (text(a) < text(b) ? -1 : 1));
/** Only the order of locks matters, so all other rows have the same ID. */
const withIds = (rows: NewRow[]): Row[] => rows.map((one) => ({ ...one, id: 0 }));
const commit = (world: World, rows: Row[]) => void (world.rows = inOrder([...world.rows, ...rows]));

const isUp = ({ state }: Run) => state === 'lives';
const deadIn = ({ runs, doubted }: World): string[] => [
	...runs.flatMap((run, i) => (isUp(run) ? [] : TAKERS[i])),
	...doubted,
];

const holds = (values: Partial<Row>) => (one: Row) =>
	Object.entries(values).every(([column, value]) => one[column as keyof Row] === value);

/** Does a step in the table, and answers. */
function perform(world: World, step: Step): Row[] {
	if ('look' in step) return copyOf(world.rows.filter(({ name }) => step.look.includes(name)));
	if ('add' in step) commit(world, withIds(step.add));
	if ('remove' in step)
		world.rows = world.rows.filter((one) => !step.remove.some((values) => holds(values)(one)));
	if (!('change' in step)) return [];
	const changed = world.rows.filter(holds(step.change));
	for (const one of changed) Object.assign(one, step.to);
	inOrder(world.rows);
	return copyOf(changed);
}

type Result = IteratorResult<Step, Set<string> | undefined>;
const known = new Map<string, Result>();

/** The next step of a taking, or what has come of it. */
function stepOf(taking: Taking, taker: string): Result {
	const key = taker + JSON.stringify(taking);
	const before = known.get(key);
	if (before) return before;
	let dead: string[] = [];
	const wants = taking.names.map((name) => nameRow(name, taker));
	const steps = take(wants, taking.lock, taking.word, (one) => dead.includes(one), '');
	let next = steps.next();
	for (const answer of taking.answers) {
		({ dead } = answer);
		next = steps.next(answer.rows);
	}
	known.set(key, next);
	return next;
}

/** A new word for each taking. Those that nobody knows any more are used again, which makes fewer worlds. */
function newWord({ runs, rows }: World, taker: string): string {
	const inUse = JSON.stringify([rows, runs]);
	for (let number = 1; ; number++)
		if (!inUse.includes(`"${taker}${number}"`)) return `${taker}${number}`;
}

/** Whether a living run has taken the lock and is at work. */
const isHeld = ({ runs }: World, { taker }: Row) =>
	runs.some(({ taking }) => taking?.word === taker && taking.answers[0]?.rows.length > 0);

function* nextOf(before: World): Generator<Next> {
	for (const [i, run] of before.runs.entries()) {
		if (!isUp(run)) continue;
		const taker = TAKERS[i];
		const change: Change = (what, alter, isFault = false) => {
			const world = copyOf(before);
			alter(world, world.runs[i]);
			return { what: `${taker} ${what}`, world, isFault };
		};
		yield* faultsOf(before, i, change);
		const { items, taking, newLock } = run;
		if (newLock)
			yield change('has made a lock', (world, now) => {
				commit(world, [newLock]);
				now.newLock = undefined;
			});
		else if (taking) yield* taken(before, taking, taker, change);
		else if (Object.values(items).includes('wants')) yield* asked(before, i, change);
		for (const [name, item] of Object.entries(items))
			yield* itemNext(before, nameRow(name, taker), item, change);
		if (!taking && !newLock && Object.values(items).every((item) => ENDED.includes(item)))
			yield change('ends', (world, now) => {
				perform(world, { remove: [{ taker, result: '' }] });
				Object.assign(now, { state: 'done', items: {} });
			});
	}
	for (const [i, rows] of before.late.entries()) {
		const world = copyOf(before);
		world.late.splice(i, 1);
		commit(world, rows);
		yield { what: 'rows come late', world, isFault: false };
	}
}

function* faultsOf(before: World, i: number, change: Change): Generator<Next> {
	const taker = TAKERS[i];
	const { taking, newLock, items } = before.runs[i];
	const rows = newLock ? [newLock] : taking ? addedBy(taking, taker) : undefined;
	const dies = (world: World, run: Run) => {
		const sent = Object.entries(items).filter(([, item]) => SENT.includes(item));
		world.deaths--;
		Object.assign(run, { state: 'died', items: Object.fromEntries(sent) });
		run.taking = run.newLock = undefined;
	};
	if (before.deaths > 0) {
		yield change('dies', dies, true);
		if (rows)
			yield change(
				'dies, its rows come later',
				(world, run) => {
					dies(world, run);
					world.late.push(rows);
				},
				true,
			);
	}
	if (before.doubted.includes(taker))
		yield change('is seen to live', (world) => {
			world.doubted = world.doubted.filter((one) => one !== taker);
		});
	else if (before.doubts > 0)
		yield change(
			'seems dead',
			(world) => {
				world.doubts--;
				world.doubted = [...world.doubted, taker].sort();
			},
			true,
		);
	if (before.failures === 0 || !taking) return;
	const fails = (world: World, run: Run) => {
		world.failures--;
		run.taking = undefined;
	};
	yield change('fails', fails, true);
	if (rows)
		yield change(
			'fails to add, rows come later',
			(world, run) => {
				fails(world, run);
				world.late.push(rows);
			},
			true,
		);
	const step = stepOf(taking, taker).value as Step;
	if ('change' in step)
		yield change(
			'fails to know that it changed',
			(world, run) => {
				fails(world, run);
				perform(world, step);
			},
			true,
		);
}

/** The rows that a taking adds now. */
function addedBy(taking: Taking, taker: string): Row[] | undefined {
	const step = stepOf(taking, taker).value as Step;
	return 'add' in step ? withIds(step.add) : undefined;
}

const LOOKS_AT_LOCK = JSON.stringify({ look: [LOCK] });

/** The next step of a taking. */
function* taken(before: World, taking: Taking, taker: string, change: Change): Generator<Next> {
	const { value } = stepOf(taking, taker);
	yield change(JSON.stringify(value), (world, run) => {
		const now = run.taking!;
		const answer = (step: Step) => {
			now.answers.push({ rows: perform(world, step), dead: deadIn(world) });
			return stepOf(now, taker);
		};
		let next = answer(value as Step);
		// With one lock for ever, to look at it again is no step that others could see.
		const isUseless = before.locks === 0 && JSON.stringify(next.value) === LOOKS_AT_LOCK;
		if (isUseless) next = answer(next.value as Step);
		if (!next.done) return;
		run.taking = undefined;
		for (const name of next.value ?? []) run.items[name] = 'has';
	});
}

/** A run asks for all names that it wants together. */
function* asked(before: World, i: number, change: Change): Generator<Next> {
	const taker = TAKERS[i];
	const { items } = before.runs[i];
	const wants = Object.keys(items).flatMap((name) =>
		items[name] === 'wants' ? nameRow(name, taker) : [],
	);
	const dead = deadIn(before);
	const isDead = (one: string) => dead.includes(one);
	const look = [...wants.map(({ name }) => name), SIGN, LOCK];
	const rows = new Rows(perform(before, { look }));
	const done = wants.filter((want) => stateOf(want, rows, isDead).is === 'result');
	const toTake = wants.filter((want) => isToTake(want, rows, isDead));
	const givesAgain = (run: Run) => {
		for (const { name } of done) run.items[name] = 'givenAgain';
	};
	const { lock } = rows;
	const isAtWork = lock !== undefined && isHeld(before, lock);
	const canTake = toTake.length > 0 && lock && !isAtWork;
	if (done.length > 0 && !canTake)
		yield change('is given results again', (_, run) => givesAgain(run));
	if (toTake.length === 0) return;
	if (!lock && before.locks > 0)
		yield change('finds no lock, and adds one', (world, run) => {
			world.locks--;
			// Each later one has a higher ID, whichever is seen first.
			run.newLock = { ...nameRow(LOCK, ''), id: 9 - world.locks };
		});
	if (!lock || (isAtWork && before.thefts === 0)) return;
	const from = isAtWork ? ', although it has a taker' : '';
	yield change(
		`wants ${toTake.map(({ name }) => name).join()} and the lock${from}`,
		(world, run) => {
			givesAgain(run);
			if (isAtWork) world.thefts--;
			const word = newWord(world, taker);
			run.taking = { names: toTake.map(({ name }) => name), lock, word, answers: [] };
		},
		isAtWork,
	);
}

/** The next step of an item. */
function* itemNext(before: World, mine: NewRow, item: Item, change: Change): Generator<Next> {
	const { name } = mine;
	const to = (now: Item, what: string, alter: (world: World) => void = () => {}) =>
		change(`${name}: ${what}`, (world, run) => {
			run.items[name] = now;
			alter(world);
		});
	const record = (world: World) => void (world.list = [...world.list, name].sort());
	if (item === 'has' && before.list.includes(name)) {
		const isSent = before.runs.some(({ items }) => SENT.includes(items[name]));
		const isDone = before.rows.some((row) => row.name === name && row.result !== '');
		const wrong = isSent || isDone ? undefined : `n8n knows the key of ${name}, which was not sent`;
		yield { ...to('seen', 'n8n knows its key'), wrong };
	} else if (item === 'has') {
		yield to('paid', 'is recorded, sent and paid', (world) => {
			record(world);
			world.paid = [...world.paid, name].sort();
		});
		if (before.refusals > 0)
			yield to('refused', 'is recorded, sent and refused', (world) => {
				record(world);
				world.refusals--;
			});
	}
	if (item === 'paid')
		yield to('given', 'has its result', (world) => {
			perform(world, { add: [nameRow(name, '', '{"item":{}}')] });
		});
	if (item === 'refused')
		yield to('forgotten', 'n8n forgets its key', (world) => {
			world.list = world.list.filter((one) => one !== name);
		});
	if (item === 'forgotten')
		yield to('failed', 'frees its name', (world) => void perform(world, { remove: [rowOf(mine)] }));
	if (item !== 'seen' && item !== 'alone') return;
	const dead = deadIn(before);
	const steps = seenBefore(mine, (one) => dead.includes(one));
	const remove = steps.next().value as Step;
	if (item === 'seen')
		return yield to('alone', 'deletes its row', (world) => void perform(world, remove));
	const { value } = steps.next();
	const state = steps.next(perform(before, value as Step)).value;
	if (!('is' in state)) throw new Error('It has looked');
	const now = ({ taken: 'wants', result: 'givenAgain', free: 'unknown' } as const)[
		state.is as 'free'
	];
	yield to(now, `is ${state.is}`);
}

/** What must never be. */
function wrongIn({ paid, rows, runs, deaths, doubts }: World, faults: Faults): string | undefined {
	const twice = paid.find((name, i) => name === paid[i + 1]);
	if (twice) return `${twice} is paid twice`;
	const items = runs.flatMap((run) => Object.entries(run.items));
	// n8n's list may lose keys while two workers write it: the table alone keeps them apart, unless one seems dead.
	if (doubts === faults.doubts) {
		const names = runs
			.filter(isUp)
			.flatMap((run) => Object.keys(run.items).filter((name) => HAVE.includes(run.items[name])));
		const both = names.find((name, i) => names.indexOf(name) < i);
		if (both) return `two have ${both}`;
	}
	const isKept = (name: string) => rows.some((one) => one.name === name && one.result !== '');
	const [lost] = items.find(([name, item]) => item === 'given' && !isKept(name)) ?? [];
	if (lost) return `the result of ${lost} is lost`;
	const isCalm = deaths === faults.deaths && doubts === faults.doubts;
	if (isCalm && items.some(([, item]) => item === 'unknown')) return 'unknown without cause';
	return undefined;
}

/** The same world, its runs in a certain order, and named by that: which run is which does not matter. */
function keyOf(world: World): string {
	const asText = JSON.stringify(world);
	const looks = world.runs.map((run, i) =>
		[
			JSON.stringify(run).replaceAll(`"${TAKERS[i]}`, '"own '),
			world.doubted.includes(TAKERS[i]),
		].join(),
	);
	const order = looks
		.map((_, i) => i)
		.sort((a, b) => (looks[a] < looks[b] ? -1 : looks[a] > looks[b] ? 1 : 0));
	if (order.every((place, i) => place === i)) return asText;
	const renamed = JSON.parse(
		asText.replace(
			/"([ABC])(\d*)"/g,
			(_, taker: string, number: string) =>
				`"${TAKERS[order.indexOf(TAKERS.indexOf(taker))]}${number}"`,
		),
	) as World;
	renamed.runs = order.map((place) => renamed.runs[place]);
	for (const { taking } of renamed.runs)
		for (const answer of taking?.answers ?? []) {
			inOrder(answer.rows);
			answer.dead.sort();
		}
	for (const rows of [renamed.rows, ...renamed.late]) inOrder(rows);
	renamed.doubted.sort();
	return JSON.stringify(renamed);
}

export interface Explored {
	worlds: number;
	/** What is wrong, and the steps that lead there; names of runs may change on the way. */
	wrong?: string[];
}

/** Goes through all worlds that can come of so many runs that want these names. */
export function explore(runs: number, names: string[], faults: Faults): Explored {
	const items = Object.fromEntries(names.map((name) => [name, 'wants' as const]));
	const first: World = {
		...faults,
		rows: faults.locks > 0 ? [] : [{ ...nameRow(LOCK, ''), id: 1 }],
		late: [],
		list: [],
		paid: [],
		doubted: [],
		runs: Array.from({ length: runs }, () => ({ state: 'lives', items })),
	};
	const numbers = new Map<string, number>();
	const worlds: string[] = [];
	const from: number[] = [];
	const steps: string[] = [];
	/** Of each world, those from which it comes without a fault. */
	const before: number[][] = [];
	const ending = new Set<number>();
	const pathTo = (what: string, number: number): Explored => {
		const path = [what];
		for (let one = number; one > 0; one = from[one]) path.unshift(steps[one]);
		return { worlds: worlds.length, wrong: path };
	};
	const numberOf = (world: World, parent: number, what: string): number => {
		const key = keyOf(world);
		const number = numbers.get(key);
		if (number !== undefined) return number;
		numbers.set(key, worlds.length);
		from.push(parent);
		steps.push(what);
		before.push([]);
		return worlds.push(key) - 1;
	};
	numberOf(first, 0, '');
	for (let number = 0; number < worlds.length; number++) {
		const world = JSON.parse(worlds[number]) as World;
		worlds[number] = '';
		const wrong = wrongIn(world, faults);
		if (wrong) return pathTo(wrong, number);
		if (!world.runs.some(isUp)) ending.add(number);
		for (const next of nextOf(world)) {
			const other = numberOf(next.world, number, next.what);
			if (next.wrong) return pathTo(next.wrong, other);
			if (!next.isFault) before[other].push(number);
		}
	}
	for (const number of ending) for (const other of before[number]) ending.add(other);
	const stuck = worlds.findIndex((_, number) => !ending.has(number));
	return stuck < 0 ? { worlds: worlds.length } : pathTo('somebody waits for ever', stuck);
}
