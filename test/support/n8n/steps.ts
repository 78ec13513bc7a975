/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawn } from 'node:child_process';

/** Reports one line of progress. */
export type Log = (line: string) => void;

/** Seconds since `from` (a `performance.now()` value), with one digit. */
export const secondsSince = (from: number): string =>
	((performance.now() - from) / 1000).toFixed(1);

/** Runs one step and logs its name when it starts and its seconds when it ends. */
export async function step<T>(name: string, log: Log, work: () => Promise<T>): Promise<T> {
	log(`${name} …`);
	const from = performance.now();
	const result = await work();
	log(`${name}: ${secondsSince(from)} s`);
	return result;
}

/**
 * Runs a program to its end and returns its standard output.
 * Throws with the last lines of its output when it does not exit with 0.
 */
export async function run(
	program: string,
	args: string[],
	options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
	const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	let stdout = '';
	child.stdout.on('data', (chunk: Buffer) => {
		stdout += chunk.toString();
		output += chunk.toString();
	});
	child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const code = await new Promise<number | null>((resolve, reject) => {
		child.on('error', reject);
		child.on('close', resolve);
	});
	if (code !== 0) {
		const tail = output.trim().split('\n').slice(-30).join('\n');
		throw new Error(`${program} ${args.join(' ')} ended with exit code ${code}:\n${tail}`);
	}
	return stdout;
}

/** Runs npm: the one that started this process, if there is one. */
export const npm = async (args: string[], cwd: string): Promise<string> =>
	process.env.npm_execpath
		? await run(process.execPath, [process.env.npm_execpath, ...args], { cwd })
		: await run('npm', args, { cwd });
