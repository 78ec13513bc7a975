/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** Rows whose Send Once Keys come again: in a run, night after night, on two workers at once, with a data table that fails. */
import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, OnError } from 'n8n-workflow';
import { useVirtualTime, wait } from '../../support/clock';
import type { SimRequest, Simulator } from '../../support/simulator';
import { DataTables } from '../dataTables';
import {
	type EngineResult,
	type EngineRun,
	keyStore,
	readStored,
	runNode,
	saved,
} from '../support';
import { startWorker, type Worker } from '../workers';
import { isProbeLost, sentencesOf, verdict } from './judge';
import {
	type ItemPlan,
	itemPlan,
	type Kind,
	mark,
	parametersOf,
	RICH,
	sentence,
	type Settings,
} from './scenario';
import { requestsOf, SEEDS, STORY_TIME_MS, tellStories } from './tell';

useVirtualTime();

/** From the start of a worker until it is killed: then, nothing of it reaches the database any more. */
interface Life {
	isDead: boolean;
	cancels: Array<() => void>;
}

/** Of the execution that asks: counts what it does in the database. */
const doing = new AsyncLocalStorage<() => void>();

let workers: Worker[] = [];
beforeAll(async () => {
	workers = [await startWorker(), await startWorker()];
	keyStore.slow = async () => doing.getStore()?.();
});
afterAll(() => void (keyStore.slow = undefined));

type KeyedKind = Extract<Kind, 'generate' | 'createJob' | 'createAndWait' | 'chat'>;

/** A row: its key, and which of two texts it has. */
interface Row {
	key: number;
	text: 0 | 1;
	payer: 0 | 1;
}

/** An execution, with what happens to the table meanwhile. */
interface Night {
	rows: Row[];
	worker: 0 | 1;
	/** It begins together with the one before it. */
	isAtOnce: boolean;
	/** The worker was restarted before. */
	isRestarted: boolean;
	settings: Pick<Settings, 'onError' | 'maxTries' | 'anew'>;
	/** From a call on, the table is away for so many ms; `deleted`, `edited`: before the execution. */
	table?: { from: number; ms: number } | 'deleted' | 'edited';
	/** Retried by hand if it failed, so many times. */
	retries: number;
	/**
	 * Stopped after so many events: requests, charges, answers, uses of tables and of n8n's list. `isKilled`: its worker is killed
	 * then, and nobody gets anything of what it does.
	 */
	stopAt?: number;
	isKilled?: boolean;
}

interface KeyScenario {
	kind: KeyedKind;
	/** What happens to the texts, by key. */
	keys: Array<[ItemPlan, ItemPlan]>;
	nights: Night[];
	/** Only some rows are the second account's. */
	hasSecond: boolean;
	/** Whether results are given again. */
	again: boolean;
}

const KEYS = 3;

const one = <T>(...values: T[]) => fc.constantFrom(...values);

const anyRow: fc.Arbitrary<Row> = fc.record({
	key: fc.nat({ max: KEYS - 1 }),
	text: one<0 | 1>(0, 0, 0, 1),
	payer: one<0 | 1>(0, 0, 1),
});

const night: fc.Arbitrary<Night> = fc.record({
	rows: fc.array(anyRow, { minLength: 1, maxLength: 5 }),
	worker: one<0 | 1>(0, 1),
	isAtOnce: fc.boolean(),
	isRestarted: one(false, false, true),
	settings: fc.record({
		onError: one<OnError>('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
		maxTries: one(undefined, undefined, 2),
		anew: one(undefined, undefined, undefined, undefined, true as const),
	}),
	table: fc.oneof(
		{ weight: 5, arbitrary: fc.constant(undefined) },
		{
			weight: 2,
			arbitrary: fc.record({
				from: fc.integer({ min: 1, max: 14 }),
				ms: one(20, 5_000, 40_000, Infinity),
			}),
		},
		{ weight: 1, arbitrary: one<'deleted' | 'edited'>('deleted', 'edited') },
	),
	retries: one(0, 1, 1, 2),
	stopAt: fc.oneof(
		{ weight: 2, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }) },
	),
	isKilled: fc.boolean(),
});

