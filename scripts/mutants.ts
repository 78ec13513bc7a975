/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- runs outside n8n */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type Mutant, mutantsOf } from './mutants/mutate';
import type { Answer, Order, TestReport } from './mutants/worker';

const ROOT = path.resolve(__dirname, '..');
const SOURCES = ['run', 'flows', 'gateway', 'core'].map((room) => `nodes/SpeechGateway/${room}`);
const TESTS = ['core', 'engine', 'gateway', 'operations', 'run'].map((folder) => `test/${folder}`);
/** Storms, random walks and whole tables find what nobody thought of, and take too long to run for every mutant. */
const LEFT_OUT = ['chaos', 'gapless', 'hostile.', 'share'];
const TABLE = 'bench/mutants.md';
/** Survivors that are no bugs, by `file: change`, with the reason. */
const REASONS = 'bench/mutants.json';
/** Mutants after which a process starts afresh: each leaves a little behind. */
const LIFE = 150;
/** An endless loop hangs its process; then it is ended. */
const LONGEST_MS = 60_000;

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

/** A process that takes one order at a time. */
class Worker {
	private child: ChildProcess | undefined;
	private orders = 0;

	async give(order: Order, longestMs: number): Promise<Answer | 'hung'> {
		if (this.orders++ >= LIFE) this.end();
		const child = (this.child ??= await start());
		const answer = await new Promise<Answer | 'hung'>((resolve) => {
			const hung = () => resolve('hung');
			const timer = setTimeout(hung, longestMs);
			child.once('exit', hung);
			child.send(order);
			child.once('message', (message) => {
				clearTimeout(timer);
				child.off('exit', hung);
				resolve(message as Answer);
			});
		});
		child.removeAllListeners('message');
		// What did not end may go on in the background, and disturb what comes next.
		if (answer === 'hung' || (answer.kind === 'killed' && answer.noEnd)) this.end();
		return answer;
	}

	end(): void {
		this.child?.kill('SIGKILL');
		this.child = undefined;
		this.orders = 0;
	}
}

/** Ended with this process, at whatever moment that is. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

async function start(): Promise<ChildProcess> {
	const child = fork(path.join(__dirname, 'mutants/worker.ts'), {
		execArgv: ['--require', 'tsx/cjs', '--max-old-space-size=3000'],
		cwd: ROOT,
		stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
		env: { ...process.env, NODE_ENV: 'test' },
	});
	running.add(child);
	child.once('exit', () => running.delete(child));
	await new Promise((resolve) => child.once('message', resolve));
	return child;
}

interface Result {
	mutant: Mutant;
	state: 'killed' | 'survived' | 'not covered';
}

/**
 * `npm run mutants`: changes `run/`, `flows/`, `gateway/` and `core/` in one small way at a time, and runs the tests that
 * come by that place. What no test notices is listed in bench/mutants.md; `npm run mutants -- <files or folders>` looks
 * at some files only, and prints. `--json=file` also writes all results there; `--minutes=N` looks at a fair sample, as
 * many as there is time for.
 */
export async function main(args: string[]): Promise<number> {
	const wanted = args.filter((arg) => !arg.startsWith('--'));
	const json = args.find((arg) => arg.startsWith('--json='))?.slice('--json='.length);
	const minutes =
		Number(args.find((arg) => arg.startsWith('--minutes='))?.slice('--minutes='.length)) ||
		undefined;
	const count = Number(process.env.MUTANT_WORKERS ?? availableParallelism());
	const sources = (wanted.length > 0 ? wanted : SOURCES).flatMap((one) => filesIn(one, '.ts'));
	const touchesCore = sources.some((file) => file.includes('/core/'));
	const testFiles = TESTS.filter((folder) => touchesCore || folder !== 'test/core')
		.flatMap((folder) => filesIn(folder, '.test.ts'))
		.filter((file) => !LEFT_OUT.some((name) => path.basename(file).startsWith(name)));
	const workers = Array.from({ length: count }, () => new Worker());
	const from = performance.now();

	const { tests, loads } = await survey(workers, testFiles);
	const sound = tests.filter(({ failed }) => !failed);
	const broken = tests.filter(({ failed }) => failed);
	for (const { file, name } of broken)
		console.log(`fails without any mutant, left out: ${file}: ${name}`);
	console.log(`${sound.length} tests, ${seconds(from)} s`);

	const queue = sources.flatMap((file) => mutantsOf(file, read(file)));
	if (minutes) queue.sort((one, other) => shuffled(one) - shuffled(other));
	console.log(`${queue.length} mutants of ${sources.length} files`);
	const results: Result[] = [];
	let next = 0;
	await Promise.all(
		workers.map(async (worker) => {
			while (next < queue.length && performance.now() - from < (minutes ?? Infinity) * 60_000) {
				const mutant = queue[next++];
				const near = testsFor(mutant, sound, loads);
				let state: Result['state'] = 'not covered';
				if (near.length > 0) {
					const answer = await worker.give({ kind: 'try', mutant, tests: near }, LONGEST_MS);
					state = answer === 'hung' || answer.kind === 'killed' ? 'killed' : 'survived';
				}
				results.push({ mutant, state });
				if (results.length % 100 === 0)
					console.log(`${results.length} of ${queue.length}, ${seconds(from)} s`);
			}
			worker.end();
		}),
	);
	if (json) writeFileSync(json, JSON.stringify(results));
	const table = describeResults(results, sources, Number(seconds(from)));
	if (wanted.length === 0) writeFileSync(path.join(ROOT, TABLE), table);
	console.log(table);
	return 0;
}

