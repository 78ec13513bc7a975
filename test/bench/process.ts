/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { N8n } from '../support/n8n/server';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** CPU time that a process has used, all threads, in ms. */
export function cpuOf(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const status = (pid: number, field: string): number =>
	Number(
		new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
	) / 1024;

/** Memory that a process holds now, in MB. */
export const memoryOf = (pid: number): number => status(pid, 'VmRSS');

/** Begins to watch the memory of a process; the function returned gives its peak since then in MB. */
export function watchPeak(pid: number): () => number {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	return () => status(pid, 'VmHWM');
}

/** Environment of an n8n of which `held` is asked. */
export const PROBED = {
	NODE_OPTIONS: `--expose-gc --require ${path.join(__dirname, 'probe.cjs')}`,
	PROBE_FILE: 'probe.json',
};

const MB = 1024 * 1024;

/** What n8n holds when its garbage is collected, in MB. */
export async function held({ pid, userFolder }: N8n): Promise<{ heap: number; rss: number }> {
	const file = path.join(userFolder, PROBED.PROBE_FILE);
	rmSync(file, { force: true });
	process.kill(pid, 'SIGUSR2');
	while (!existsSync(file)) await wait(50);
	const usage = JSON.parse(readFileSync(file, 'utf8')) as NodeJS.MemoryUsage;
	return { heap: (usage.heapUsed + usage.external) / MB, rss: usage.rss / MB };
}
