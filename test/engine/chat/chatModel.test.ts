/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/* An agent's chat model: it remembers which messages may have been paid for without an answer, and nothing else. */
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import type { Fault } from '../../support/simulator';
import { type EngineRun, item, MODEL, runNode, saved, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

type Agent = (model: BaseChatModel, questions: string[]) => Promise<string[]>;

/** A node that does with its chat model what a test wants. */
const agentType = (work: Agent): INodeType => ({
	description: {
		displayName: 'Agent',
		name: 'agent',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: {},
		inputs: ['main', { type: 'ai_languageModel', maxConnections: 1 }],
		outputs: ['main'],
		properties: [],
	},
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const model = (await this.getInputConnectionData('ai_languageModel', 0)) as BaseChatModel;
		const questions = this.getInputData().map(({ json }) => String(json.question));
		return [(await work(model, questions)).map((answer) => item({ answer }))];
	},
});

/** Asks one question after the other. */
const askAll: Agent = async (model, questions) => {
	const answers: string[] = [];
	for (const question of questions) answers.push((await model.invoke(question)).text);
	return answers;
};
/** Does its work, and then fails, so many times. */
function failing(times: number, work: Agent = askAll): Agent {
	let left = times;
	return async (model, questions) => {
		const answers = await work(model, questions);
		if (left-- > 0) throw new Error('The agent failed');
		return answers;
	};
}

/** A retry has the questions of the failed execution. */
const ask = async (work: Agent, questions?: string[], more: Partial<EngineRun> = {}) => {
	const result = await runNode({
		parameters: {},
		nodeType: agentType(work),
		model: { model: { mode: 'id', value: 'sim-chat' }, options: { maxRetries: 0 } },
		url: sim.url,
		apiKey: sim.apiKey,
		items: questions?.map((question) => item({ question })),
		...more,
	});
	const { contextData = {} } = result.run.data.executionData!;
	return {
		...result,
		answers: result.outputs[0]?.map(({ json }) => json.answer),
		/** What the model has left in the execution data. */
		kept: (contextData[`node:${MODEL}`] ?? {}) as IDataObject,
	};
};
const fault = (more: Fault) => sim.fault({ path: '/v1/chat/completions', ...more });
const twice = { retryOnFail: true, maxTries: 2 };

test('n8n runs the agent again: the model is asked anew, and nothing stays behind', async () => {
	const { answers, kept } = await ask(failing(1), ['One?', 'Two?'], twice);
	expect(answers).toHaveLength(2);
	expect(sim.charges).toHaveLength(4);
	expect(kept).toEqual({});
});

test('a model that was typed as an expression, but is on Fixed, is told before anything is sent', async () => {
	const model = { model: { mode: 'id', value: '{{ $json.model }}' }, options: {} };
	const { error } = await ask(askAll, ['Hello?'], { model });
	expect(error?.message).toContain('"Model" contains an expression, but is set to "Fixed"');
	expect(sim.requests).toEqual([]);
});

test.each([
	['one after the other', 1],
	['in batches of five', 5],
])('six equal items of a chain, %s, are six requests', async (_, batchSize) => {
	// Basic LLM Chain gets its model anew for each item, always with index 0.
	const chain: INodeType = {
		...agentType(askAll),
		async execute(this: IExecuteFunctions) {
			const answerOf = async ({ json }: INodeExecutionData) => {
				const supplied = await this.getInputConnectionData('ai_languageModel', 0);
				const answer = await (supplied as BaseChatModel).invoke(String(json.question));
				return item({ answer: answer.text });
			};
			const items = this.getInputData();
			const answers: INodeExecutionData[] = [];
			for (let from = 0; from < items.length; from += batchSize)
				answers.push(...(await Promise.all(items.slice(from, from + batchSize).map(answerOf))));
			return [answers];
		},
	};
	const { answers, kept } = await ask(askAll, Array(6).fill('One?'), { nodeType: chain });
	expect(answers).toHaveLength(6);
	expect(sim.charges).toHaveLength(6);
	expect(kept).toEqual({});
});

test.each<[string, Fault]>([
	['a 504', { status: 504, charge: true }],
	['a lost answer', { connection: 'reset-after-work' }],
	['half an answer', { truncate: 'half' }],
])('after %s, the same messages are not sent again, whoever retries', async (_, what) => {
	fault(what);
	const first = await ask(askAll, ['One?'], twice);
	expect(first.error?.message).toContain('it may have been charged and must not be repeated');
	const second = await ask(askAll, undefined, { retryOf: saved(first.run), mode: 'retry' });
	expect(second.error?.message).toContain('must not be repeated');
	expect(sim.requests).toHaveLength(1);
	// Other messages are another request.
	const other: Agent = async (model) => await askAll(model, ['Two?']);
	const third = await ask(other, undefined, { retryOf: saved(first.run), mode: 'retry' });
	expect(third.answers).toHaveLength(1);
	expect(sim.charges).toHaveLength(2);
});

test('a system message that has the time in it makes no other request of a call that may have been charged', async () => {
	fault({ input: 'One?', status: 504, charge: true, times: Infinity });
	let now = 0;
	const said = (question: string) => [
		['system', `It is ${++now} o'clock.`] as [string, string],
		['human', question] as [string, string],
	];
	const first = await ask(
		async (model, [question]) => [(await model.invoke(said(question))).text],
		['One?'],
		{ retryOnFail: true, maxTries: 3 },
	);
	expect(first.error?.message).toContain('must not be repeated');
	const alone: Agent = async (model) => [(await model.invoke([['system', 'One?']])).text];
	const other: Agent = async (model) => [(await model.invoke(said('Two?'))).text];
	const retry = () => ({ retryOf: saved(first.run), mode: 'retry' as const });
	expect((await ask(other, undefined, retry())).answers).toHaveLength(1);
	expect(sim.requests.map(({ input }) => input?.split('\n').at(-1))).toEqual(['One?', 'Two?']);
	// With nothing but a system message, that is what is asked.
	const refused = await ask(alone, undefined, retry());
	expect(sim.requests).toHaveLength(3);
	const another: Agent = async (model) => [(await model.invoke([['system', 'Three?']])).text];
	const after = { retryOf: saved(refused.run), mode: 'retry' } as const;
	expect((await ask(another, undefined, after)).answers).toHaveLength(1);
});

