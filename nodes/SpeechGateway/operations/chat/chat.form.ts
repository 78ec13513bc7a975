import { endpoints } from '../../gateway/endpoints';
import { describeResource } from '../../fields/form';
import { type InputOf, optional } from '../../fields/field';
import { flagOption, jsonArray, jsonOption } from '../../fields/kinds';
import { additionalBodyOption } from '../../fields/shared';
import { answerFields } from '../../fields/chat';
import { messagesField } from '../../fields/messages';
import { chatModelField } from '../../fields/model';

const fields = {
	model: chatModelField,
	messages: messagesField,
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

export type ChatValues = InputOf<typeof fields>;

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
