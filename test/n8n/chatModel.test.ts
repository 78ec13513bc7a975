import type { IDataObject } from 'n8n-workflow';
import { holdNextChat } from '../support/heldChat';
import { useBench } from '../support/n8n/bench';
import {
	executionError,
	nodeOutputs,
	type Execution,
	type WorkflowJson,
} from '../support/n8n/client';
import { n8nIsAtLeast } from '../support/n8n/shared';
import { buildWorkflow, connection, makeNode } from '../support/workflow';

const bench = useBench({ latencyMs: 10 });

const PACKAGE = 'n8n-nodes-speech-gateway';
const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const AGENT = 'Parent';
const MODEL = 'Speech Gateway Chat Model';
const TOOL = 'Narrate';
/** An agent that is a tool of the agent. */
const INNER = 'Inner';

interface AiWorkflow {
	parent?: 'agent' | 'chainLlm';
	questions?: string[];
	options?: IDataObject;
	/** Whether the node is a tool of the agent. */
	hasTool?: boolean;
	agent?: IDataObject;
	/** How many items the agent takes at once. */
	batchSize?: number;
	/** The tool belongs to an agent of this version, which is itself the agent's tool. */
	innerAgent?: number;
	responseMode?: 'onReceived' | 'streaming';
	systemMessage?: string;
}

/** Webhook → questions → AI Agent or Basic LLM Chain, with the chat model and, if asked for, the node as a tool. */
function aiWorkflow({
	parent = 'agent',
	questions = ['Hello there'],
	options = {},
	hasTool,
	agent = {},
	batchSize,
	innerAgent,
	responseMode = 'onReceived',
	systemMessage,
}: AiWorkflow): WorkflowJson {
	const items = questions.map((question) => ({ question }));
	const built = buildWorkflow({ parameters: {}, items, trigger: 'webhook', responseMode });
	const version = parent === 'agent' ? 3.1 : 1.9;
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });
	const nodes = [
		...built.nodes.slice(0, 2),
		{
			...makeNode(AGENT, `${LANGCHAIN}.${parent}`, version, 400, {
				promptType: 'define',
				text: '={{ $json.question }}',
				options: {
					...(batchSize && { batching: { batchSize } }),
					...(systemMessage && { systemMessage }),
				},
			}),
			...agent,
		},
		makeNode(MODEL, `${PACKAGE}.lmChatSpeechGateway`, 1, 400, {
			model: byId('sim-chat'),
			options: { maxRetries: 0, ...options },
		}),
	];
	if (hasTool)
		nodes.push(
			makeNode(TOOL, `${PACKAGE}.speechGatewayTool`, 1, 500, {
				descriptionType: 'manual',
				toolDescription: 'Narrates a text.',
				resource: 'speech',
				operation: 'generate',
				responseFormat: 'mp3',
				model: byId('fish-speech'),
				voice: byId('default'),
				text: "={{ $fromAI('text', 'What is spoken', 'string') }}",
			}),
		);
	if (innerAgent)
		nodes.push(
			makeNode(INNER, `${LANGCHAIN}.agentTool`, innerAgent, 450, {
				toolDescription: 'Passes a task on.',
				text: "={{ $fromAI('task', 'What is to be done', 'string') }}",
				options: {},
			}),
		);
	const to = (type: string, ...targets: string[]) => ({
		[type]: [targets.map((node) => ({ node, type, index: 0 }))],
	});
	const connections = {
		Trigger: connection(['Items']),
		Items: connection([AGENT]),
		[MODEL]: to('ai_languageModel', AGENT, ...(innerAgent ? [INNER] : [])),
		...(hasTool && { [TOOL]: to('ai_tool', innerAgent ? INNER : AGENT) }),
		...(innerAgent && { [INNER]: to('ai_tool', AGENT) }),
	};
	return { ...built, nodes, connections };
}

async function save(workflow: AiWorkflow) {
	const saved = await bench.api.importWorkflow(aiWorkflow(workflow), [bench.credential]);
	await bench.api.activate(saved);
	return saved;
}
const run = async (workflow: AiWorkflow): Promise<Execution> =>
	await bench.api.runProduction(await save(workflow));