type Rounds = Record<string, { items: Record<string, { requests: IDataObject }> }>;

test('n8n was killed in the middle of a call: a retry does not send it again', async () => {
	fault({ status: 504, charge: true });
	const { run } = await ask(askAll, ['One?']);
	const broken = saved(run);
	const [[, call]] = Object.entries(
		Object.values(
			broken.executionData!.contextData[`node:${MODEL}`].speechGatewayChatModel as Rounds,
		)[0].items,
	);
	const [key] = Object.keys(call.requests);
	call.requests[key] = { state: 'sending', sentAt: '2026-01-01T00:00:00.000Z', inputHash: 'abc' };
	const { error } = await ask(askAll, ['One?'], { retryOf: broken, mode: 'retry' });
	expect(error?.message).toContain('The run was interrupted while the request was under way');
	expect(sim.requests).toHaveLength(1);
});

test('what was refused is sent again by a retry, and nothing of it stays behind', async () => {
	fault({ status: 402 });
	const first = await ask(askAll, ['One?']);
	expect(first.error?.message).toContain('402');
	expect(first.kept).toEqual({});
	const { answers } = await ask(askAll, ['One?'], { retryOf: saved(first.run), mode: 'retry' });
	expect(answers).toHaveLength(1);
});

test('of two calls at once, one lost: the other is answered, and only the lost one is kept', async () => {
	fault({ input: 'One?', status: 504, charge: true });
	const both: Agent = async (model) => {
		const [, two] = await Promise.allSettled([model.invoke('One?'), model.invoke('Two?')]);
		if (two.status === 'rejected') throw two.reason;
		return [two.value.text];
	};
	const { answers, kept } = await ask(both, ['']);
	expect(answers).toHaveLength(1);
	const rounds = Object.values(kept.speechGatewayChatModel as IDataObject);
	expect(rounds).toHaveLength(1);
	expect(JSON.stringify(rounds)).toContain('upstream_outcome_unknown');
});

describe('each item has a key of its own', () => {
	let customer: (typeof sim.accounts)[number];
	beforeEach(() => (customer = sim.addAccount()));
	afterEach(() => void sim.accounts.pop());

	const perItem: INodeType = {
		...agentType(askAll),
		async execute(this: IExecuteFunctions) {
			const answers: INodeExecutionData[] = [];
			for (const [index, { json }] of this.getInputData().entries()) {
				const supplied = await this.getInputConnectionData('ai_languageModel', index);
				const asked = (supplied as BaseChatModel).invoke(String(json.question));
				const answer = await asked.then(
					({ text }) => text,
					(error: Error) => error.message,
				);
				answers.push(item({ answer }));
			}
			return [answers];
		},
	};
	const askEach = async (...questions: Array<[key: string, question: string]>) => {
		const { answers } = await ask(askAll, [], {
			items: questions.map(([key, question]) => item({ key, question })),
			nodeType: perItem,
			credential: () => ({ apiKey: '={{ $json.key }}', baseUrl: sim.url }),
		});
		return answers.map(String);
	};
	const paid = () => sim.charges.map(({ account, input }) => [account, input]);

	test('each is paid by its own; one without money stops no other', async () => {
		customer.balanceTokens = 0;
		const answers = await askEach(
			[sim.apiKey, 'Question 0?'],
			[customer.apiKey, 'Question 1?'],
			[sim.apiKey, 'Question 2?'],
			[customer.apiKey, 'Question 3?'],
		);
		const isRefused = answers.map((answer) => answer.includes('402'));
		expect(isRefused).toEqual([false, true, false, true]);
		expect(paid()).toEqual([
			['account-1', 'Question 0?'],
			['account-1', 'Question 2?'],
		]);
	});

	test('what may have been charged to one is no reason to refuse another', async () => {
		fault({ input: 'The same?', status: 504 });
		const keys = [sim.apiKey, customer.apiKey, sim.apiKey];
		const answers = await askEach(...keys.map((key): [string, string] => [key, 'The same?']));
		const isUnknown = answers.map((answer) => answer.includes('must not be repeated'));
		expect(isUnknown).toEqual([true, false, true]);
		expect(paid()).toEqual([[customer.account, 'The same?']]);
	});
});

test('where requests cost nothing, it is asked again, refuses nothing and keeps nothing', async () => {
	const credential = () => ({ apiKey: sim.apiKey, baseUrl: sim.url, costsNothing: true });
	fault({ status: 504, times: 3 });
	const answers: string[] = [];
	const stubborn: Agent = async (model, questions) => {
		for (const question of questions)
			answers.push(await model.invoke(question).then(({ text }) => text, String));
		return [];
	};
	const { kept } = await ask(stubborn, ['Same?', 'Same?', 'Same?', 'Same?'], { credential });
	expect(answers.slice(0, 3).join()).not.toMatch(/charg|must not/);
	expect(answers.slice(0, 3)).toEqual(Array(3).fill(expect.stringContaining('lost track')));
	expect(answers[3]).not.toContain('rror');
	expect(sim.requests).toHaveLength(4);
	expect(kept).toEqual({});
});
