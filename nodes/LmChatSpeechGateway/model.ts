/**
 * n8n's chat model (@n8n/ai-node-sdk) over the gateway's chat completions: messages and tools to the gateway's body,
 * its reply back. The body is made within `complete`, so that what is refused there (a file, a built-in tool) is an
 * error of n8n's, too.
 */
import {
	BaseChatModel,
	type ChatModelConfig,
	type FinishReason,
	type GenerateResult,
	getParametersJsonSchema,
	type Message,
	type MessageContent,
	type StreamChunk,
	type TokenUsage,
	type Tool,
} from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import type { ChatReply } from '../SpeechGateway/chat/stream';
import { InputError } from '../SpeechGateway/core/errors';

/**
 * Sends one request and passes on the text of its answer as it arrives. Retries and refuses by the money rules; throws n8n's
 * errors.
 */
export type Complete = (
	body: () => IDataObject,
	onText?: (text: string) => void,
) => Promise<ChatReply>;

interface LangChainConfig extends ChatModelConfig {
	/** Texts that end an answer; older agents depend on it. */
	stop?: string[];
}

/** A chat model whose requests all go through `complete`: neither n8n's SDK nor LangChain sends or retries anything. */
export class SpeechGatewayChatModel extends BaseChatModel {
	constructor(
		model: string,
		private readonly complete: Complete,
		config: Pick<ChatModelConfig, 'temperature' | 'maxTokens'>,
	) {
		super('speech-gateway', model, config);
	}

	/** One whole answer. Throws what `complete` throws: n8n's errors. */
	async generate(messages: Message[], config?: ChatModelConfig): Promise<GenerateResult> {
		const reply = await this.complete(() => this.body(messages, config));
		return {
			finishReason: finishReason(reply),
			usage: tokenUsage(reply),
			message: {
				role: 'assistant',
				content: [
					...(reply.text ? [{ type: 'text' as const, text: reply.text }] : []),
					...toolCalls(reply),
				],
			},
			providerMetadata: { model_name: reply.model, finish_reason: reply.finishReason },
		};
	}

	/**
	 * The answer while it is written. `complete` pushes its text and this generator is pulled, so a stream stands between
	 * them as a queue. Tool calls come at the end, each in one piece: half of its JSON would be of no use to a tool.
	 */
	async *stream(messages: Message[], config?: ChatModelConfig): AsyncIterable<StreamChunk> {
		const body = () => ({ ...this.body(messages, config), stream: true });
		let answer: Promise<ChatReply> | undefined;
		const texts = new ReadableStream<string>({
			start: (controller) => {
				answer = this.complete(body, (text) => controller.enqueue(text));
				const close = () => controller.close();
				answer.then(close, close);
			},
		}).getReader();
		for (let next = await texts.read(); !next.done; next = await texts.read())
			yield { type: 'text-delta', delta: next.value };
		const reply = await answer!;
		for (const { toolCallId, toolName, input } of toolCalls(reply))
			yield { type: 'tool-call-delta', id: toolCallId, name: toolName, argumentsDelta: input };
		yield { type: 'finish', finishReason: finishReason(reply), usage: tokenUsage(reply) };
	}

	/** The request body; only what is set is sent. Throws InputError for what the gateway does not take. */
	private body(messages: Message[], config?: LangChainConfig): IDataObject {
		const { temperature, maxTokens } = this.mergeConfig(config);
		const stop = config?.stop;
		const tools = gatewayTools(this.tools);
		return {
			model: this.modelId,
			messages: gatewayMessages(messages),
			...(temperature !== undefined && { temperature }),
			...(maxTokens !== undefined && { max_tokens: maxTokens }),
			...(stop?.length && { stop }),
			...(tools.length > 0 && { tools }),
		};
	}
}

/** The messages as the gateway takes them: text, tool calls and the results of tools. Throws InputError on files. */
const gatewayMessages = (messages: Message[]): IDataObject[] =>
	messages.flatMap(({ role, content }) => {
		const text = promptText(content);
		if (role === 'tool') return content.flatMap(toolResult);
		const calls = content.flatMap(toolCall);
		if (calls.length === 0) return [{ role, content: text }];
		return [{ role, content: text || null, tool_calls: calls }];
	});

/** The text of a message, its parts one after the other. */
function promptText(content: MessageContent[]): string {
	if (content.some(({ type }) => type === 'file'))
		throw new InputError(
			'The Speech Gateway Chat Model takes text only, but a message has a file',
			'Switch off the passing on of images and files in the agent. Nothing was sent.',
		);
	return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** A call in an earlier answer, as the gateway had it. */
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

/** The result of a tool, as a message of its own; what is no text becomes JSON. */
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

/** The agent's tools as functions. Throws InputError for tools that a provider runs itself, such as a web search. */
const gatewayTools = (tools: Tool[]): IDataObject[] =>
	tools.map((tool) => {
		if (tool.type !== 'function')
			throw new InputError(`The gateway has no built-in tool "${tool.name}"`);
		const { name, description, strict } = tool;
		const parameters = getParametersJsonSchema(tool);
		return {
			type: 'function',
			function: { name, description, parameters, ...(strict !== undefined && { strict }) },
		};
	});

/**
 * What the model asks tools for. Ids that the gateway left out are made up, since results are matched by them; empty
 * arguments become `{}`, since agents parse them as JSON.
 */
const toolCalls = ({ toolCalls: calls = [] }: ChatReply) =>
	calls.map(({ id, function: { name, arguments: input } }) => ({
		type: 'tool-call' as const,
		toolCallId: id || `call_${crypto.randomUUID()}`,
		toolName: name,
		input: input || '{}',
	}));

/** The gateway's words (those of OpenAI's API), in the SDK's. */
const FINISH_REASONS: Record<string, FinishReason> = {
	stop: 'stop',
	length: 'length',
	content_filter: 'content-filter',
	tool_calls: 'tool-calls',
};

/** Why the answer ended; without a word of the gateway, it stopped by itself. */
const finishReason = (reply: ChatReply): FinishReason =>
	FINISH_REASONS[reply.finishReason ?? 'stop'] ?? 'other';

/** Tokens, where the gateway says how many; a missing total is the sum of both. */
function tokenUsage({ usage }: ChatReply): TokenUsage | undefined {
	if (!usage) return undefined;
	const promptTokens = Number(usage.prompt_tokens ?? 0);
	const completionTokens = Number(usage.completion_tokens ?? 0);
	const totalTokens = Number(usage.total_tokens ?? promptTokens + completionTokens);
	return { promptTokens, completionTokens, totalTokens };
}