const scenario: fc.Arbitrary<KeyScenario> = one<KeyedKind>(
	...(['generate', 'generate', 'createJob', 'createAndWait', 'chat'] as const),
).chain((kind) => {
	const item = itemPlan(kind).map((plan) => ({ ...plan, sentences: plan.sentences.slice(0, 2) }));
	return fc.record({
		kind: fc.constant(kind),
		keys: fc.array(fc.tuple(item, item), { minLength: KEYS, maxLength: KEYS }),
		nights: fc.array(night, { minLength: 1, maxLength: 5 }),
		hasSecond: fc.boolean(),
		again: one(true, true, true, false),
	});
});

/** An item as it came out, and the row that it was. */
interface CameRow extends Row {
	branch: 'success' | 'unknown' | 'error';
	json: IDataObject;
	files: Buffer[];
}

interface Played {
	night: Night;
	/** The execution and its retries by hand. */
	results: Array<EngineResult & { came: CameRow[] }>;
	/** Its worker was killed meanwhile. */
	isDead: boolean;
}

interface KeyStory {
	sim: Simulator;
	played: Played[];
	/** What each worker gives when all is well again. */
	last: Played[];
	/** Nothing has befallen the table that it was not back from within a minute. */
	isTableWhole: boolean;
}

let stories = 0;

