/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
/* What the cases of the bench share: their workflows, and how they measure. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { type Bench, openBench } from '../support/n8n/bench';
import type { Execution, SavedWorkflow, WorkflowJson } from '../support/n8n/client';
import { type N8n, startN8n } from '../support/n8n/server';
import { buildWorkflow, connection, makeNode, NODE_NAME, NODE_TYPE } from '../support/workflow';

/** One comparison of the bench. */
export interface BenchCase {
	/** For `--only`. */
	name: string;
	title: string;
	run(stage: Stage): Promise<Report>;
}

export interface Stage {
	n8n: N8n;
	bench: Bench;
	/** The package as it is published. */
	tarball: string;
}

export interface Report {
	head: string[];
	rows: Array<Array<string | number>>;
	/** What was aimed at. */
	checks: Check[];
}

export interface Check {
	what: string;
	value: number;
	/** The value must not be above it. */
	limit: number;
	unit?: string;
}

export const holds = ({ value, limit }: Check): boolean => value <= limit;

/** Three digits are more than any of these measurements is worth. */
export const round = (value: number): number => Number(value.toPrecision(3));

/**
 * The smallest of several measurements of each: what a shared machine adds is noise, and never negative. They take turns, so
 * that none has the quieter machine.
 */
export async function bestOfEach<T>(
	times: number,
	size: (result: T) => number,
	...measures: Array<() => Promise<T>>
): Promise<T[]> {
	const found: T[] = [];
	for (let i = 0; i < times; i++) {
		for (const [index, measure] of measures.entries()) {
			const next = await measure();
			if (i === 0 || size(next) < size(found[index])) found[index] = next;
		}
	}
	return found;
}

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

type Node = WorkflowJson['nodes'][number];

/** Our node; `text` and options may be expressions on the input item. */
export const oursSpeech = (options: IDataObject): Node =>
	makeNode(NODE_NAME, NODE_TYPE, 1, 400, {
		resource: 'speech',
		operation: 'generate',
		text: '={{ $json.text }}',
		options,
	});

/** Environment of an n8n that has the floor. */
export const WITH_FLOOR = { N8N_CUSTOM_EXTENSIONS: path.join(__dirname, 'floor') };

/** The least node that sends: see floor/. */
export const floor = ({ credential: { id, name } }: Bench, concurrency: number): Node => ({
	...makeNode(NODE_NAME, 'CUSTOM.floor', 1, 400, { text: '={{ $json.text }}', concurrency }),
	credentials: { speechGatewayApi: { id, name } },
});

/** An expression for texts to speak, an item each. */
export const itemsOf = (count: number): string =>
	`Array.from({ length: ${count} }, (_, index) => ({ text: \`Text number \${index} of the bench.\` }))`;

/**
 * Webhook → Code that makes the items → the node, saved and active. `itemsCode` is an expression for an array of json. The
 * webhook answers at the end, so it can run undisturbed.
 */
export async function saveWith(
	bench: Bench,
	node: Node,
	itemsCode: string,
): Promise<SavedWorkflow> {
	const built = buildWorkflow({
		parameters: {},
		trigger: 'webhook',
		responseMode: 'lastNode',
		outputs: [],
	});
	const [trigger, items] = built.nodes;
	items.parameters = { jsCode: `return (${itemsCode}).map((json) => ({ json }));` };
	const workflow = await bench.api.importWorkflow(
		{
			...built,
			nodes: [trigger, items, node],
			connections: { Trigger: connection(['Items']), Items: connection([NODE_NAME]) },
		},
		[bench.credential],
	);
	await bench.api.activate(workflow);
	return workflow;
}

/** Milliseconds that n8n spent within the node. */
export const timeOf = ({ data }: Execution): number =>
	data.resultData.runData[NODE_NAME][0].executionTime;

/** Does something in an n8n that has done nothing yet: where memory is compared, nobody may go second. */
export async function inFreshN8n<T>(
	tarball: string,
	work: (stage: Stage) => Promise<T>,
): Promise<T> {
	const n8n = await startN8n({ tarball, env: WITH_FLOOR });
	const bench = await openBench({ latencyMs: 1 }, n8n.api);
	try {
		return await work({ n8n, bench, tarball });
	} finally {
		await bench.close();
		await n8n.stop();
	}
}
