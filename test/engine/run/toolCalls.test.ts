/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** The node as the tool of an agent: every call is a run of the node, and the agent decides how often it calls. */
import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	NodeConnectionTypes,
	type OnError,
} from 'n8n-workflow';
import { SpeechGateway } from '../../../nodes/SpeechGateway/SpeechGateway.node';
import { item, runnerOf, saved, speechNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

const call = (text: string) => [item({ text })];
const run = runnerOf(sim, () => ({ items: undefined, asTool: true }));

test('a call that ended unknown is not sent again when the agent repeats it; another text is', async () => {
	sim.fault({ input: 'Hello.', status: 504, charge: true });
	const { rounds } = await run({ rounds: [call('Hello.'), call('Hello.'), call('Good-bye.')] });
	expect(sim.charged()).toEqual(['Hello.', 'Good-bye.']);
	// An agent sees one output only.
	expect(rounds.map((outputs) => outputs.map(({ length }) => length))).toEqual([[1], [1], [1]]);
	for (const [[{ json }]] of rounds.slice(0, 2)) {
		expect(json.outcome).toBe('unknown');
		expect(json.advice).toContain('Do not call this tool again with the same input');
	}
});

/** Whatever the node is set to as a tool: one text, and the same words with other white space. */
test.each<[string, IDataObject]>([
	['speech', speechNode()],
	['speech, in several segments', speechNode({ maxSegmentCharacters: 25 })],
	['a job', { resource: 'speechJob', operation: 'create', text: '={{ $json.text }}' }],
	[
		'a video',
		{ resource: 'video', operation: 'create', model: 'sim-video', prompt: '={{ $json.text }}' },
	],
	[
		'a chat',
		{
			resource: 'chat',
			operation: 'complete',
			model: 'sim-chat',
			messages: { values: [{ role: 'user', content: '={{ $json.text }}' }] },
		},
	],
])(
	'%s: white space makes no other call of it, after an unknown outcome or a success',
	async (_, node) => {
		const words = 'Hello out there, dear friend. And good-bye.';
		const same = [words, `${words} `, `\n${words}`, words.replace(' ', '  '), `\t${words}\n`];
		const parameters = { model: 'fish-speech', ...node };
		const rounds = [...same, 'Quite another text.'].map(call);
		sim.fault({ method: 'POST', status: 504, charge: true });
		const unknown = await run({ parameters, rounds });
		const outcomes = unknown.rounds.map(([[{ json }]]) => json.outcome);
		expect(outcomes).toEqual([...same.map(() => 'unknown'), undefined]);
		const sent = sim.requests.filter(({ method }) => method === 'POST').map(({ input }) => input);
		expect(sent.filter((input) => input?.includes('Hello'))).toHaveLength(1);

		sim.reset();
		await run({ parameters, rounds });
		expect(sim.charged().filter((input) => input.includes('Hello'))).toHaveLength(1);
	},
);

test('another execution pays for the same call', async () => {
	await run({ items: call('Hello.') });
	await run({ items: call('Hello.') });
	expect(sim.charged()).toEqual(['Hello.', 'Hello.']);
});

/** The file behind a link, found as n8n finds it. */
async function linked(link: unknown): Promise<Buffer> {
	const url = new URL(String(link));
	expect(`${url.origin}${url.pathname}`).toBe('http://localhost/rest/binary-data/signed');
	const store = Container.get(BinaryDataService);
	const id = store.validateSignedToken(url.searchParams.get('token')!);
	return await store.getAsBuffer({ id, data: '', mimeType: '' });
}

test('an agent, which gets no files, gets links to them', async () => {
	const { outputs } = await run({
		parameters: speechNode({ subtitles: 'srt' }),
		items: call('Hello.'),
	});
	const [{ json, binary }] = outputs[0];
	const links = json.links as IDataObject;
	expect(Object.keys(links)).toEqual(['data', 'subtitles']);
	expect((await linked(links.data)).length).toBe(json.bytes);
	expect(String(await linked(links.subtitles))).toContain('Hello.');
	expect(binary).toBeDefined();
});

test('a free operation links its file, too; of what is unknown, what arrived is linked', async () => {
	const parameters = { resource: 'speechJob', text: 'Hello.', model: 'fish-speech' };
	const created = await run({ parameters: { ...parameters, operation: 'create' } });
	const { id, links: none } = created.outputs[0][0].json;
	expect(none).toBeUndefined();
	const waited = await run({
		parameters: { resource: 'speechJob', operation: 'wait', jobId: id, responseFormat: 'mp3' },
	});
	expect(await linked((waited.outputs[0][0].json.links as IDataObject).data)).not.toHaveLength(0);

	sim.fault({ path: '/v1/audio/speech', status: 200, body: { audio: 'no audio' } });
	const { outputs } = await run({ items: call('Hello.') });
	expect(outputs[0][0].json.outcome).toBe('unknown');
	const { received } = outputs[0][0].json.links as IDataObject;
	expect(String(await linked(received))).toContain('no audio');
});

test('where n8n cannot sign, the item is as it is; outside of an agent, there are no links', async () => {
	const { mode, signingSecret } = Container.get(BinaryDataConfig);
	Container.get(BinaryDataConfig).signingSecret = '';
	const unsigned = await run({ items: call('Hello.') }).finally(() =>
		Object.assign(Container.get(BinaryDataConfig), { mode, signingSecret }),
	);
	expect(unsigned.error).toBeUndefined();
	expect(unsigned.outputs[0][0].json).toMatchObject({ segments: 1 });
	const plain = await run({ items: call('Hello.'), asTool: false });
	for (const { outputs } of [unsigned, plain]) expect(outputs[0][0].json.links).toBeUndefined();
});

test('a retried execution gets the results that the failed one has paid for', async () => {
	sim.fault({ input: 'First.', status: 402 });
	const rounds = ['Before.', 'First.', 'Before.', 'Hello.', 'Hello.'].map(call);
	const first = await run({ rounds, nodeId: 'tool' });
	const retry = async () =>
		await run({ rounds, nodeId: 'tool', mode: 'retry', retryOf: saved(first.run) });
	for (const { rounds: all, error, executionId } of [await retry(), await retry()]) {
		expect(error).toBeUndefined();
		expect(all.map(([[{ json }]]) => json.reason)).toEqual(Array(5).fill(undefined));
		// The first is from a round before the failure, which n8n does not run again.
		for (const [[{ json, binary }]] of all.slice(1)) {
			expect(binary!.data.id).toContain(`/executions/${executionId}/`);
			const { data } = json.links as IDataObject;
			const [, payload] = String(new URL(String(data)).searchParams.get('token')).split('.');
			expect(JSON.parse(Buffer.from(payload, 'base64').toString())).toMatchObject({
				id: binary!.data.id,
			});
		}
	}
	expect(sim.charged()).toEqual(['Before.', 'First.', 'Hello.']);
});

test('a retry of a retry gets them, too, if the first of all calls was paid for in part', async () => {
	const [one, two] = ['The first part is here.', 'And the second is there.'];
	sim.fault({ input: two, status: 402 });
	sim.fault({ input: 'Then.', status: 402 });
	const rounds = [`${one} ${two}`, 'Then.', `${one} ${two}`].map(call);
	const all = {
		rounds,
		nodeId: 'paid in part',
		parameters: speechNode({ maxSegmentCharacters: 25 }),
	};
	let last = await run(all);
	for (const charged of [[one], [one, two]]) {
		expect(sim.charged()).toEqual(charged);
		last = await run({ ...all, mode: 'retry', retryOf: saved(last.run) });
	}
	expect(sim.charged()).toEqual([one, two, 'Then.']);
	const [[{ json }]] = last.rounds[2];
	expect(json).toMatchObject({ segments: 2 });
});

const TARGET = { fileName: 'a', binaryPropertyName: 'a' };

test.each<[string, IDataObject, IDataObject]>([
	[
		'speech.generate',
		{ ...TARGET, subtitles: 'none', timings: false },
		{ fileName: 'b', binaryPropertyName: 'b', subtitles: 'srt', timings: true },
	],
	[
		'speechJob.createAndWait',
		{ ...TARGET, maxWait: 100, pollInterval: 1 },
		{ fileName: 'b', binaryPropertyName: 'b', maxWait: 200, pollInterval: 2 },
	],
])(
	'%s: how long it is waited for, and where the result goes, make no other call; what is spoken does',
	async (name, first, others) => {
		const [resource, operation] = name.split('.');
		const given = { speed: 1, ...first };
		const calls = [
			given,
			...Object.entries(others).map(([option, value]) => ({ ...given, [option]: value })),
			{ ...given, speed: 2 },
		];
		const options = Object.fromEntries(
			Object.keys(given).map((option) => [option, `={{ $json.options.${option} }}`]),
		);
		const { rounds } = await run({
			parameters: { resource, operation, model: 'fish-speech', text: 'Hello.', options },
			rounds: calls.map((asked) => [item({ options: asked })]),
		});
		expect(rounds.map(([[{ json }]]) => json.error ?? json.reason)).toEqual(
			calls.map(() => undefined),
		);
		const sent = sim.requests.filter(({ method }) => method === 'POST');
		expect(sent.map(({ body }) => (body as IDataObject).speed)).toEqual([1, 2]);
	},
);

test('a call that was refused may be made again', async () => {
	sim.fault({ status: 402 });
	const { rounds } = await run({
		rounds: [call('Hello.'), call('Hello.')],
		onError: 'continueRegularOutput',
	});
	expect(rounds.map(([[{ json }]]) => json.error !== undefined)).toEqual([true, false]);
	expect(sim.charged()).toEqual(['Hello.']);
});

test('64 MB of results are kept; the oldest are forgotten, and paid for again', async () => {
	const message = { role: 'assistant', content: 'word '.repeat(2_800_000) };
	const choices = [{ index: 0, message, finish_reason: 'stop' }];
	const chat = { path: '/v1/chat/completions', status: 200, charge: true, times: Infinity };
	const model = 'sim-chat';
	sim.fault({ ...chat, body: { model, choices } });
	const values = [{ role: 'user', content: '={{ $json.text }}' }];
	const parameters = { resource: 'chat', operation: 'complete', model, messages: { values } };
	const paidFor = async (...texts: string[]) => {
		sim.charges.length = 0;
		const { error } = await run({ parameters, rounds: texts.map(call) });
		expect(error).toBeUndefined();
		return sim.charges.length;
	};
	expect(await paidFor('A', 'B', 'C', 'D', 'A')).toBe(4);
	expect(await paidFor('A', 'B', 'C', 'D', 'E', 'E', 'D', 'A')).toBe(6);
});

/** The node, called by something that calls it itself, as some agents do. */
function calledBy(
	agent: (
		call: (name?: string) => Promise<INodeExecutionData[][]>,
	) => Promise<INodeExecutionData[][]>,
): INodeType {
	const node = new SpeechGateway();
	const caller = Object.create(node) as INodeType;
	caller.execute = async function (this: IExecuteFunctions) {
		const parentNode = { ...this.getNode(), name: 'Agent' };
		return await agent(async (name) => {
			const getNode = () => ({ ...this.getNode(), ...(name && { name }) });
			const context = Object.assign(Object.create(this), { parentNode, getNode });
			return await node.execute.call(context as IExecuteFunctions);
		});
	};
	return caller;
}

test('two tools of an agent have results of their own', async () => {
	const [one, other] = ['Narrate', 'Narrate in German'];
	const nodeType = calledBy(async (make) => {
		const before = [await make(one), await make(other)];
		expect([await make(other), await make(one)]).toEqual(before.reverse());
		return before[0];
	});
	const { error } = await run({ nodeType, items: call('Hello.') });
	expect(error).toBeUndefined();
	expect(sim.charged()).toEqual(['Hello.', 'Hello.']);
});

test('what n8n does to an item that it was given changes no later result', async () => {
	const nodeType = calledBy(async (make) => {
		const [[answer]] = await make();
		const { segments } = answer.json;
		answer.json.segments = 'changed';
		const [[again]] = await make();
		expect(again.json.segments).toBe(segments);
		again.json.segments = 'changed';
		return await make();
	});
	const { outputs } = await run({ nodeType, items: call('Hello.') });
	expect(outputs[0][0].json.segments).toBe(1);
});

test('outside of an execution, as for the clients of an MCP Server Trigger, a repeated call waits for the one under way', async () => {
	const ask = async (workflowId?: string) =>
		await run({
			outsideExecution: true,
			items: call('Hello.'),
			workflowId,
			nodeType: calledBy(async (make) => await make()),
		});
	const [one, two] = await Promise.all([ask(), ask()]);
	expect(sim.charged()).toEqual(['Hello.']);
	expect(two.outputs[0][0].binary).toEqual(one.outputs[0][0].binary);
	// Of an earlier call nothing is kept: it may be another client's.
	await ask();
	expect(sim.charged()).toEqual(['Hello.', 'Hello.']);
	// Nor does a call wait for that of another workflow.
	await Promise.all([ask(), ask('another')]);
	expect(sim.charged()).toHaveLength(4);
});

/** What n8n makes of the node for its engine to run: a tool has no outputs but that to the agent. */
class Tool extends SpeechGateway {
	constructor() {
		super();
		this.description = { ...this.description, outputs: [NodeConnectionTypes.AiTool] };
	}
}

test.each<OnError>(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])(
	'a tool that is set to %s: the agent gets what was made, and what failed after a retry of n8n',
	async (onError) => {
		const all = { nodeType: new Tool(), items: call('Hello.'), onError };
		const { outputs: made } = await run(all);
		expect(made[0].map(({ json }) => json.segments)).toEqual([1]);
		sim.fault({ status: 402, times: 2 });
		const { outputs, error } = await run({ ...all, retryOnFail: true, maxTries: 2 });
		const said = error ?? (outputs[0][0].json.error as IDataObject);
		expect(said.message).toContain('402');
		expect(sim.requests).toHaveLength(3);
		expect(sim.charged()).toEqual(['Hello.']);
	},
);
