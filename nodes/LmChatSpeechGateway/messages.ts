import type { FinishReason, Message, MessageContent, TokenUsage, Tool } from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import type { ChatReply } from '../SpeechGateway/chat/stream';
import { InputError } from '../SpeechGateway/core/errors';

/** Between the messages and tools of n8n's AI nodes and those of the gateway. Pure. */

type Schema = (tool: Extract<Tool, { type: 'function' }>) => object;

/** The messages as the gateway takes them: text, tool calls and the results of tools. Throws InputError on files. */
export const gatewayMessages = (messages: Message[]): IDataObject[] =>
	messages.flatMap(({ role, content }) => {
		const text = textOf(content);
		if (role === 'tool') return content.flatMap(toolResult);
		const calls = content.flatMap(toolCall);
		if (calls.length === 0) return [{ role, content: text }];
		return [{ role, content: text || null, tool_calls: calls }];
	});

function textOf(content: MessageContent[]): string {
	if (content.some(({ type }) => type === 'file'))
		throw new InputError(
			'The Speech Gateway Chat Model takes text only, but a message has a file',
			'Switch off the passing on of images and files in the agent. Nothing was sent.',
		);
	return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

const toolCall = (part: MessageContent): IDataObject[] =>
	part.type === 'tool-call'
		? [
				{
					id: part.toolCallId,
					type: 'function',
					function: { name: part.toolName, arguments: part.input },
				},
			]
		: [];

const toolResult = (part: MessageContent): IDataObject[] =>
	part.type === 'tool-result'
		? [
				{
					role: 'tool',
					tool_call_id: part.toolCallId,
					content: typeof part.result === 'string' ? part.result : JSON.stringify(part.result),
				},
			]
		: [];

/** The tools as the gateway takes them; `schemaOf` makes JSON Schema of a tool's input. */
export const gatewayTools = (tools: Tool[], schemaOf: Schema): IDataObject[] =>
	tools.map((tool) => {
		if (tool.type !== 'function')
			throw new InputError(`The gateway has no built-in tool "${tool.name}"`);
		const { name, description, strict } = tool;
		const parameters = schemaOf(tool);
		return {
			type: 'function',
			function: { name, description, parameters, ...(strict !== undefined && { strict }) },
		};
	});

/** What the model asks tools for. Ids that the gateway left out are made up, since results are matched by them. */
export const toolCalls = ({ toolCalls: calls = [] }: ChatReply) =>
	calls.map(({ id, function: { name, arguments: input } }) => ({
		type: 'tool-call' as const,
		toolCallId: id || `call_${crypto.randomUUID()}`,
		toolName: name,
		input: input || '{}',
	}));

const FINISH_REASONS: Record<string, FinishReason> = {
	stop: 'stop',
	length: 'length',
	content_filter: 'content-filter',
	tool_calls: 'tool-calls',
};

export const finishReason = (reply: ChatReply): FinishReason =>
	FINISH_REASONS[reply.finishReason ?? 'stop'] ?? 'other';

/** Tokens, where the gateway says how many. */
export function tokenUsage({ usage }: ChatReply): TokenUsage | undefined {
	if (!usage) return undefined;
	const promptTokens = Number(usage.prompt_tokens ?? 0);
	const completionTokens = Number(usage.completion_tokens ?? 0);
	const totalTokens = Number(usage.total_tokens ?? promptTokens + completionTokens);
	return { promptTokens, completionTokens, totalTokens };
}