/** The same disorder every time. */
const shuffled = ({ file, start, replacement }: Mutant) =>
	createHash('md5').update(`${file} ${start} ${replacement}`).digest().readUInt32BE();

const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(0);

async function survey(workers: Worker[], testFiles: string[]) {
	const queue = [...testFiles];
	const tests: TestReport[] = [];
	const loads: Record<string, string[]> = {};
	await Promise.all(
		workers.map(async (worker) => {
			for (let file = queue.shift(); file; file = queue.shift()) {
				const answer = await worker.give({ kind: 'survey', testFiles: [file] }, 10 * LONGEST_MS);
				if (answer === 'hung' || answer.kind !== 'surveyed') throw new Error(`${file} did not end`);
				tests.push(...answer.tests);
				Object.assign(loads, answer.loads);
			}
		}),
	);
	return { tests, loads };
}

/** The tests that come by a mutant, the quick ones first; files stay together. */
function testsFor(mutant: Mutant, tests: TestReport[], loads: Record<string, string[]>) {
	const place = `${mutant.file}:${mutant.inFunction}`;
	const near = tests.filter(({ hits, file }) =>
		mutant.inFunction < 0 ? loads[file].includes(mutant.file) : hits.includes(place),
	);
	const time = new Map<string, number>();
	for (const { file, milliseconds } of near) time.set(file, (time.get(file) ?? 0) + milliseconds);
	return near
		.sort((one, other) => time.get(one.file)! - time.get(other.file)! || one.index - other.index)
		.map(({ file, index, milliseconds }) => ({ file, index, milliseconds }));
}

const keyOf = ({ file, change }: Mutant) =>
	`${file.replace('nodes/SpeechGateway/', '')}: ${change}`;

/** A table per file, and what survived. */
function describeResults(results: Result[], sources: string[], took: number): string {
	const reasons = existsSync(path.join(ROOT, REASONS))
		? (JSON.parse(read(REASONS)) as Record<string, string>)
		: {};
	const row = (name: string, of: Result[]) => {
		const alive = of.filter(({ state }) => state !== 'killed');
		const equivalent = alive.filter(({ mutant }) => reasons[keyOf(mutant)]);
		const counted = of.length - equivalent.length;
		const killed = of.length - alive.length;
		const share = counted === 0 ? 100 : (100 * killed) / counted;
		return `| ${name} | ${of.length} | ${killed} | ${equivalent.length} | ${counted - killed} | ${share.toFixed(0)} % |`;
	};
	const lines = [
		'# Mutants',
		'',
		`Small changes to the code, one at a time, and whether any test fails: \`npm run mutants\`, ${Math.round(took / 60)} minutes here.`,
		'_Equivalent_: changes nothing that anybody could notice; the reason stands below.',
		'',
		'| file | mutants | killed | equivalent | survived | killed of those that matter |',
		'| --- | ---: | ---: | ---: | ---: | ---: |',
		...sources
			.map((file) => [file, results.filter(({ mutant }) => mutant.file === file)] as const)
			.filter(([, of]) => of.length > 0)
			.map(([file, of]) => row(file.replace('nodes/SpeechGateway/', ''), of)),
		row('**all**', results),
		'',
		'## Survivors',
		'',
	];
	const alive = results
		.filter(({ state }) => state !== 'killed')
		.sort((a, b) => a.mutant.file.localeCompare(b.mutant.file) || a.mutant.start - b.mutant.start);
	for (const { mutant, state } of alive) {
		const reason = reasons[keyOf(mutant)] ?? (state === 'not covered' ? 'no test comes by' : '');
		const at = `${mutant.file.replace('nodes/SpeechGateway/', '')}:${mutant.line}`;
		lines.push(`- ${at} \`${mutant.change.replaceAll('`', "'")}\`${reason && `: ${reason}`}`);
	}
	return `${lines.join('\n')}\n`;
}
