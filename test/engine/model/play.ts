/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type {
	IBinaryData,
	IBinaryKeyData,
	INodeExecutionData,
	IRunExecutionData,
} from 'n8n-workflow';
import type { SimCharge, Simulator, SimRequest } from '../../support/simulator';
import { renderAudio } from '../../support/simulator/audio';
import { Machine, stepClock } from '../../support/clock';
import { DataTables } from '../dataTables';
import { type EngineResult, type EngineRun, NODE, runNode, saved } from '../support';
import {
	type Kind,
	LIKE,
	mark,
	OWN_CUT,
	parametersOf,
	PREVIOUS_PARAMETERS,
	RICH,
	type Scenario,
	scriptOf,
	sentence,
	type Settings,
	type Step,
	voiceAt,
} from './scenario';

/** An item as it came out of the node. */
export interface Came {
	round: number;
	item: number;
	branch: 'success' | 'unknown' | 'waiting' | 'error';
	json: INodeExecutionData['json'];
	files: Record<string, Buffer>;
}

export interface Execution {
	/** Index of the execution it is a retry of. */
	retryOf?: number;
	/** The user fixed everything before: no faults from here on, and one bad item ends nothing. */
	healing: boolean;
	step: Step;
	settings: Settings;
	kind: Kind;
	cancelled: boolean;
	/** A file could not be stored. */
	storeFailed: boolean;
	result: EngineResult;
	/** As the database has it. */
	data: IRunExecutionData;
	/** Rounds that n8n took over from the failed execution. */
	earlierRounds: number;
	came: Came[];
	/** Of `sim.requests`. */
	requests: SimRequest[];
}

export interface Story {
	scenario: Scenario;
	name: string;
	sim: Simulator;
	/** Whose clock is stepped. */
	machine: Machine;
	executions: Execution[];
	charges: SimCharge[];
	/** A later execution that is no retry, with the same Send Once Keys: who sends once, never sends again. */
	afterwards?: Execution;
	/** Where results are kept that may be given again. */
	tables: DataTables;
	/** The earlier files that items come with, by `round-item`, and the texts of their segments. */
	previous: Map<string, { file: IBinaryData; segments: string[] }>;
}

/** The key that pays for an item. */
export const keyOf = ({ sim, scenario }: Story, round: number, item: number): string =>
	sim.accounts[scenario.second ? scenario.rounds[round][item].payer : 0].apiKey;

const recording = Buffer.concat([...renderAudio('A recording.', 31, 'wav').chunks()]).toString(
	'base64',
);

function filesOf(kind: Kind, previous?: IBinaryData): IBinaryKeyData | undefined {
	if (kind === 'voice')
		return { data: { data: recording, mimeType: 'audio/wav', fileName: 'me.wav' } };
	return previous && { previous };
}

/** The input items of each round, as the node before ours gives them. */
function inputOf({ scenario: { kind, rounds }, previous }: Story): INodeExecutionData[][] {
	return rounds.map((items, round) =>
		items.map(({ sentences, payer }, index) => ({
			json: {
				payer,
				text: sentences.map((_, part) => sentence(round, index, part)).join(' '),
				script: scriptOf(sentences.map((_, part) => sentence(round, index, part))),
				name: `${round}-${index}`,
				previous: previous.has(`${round}-${index}`) ? 'previous' : '',
				...(index === 1 && { twin: `${round}-0`, blank: true }),
			},
			binary: filesOf(kind, previous.get(`${round}-${index}`)?.file),
		})),
	);
}