async function play(made: KeyScenario, sim: Simulator): Promise<KeyStory> {
	const { kind, keys, nights, hasSecond, again } = made;
	sim.options.latencyMs = 50;
	const other = sim.addAccount();
	for (const [key, texts] of keys.entries())
		for (const [text, { sentences, polls, downloads, task }] of texts.entries()) {
			for (const [part, { faults }] of sentences.entries()) {
				const input = mark(key, text, part);
				for (const fault of faults) sim.fault({ method: 'POST', input, ...fault });
				if (task) sim.fault({ method: 'POST', input, times: Infinity, ...task });
			}
			for (const fault of polls) sim.fault({ method: 'GET', path: /jobs\/[^/]+$/, ...fault });
			for (const fault of downloads) sim.fault({ method: 'GET', path: /content$/, ...fault });
		}
	const name = `night-${++stories}-`;
	const tables = new DataTables();
	const itemOf = ({ key, text, payer }: Row): INodeExecutionData => ({
		json: {
			name: key,
			payer,
			previous: '',
			text: keys[key][text].sentences.map((_, part) => sentence(key, text, part)).join(' '),
		},
	});
	const lives: Life[] = [0, 1].map(() => ({ isDead: false, cancels: [] }));
	const playNight = async (planned: Night): Promise<Played> => {
		const rows = planned.rows.map((each) => (hasSecond ? each : { ...each, payer: 0 as const }));
		const now = { ...planned, rows };
		const { worker, settings, table, stopAt } = now;
		if (now.isRestarted) workers[worker].restart();
		if (table === 'deleted') tables.tables.length = 0;
		if (table === 'edited') for (const each of tables.rows) each.result &&= 'mine';
		let calls = 0;
		let away: number | undefined;
		const life = lives[worker];
		let events = 0;
		const onEvent = () => {
			if (++events !== stopAt) return;
			if (!now.isKilled) return cancelled();
			life.isDead = true;
			for (const cancel of life.cancels) cancel();
		};
		let cancelled = () => {};
		/** What the execution asks of n8n's database; the killed get no answer, and nothing of it is done. */
		const asks = () => {
			onEvent();
			if (life.isDead) throw new Error('Killed');
		};
		/** A table of this execution alone fails. */
		const ofNight = tables.with({
			slow: async () => {
				await wait(5);
				asks();
				if (typeof table !== 'object' || ++calls < table.from) return;
				away ??= Date.now();
				if (Date.now() - away < table.ms) throw new Error('The database is away');
			},
		});
		const full: Settings = {
			maxRetries: 1,
			concurrency: 2,
			maxSegmentCharacters: 120,
			key: 'each',
			...settings,
			again,
		};
		const options: EngineRun = {
			parameters: parametersOf(kind, full, name),
			items: rows.map(itemOf),
			nodeId: name,
			tables: ofNight,
			url: sim.url,
			apiKey: sim.apiKey,
			onError: settings.onError,
			...(hasSecond && {
				credential: () => ({
					apiKey: `={{ $json.payer ? "${other.apiKey}" : "${sim.apiKey}" }}`,
					baseUrl: sim.url,
				}),
			}),
			...(settings.maxTries && { retryOnFail: true, maxTries: settings.maxTries }),
			nodeType: workers[worker].nodeType,
			started({ cancel }) {
				cancelled = cancel;
				life.cancels.push(cancel);
				if (life.isDead) cancel();
			},
		};
		const EVENTS = ['request', 'charge', 'response'] as const;
		for (const event of EVENTS) sim.on(event, onEvent);
		const results: Played['results'] = [];
		for (let tries = 0; tries <= now.retries; tries++) {
			const before = results.at(-1);
			if (before && before.run.status !== 'error') break;
			const start = async () =>
				await runNode({
					...options,
					...(before && { mode: 'retry', retryOf: saved(before.run) }),
				});
			const result = await doing.run(asks, start);
			const came = life.isDead ? [] : await cameOut(result, now);
			results.push({ ...result, came });
		}
		for (const event of EVENTS) sim.off(event, onEvent);
		if (life.isDead) {
			workers[worker].restart();
			if (lives[worker] === life) lives[worker] = { isDead: false, cancels: [] };
		}
		return { night: now, results, isDead: life.isDead };
	};
	const played: Played[] = [];
	for (let next = 0; next < nights.length; ) {
		let end = next + 1;
		while (nights[end]?.isAtOnce) end++;
		const together = atOnce(nights.slice(next, end), again);
		played.push(...(await Promise.all(together.map(playNight))));
		next = end;
	}
	await sim.waitFor((requests) => requests.every(({ endedAt }) => endedAt !== undefined));
	sim.clearFaults();
	sim.finish();
	for (const account of sim.accounts) Object.assign(account, RICH);
	const last: Played[] = [];
	for (const worker of [0, 1] as const) {
		const settings = { onError: 'continueErrorOutput' } as const;
		const rows = keys.map((_, key) => begunWith(sim, key, hasSecond));
		const healed = { rows, settings, worker, isAtOnce: false, isRestarted: true, retries: 0 };
		last.push(await playNight(healed));
	}
	const isWhole = ({ table }: Night) =>
		table === undefined || (typeof table === 'object' && table.ms < 60_000);
	return { sim, played, last, isTableWhole: nights.every(isWhole) };
}

/**
 * Executions that run at the same time. On two workers, n8n's list of keys loses some, since it has no lock: there, only the table
 * keeps a key from being sent twice, and of a worker that is killed, nobody else writes the list again.
 */
function atOnce(nights: Night[], again: boolean): Night[] {
	const [{ worker }] = nights;
	if (!again) return nights.map((each) => ({ ...each, worker }));
	const isOne = nights.every((each) => each.worker === worker);
	const fails = ({ table }: Night) => (typeof table === 'object' ? table : undefined);
	return isOne ? nights : nights.map((each) => ({ ...each, table: fails(each), isKilled: false }));
}

/** The row that a key was first paid for with; else one that nobody has paid for. */
function begunWith({ requests, accounts }: Simulator, key: number, hasSecond: boolean): Row {
	const first = requests.find((one) => isOf(key)(one) && mayBeCharged(one));
	const text = Number(textOf(first)) === 1 ? 1 : 0;
	return { key, text, payer: hasSecond && first?.apiKey === accounts[1].apiKey ? 1 : 0 };
}

