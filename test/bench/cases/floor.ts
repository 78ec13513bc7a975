import type { Execution } from '../../support/n8n/client';
import {
	bestOfEach,
	round,
	type BenchCase,
	type Check,
	type Stage,
	cpuOf,
	memoryOf,
	watchPeak,
	floor,
	itemsOf,
	oursSpeech,
	saveWith,
	timeOf,
} from '../stage';

const CONCURRENCY = 10;
const SENTENCE = 'The quick brown fox jumps over the lazy dog, and the dog does not mind at all. ';
/** As many sentences as this node puts into a segment. */
const SEGMENT = SENTENCE.repeat(12);
/** The service takes 45 ms for a character; this is quicker, in the same proportion. */
const MS_PER_CHARACTER = 0.2;

interface Pair {
	what: string;
	/** Expressions for the items of this node, and of the floor where they differ. */
	own: string;
	floor?: string;
	/** Of the floor's CPU time. */
	aim: number;
	latencyMs?: number;
	times: number;
}

/** One text for this node, and its segments for the floor, which joins nothing. */
const text = (characters: number): Pick<Pair, 'own' | 'floor' | 'what'> => {
	const segments = Math.round(characters / SEGMENT.length);
	return {
		what: `${characters.toLocaleString('en')} characters`,
		own: `[{ text: ${JSON.stringify(SEGMENT)}.repeat(${segments}) }]`,
		floor: `Array(${segments}).fill({ text: ${JSON.stringify(SEGMENT)} })`,
	};
};

/** The book goes before what makes n8n's memory grow. */
const PAIRS: Pair[] = [
	{ ...text(50_000), aim: 0.8, times: 5 },
	{ ...text(1_000_000), aim: 1.2, times: 3 },
	{ what: '60 items of 100 ms', own: itemsOf(60), aim: 0.85, latencyMs: 100, times: 7 },
	{ what: '1,000 items of 5 ms', own: itemsOf(1000), aim: 0.85, latencyMs: 5, times: 5 },
];

export interface Measured {
	/** Milliseconds within the node. */
	wall: number;
	/** CPU of n8n over the whole execution, ms. */
	cpu: number;
	/** By which n8n grew, MB. */
	grown: number;
}

/** A workflow with one node, to be run and measured any number of times; `prepare` has the simulator as after a reset. */
export async function runner(
	stage: Stage,
	node: Parameters<typeof saveWith>[1],
	items: string,
	prepare = () => {},
) {
	const { bench, n8n } = stage;
	const workflow = await saveWith(bench, node, items);
	return async (): Promise<Measured & { execution: Execution }> => {
		bench.sim.reset();
		prepare();
		const [cpu, before, peak] = [cpuOf(n8n.pid), memoryOf(n8n.pid), watchPeak(n8n.pid)];
		const execution = await bench.api.runUndisturbed(workflow);
		const used = { cpu: cpuOf(n8n.pid) - cpu, grown: peak() - before };
		if (execution.status !== 'success')
			throw new Error(`${node.type} ended as ${execution.status}`);
		return { wall: timeOf(execution), ...used, execution };
	};
}

/** This node beside the least that sends the same. */
export const beside: BenchCase = {
	name: 'floor',
	title: 'Beside the floor: CPU and time of the least node that sends the same',
	async run(stage) {
		const { options } = stage.bench.sim;
		const rows: Array<Array<string | number>> = [];
		const checks: Check[] = [];
		for (const { what, own, floor: floors = own, aim, latencyMs, times } of PAIRS) {
			options.latencyMs = latencyMs ?? (({ input = '' }) => input.length * MS_PER_CHARACTER);
			const ours = await runner(stage, oursSpeech({ concurrency: CONCURRENCY }), own);
			const theirs = await runner(stage, floor(stage.bench, CONCURRENCY), floors);
			const { grown } = await ours();
			await theirs();
			const [mine, least] = await bestOfEach(times, ({ cpu }) => cpu, ours, theirs);
			const [byCpu, byClock] = [mine.cpu / least.cpu, mine.wall / least.wall];
			rows.push([what, mine.cpu, least.cpu, byCpu, byClock, grown].map(shown));
			checks.push({ what: `${what}, CPU over the floor's`, value: byCpu, limit: aim });
			if (what.startsWith('1,000,000'))
				checks.push({ what: 'n8n grows by', value: grown, limit: 150, unit: 'MB' });
		}
		return {
			head: ['', 'CPU ms', "floor's", 'ratio', 'by the clock', 'first run grew by, MB'],
			rows,
			checks,
		};
	},
};

const shown = (value: string | number) => (typeof value === 'number' ? round(value) : value);
