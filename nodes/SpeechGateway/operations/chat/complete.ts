import type { IDataObject } from 'n8n-workflow';
import { asError, OutcomeUnknownError } from '../../core/errors';
import { endpoints } from '../../gateway/endpoints';
import { completeChat, relayToClient } from '../../flows/chat';
import { withoutErrorKey } from '../../run/outputItems';
import { type InputOf, optional } from '../../run/fields/field';
import { flagOption, jsonArray, jsonOption } from '../../run/fields/kinds';
import type { Parameters } from '../../run/fields/parameters';
import { defineOperation } from '../../run/operation';
import { isTool } from '../../run/branches';
import { additionalBodyOption } from '../fields/additionalBody';
import { answerFields } from '../fields/chat';
import { chatModelField } from '../fields/model';
import { messagesField } from './messages';

const fields = {
	model: chatModelField,
	messages: messagesField,
	...answerFields,
	additionalBody: additionalBodyOption(
		'While streaming, many models report token usage only with {"stream_options": {"include_usage": true}}.',
	),
	simplify: flagOption({
		displayName: 'Simplify',
		name: 'simplify',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	}),
	stream: optional(
		flagOption({
			displayName: 'Stream',
			name: 'stream',
			default: true,
			description:
				'Whether to receive the answer piece by piece. Without this option, it is streamed exactly when the trigger of the workflow streams. Switch it off to keep this answer out of a streamed chat.',
		}),
	),
	tools: jsonOption(
		{
			displayName: 'Tools',
			name: 'tools',
			default: '[]',
			description:
				'Functions that the model may ask for, as a JSON array such as [{"type": "function", "function": {"name": "weather", "parameters": {}}}]. Its calls are in "toolCalls".',
		},
		jsonArray,
	),
};

export const complete = defineOperation({
	resource: 'chat',
	operation: 'complete',
	name: 'Complete',
	action: 'Complete chat',
	description: 'Get the answer of a model to a conversation, streamed when the workflow streams',
	sends: [endpoints.chat],
	input: fields,
	prepare: chatRequest,
	describe: ({ body }) => ({ input: lastMessage(body) }),
	retryWith: (paid, { relay, simplify }) => ({ ...paid, relay, simplify }),

	async execute({ body, relay, simplify }, item) {
		const client = relay ? relayToClient(item) : undefined;
		try {
			const { raw, ...reply } = await completeChat(item, 'chat', body, client?.text);
			await client?.end();
			const json = simplify
				? { ...reply, model: reply.model ?? body.model }
				: withoutErrorKey(raw as IDataObject, 'chatError');
			return { branch: 'success', items: [{ json: json as IDataObject }] };
		} catch (error) {
			if (error instanceof OutcomeUnknownError) await client?.fail(error.message);
			throw asError(error);
		}
	},
});

/** `relay`: whether the text goes on to the client of the workflow while it is being written. */
function chatRequest(input: InputOf<typeof fields>, { context }: Parameters) {
	const { model, messages, additionalBody, temperature, maxTokens, tools, simplify } = input;
	const streaming = !isTool(context) && context.isStreaming?.() === true;
	const stream = input.stream ?? streaming;
	const body = {
		...additionalBody,
		model,
		messages,
		...(temperature !== undefined && { temperature }),
		...(maxTokens !== undefined && { max_tokens: maxTokens }),
		...(tools.length > 0 && { tools }),
		...(stream && { stream }),
	} as IDataObject;
	return { body, relay: stream && streaming, simplify };
}

function lastMessage({ messages }: IDataObject): string | undefined {
	const last = Array.isArray(messages) ? (messages.at(-1) as IDataObject) : undefined;
	return typeof last?.content === 'string' ? last.content : undefined;
}
