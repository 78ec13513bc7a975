import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { asError, InputError, OutcomeUnknownError } from '../../core/errors';
import { completeChat, relayToClient } from '../../flows/chat';
import { withoutErrorKey } from '../../run/outputItems';
import type { Operation } from '../../run/operation';
import { choice, type Parameters, requiredText } from '../../run/fields/parameters';
import { isTool } from '../../run/branches';
import { additionalBodyOption, billedOptions, modelField } from '../fields';
import { maxTokensOption, temperatureOption } from './options';

const ROLES = ['system', 'user', 'assistant'] as const;

interface ChatInput {
	body: IDataObject;
	/** Whether the text goes on to the client of the workflow while it is being written. */
	relay: boolean;
	simplify: boolean;
}

const fields: INodeProperties[] = [
	modelField('The model that answers. The list shows the models of your account.'),
	{
		displayName: 'Messages',
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Message',
		default: { values: [{ role: 'user', content: '' }] },
		description: 'The conversation so far, oldest message first',
		options: [
			{
				displayName: 'Message',
				name: 'values',
				values: [
					{
						displayName: 'Role',
						name: 'role',
						type: 'options',
						default: 'user',
						description: 'Who says it',
						options: [
							{ name: 'Assistant', value: 'assistant', description: 'What the model said before' },
							{ name: 'System', value: 'system', description: 'How the model is to behave' },
							{ name: 'User', value: 'user', description: 'What is said to the model' },
						],
					},
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 2 },
						default: '',
						placeholder: 'e.g. Write a caption of one sentence for this photo',
						description: 'The text of the message',
					},
				],
			},
		],
	},
];

const options: INodeProperties[] = [
	maxTokensOption,
	temperatureOption,
	{
		...additionalBodyOption,
		description:
			'Further fields of the request, as a JSON object; they are sent as they are. While streaming, many models report token usage only with {"stream_options": {"include_usage": true}}.',
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
	{
		displayName: 'Stream',
		name: 'stream',
		type: 'boolean',
		default: true,
		description:
			'Whether to receive the answer piece by piece. Without this option, it is streamed exactly when the trigger of the workflow streams. Switch it off to keep this answer out of a streamed chat.',
	},
	{
		displayName: 'Tools',
		name: 'tools',
		type: 'json',
		default: '[]',
		description:
			'Functions that the model may ask for, as a JSON array such as [{"type": "function", "function": {"name": "weather", "parameters": {}}}]. Its calls are in "toolCalls".',
	},
];

export const complete: Operation<ChatInput> = {
	resource: 'chat',
	operation: 'complete',
	name: 'Complete',
	action: 'Complete a chat',
	description: 'Get the answer of a model to a conversation, streamed when the workflow streams',
	billed: true,
	fields,
	options: [...options, ...billedOptions],
	read: readInput,

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
};

function readInput(parameters: Parameters): ChatInput {
	const { context } = parameters;
	const streaming = !isTool(context) && context.isStreaming?.() === true;
	const model = parameters.locator('model', 'Model');
	const stream = parameters.flagOption('stream', streaming);
	const tools = parameters.jsonOption('tools', 'Tools') ?? [];
	if (!Array.isArray(tools)) throw new InputError('"Tools" must be a JSON array');
	const temperature = parameters.numberOption('temperature', 'Temperature', {});
	const maxTokens = parameters.numberOption('maxTokens', 'Max Tokens', { min: 1, integer: true });
	const body = {
		...parameters.objectOption('additionalBody', additionalBodyOption.displayName),
		model,
		messages: readMessages(parameters),
		...(temperature !== undefined && { temperature }),
		...(maxTokens !== undefined && { max_tokens: maxTokens }),
		...(tools.length > 0 && { tools }),
		...(stream && { stream }),
	} as IDataObject;
	return {
		body,
		relay: stream && streaming,
		simplify: parameters.flagOption('simplify', true),
	};
}

function readMessages(parameters: Parameters): IDataObject[] {
	const { values } = parameters.raw('messages', {}) as { values?: IDataObject[] };
	if (!Array.isArray(values) || values.length === 0)
		throw new InputError('"Messages" is empty: at least one message is needed');
	return values.map(({ role, content }, index) => ({
		role: choice(role, `Role of message ${index + 1}`, ROLES),
		content: requiredText(content, `Content of message ${index + 1}`),
	}));
}