const isSame = (one: Row, other: Row): boolean =>
	one.key === other.key && one.text === other.text && one.payer === other.payer;

const isOf = (key: number) => (request: SimRequest) =>
	request.method === 'POST' && sentencesOf(request.input)[0]?.startsWith(`${key}-`);
const textOf = (request?: SimRequest) => sentencesOf(request?.input)[0]?.split('-')[1];
const mayBeCharged = (request: SimRequest) => verdict(request) !== 'free' || request.charged > 0;

async function cameOut(
	{ rounds, run }: EngineResult,
	{ rows, settings }: Night,
): Promise<CameRow[]> {
	const came: CameRow[] = [];
	const amongSuccess = settings.onError === 'continueRegularOutput' || run.status === 'canceled';
	for (const [output, items] of (rounds.at(-1) ?? []).entries())
		for (const { json, binary = {}, pairedItem } of items) {
			const isError = output === 2 || (amongSuccess && output === 0 && json.error !== undefined);
			const files = await Promise.all(Object.values(binary).map(readStored));
			const place = rows[(pairedItem as { item: number }).item];
			const branch = isError ? 'error' : output === 0 ? 'success' : 'unknown';
			came.push({ ...place, branch, json, files });
		}
	return came;
}

function* judge(story: KeyStory, { keys, again }: KeyScenario) {
	const { sim, played, last } = story;
	for (const key of keys.keys())
		for (const { apiKey } of sim.accounts)
			yield* paidOnce(sim.requests.filter((one) => one.apiKey === apiKey && isOf(key)(one)));
	const all = [...played, ...last].flatMap(({ results }) => results);
	for (const { night: now, results, isDead } of [...played, ...last])
		for (const result of results) {
			const { came, run } = result;
			if (
				run.status === 'success' &&
				now.stopAt === undefined &&
				!isDead &&
				came.length !== now.rows.length
			)
				yield `Of ${now.rows.length} rows, ${came.length} came out`;
			for (const each of came) yield* isItsOwn(story, each, result, all);
		}
	yield* toldOnce(story, all);
	for (const { results } of last)
		for (const each of results[0].came)
			yield* isFreeOrGivenAgain(story, each, results[0].executionId, again);
}

/** Of one key and account, no sentence is paid twice, nor anything else once it may be paid. */
function* paidOnce(requests: SimRequest[]) {
	const paid = new Set<string>();
	let begun: string | undefined;
	for (const request of requests) {
		const sentences = sentencesOf(request.input);
		const twice = sentences.find((each) => paid.has(each));
		if (twice) yield `Paid again under its key: ${twice}`;
		const text = textOf(request);
		if (begun !== undefined && begun !== text)
			yield `Text ${text} was sent under a key that was paid for text ${begun}`;
		if (!mayBeCharged(request)) continue;
		begun = text;
		for (const each of sentences) paid.add(each);
	}
}

/** A row has what was paid for its own text, by its own account; what it gets again says so, and costs nothing. */
function* isItsOwn(
	{ sim }: KeyStory,
	{ key, text, payer, branch, json, files }: CameRow,
	{ executionId }: EngineResult,
	all: Played['results'],
) {
	const where = `Row of key ${key}, text ${text}, in execution ${executionId}`;
	const { apiKey } = sim.accounts[payer];
	const paid = sim.requests
		.filter(isOf(key))
		.filter((one) => textOf(one) === String(text) && verdict(one) === 'done');
	const told = (json.error ?? json) as IDataObject;
	if (json.replayed) {
		if (branch !== 'success') yield `${where}: given again on ${branch}`;
		if (JSON.stringify(told.charges) !== '[]') yield `${where}: given again, and charged`;
		const first = all
			.filter((one) => one.executionId === json.sentIn)
			.flatMap(({ came }) => came)
			.find((one) => isSame(one, { key, text, payer }) && one.branch === 'success');
		if (json.sentIn === executionId ? !first : !all.some((one) => one.executionId === json.sentIn))
			yield `${where}: given again, but ${String(json.sentIn)} has not sent it`;
		if (first && !files.every((file, index) => file.equals(first.files[index])))
			yield `${where}: other bytes than at first`;
	}
	if (branch !== 'success') return;
	if (!paid.some((one) => one.apiKey === apiKey))
		yield `${where}: a success that its account has not paid`;
	if (json.replayed && json.payer !== payer && json.payer !== undefined)
		yield `${where}: the fields of another row`;
}

