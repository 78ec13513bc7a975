/** The same for the node as a tool: an agent calls it as often as it likes, and n8n retries the agent or the execution. */
import fc from 'fast-check';
import type { IDataObject, IExecuteFunctions, OnError } from 'n8n-workflow';
import { SpeechGateway } from '../../../nodes/SpeechGateway/SpeechGateway.node';
import { useVirtualTime } from '../../support/clock';
import type { Fault, SimRequest, Simulator } from '../../support/simulator';
import { type EngineRun, item, runNode, saved, told } from '../support';
import { verdict } from './judge';
import {
	type ItemPlan,
	itemPlan,
	type Kind,
	parametersOf,
	sentence,
	type Settings,
} from './scenario';
import { requestsOf, SEEDS, STORY_TIME_MS, tellStories } from './tell';

useVirtualTime();

type ToolKind = Extract<Kind, 'generate' | 'createJob' | 'createAndWait' | 'chat' | 'createVideo'>;

interface AgentScenario {
	kind: ToolKind;
	/** What happens to the texts that the agent may ask for. */
	texts: ItemPlan[];
	/** Which of them it asks for, call by call; equal ones get one result. */
	calls: number[];
	settings: Pick<Settings, 'onError' | 'maxTries' | 'maxRetries' | 'everNewName'>;
	/** How often n8n runs the agent, and after how many calls each of its attempts fails. */
	attempts: number[];
	/** Each call is made twice at the same time. */
	atOnce: boolean;
	/** Which of the executions that failed before are retried, where n8n's engine makes the calls. */
	retries: number[];
}

const TEXTS = 3;

const scenario: fc.Arbitrary<AgentScenario> = fc
	.constantFrom<
		ToolKind[]
	>('generate', 'generate', 'createJob', 'createAndWait', 'chat', 'createVideo')
	.chain((kind) =>
		fc.record({
			kind: fc.constant(kind),
			texts: fc.array(itemPlan(kind), { minLength: TEXTS, maxLength: TEXTS }),
			calls: fc.array(fc.nat({ max: TEXTS - 1 }), { minLength: 1, maxLength: 6 }),
			settings: fc.record({
				onError: fc.constantFrom<OnError[]>('stopWorkflow', 'continueRegularOutput'),
				maxTries: fc.constantFrom(undefined, 2, 3),
				maxRetries: fc.constantFrom(0, 1),
				everNewName: fc.constantFrom(undefined, true as const),
			}),
			attempts: fc.array(fc.nat({ max: 6 }), { maxLength: 2 }),
			atOnce: fc.boolean(),
			retries: fc.array(fc.nat({ max: 2 }), { maxLength: 3 }),
		}),
	);

interface Call {
	text: number;
	/** What the agent, or the user, is told. */
	answer: Array<IDataObject | Error>;
}

interface AgentStory {
	sim: Simulator;
	calls: Call[];
}

const words = (text: number, part: number) => sentence(0, text, part);

function prepare({ kind, texts, settings }: AgentScenario, sim: Simulator): EngineRun {
	for (const [text, { sentences, polls, downloads, task }] of texts.entries()) {
		for (const [part, { faults }] of sentences.entries()) {
			const input = words(text, part);
			for (const fault of faults) sim.fault({ method: 'POST', input, ...fault });
			if (task) sim.fault({ method: 'POST', input, times: Infinity, ...task });
		}
		const GET: Fault = { method: 'GET' };
		for (const fault of polls) sim.fault({ ...GET, path: /(jobs|videos)\/[^/]+$/, ...fault });
		for (const fault of downloads) sim.fault({ ...GET, path: /content$/, ...fault });
	}
	const full: Settings = { ...settings, concurrency: 2, maxSegmentCharacters: 120, key: 'none' };
	return {
		parameters: parametersOf(kind, full, ''),
		url: sim.url,
		apiKey: sim.apiKey,
		asTool: true,
		onError: settings.onError,
		...(settings.maxTries && { retryOnFail: true, maxTries: settings.maxTries }),
	};
}

const asked = ({ texts }: AgentScenario, text: number) =>
	item({ text: texts[text].sentences.map((_, part) => words(text, part)).join(' ') });

let stories = 0;

/** n8n's engine makes the calls (Agent 3): each is a run of the node, and a failed execution can be retried. */
async function byEngine(made: AgentScenario, sim: Simulator): Promise<AgentStory> {
	const options = prepare(made, sim);
	const nodeId = `agent-${++stories}`;
	const rounds = made.calls.map((text) => [asked(made, text)]);
	const executions = [await runNode({ ...options, nodeId, rounds })];
	for (const nth of made.retries) {
		const failed = executions.filter(({ run }) => run.status === 'error');
		if (failed.length === 0) break;
		const { run } = failed[nth % failed.length];
		executions.push(await runNode({ ...options, nodeId, mode: 'retry', retryOf: saved(run) }));
	}
	const calls = executions.flatMap(({ rounds: all, error }) =>
		all.map(([answer = []], round) => ({
			text: made.calls[round],
			answer:
				error && round === all.length - 1
					? [Object.assign(new Error(error.message), { context: error.context })]
					: answer.map(({ json }) => json),
		})),
	);
	return { sim, calls };
}

