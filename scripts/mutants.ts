/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './mutants/mutate';
import { Killers, type Plan, planFor, type Survey } from './mutants/plan';
import { Worker } from './mutants/pool';
import { hash, identify, type Result, State } from './mutants/state';
import { describeResults, keyOf, type Reason, type Tried } from './mutants/table';
import type { TestPlace } from './mutants/worker';

const ROOT = path.resolve(__dirname, '..');
/** Where money is at stake comes first. */
const SOURCES = ['run/requests', 'run', 'gateway', 'flows', 'core'].map(
	(room) => `nodes/SpeechGateway/${room}`,
);
const TESTS = ['core', 'engine', 'gateway', 'operations', 'run'].map((folder) => `test/${folder}`);
/** Storms, random walks and whole tables find what nobody thought of, and take too long to run for every mutant. */
const LEFT_OUT = ['chaos', 'gapless', 'hostile.', 'share'];
const STATE = '.cache/mutants.jsonl';
/** What the tests come by, as long as nothing changes. */
const SURVEY = '.cache/mutants-survey.json';
const TABLE = 'bench/mutants.md';
/** Why survivors survive, by `file: change`. */
const REASONS = 'bench/mutants.json';

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

function filesIn(folder: string, end: string): string[] {
	const full = path.join(ROOT, folder);
	if (!existsSync(full)) return [];
	if (statSync(full).isFile()) return [folder];
	return (readdirSync(full, { recursive: true }) as string[])
		.filter((name) => name.endsWith(end))
		.map((name) => `${folder}/${name}`)
		.sort();
}

/**
 * `npm run mutants`: changes `run/`, `flows/`, `gateway/` and `core/` in one small way at a time, and runs the tests that
 * come by that place. Results are kept in .cache/mutants.jsonl as they come: what is stopped goes on where it was, and a
 * mutant is tried again only when the function around it or the tests that decided have changed.
 * - `--only PATH` (any number): these files or folders.
 * - `--sample N`: N mutants of each file, always the same ones; `--seed S`: other ones. A larger N goes on from a smaller.
 * - `--thorough`: survivors are tried with all tests that come by, not only with some of every test file.
 * - `--survivors`: only what survived so far and is not known to be equivalent, once more.
 * - `--tests NAME` (any number): with all tests of the files whose path has that name, and no others; what survives these
 *   is left as it was.
 * - `--minutes N`: no new ones after that.
 * - `--table`: runs nothing, writes bench/mutants.md from what is known and the reasons in bench/mutants.json.
 */
export async function main(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: {
			only: { type: 'string', multiple: true },
			sample: { type: 'string' },
			seed: { type: 'string', default: '1' },
			minutes: { type: 'string' },
			survivors: { type: 'boolean', default: false },
			tests: { type: 'string', multiple: true },
			thorough: { type: 'boolean', default: false },
			table: { type: 'boolean', default: false },
		},
	});
	const folders = values.only ?? SOURCES;
	const sources = [...new Set(folders.flatMap((one) => filesIn(one, '.ts')))];
	const chosen = sources.flatMap((file) =>
		sample(mutantsOf(file, read(file)), Number(values.sample ?? Infinity), values.seed),
	);
	const idOf = new Map(chosen.map((mutant) => [mutant, identify(mutant, read(mutant.file))]));
	const state = new State(path.join(ROOT, STATE));
	const reasons = JSON.parse(read(REASONS)) as Record<string, Reason>;
	if (!values.table) {
		const until = performance.now() + Number(values.minutes ?? Infinity) * 60_000;
		const isWanted = (mutant: Mutant) =>
			!values.survivors ||
			((state.get(idOf.get(mutant)!)?.state ?? 'killed') !== 'killed' &&
				!reasons[keyOf(mutant)]?.equivalent);
		await tryAll(chosen.filter(isWanted), idOf, state, {
			until,
			thorough: values.thorough || values.tests !== undefined,
			again: values.survivors,
			only: values.tests,
		});
	}

	const all = values.table ? sources.flatMap((file) => mutantsOf(file, read(file))) : chosen;
	const tried: Tried[] = all.map((mutant) => ({
		mutant,
		result: state.get(identify(mutant, read(mutant.file))),
	}));
	const table = describeResults(tried, reasons);
	if (values.table && !values.only) writeFileSync(path.join(ROOT, TABLE), table);
	console.log(table);
	return 0;
}

/** So many of a file, in the same disorder every time. */
function sample(mutants: Mutant[], count: number, seed: string): Mutant[] {
	if (count >= mutants.length) return mutants;
	const place = new Map(
		mutants.map((one) => [one, hash(seed, one.file, one.change, String(one.start))]),
	);
	return mutants
		.sort((one, other) => (place.get(one)! < place.get(other)! ? -1 : 1))
		.slice(0, count);
}

