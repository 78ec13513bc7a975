/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawn } from 'node:child_process';

/** Reports one line of progress. */
export type Log = (line: string) => void;

/** Shows output as it comes, with its line breaks. */
export type Show = (text: string) => void;
export const toStdout: Show = (text) => void process.stdout.write(text);

/** Seconds since `from` (a `performance.now()` value), with one digit. */
export const secondsSince = (from: number): string =>
	((performance.now() - from) / 1000).toFixed(1);

let atExit: Set<() => void> | undefined;

/** Calls `end` when this process ends, unless what it returns is called before. */
export function onExit(end: () => void): () => void {
	// One listener for all: at the eleventh, Node warns of a leak.
	if (!atExit) process.once('exit', () => atExit?.forEach((one) => one()));
	const ends = (atExit ??= new Set());
	ends.add(end);
	return () => void ends.delete(end);
}

/** How often a long step says that it goes on. */
const PROGRESS_MS = 15_000;

/** Runs one step and logs its name when it starts, its seconds when it ends, and now and then in between. */
export async function step<T>(name: string, log: Log, work: () => Promise<T>): Promise<T> {
	log(`${name} …`);
	const from = performance.now();
	const timer = setInterval(() => log(`${name} … ${secondsSince(from)} s`), PROGRESS_MS);
	const result = await work().finally(() => clearInterval(timer));
	log(`${name}: ${secondsSince(from)} s`);
	return result;
}

/**
 * Runs a program to its end and returns what it printed; `show` is given it as it comes.
 * Throws when it does not exit with 0, with the last lines of its output unless they were shown.
 * Should this process end first, the program is ended too.
 */
export async function run(
	program: string,
	args: string[],
	{ show, ...options }: { cwd?: string; env?: NodeJS.ProcessEnv; show?: Show } = {},
): Promise<{ stdout: string; output: string }> {
	const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
	const ended = onExit(() => child.kill());
	let stdout = '';
	let output = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
		output += text;
		show?.(text);
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		output += text;
		show?.(text);
	});
	const code = await new Promise<number | null>((resolve, reject) => {
		child.on('error', reject);
		child.on('close', resolve);
	}).finally(ended);
	if (code !== 0) {
		const tail = show ? '' : `:\n${output.trim().split('\n').slice(-30).join('\n')}`;
		throw new Error(`${program} ${args.join(' ')} ended with exit code ${code}${tail}`);
	}
	return { stdout, output };
}

/** Runs npm, the one that started this process if there is one; returns its standard output. `config`: its settings. */
export async function npm(
	args: string[],
	cwd: string,
	config: Record<string, string> = {},
): Promise<string> {
	const started = process.env.npm_execpath;
	const [program, first] = started ? [process.execPath, [started]] : ['npm', []];
	const settings = Object.entries(config).map(([name, value]) => [`npm_config_${name}`, value]);
	const env = { ...process.env, ...Object.fromEntries(settings) };
	return (await run(program, [...first, ...args], { cwd, env })).stdout;
}