/** Each charge is told once, where no execution was stopped. */
function* toldOnce({ sim, played }: KeyStory, all: Played['results']) {
	if (played.some(({ night: now }) => now.stopAt !== undefined)) return;
	const told = new Map<unknown, number>();
	for (const { json } of all.flatMap(({ came }) => came)) {
		const { charges = [] } = (json.error ?? json) as { charges?: IDataObject[] };
		for (const { requestId } of charges) told.set(requestId, (told.get(requestId) ?? 0) + 1);
	}
	const failed = all.filter(({ run }) => run.status === 'error').map((one) => one.executionId);
	for (const request of sim.requests.filter((one) => one.charged > 0)) {
		const times = told.get(request.requestId) ?? 0;
		if (times > 1) yield `Told ${times} times: ${request.requestId}`;
		const isHeard = verdict(request) !== 'done' || failed.includes(request.headers['x-execution']);
		if (times === 0 && !isHeard) yield `Charged, and not told: "${request.input}"`;
	}
}

/** When all is well again: what certainly cost nothing is sent, what was delivered is given again, nothing else is sent. */
function* isFreeOrGivenAgain(story: KeyStory, row: CameRow, executionId: string, again: boolean) {
	const { sim, played, isTableWhole } = story;
	const { key, branch, json } = row;
	const before = sim.requests
		.filter(isOf(key))
		.filter(({ headers }) => Number(headers['x-execution']) < Number(executionId));
	const isPaid = before.some(mayBeCharged);
	if (!isTableWhole || played.some(({ night: now }) => now.settings.anew)) return;
	const wasStopped = played.some(({ night: now }) => now.stopAt !== undefined);
	if (!isPaid && branch !== 'success' && !wasStopped && !isProbeLost(sim))
		yield `Key ${key} is stuck although nothing was charged: ${branch} ${JSON.stringify(json)}`;
	// What was not in the table yet when a run was stopped is known to its process alone.
	const delivered = played
		.filter(({ night: now }) => now.stopAt === undefined)
		.flatMap(({ results }) => results.flatMap(({ came }) => came))
		.some((one) => isSame(one, row) && one.branch === 'success' && !one.json.replayed);
	if (again && delivered && !json.replayed)
		yield `Key ${key} was delivered, and is not given again: ${branch} ${JSON.stringify(json)}`;
}

test.each(SEEDS)(
	'whatever happens, a key is paid once, and its result given again: %s',
	async (_, seed) => await tellStories(seed, { scenario, stories: 48, play, judge, show }),
	STORY_TIME_MS,
);

const show = ({ sim, played, last }: KeyStory): string =>
	[
		requestsOf(sim),
		...[...played, ...last].flatMap(({ night: now, results }) => [
			JSON.stringify(now),
			...results.flatMap(({ executionId, run, error, came, hints }) => [
				`${executionId}: ${run.status} ${error?.message ?? ''} ${hints.join(' ')}`,
				...came.map(
					({ key, text, branch, json }) =>
						`  key ${key} text ${text}: ${branch} ${JSON.stringify(json).slice(0, 300)}`,
				),
			]),
		]),
	].join('\n');