async function tryAll(
	chosen: Mutant[],
	idOf: Map<Mutant, string>,
	state: State,
	{
		until,
		thorough,
		again,
		only,
	}: { until: number; thorough: boolean; again: boolean; only?: string[] },
): Promise<void> {
	const testFiles = TESTS.flatMap((folder) => filesIn(folder, '.test.ts')).filter(
		(file) => !LEFT_OUT.some((name) => path.basename(file).startsWith(name)),
	);
	const hashes = new Map(testFiles.map((file) => [file, hash(read(file))]));
	const hashOf = (files: string[]) => hash(...files.map((file) => hashes.get(file) ?? ''));
	const from = performance.now();
	const seconds = () => ((performance.now() - from) / 1000).toFixed(0);
	const workers = Array.from(
		{ length: Number(process.env.MUTANT_WORKERS ?? availableParallelism()) },
		() => new Worker(),
	);

	const survey = await surveyTests(
		workers,
		testFiles.filter((file) => !only || only.some((name) => file.includes(name))),
	);
	console.log(`${survey.tests.length} tests, ${seconds()} s`);
	const killers = new Killers();
	const isKnown = (mutant: Mutant): boolean => {
		const known = state.get(idOf.get(mutant)!);
		if (!known) return false;
		if (known.state === 'killed') {
			const [file, name] = splitName(known.by!);
			killers.note(mutant, file, name);
			return known.tests === hashOf([file]);
		}
		const wasThorough = known.state === 'not covered' || known.tried === known.of;
		return (
			known.tests === hashOf(planFor(mutant, survey, killers).files) &&
			(wasThorough || !(thorough || again))
		);
	};
	const queue = only ? [...chosen] : chosen.filter((mutant) => !isKnown(mutant));
	console.log(`${queue.length} of ${chosen.length} mutants to try, ${seconds()} s`);

	const total = queue.length;
	let done = 0;
	const decide = (mutant: Mutant, result: Omit<Result, 'id'>) => {
		if (!only || result.state === 'killed') state.add({ id: idOf.get(mutant)!, ...result });
		if (result.state === 'killed') killers.note(mutant, ...splitName(result.by!));
		if (++done % 20 === 0) console.log(`${done} of ${total}, ${seconds()} s`);
	};
	const killed = (file: string, name: string, noEnd = false): Omit<Result, 'id'> => ({
		state: 'killed',
		by: `${file}: ${name}`,
		tests: hashOf([file]),
		...(noEnd && { noEnd }),
	});

	/** Returns the tests with which a mutant must be tried again, with more time. */
	const attempt = async (
		worker: Worker,
		mutant: Mutant,
		plan: Plan,
		/** The tests of an attempt in which one did not end, that one first: now they have more time. */
		second?: TestPlace[],
	): Promise<TestPlace[] | undefined> => {
		const { files } = plan;
		const all = [...plan.first, ...plan.rest];
		const of = all.length;
		const tests = second ?? (thorough ? all : plan.first);
		if (of === 0) {
			decide(mutant, { state: 'not covered', tests: hashOf(files) });
			return undefined;
		}
		const limits = second ? { patience: 20, spareMs: 12_000 } : { patience: 5, spareMs: 3_000 };
		const answer = await worker.give({ kind: 'try', mutant, tests, ...limits });
		if (answer.kind === 'survived')
			decide(mutant, { state: 'survived', tests: hashOf(files), tried: tests.length, of });
		else if (answer.kind === 'loop') decide(mutant, killed(tests[0].file, 'endless loop', true));
		else if (answer.kind === 'killed' && (!answer.noEnd || second))
			decide(mutant, killed(answer.file, answer.name, answer.noEnd));
		else if (second) decide(mutant, killed(tests[0].file, 'hung', true));
		else if (answer.kind === 'killed') {
			const { file, index } = answer;
			const isIt = (test: TestPlace) => test.file === file && test.index === index;
			return [...tests.filter(isIt), ...tests.filter((test) => !isIt(test))];
		} else return tests;
		return undefined;
	};

	await Promise.all(
		workers.map(async (worker) => {
			while (queue.length > 0 && performance.now() < until) {
				const mutant = queue.shift()!;
				const plan = planFor(mutant, survey, killers);
				const tests = await attempt(worker, mutant, plan);
				if (tests) await attempt(worker, mutant, plan, tests);
			}
		}),
	);
	for (const worker of workers) worker.end();
}

/** `file: name` in its parts. */
function splitName(text: string): [file: string, name: string] {
	const at = text.indexOf(': ');
	return [text.slice(0, at), text.slice(at + 2)];
}

interface KnownFile {
	/** Of the test file, all sources and what tests share. */
	key: string;
	tests: Survey['tests'];
	loads: string[];
}

/**
 * Runs all tests without a mutant: what they come by, and how long they take. Those that fail take no part. What is known
 * of a test file is kept as long as neither it nor any source changes.
 */
async function surveyTests(workers: Worker[], testFiles: string[]): Promise<Survey> {
	const shared = ['nodes', 'test']
		.flatMap((folder) => filesIn(folder, '.ts'))
		.filter((file) => !file.endsWith('.test.ts'));
	const all = hash(...shared.map(read));
	const known = (existsSync(path.join(ROOT, SURVEY)) ? JSON.parse(read(SURVEY)) : {}) as Record<
		string,
		KnownFile
	>;
	const keyOf = (file: string) => hash(all, read(file));
	const queue = testFiles.filter((file) => known[file]?.key !== keyOf(file));
	await Promise.all(
		workers.map(async (worker) => {
			for (let file = queue.shift(); file; file = queue.shift()) {
				const answer = await worker.give({ kind: 'survey', testFiles: [file] });
				if (answer.kind !== 'surveyed') throw new Error(`${file} did not end`);
				for (const { failed, name } of answer.tests)
					if (failed) console.log(`fails without any mutant, left out: ${file}: ${name}`);
				const tests = answer.tests.filter(({ failed }) => !failed);
				known[file] = { key: keyOf(file), tests, loads: answer.loads[file] };
				writeFileSync(path.join(ROOT, SURVEY), JSON.stringify(known));
			}
		}),
	);
	return {
		tests: testFiles.flatMap((file) => known[file].tests),
		loads: Object.fromEntries(testFiles.map((file) => [file, known[file].loads])),
	};
}