/** Makes the earlier files of the items that come with one; the simulator knows nothing of it afterwards. */
async function makePrevious({ rounds, at }: Scenario, sim: Simulator): Promise<Story['previous']> {
	const wanted = rounds.flatMap((items, round) =>
		items.flatMap(({ previous }, index) => {
			if (!previous) return [];
			const { parts, isCut } = previous;
			const text = parts.map((part) => sentence(round, index, part)).join(' ');
			if (isCut && parts.length > 1) sim.fault({ input: text, ...OWN_CUT });
			const longest = isCut ? 1000 : 120;
			return [{ name: `${round}-${index}`, text: text || 'Of another text.', longest }];
		}),
	);
	if (wanted.length === 0) return new Map();
	const { outputs, error } = await runNode({
		url: sim.url,
		apiKey: sim.apiKey,
		parameters: { ...PREVIOUS_PARAMETERS, voice: voiceAt(at) },
		items: wanted.map((json) => ({ json })),
	});
	if (error) throw new Error(`No earlier file: ${error.message}`);
	const spoken = sim.charged();
	return new Map(
		wanted.map(({ name, text }, index) => [
			name,
			{
				file: outputs[0][index].binary!.data,
				segments: spoken.filter((segment) => text.includes(segment)),
			},
		]),
	);
}

function brew(sim: Simulator, { rounds, outage }: Scenario): void {
	if (outage) {
		const { from: nth, times, charge, proxy, of } = outage;
		const apiKey = of === undefined ? undefined : sim.accounts[of]?.apiKey;
		sim.fault({ method: 'POST', apiKey, nth, times, status: 503, proxy, charge });
	}
	rounds.forEach((items, round) =>
		items.forEach(({ sentences, polls, downloads, task }, index) => {
			sentences.forEach(({ faults }, part) => {
				const input = mark(round, index, part);
				for (const fault of faults) sim.fault({ method: 'POST', input, ...fault });
				if (task) sim.fault({ method: 'POST', input, times: Infinity, ...task });
			});
			for (const fault of polls)
				sim.fault({ method: 'GET', path: /(jobs|videos)\/[^/]+$/, ...fault });
			for (const fault of downloads) sim.fault({ method: 'GET', path: /content$/, ...fault });
		}),
	);
}

/** All that the gateway does is over, also for clients that have left. */
const quiet = async (sim: Simulator) =>
	await sim.waitFor(
		(requests) => sim.inWork.size === 0 && requests.every(({ endedAt }) => endedAt !== undefined),
	);

/** What was in the files that the user has deleted, by their ids. */
const deleted = new Map<string, Buffer>();

/** Deletes the files that are named anywhere in an execution's data. */
async function deleteFiles(data: IRunExecutionData): Promise<void> {
	const store = Container.get(BinaryDataService);
	const named = JSON.stringify(data.executionData?.contextData).matchAll(
		/"(filesystem[^":]*:[^"]+)"/g,
	);
	const ids = [...named].map(([, id]) => id).filter((id) => !deleted.has(id));
	for (const id of ids) deleted.set(id, await store.getAsBuffer({ id, data: '', mimeType: '' }));
	await store.deleteManyByBinaryDataId(ids);
}

/** Of the execution that asks: whether the file that is to be stored now cannot be. */
const storeFault = new AsyncLocalStorage<() => boolean>();

/** Makes n8n's store of files fail where an execution has it so. */
export function breakStore(): void {
	const store = Container.get(BinaryDataService);
	const storing = store.store.bind(store);
	jest.spyOn(store, 'store').mockImplementation(async (...args) => {
		if (storeFault.getStore()?.()) throw new Error('ENOSPC: no space left on device, write');
		return await storing(...args);
	});
}

let stories = 0;

/** Plays the scenario, then heals: the faults pass, and every execution that failed and was not retried since is retried. */
export async function play(scenario: Scenario, sim: Simulator): Promise<Story> {
	const machine = new Machine();
	return await machine.run(async () => await playOn(machine, scenario, sim));
}

