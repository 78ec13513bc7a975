/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const READY_LIMIT_MS = 480_000;
const LOOK_AGAIN_MS = 20;

export interface Program {
	/** All that it has printed. */
	output(): string;
	/** Ends it at once, as a machine does that fails. */
	stop(): Promise<void>;
}

/**
 * Starts a server program and waits until it is ready, which `isReady` may tell from its output.
 * It shares a process group with a shell that reads a pipe from this process: when the pipe ends, however this process ends, the
 * shell ends the group.
 */
export async function startProgram(
	program: string,
	args: string[],
	isReady: (output: string) => boolean | Promise<boolean>,
	options: { uid?: number; gid?: number; cwd?: string } = {},
): Promise<Program> {
	// Through a pipe, because Node's own are sockets, which a program cannot open as /dev/stdout.
	const script =
		'{ "$0" "$@" 2>&1; echo "ended with code $?"; } | cat & cat >/dev/null; kill -KILL 0';
	const child = spawn('sh', ['-c', script, program, ...args], {
		...options,
		detached: true,
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const closed = once(child, 'close');
	const stop = async () => {
		child.stdin.end();
		await closed;
	};
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const until = performance.now() + READY_LIMIT_MS;
	while (!(await isReady(output))) {
		if (/^ended with code \d+$/m.test(output) || performance.now() > until) {
			await stop();
			throw new Error(`${program} is not ready:\n${output.slice(-4000)}`);
		}
		await wait(LOOK_AGAIN_MS);
	}
	return { output: () => output, stop };
}