const chats = () => bench.sim.requests.filter(({ path }) => path === '/v1/chat/completions');
const outputs = (execution: Execution) => nodeOutputs(execution, AGENT)[0].map(({ json }) => json);
const words = (execution: Execution) => {
	const { message, description } = executionError(execution) ?? { message: 'no error' };
	return `${message} ${String(description)}`;
};
const spoken = () =>
	bench.sim.charges.filter(({ kind }) => kind === 'speech').map(({ input }) => input);
/** The model is asked once in vain after the tool has answered. */
const failOnce = () =>
	bench.sim.fault({ path: '/v1/chat/completions', input: 'durationSeconds', status: 503 });
const retried = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const narrate = (text: string) => `call tool ${TOOL} ${JSON.stringify({ text })}`;

test.each(['agent', 'chainLlm'] as const)(
	'under the node %s: it answers, and sends only what the user set',
	async (parent) => {
		const execution = await run({ parent, options: { temperature: 0, maxTokens: 50 } });
		expect(executionError(execution)).toBeUndefined();
		const [{ output, text }] = outputs(execution);
		expect(output ?? text).toBe('You said: Hello there');
		expect(chats()).toHaveLength(1);
		const { messages, ...body } = chats()[0].body as IDataObject;
		expect(body).toEqual({ model: 'sim-chat', temperature: 0, max_tokens: 50 });
		expect(messages).toContainEqual({ role: 'user', content: 'Hello there' });
		const [run0] = execution.data.resultData.runData[MODEL];
		expect(run0.data?.ai_languageModel?.[0]?.[0].json.tokenUsage).toMatchObject({
			totalTokens: bench.sim.charges[0].tokens,
		});
	},
);

test('503 is retried by nobody else', async () => {
	bench.sim.fault({ status: 503, times: Infinity });
	expect(words(await run({ options: { maxRetries: 1 } }))).toContain('503');
	expect(chats()).toHaveLength(2);
});

test.each(['agent', 'chainLlm'] as const)(
	'under the node %s, 504 is sent once: not by LangChain, Retry On Fail or Retry execution',
	async (parent) => {
		bench.sim.fault({ status: 504, charge: true });
		const failed = await run({ parent, options: { maxRetries: 4 }, agent: retried });
		expect(failed.status).toBe('error');
		expect(words(failed)).toMatch(/may have been charged and must not be repeated/);
		const again = await bench.api.retry(failed.id);
		expect(again.status).toBe('error');
		expect(words(again)).toMatch(/must not be repeated/);
		expect(chats()).toHaveLength(1);
	},
);

test('a system message with the time in it makes no other request of it', async () => {
	bench.sim.fault({ status: 504, charge: true, times: Infinity });
	const systemMessage = '={{ "It is " + $now.toMillis() + Math.random() }}';
	const failed = await run({ systemMessage, agent: retried });
	expect(words(await bench.api.retry(failed.id))).toMatch(/must not be repeated/);
	expect(chats()).toHaveLength(1);
	expect(JSON.stringify(chats()[0].body)).toMatch(/It is \d{13}/);
});