/** The agent makes them (Agent 2), and n8n runs the agent again when it fails. */
async function byAgent(made: AgentScenario, sim: Simulator): Promise<AgentStory> {
	const options = prepare(made, sim);
	const node = new SpeechGateway();
	const caller = Object.create(node) as SpeechGateway;
	const calls: Call[] = [];
	const attempts = [...made.attempts, made.calls.length].map((count) => made.calls.slice(0, count));
	caller.execute = async function (this: IExecuteFunctions) {
		const parentNode = { ...this.getNode(), name: 'Agent' };
		for (const wanted of attempts) {
			for (const text of wanted) {
				const items = [asked(made, text)];
				// Its parameters are read from here.
				Object.assign(this, { inputData: { main: [items] }, connectionInputData: items });
				const context = Object.assign(Object.create(this), { parentNode });
				// An agent reads an error as the answer, and goes on.
				const call = async (): Promise<Call> =>
					await node.execute.call(context as IExecuteFunctions).then(
						([answer]) => ({
							text,
							answer: answer.map(told(options.parameters)).map(({ json }) => json),
						}),
						(error: Error) => ({ text, answer: [error] }),
					);
				calls.push(...(await Promise.all(made.atOnce ? [call(), call()] : [call()])));
			}
		}
		return [[]];
	};
	await runNode({ ...options, nodeId: `agent-${++stories}`, nodeType: caller });
	return { sim, calls };
}

function* judge({ sim, calls }: AgentStory, { texts, kind }: AgentScenario) {
	const sent = sim.requests.filter(({ method }) => method === 'POST');
	for (const [text, { sentences }] of texts.entries()) {
		for (const part of sentences.keys()) {
			const of = sent.filter(({ input }) => input?.includes(words(text, part)));
			yield* sentenceOnce(words(text, part), of);
		}
		const answers = calls.filter((call) => call.text === text).flatMap(({ answer }) => answer);
		const charged = sim.charges.filter(({ input }) => input?.includes(words(text, 0))).length;
		if (answers.some(isSuccess) && charged !== 1)
			yield `"${words(text, 0)}" succeeded and was charged ${charged} times`;
		const told = answers.map(tellOne).join();
		for (const { id, input } of [...sim.jobs, ...sim.videos])
			if (input === words(text, 0) && isTask(kind) && !told.includes(id) && !isUnknown(told))
				yield `Nobody was told of ${id}`;
		const first = sent.filter(({ input }) => input?.includes(words(text, 0)));
		if (first.some((one) => verdict(one) === 'unknown') && !isUnknown(told))
			yield `Nobody was told of the unknown outcome of "${words(text, 0)}"`;
	}
	for (const json of calls.flatMap(({ answer }) => answer))
		if ('outcome' in json && !String(json.advice).startsWith('Do not call'))
			yield `No advice for the agent: ${JSON.stringify(json)}`;
}

const isSuccess = (one: IDataObject | Error) =>
	!(one instanceof Error) && one.error === undefined && one.outcome === undefined;
const isUnknown = (told: string) => told.includes('"outcome":"unknown"');
const isTask = (kind: Kind) => kind !== 'generate' && kind !== 'chat';

/** Within an execution and its retries, a call with the same content is paid for once, and never after an unknown outcome. */
function* sentenceOnce(words: string, of: SimRequest[]) {
	const unknownAt = of.findIndex((one) => verdict(one) === 'unknown');
	if (unknownAt >= 0 && unknownAt < of.length - 1)
		yield `"${words}" was sent again after an unknown outcome`;
	const charged = of.filter((one) => verdict(one) !== 'free').length;
	if (charged > 1) yield `"${words}" was charged ${charged} times`;
}

describe.each([
	['the engine calls', byEngine],
	['the agent calls', byAgent],
])('a tool that %s', (_, play) => {
	test.each(SEEDS)(
		'whatever happens, no call is charged again: %s',
		async (__, seed) => await tellStories(seed, { scenario, stories: 16, play, judge, show }),
		STORY_TIME_MS,
	);
});

const show = ({ sim, calls }: AgentStory): string =>
	[
		requestsOf(sim),
		...calls.map(({ text, answer }) => `call ${text}: ${answer.map(tellOne).join()}`),
	].join('\n');

const tellOne = (one: IDataObject | Error): string =>
	JSON.stringify(
		one instanceof Error
			? { message: one.message, ...(one as { context?: IDataObject }).context }
			: one,
	);
