/** Items that come back from Waiting, as loops bring them: soon or late, on one path or several, with other items between. */
import fc from 'fast-check';
import type { INodeExecutionData, IRunExecutionData, OnError } from 'n8n-workflow';
import { useVirtualTime } from '../../support/clock';
import type { Fault, Simulator } from '../../support/simulator';
import { type EngineResult, type EngineRun, item, NODE, runNode, saved } from '../support';
import { verdict } from './judge';
import { parametersOf, type Settings } from './scenario';
import { requestsOf, SEEDS, STORY_TIME_MS, tellStories } from './tell';

useVirtualTime();

/** An item of a round: a text of its own, or what Waiting gave for an earlier one. */
interface Planned {
	/** Which of the earlier texts comes back, modulo their number; none: a new text. */
	back?: number;
	/** With the text that it was asked for, with another, or with none. */
	text: 'same' | 'other' | 'none';
	faults: Fault[];
	jobSeconds: number;
	jobFails: boolean;
}

interface LoopScenario {
	kind: 'createAndWait' | 'video';
	rounds: Planned[][];
	settings: Pick<Settings, 'onError' | 'maxTries'>;
	polls: Fault[];
	retries: number[];
}

const one = <T>(...values: T[]) => fc.constantFrom(...values);

const planned: fc.Arbitrary<Planned> = fc.record({
	back: one(undefined, 0, 1, 2, 3),
	text: one<Planned['text']>('same', 'other', 'none'),
	faults: one<Fault[]>(
		[],
		[],
		[],
		[],
		[{ status: 402 }],
		[{ status: 504, charge: true }],
		[{ status: 503, retryAfter: 0 }],
	),
	jobSeconds: one(0, 1, 3, 6, 200, Infinity),
	jobFails: one(false, false, false, true),
});

const scenario: fc.Arbitrary<LoopScenario> = fc.record({
	kind: one<LoopScenario['kind']>('createAndWait', 'createAndWait', 'video'),
	rounds: fc.array(fc.array(planned, { minLength: 1, maxLength: 3 }), {
		minLength: 2,
		maxLength: 6,
	}),
	settings: fc.record({
		onError: one<OnError>('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
		maxTries: one(undefined, undefined, 2),
	}),
	polls: fc.array(one<Fault>({ status: 404 }, { status: 503 }, { status: 200, body: 'no json' }), {
		maxLength: 3,
	}),
	retries: fc.array(fc.nat({ max: 2 }), { maxLength: 4 }),
});

const words = (text: number) => `Text number ${text}.`;

interface LoopStory {
	sim: Simulator;
	executions: EngineResult[];
	/** By place: the id that an item came back with. */
	fed: Map<string, string>;
}

let stories = 0;

async function play(made: LoopScenario, sim: Simulator): Promise<LoopStory> {
	const fed = new Map<string, string>();
	const nodeId = `loop-${++stories}`;
	for (const fault of made.polls)
		sim.fault({ method: 'GET', path: /(jobs|videos)\/[^/]+$/, ...fault });
	const placeOf = (round: number, index: number) => 10 * (round + 1) + index;
	const plans = new Map<number, Planned>();
	for (const [round, items] of made.rounds.entries())
		for (const [index, plan] of items.entries()) {
			const place = placeOf(round, index);
			plans.set(place, plan);
			const { jobSeconds, jobFails, faults } = plan;
			for (const fault of faults) sim.fault({ method: 'POST', input: words(place), ...fault });
			sim.fault({ method: 'POST', input: words(place), times: Infinity, jobSeconds, jobFails });
		}
	const settings: Settings = {
		...made.settings,
		...{ maxRetries: 1, concurrency: 2, maxSegmentCharacters: 1000, key: 'none' },
		whenMaxWaitReached: 'stillProcessing',
	};
	const executions: EngineResult[] = [];
	const execute = async (failed?: EngineResult) => {
		let data: IRunExecutionData | undefined;
		const options: EngineRun = {
			parameters: parametersOf(made.kind, settings, ''),
			rounds: made.rounds.map((items, round) =>
				items.map((_, index) => item({ place: placeOf(round, index) })),
			),
			nodeId,
			...{ url: sim.url, apiKey: sim.apiKey, onError: settings.onError },
			...(settings.maxTries && { retryOnFail: true, maxTries: settings.maxTries }),
			...(failed && { mode: 'retry', retryOf: saved(failed.run) }),
			started: (run) => void (data = run.data),
			brings: (items) => items.map((one) => bring(one, data!)),
		};
		executions.push(await runNode(options));
	};
	/** The item of a place: what has left on Waiting for an earlier one, or a text of its own. */
	const bring = ({ json: { place } }: INodeExecutionData, data: IRunExecutionData) => {
		const { back, text } = plans.get(Number(place))!;
		const own = item({ place, text: words(Number(place)) });
		const left = (data.resultData.runData[NODE] ?? []).flatMap((run) => run.data?.main?.[2] ?? []);
		const waited = left.filter(({ json }) => json.waitedSeconds !== undefined && !json.error);
		if (back === undefined || waited.length === 0) return own;
		const { json } = waited[back % waited.length];
		fed.set(`${executions.length} ${String(place)}`, String(json.id));
		const task = [...sim.jobs, ...sim.videos].find(({ id }) => id === json.id)!;
		const asked = { same: { text: task.input }, other: { text: own.json.text }, none: {} }[text];
		return item({ ...json, ...asked, place });
	};
	await execute();
	for (const nth of made.retries) {
		const failed = executions.filter(({ run }) => run.status === 'error');
		if (failed.length === 0) break;
		await execute(failed[nth % failed.length]);
	}
	return { sim, executions, fed };
}

function* judge({ sim, executions, fed }: LoopStory) {
	const charged = new Map<string, number>();
	for (const request of sim.requests) {
		if (request.method !== 'POST') continue;
		const { input = '' } = request;
		if (charged.has(input)) yield `"${input}" was sent again`;
		if (verdict(request) !== 'free') charged.set(input, 1);
	}
	const told = JSON.stringify(
		executions.map(({ rounds, error, context }) => [rounds, error?.context, context]),
	);
	const accepted = sim.requests
		.filter((request) => request.method === 'POST' && verdict(request) === 'done')
		.map(({ input }) => input);
	for (const { id, input } of [...sim.jobs, ...sim.videos])
		if (accepted.includes(input) && !told.includes(id)) yield `Nobody was told of ${id}`;
	for (const [where, id] of fed) {
		const [number, place] = where.split(' ').map(Number);
		const round = executions[number].rounds[Math.floor(place / 10) - 1] ?? [];
		const of = round.flat().filter(({ pairedItem }) => isOf(pairedItem, place));
		if (of.length === 0) continue;
		if (!JSON.stringify(of).includes(id))
			yield `Item ${place} of execution ${number} came back with ${id} and came out as ${JSON.stringify(of)}`;
	}
}

const isOf = (pairedItem: INodeExecutionData['pairedItem'], place: number) =>
	(pairedItem as { item: number }).item === place % 10;

test.each(SEEDS)(
	'a job that has left on Waiting stays one job, whatever comes back, and when: %s',
	async (_, seed) => await tellStories(seed, { scenario, stories: 16, play, judge, show }),
	STORY_TIME_MS,
);

const show = ({ sim, executions }: LoopStory): string =>
	[
		requestsOf(sim),
		...executions.map(({ run, error, rounds }) =>
			JSON.stringify([run.status, error?.message, rounds]),
		),
	].join('\n');