/** 3: the engine runs the tool; 2: the agent calls it. */
describe.each([3.1, 2.2])('with the node as a tool of an agent of version %s', (typeVersion) => {
	const agent = { typeVersion };

	test('the agent calls it once and hands its result back to the model', async () => {
		const execution = await run({ hasTool: true, agent, questions: [narrate('Good morning.')] });
		expect(executionError(execution)).toBeUndefined();
		expect(bench.sim.charges.map(({ kind }) => kind)).toEqual(['chat', 'speech', 'chat']);
		expect(bench.sim.requests.map(({ input }) => input)).toContain('Good morning.');
		const [{ output }] = outputs(execution);
		expect(output).toMatch(/The tool said: .*"fileName":"[^"]+\.mp3"/);
		expect(output).toMatch(/"durationSeconds":\d/);
		const parameters = { type: 'object', properties: { text: { type: 'string' } } };
		expect(chats()[0].body).toMatchObject({
			tools: [{ type: 'function', function: { name: TOOL, parameters } }],
		});
	});

	test.each(['stopWorkflow', 'continueErrorOutput'])(
		'when n8n retries the agent, set to %s, the tool is paid for once',
		async (onError) => {
			failOnce();
			const execution = await run({
				hasTool: true,
				agent: { ...agent, ...retried, onError },
				questions: [narrate('Good morning.')],
			});
			expect(executionError(execution)).toBeUndefined();
			expect(outputs(execution)[0].output).toMatch(/The tool said: .*"fileName"/);
			expect(chats().map(({ status }) => status)).toContain(503);
			expect(spoken()).toEqual(['Good morning.']);
			for (const node of [MODEL, TOOL])
				expect(execution.data.executionData?.contextData[`node:${node}`] ?? {}).toEqual({});
		},
	);

	test('a second call with the same input gets the first result, also an unknown one', async () => {
		bench.sim.fault({ path: '/v1/audio/speech', input: 'Good', status: 504, charge: true });
		const execution = await run({
			hasTool: true,
			agent,
			questions: ['Good morning.', ' Good  morning. ', 'Another.', 'Another.\n'].map(narrate),
		});
		const results = outputs(execution).map(({ output }) => String(output));
		expect(results[0]).toMatch(/"outcome":"unknown"/);
		expect(results[1]).toMatch(/"outcome":"unknown"/);
		expect(results[2]).toMatch(/"fileName"/);
		expect(results[3]).toMatch(/"fileName"/);
		// n8n 2.16 takes the items in another order.
		const words = spoken().map((text) => text.trim().replace(/ +/g, ' '));
		expect(words.sort()).toEqual(['Another.', 'Good morning.']);
	});

	// Until 2.48.5, n8n may hand an item the tool calls of another one of its batch.
	test('items in batches of two: each call is paid for once', async () => {
		const texts = ['Good morning.', 'Good day.', 'Good night.'];
		const execution = await run({
			hasTool: true,
			agent,
			batchSize: 2,
			questions: texts.map(narrate),
		});
		expect(executionError(execution)).toBeUndefined();
		expect(outputs(execution)).toHaveLength(3);
		expect(new Set(spoken()).size).toBe(spoken().length);
		// Below version 3, n8n gives the calls of a batch the input of the first.
		if (typeVersion > 3) expect(spoken().sort()).toEqual([...texts].sort());
	});
});

/** Outer and inner agent. In n8n 2.16, the error of an inner one of version 3 ends the execution; nothing is retried. */
const nested: Array<[number, number, string]> = [[2.2, 2.2, 'stopWorkflow']];
if (n8nIsAtLeast('2.41')) nested.push([3.1, 3, 'continueErrorOutput']);
test.each(nested)(
	'a tool below an agent %d over %d, set to %s, is paid for once',
	async (outer, inner, onError) => {
		failOnce();
		const task = narrate('Good morning.');
		const execution = await run({
			hasTool: true,
			innerAgent: inner,
			agent: { typeVersion: outer, ...retried, onError },
			questions: [`call tool ${INNER} ${JSON.stringify({ task })}`],
		});
		expect(executionError(execution)).toBeUndefined();
		expect(outputs(execution)[0].output).toMatch(/The tool said:/);
		expect(chats().map(({ status }) => status)).toContain(503);
		expect(spoken()).toEqual(['Good morning.']);
	},
);

test('streaming: each piece reaches the client before the next one is there', async () => {
	const held = holdNextChat(bench.sim);
	const chunks = bench.api.stream(await save({ responseMode: 'streaming' }));
	let arriving = chunks.next();
	const next = async () => {
		for (;;) {
			const { value, done } = await arriving;
			if (done) return undefined;
			arriving = chunks.next();
			if (value.type === 'item') return value.content;
		}
	};
	const answer = await held;
	for (const piece of ['Piece ', 'by ', 'piece.']) {
		answer.say(piece);
		expect(await next()).toBe(piece);
	}
	answer.finish();
	expect(await next()).toBeUndefined();
	expect(chats()).toHaveLength(1);
});
