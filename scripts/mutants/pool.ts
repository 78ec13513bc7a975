/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- runs outside n8n */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer, Order } from './worker';

/** Mutants after which a process starts afresh: each leaves a little behind. */
const LIFE = 150;
/** A process that says nothing for so long hangs. */
const LONGEST_SILENCE_MS = 180_000;
/** One that computes for so long without a word, longer than any test, is in an endless loop. */
const LONGEST_LOOP_MS = 10_000;
/** Linux counts the time of processes in hundredths of a second. */
const TICK_MS = 10;

/** A process that takes one order at a time. */
export class Worker {
	private child: ChildProcess | undefined;
	private orders = 0;

	/** `loop`: it computed without an end, whatever else the machine had to do. `hung`: it fell silent, or ended. */
	async give(order: Order): Promise<Answer | { kind: 'loop' | 'hung' }> {
		if (this.orders++ >= LIFE) this.end();
		const child = (this.child ??= await start());
		let heard = performance.now();
		let computed = cpuTime(child);
		const answer = await new Promise<Answer | { kind: 'loop' | 'hung' }>((resolve) => {
			const watch = setInterval(() => {
				if (order.kind === 'try' && cpuTime(child) - computed > LONGEST_LOOP_MS)
					done({ kind: 'loop' });
				if (performance.now() - heard > LONGEST_SILENCE_MS) done({ kind: 'hung' });
			}, 1_000);
			const hung = () => done({ kind: 'hung' });
			const listen = (message: Answer) => {
				heard = performance.now();
				computed = cpuTime(child);
				if (message.kind !== 'beat') done(message);
			};
			const done = (result: Answer | { kind: 'loop' | 'hung' }) => {
				clearInterval(watch);
				child.off('exit', hung).off('message', listen);
				resolve(result);
			};
			child.on('exit', hung).on('message', listen).send(order);
		});
		// What did not end may go on in the background, and disturb what comes next.
		const goesOn = answer.kind === 'killed' && answer.noEnd;
		if (goesOn || answer.kind === 'hung' || answer.kind === 'loop') this.end();
		return answer;
	}

	end(): void {
		this.child?.kill('SIGKILL');
		this.child = undefined;
		this.orders = 0;
	}
}

/** Of a process, in ms; 0 where it is not told. */
function cpuTime({ pid }: ChildProcess): number {
	try {
		const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
		return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
	} catch {
		return 0;
	}
}

/** Ended with this process, at whatever moment that is. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

async function start(): Promise<ChildProcess> {
	const child = fork(path.join(__dirname, 'worker.ts'), {
		execArgv: ['--require', 'tsx/cjs', '--max-old-space-size=3000'],
		cwd: path.resolve(__dirname, '../..'),
		stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
		env: { ...process.env, NODE_ENV: 'test' },
	});
	running.add(child);
	child.once('exit', () => running.delete(child));
	await new Promise((resolve) => child.once('message', resolve));
	return child;
}