async function playOn(machine: Machine, scenario: Scenario, sim: Simulator): Promise<Story> {
	const name = `story-${++stories}-`;
	sim.options.dialect = scenario.at.dialect;
	const previous = await makePrevious(scenario, sim);
	Object.assign(sim.options, scenario.at);
	sim.reset();
	const { cutsAbove = Infinity, latencyMs } = scenario.at;
	sim.options.latencyMs = ({ input = '' }) => (input.length > cutsAbove ? 10_000 : latencyMs);
	if (scenario.second) sim.addAccount(scenario.second);
	const charges = sim.charges;
	const tables = new DataTables();
	const story: Story = { scenario, name, sim, machine, executions: [], charges, tables, previous };
	brew(sim, scenario);
	let { settings } = scenario;
	const twice = scenario.twice && settings.key === 'each';
	for (const [number, step] of scenario.steps.entries()) {
		if (number === 0) {
			if (scenario.failedBefore) await execute(story, NOTHING, settings, { failsBefore: true });
			const retryOf = scenario.failedBefore ? 0 : undefined;
			await Promise.all(
				[1, ...(twice ? [2] : [])].map(
					async () => await execute(story, step, settings, { retryOf }),
				),
			);
			continue;
		}
		const failed = failures(story);
		if (failed.length === 0) break;
		settings = { ...settings, ...step.changes, ...(twice && { key: 'each' }) };
		await execute(story, step, settings, { retryOf: failed[step.retryOf % failed.length] });
	}
	await heal(story);
	return story;
}

/** Those that n8n offers "Retry" for, the newest first. */
const failures = ({ executions }: Story): number[] =>
	executions.flatMap(({ result }, index) => (isOver(result) ? [] : [index])).reverse();

const isOver = ({ run }: EngineResult) => run.status !== 'error';

const NOTHING: Step = { retryOf: 0, changes: {} };

async function heal(story: Story): Promise<void> {
	const { sim, executions, scenario } = story;
	sim.clearFaults();
	sim.finish();
	Object.assign(sim.options, { rateLimit: undefined, latencyMs: scenario.at.latencyMs });
	for (const account of sim.accounts) Object.assign(account, RICH);
	const retried = new Set(
		executions.flatMap(({ retryOf, cancelled }) => (cancelled ? [] : [retryOf])),
	);
	const settings: Settings = {
		...scenario.settings,
		onError: 'continueErrorOutput',
		limit: undefined,
	};
	for (const failed of failures(story).reverse()) {
		if (retried.has(failed)) continue;
		const retry = await execute(story, NOTHING, settings, { retryOf: failed, healing: true });
		if (isOver(retry.result)) continue;
		const retryOf = executions.indexOf(retry);
		await execute(story, NOTHING, settings, { retryOf, healing: true });
	}
	if (executions.some(({ settings: { key } }) => key !== 'each')) return;
	const later = { ...story, executions: [] };
	story.afterwards = await execute(later, NOTHING, settings, { healing: true });
}

