/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { readFileSync, writeFileSync } from 'node:fs';

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
