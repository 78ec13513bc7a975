/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @typescript-eslint/no-require-imports, no-console -- runs outside n8n */
/** One process that runs tests against one mutant after the other. Started by scripts/mutants.ts. */
import { existsSync, readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import ts from 'typescript';
import { collect, NoEnd, runTests, type TestCase } from './harness';
import { instrument, mutated, type Mutant } from './mutate';

export interface TestReport {
	/** Path of the test file, and position in it. */
	file: string;
	index: number;
	name: string;
	milliseconds: number;
	failed: boolean;
	/** The places that it comes by, of each source file. */
	hits: Record<string, number[]>;
}

export type TestPlace = Pick<TestReport, 'file' | 'index' | 'milliseconds'>;

export type Order =
	| { kind: 'survey'; testFiles: string[] }
	| {
			kind: 'try';
			mutant: Mutant;
			/** Run in this order, up to the first that fails. */
			tests: TestPlace[];
			/** How many times longer than usual a test may take, beside `spareMs`. */
			patience: number;
			spareMs: number;
	  };

export type Answer =
	| { kind: 'surveyed'; tests: TestReport[]; loads: Record<string, string[]> }
	/** A test is done, and the process goes on. */
	| { kind: 'beat' }
	| { kind: 'killed'; file: string; name: string; index: number; noEnd: boolean }
	| { kind: 'survived' };

const ROOT = path.resolve(__dirname, '../..');
const relative = (file: string) => path.relative(ROOT, file).split(path.sep).join('/');

/** What a source file is to be read as, instead of what lies on disk. */
const overrides = new Map<string, string>();
let isSurvey = false;
type Hits = Record<string, Set<number>>;
let hits: Hits = {};
/** What runs while a source is loaded, which may be in the middle of any test: all tests of the file come by. */
let hitsOfLoading: Hits = {};
let loading = 0;
Object.assign(globalThis, {
	__hit: (file: string, place: number) =>
		((loading > 0 ? hitsOfLoading : hits)[file] ??= new Set()).add(place),
});

type Load = (
	exports: unknown,
	require: unknown,
	module: Module,
	file: string,
	folder: string,
) => void;

/** What runs a source's text, by that text: modules are loaded anew hundreds of times, but compiled once. */
const compiled = new Map<string, Load>();
function compile(file: string): Load {
	const name = relative(file);
	let text = overrides.get(name) ?? readFileSync(file, 'utf8');
	if (isSurvey && name.startsWith('nodes/')) text = instrument(name, text, '__hit');
	const key = `${name}\n${text}`;
	const known = compiled.get(key);
	if (known) return known;
	const { outputText } = ts.transpileModule(text, {
		fileName: file,
		compilerOptions: {
			module: ts.ModuleKind.CommonJS,
			target: ts.ScriptTarget.ES2023,
			esModuleInterop: true,
			resolveJsonModule: true,
		},
	});
	const names = ['exports', 'require', 'module', '__filename', '__dirname'];
	const load = compileFunction(outputText, names, { filename: file }) as Load;
	compiled.set(key, load);
	return load;
}
const loader = Module as unknown as {
	_extensions: Record<string, (module: Module, file: string) => void>;
	_resolveFilename(request: string, parent: { filename?: string }, ...more: unknown[]): string;
};
loader._extensions['.ts'] = (module, file) => {
	const isSource = relative(file).startsWith('nodes/');
	if (isSource) loading++;
	try {
		const require = Object.assign((request: string): unknown => module.require(request), {
			resolve: (request: string) => loader._resolveFilename(request, module),
		});
		compile(file)(module.exports, require, module, file, path.dirname(file));
	} finally {
		if (isSource) loading--;
	}
};

// `X.node` means X.node.ts here, not X.node.json.
const resolve = loader._resolveFilename;
const sources = new Map<string, string | undefined>();
loader._resolveFilename = function (request, parent, ...more) {
	if (!/^\.\.?\//.test(request) || !parent?.filename)
		return resolve.call(this, request, parent, ...more);
	const source = path.resolve(path.dirname(parent.filename), `${request}.ts`);
	if (!sources.has(source)) sources.set(source, existsSync(source) ? source : undefined);
	return sources.get(source) ?? resolve.call(this, request, parent, ...more);
};

/** All of the repository's own modules are loaded anew when they are next asked for; n8n's stay. */
function resetModules(): void {
	for (const file of Object.keys(require.cache)) {
		const name = relative(file);
		if (name.startsWith('nodes/') || (name.startsWith('test/') && !name.includes('node_modules')))
			delete require.cache[file];
	}
}

/** The same for the next test file, which sets up n8n's services for itself. */
function forget(): void {
	resetModules();
	const { DataDeduplicationService } = require('n8n-core') as { DataDeduplicationService: object };
	delete (DataDeduplicationService as { instance?: unknown }).instance;
}

const load = (file: string): TestCase[] =>
	collect(() => void require(path.join(ROOT, file)), resetModules);

async function survey(testFiles: string[]): Promise<Answer> {
	isSurvey = true;
	const tests: TestReport[] = [];
	const loads: Record<string, string[]> = {};
	for (const file of testFiles) {
		forget();
		hitsOfLoading = {};
		const all = load(file);
		hits = {};
		const reports: Array<TestReport & { own: Hits }> = [];
		await runTests(
			all,
			() => 120_000,
			(test, error, milliseconds) => {
				reports.push({
					file,
					index: all.indexOf(test),
					name: test.name,
					milliseconds,
					failed: error !== undefined,
					hits: {},
					own: hits,
				});
				if (error)
					console.error(`${file}: ${test.name}\n${String((error as Error).stack).slice(0, 1500)}`);
				hits = {};
				process.send!({ kind: 'beat' } satisfies Answer);
				return true;
			},
		);
		// Much is loaded by the tests themselves, when they run a node.
		loads[file] = Object.keys(require.cache)
			.map(relative)
			.filter((name) => name.startsWith('nodes/'));
		for (const { own, ...report } of reports)
			tests.push({ ...report, hits: union(hitsOfLoading, own) });
	}
	isSurvey = false;
	return { kind: 'surveyed', tests, loads };
}

const union = (one: Hits, other: Hits): TestReport['hits'] =>
	Object.fromEntries(
		Object.keys({ ...one, ...other }).map((file) => [
			file,
			[...new Set([...(one[file] ?? []), ...(other[file] ?? [])])],
		]),
	);

/** Tests of one file that follow each other. */
function byFile(tests: TestPlace[]): TestPlace[][] {
	const groups: TestPlace[][] = [];
	for (const test of tests) {
		const group = groups.at(-1);
		if (group?.[0].file === test.file) group.push(test);
		else groups.push([test]);
	}
	return groups;
}

async function attempt(order: Extract<Order, { kind: 'try' }>): Promise<Answer> {
	const { mutant, tests, patience, spareMs } = order;
	overrides.clear();
	const text = readFileSync(path.join(ROOT, mutant.file), 'utf8');
	overrides.set(mutant.file, mutated(text, mutant));
	for (const group of byFile(tests)) {
		const { file } = group[0];
		forget();
		const mine = new Map(group.map((test) => [test.index, test]));
		let all: TestCase[];
		try {
			all = load(file);
		} catch (error) {
			return { kind: 'killed', file, name: String(error).slice(0, 100), index: -1, noEnd: false };
		}
		let answer: Answer | undefined;
		const usual = (test: TestCase) => mine.get(all.indexOf(test))!.milliseconds;
		await runTests(
			all.filter((_, index) => mine.has(index)),
			(test) => spareMs + patience * usual(test),
			(test, error) => {
				process.send!({ kind: 'beat' } satisfies Answer);
				if (error === undefined) return true;
				const noEnd = error instanceof NoEnd;
				answer = { kind: 'killed', file, name: test.name, index: all.indexOf(test), noEnd };
				return false;
			},
		);
		if (answer) return answer;
	}
	return { kind: 'survived' };
}

// What a mutant leaves running must not end the process.
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
process.on('message', (order: Order) => {
	// With it, jest's tests of properties meet the same cases.
	require(path.join(ROOT, 'test/support/properties.ts'));
	const answer = order.kind === 'survey' ? survey(order.testFiles) : attempt(order);
	void answer.then((value) => process.send!(value));
});
process.send!('ready');