async function execute(
	story: Story,
	step: Step,
	settings: Settings,
	how: { retryOf?: number; healing?: boolean; failsBefore?: boolean } = {},
): Promise<Execution> {
	const { sim, scenario, executions, name } = story;
	const { retryOf, healing = false, failsBefore = false } = how;
	const before = retryOf === undefined ? undefined : executions[retryOf];
	const from = sim.requests.length;
	let keyUses = 0;
	let cancelled = false;
	let events = 0;
	let cancel = () => {};
	const onEvent = () => {
		if (++events === step.clockStep?.at) stepClock(step.clockStep.ms, story.machine);
		if (events === step.stopAt) {
			cancelled = true;
			cancel();
		}
	};
	const EVENTS = ['request', 'charge', 'response'] as const;
	for (const event of EVENTS) sim.on(event, onEvent);
	const { credentialBreaksAt = Infinity, keyFault, storeFaultAt, switched, filesDeleted } = step;
	const kind = (switched && LIKE[scenario.kind]) || scenario.kind;
	const failed = before && saved(before.result.run);
	const earlierRounds = runsOf(failed);
	if (failed && filesDeleted) await deleteFiles(failed);
	let stores = 0;
	let storeFailed = false;
	const failsToStore = () => {
		const fails = ++stores === storeFaultAt;
		storeFailed ||= fails;
		return fails;
	};
	const options: EngineRun = {
		...(step.timeout && { timeoutSeconds: step.timeout }),
		// n8n knows no such operation: as if the node before had failed.
		parameters: failsBefore
			? { resource: 'speech', operation: 'none' }
			: parametersOf(kind, settings, name, voiceAt(scenario.at)),
		rounds: inputOf(story),
		...(settings.again && { tables: story.tables }),
		nodeId: name,
		get url() {
			return sim.requests.length - from < credentialBreaksAt ? sim.url : 'no address';
		},
		apiKey: sim.apiKey,
		...((scenario.second || scenario.costsNothing) && {
			credential: () => ({
				apiKey: scenario.second ? keyByRow(sim) : sim.apiKey,
				baseUrl: options.url,
				costsNothing: scenario.costsNothing,
			}),
		}),
		onError: failsBefore ? undefined : settings.onError,
		...(settings.maxTries && { retryOnFail: true, maxTries: settings.maxTries }),
		...(failed && { mode: 'retry', retryOf: failed }),
		...(keyFault && {
			keyFault: () => (++keyUses === keyFault.nth ? keyFault.when : undefined),
		}),
		started: (run) => {
			cancel = run.cancel;
			if (cancelled) cancel();
		},
	};
	const result = await storeFault.run(failsToStore, async () => await runNode(options));
	cancelled ||= result.run.status === 'canceled';
	for (const event of EVENTS) sim.off(event, onEvent);
	await quiet(sim);
	const execution: Execution = {
		retryOf,
		healing,
		step,
		settings,
		kind,
		cancelled,
		storeFailed,
		result,
		earlierRounds,
		data: saved(result.run),
		came: await cameOut(result, kind, settings, cancelled, earlierRounds),
		requests: sim.requests.slice(from).filter(({ headers }) => isOf(result, headers)),
	};
	executions.push(execution);
	return execution;
}

/** Which execution has sent a request. */
const isOf = ({ executionId }: EngineResult, headers: SimRequest['headers']): boolean =>
	headers['x-execution'] === executionId;

const keyByRow = ({ accounts: [first, second] }: Simulator): string =>
	`={{ $json.payer ? "${second.apiKey}" : "${first.apiKey}" }}`;

/** How many rounds were finished before the execution was retried. */
const runsOf = (failed?: IRunExecutionData): number =>
	failed?.resultData.runData[NODE]?.filter(({ error }) => !error).length ?? 0;

function branchesOf(kind: Kind, { whenMaxWaitReached, onError }: Settings): Array<Came['branch']> {
	const waiting =
		(kind === 'createAndWait' || kind === 'video') && whenMaxWaitReached === 'stillProcessing';
	return [
		...(['success', 'unknown'] as const),
		...(waiting ? (['waiting'] as const) : []),
		...(onError === 'continueErrorOutput' ? (['error'] as const) : []),
	];
}

async function cameOut(
	{ rounds }: EngineResult,
	kind: Kind,
	settings: Settings,
	cancelled: boolean,
	earlierRounds: number,
): Promise<Came[]> {
	const branches = branchesOf(kind, settings);
	// A run that was cut hands over what it has, errors too.
	const errorsAmongSuccess = settings.onError === 'continueRegularOutput' || cancelled;
	const came: Came[] = [];
	for (const [round, outputs] of rounds.entries()) {
		for (const [output, items] of outputs.entries()) {
			for (const { json, binary, pairedItem } of items) {
				const failed = errorsAmongSuccess && output === 0 && json.error !== undefined;
				const files: Came['files'] = {};
				for (const [field, file] of Object.entries(binary ?? {}))
					files[field] =
						((round < earlierRounds || cancelled) && deleted.get(file.id!)) ||
						(await Container.get(BinaryDataService).getAsBuffer(file));
				const item = (pairedItem as { item: number }).item;
				came.push({ round, item, branch: failed ? 'error' : branches[output], json, files });
			}
		}
	}
	return came;
}
