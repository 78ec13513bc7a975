/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
/**
 * The part of jest that the tests use, without its sandbox: all test files share one process, so that n8n's packages are
 * loaded once and a mutant takes the time of the tests alone.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { bind } from 'jest-each';
import { ModuleMocker } from 'jest-mock';
import { expect } from 'expect';

type Action = () => unknown;

interface Block {
	name: string;
	parent?: Block;
	beforeAll: Action[];
	afterAll: Action[];
	beforeEach: Action[];
	afterEach: Action[];
}

export interface TestCase {
	name: string;
	block: Block;
	run: Action;
}

let current: Block;
let collected: TestCase[];

const newBlock = (name: string, parent?: Block): Block => ({
	name,
	parent,
	beforeAll: [],
	afterAll: [],
	beforeEach: [],
	afterEach: [],
});

const nameOf = (block: Block | undefined): string =>
	block?.parent ? `${nameOf(block.parent)} ${block.name}`.trim() : '';

function describe(name: string, body: () => void): void {
	const outer = current;
	current = newBlock(name, outer);
	body();
	current = outer;
}

function test(name: string, run: Action): void {
	collected.push({ name: `${nameOf(current)} ${name}`.trim(), block: current, run });
}

const skipped = () => {};
Object.assign(describe, { each: bind(describe as never, false), skip: skipped });
Object.assign(test, { each: bind(test as never, false), skip: skipped });
Object.assign(globalThis, {
	describe,
	test,
	it: test,
	expect,
	jest: Object.assign(new ModuleMocker(globalThis), { resetModules: () => resetModules() }),
	beforeAll: (action: Action) => current.beforeAll.push(action),
	afterAll: (action: Action) => current.afterAll.push(action),
	beforeEach: (action: Action) => current.beforeEach.push(action),
	afterEach: (action: Action) => current.afterEach.push(action),
});

let resetModules = () => {};

/** The tests of a file, in order; `reset` is what `jest.resetModules` does. */
export function collect(load: () => void, reset: () => void): TestCase[] {
	resetModules = reset;
	current = newBlock('');
	collected = [];
	load();
	return collected;
}

const path = (block: Block | undefined): Block[] => (block ? [...path(block.parent), block] : []);

/**
 * Runs tests of one file, in order, with the hooks around them. `report` is told of each; it ends the file by returning
 * false. A test without an end counts as failed after `longestMs` of this process's own time.
 */
export async function runTests(
	tests: TestCase[],
	longestMs: (test: TestCase) => number,
	report: (test: TestCase, error: unknown, milliseconds: number) => boolean,
): Promise<void> {
	const open: Block[] = [];
	const close = async (block: Block) => {
		for (const action of block.afterAll) await bounded(action, 10_000).catch(() => {});
	};
	try {
		for (const one of tests) {
			const blocks = path(one.block);
			let error: unknown;
			const from = performance.now();
			try {
				while (open.length > 0 && !blocks.includes(open.at(-1)!)) await close(open.pop()!);
				for (const block of blocks.slice(open.length)) {
					open.push(block);
					for (const action of block.beforeAll) await bounded(action, 20_000);
				}
				const all = async () => {
					for (const block of blocks) for (const action of block.beforeEach) await action();
					await one.run();
				};
				try {
					await bounded(all, longestMs(one));
				} finally {
					for (const block of blocks) for (const action of block.afterEach) await action();
				}
			} catch (caught) {
				error = caught ?? new Error('Failed');
			}
			if (!report(one, error, performance.now() - from)) return;
		}
	} finally {
		while (open.length > 0) await close(open.pop()!);
	}
}

export class NoEnd extends Error {}

/**
 * The clock without the time in which this process was ready and other programs had the processor, ms: under load a test
 * takes longer, and is no endless one for that. Where there is no such count, as on macOS, all time is its own.
 */
function ownTime(): number {
	let waited = 0;
	try {
		waited = Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
	} catch {
		// Not Linux.
	}
	return performance.now() - waited;
}

async function bounded(action: Action, milliseconds: number): Promise<void> {
	const stop = new AbortController();
	const end = async () => {
		const until = ownTime() + milliseconds;
		for (let left = milliseconds; left > 0; left = until - ownTime())
			await wait(Math.min(left, 500), undefined, { signal: stop.signal });
		throw new NoEnd(`No end after ${milliseconds} ms`);
	};
	const ended = end().catch((error: unknown) => {
		if (!stop.signal.aborted) throw error;
	});
	try {
		await Promise.race([action(), ended]);
	} finally {
		stop.abort();
	}
}
