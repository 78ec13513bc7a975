import {
	BaseChatModel,
	type ChatModelConfig,
	type GenerateResult,
	getParametersJsonSchema,
	type Message,
	type StreamChunk,
} from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import type { ChatReply } from '../SpeechGateway/chat/stream';
import { finishReason, gatewayMessages, gatewayTools, tokenUsage, toolCalls } from './messages';

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

	private body(messages: Message[], config?: LangChainConfig): IDataObject {
		const { temperature, maxTokens } = this.mergeConfig(config);
		const stop = config?.stop;
		const tools = gatewayTools(this.tools, getParametersJsonSchema);
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
