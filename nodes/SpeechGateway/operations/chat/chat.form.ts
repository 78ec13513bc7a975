import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../../core/errors';
import { keysOf } from '../../core/json';
import { endpoints } from '../../gateway/endpoints';
import { describeResource } from '../../fields/form';
import { choice, requiredText } from '../../fields/checks';
import { type InputOf, optional, panelField, type Parse } from '../../fields/field';
import {
	type Choices,
	flagOption,
	jsonArray,
	jsonOption,
	rowsOf,
	shownChoices,
	tableProperty,
	textColumn,
} from '../../fields/kinds';
import { answerFields, chatModelField } from '../../fields/model';
import { additionalBodyOption } from '../../fields/shared';

const ROLES: Choices<'system' | 'user' | 'assistant'> = {
	system: { name: 'System', description: 'How the model should behave' },
	user: { name: 'User', description: 'What you say to the model' },
	assistant: { name: 'Assistant', description: 'What the model said before' },
};

/** The conversation, as the gateway takes it. */
const parseMessages: Parse<IDataObject[]> = (value, label) => {
	const rows = rowsOf(value) ?? [];
	if (rows.length === 0)
		throw new InputError(`"${label}" is empty: at least one message is needed`);
	return rows.map(({ role, content }, index) => ({
		role: choice(role, `Role of message ${index + 1}`, keysOf(ROLES)),
		content: requiredText(content, `Content of message ${index + 1}`),
	}));
};

/** The conversation as the editor shows it; begins with one message of the user to be filled in. */
const messages = tableProperty({
	displayName: 'Messages',
	name: 'messages',
	description: 'The conversation so far, oldest message first',
	row: 'Message',
	columns: [
		{
			displayName: 'Role',
			name: 'role',
			type: 'options',
			default: 'user',
			description: 'Who says this',
			options: shownChoices(ROLES),
		},
		textColumn({
			displayName: 'Content',
			name: 'content',
			typeOptions: { rows: 2 },
			placeholder: 'e.g. Summarize this text in one sentence: …',
			description: 'The text of the message',
		}),
	],
});

const fields = {
	model: chatModelField,
	messages: panelField(messages, parseMessages, {}),
	...answerFields,
	additionalBody: additionalBodyOption(
		'; for token usage when streaming, try {"stream_options": {"include_usage": true}}',
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
				'Whether to receive the answer piece by piece; without this option, it is streamed if the trigger of the workflow streams',
		}),
	),
	tools: jsonOption(
		{
			displayName: 'Tools',
			name: 'tools',
			default: '[]',
			description:
				'Functions the model can ask for, as a JSON array such as [{"type": "function", "function": {"name": "weather", "parameters": {}}}]; its calls are in "toolCalls"',
		},
		jsonArray,
	),
};

/** The values of Chat → Complete. */
export type ChatValues = InputOf<typeof fields>;

/** The resource Chat. Tokens are known only from the answer, so there is no spending limit. */
export const chat = describeResource('chat', {
	complete: {
		name: 'Complete',
		action: 'Complete chat',
		description: 'Get the answer of a model to a conversation. Charged per token.',
		sends: [endpoints.chat],
		price: 'the tokens of the messages and of the answer.',
		input: fields,
	},
});
