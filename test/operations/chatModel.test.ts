/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import {
	AIMessage,
	type AIMessageChunk,
	HumanMessage,
	SystemMessage,
	ToolMessage,
} from '@langchain/core/messages';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { LangchainChatModelAdapter } from '@n8n/ai-utilities';
import type { IDataObject, ISupplyDataFunctions } from 'n8n-workflow';
import { z } from 'zod';
import { type Complete, SpeechGatewayChatModel } from '../../nodes/LmChatSpeechGateway/model';
import { supplyModel } from '../../nodes/LmChatSpeechGateway/supplyModel';
import type { ChatReply } from '../../nodes/SpeechGateway/chat/stream';

/** The model as n8n hands it to agents, in LangChain's clothes; `complete` is where it would reach the gateway. */
function adapted(complete: Complete, config = {}) {
	return new LangchainChatModelAdapter(new SpeechGatewayChatModel('some-model', complete, config));
}

const answer = (reply: Partial<ChatReply>): ChatReply => ({ text: '', raw: {}, ...reply });
const weather = {
	name: 'weather',
	description: 'The weather of a city',
	schema: z.object({ city: z.string().describe('Its name') }),
};
const calls = [
	{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
	{ id: 'call_2', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
];

test('a conversation with tools, as the gateway takes it', async () => {
	const bodies: IDataObject[] = [];
	const model = adapted(
		async (body) => {
			bodies.push(body());
			return answer({ text: 'It rains.', finishReason: 'stop' });
		},
		{ temperature: 0, maxTokens: 10 },
	).bindTools([weather] as never);
	const args = { city: 'Oslo' };
	await model.invoke([
		new SystemMessage('Be brief.'),
		new HumanMessage({
			content: [
				{ type: 'text', text: 'What is ' },
				{ type: 'text', text: 'it like?' },
			],
		}),
		new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: 'weather', args }] }),
		new ToolMessage({ tool_call_id: 'call_1', content: 'rain' }),
		new ToolMessage({ tool_call_id: 'call_2', content: 'sun' }),
		new AIMessage('It rains.'),
		new HumanMessage('Thanks'),
	]);
	const called = { name: 'weather', arguments: '{"city":"Oslo"}' };
	expect(bodies).toEqual([
		{
			model: 'some-model',
			temperature: 0,
			max_tokens: 10,
			messages: [
				{ role: 'system', content: 'Be brief.' },
				{ role: 'user', content: 'What is it like?' },
				{
					role: 'assistant',
					content: null,
					tool_calls: [{ id: 'call_1', type: 'function', function: called }],
				},
				{ role: 'tool', tool_call_id: 'call_1', content: 'rain' },
				{ role: 'tool', tool_call_id: 'call_2', content: 'sun' },
				{ role: 'assistant', content: 'It rains.' },
				{ role: 'user', content: 'Thanks' },
			],
			tools: [
				{
					type: 'function',
					function: {
						name: 'weather',
						description: 'The weather of a city',
						parameters: expect.objectContaining({
							type: 'object',
							properties: { city: { type: 'string', description: 'Its name' } },
							required: ['city'],
						}),
					},
				},
			],
		},
	]);
});

/** The whole answer, generated or streamed. */
async function ask(model: ReturnType<typeof adapted>, way: string, question = 'Both?') {
	if (way === 'invoke') return await model.invoke(question);
	let all: AIMessageChunk | undefined;
	for await (const chunk of await model.stream(question)) all = all?.concat(chunk) ?? chunk;
	return all!;
}

describe.each(['invoke', 'stream'])('%s', (way) => {
	test('several tool calls at once; those without ids get some of their own', async () => {
		const model = adapted(async () => answer({ toolCalls: calls, finishReason: 'tool_calls' }));
		expect((await ask(model, way)).tool_calls).toMatchObject([
			{ id: 'call_1', name: 'weather', args: { city: 'Oslo' } },
			{ id: 'call_2', name: 'weather', args: { city: 'Rome' } },
		]);
		const nameless = calls.map(({ function: called }) => ({ function: called }));
		const other = adapted(async () => answer({ toolCalls: nameless }));
		const { tool_calls: made = [] } = await ask(other, way);
		expect(new Set(made.map(({ id }) => id)).size).toBe(2);
	});

	test('text, tokens and the reason to end', async () => {
		const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
		const model = adapted(async (_, onText) => {
			onText?.('Yes');
			return answer({ text: 'Yes', usage, finishReason: 'length' });
		});
		const { text, usage_metadata, response_metadata } = await ask(model, way);
		expect(text).toBe('Yes');
		const tokens = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
		expect(usage_metadata).toMatchObject(tokens);
		if (way === 'stream') expect(response_metadata.finish_reason).toBe('length');
	});

	test('an error reaches the caller after one try', async () => {
		let tries = 0;
		const model = adapted(async (_, onText) => {
			tries++;
			onText?.('Once upon');
			return await Promise.reject(new Error('it broke off'));
		});
		await expect(ask(model, way)).rejects.toThrow('it broke off');
		expect(tries).toBe(1);
	});
});

test('stop words of older agents are sent', async () => {
	let sent: IDataObject = {};
	const model = adapted(async (body) => {
		sent = body();
		return answer({ text: 'Yes' });
	});
	await model.invoke('Hello', { stop: ['Observation:'] } as never);
	expect(sent.stop).toEqual(['Observation:']);
});

test("what cannot be sent is n8n's error of the model, with its advice", async () => {
	const parameters: IDataObject = { model: { mode: 'id', value: 'some-model' }, options: {} };
	const supplied = await supplyModel(
		{
			getNode: () => ({ name: 'Model', type: 'lmChatSpeechGateway', parameters }),
			getNodeParameter: (name: string) => parameters[name],
			getCredentials: async () => ({ baseUrl: 'https://gateway.example', apiKey: 'sk-test-12345' }),
			getExecutionId: () => '1',
			getWorkflowDataProxy: () => ({}),
			helpers: {},
		} as unknown as ISupplyDataFunctions,
		0,
	);
	const model = supplied.response as BaseChatModel;
	const file = { type: 'file', mimeType: 'image/png', data: 'AAAA' };
	const asked = model.invoke([new HumanMessage({ content: [file] as never })]);
	await expect(asked).rejects.toMatchObject({
		name: 'NodeOperationError',
		message: expect.stringContaining('text only'),
		description: expect.stringContaining('Switch off'),
		functionality: 'configuration-node',
	});
});
