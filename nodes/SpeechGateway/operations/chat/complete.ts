/**
 * Chat → Complete: one answer of a language model, `POST /v1/chat/completions`, charged by the tokens of messages and
 * answer. The answer is read whole or as server-sent events, whichever comes, and relayed while it is written if the
 * workflow's trigger streams. After a 504, or when the answer breaks off, the item leaves on Unknown; the text so far
 * is in `text`, what arrived in the file `received`.
 */
import type { IDataObject } from 'n8n-workflow';
import { isRecord, withoutErrorKey } from '../../core/json';
import { asError, OutcomeUnknownError } from '../../core/errors';
import { chat, type ChatValues } from './chat.form';
import { completeChat } from '../../chat/completeChat';
import type { ChatReply } from '../../chat/stream';
import type { Parameters } from '../../fields/parameters';
import type { ItemRequests } from '../../requests/itemRequests';
import { defineOperation } from '../../requests/operation';

/** One answer of a language model; streamed to the client if the trigger streams. */
export const complete = defineOperation(chat.complete, {
	prepare: chatRequest,
	describe: ({ body }) => ({ input: lastMessage(body) }),
	// Neither changes what is sent: the paid answer may come out simplified or whole, and go to whoever listens now.
	retryWith: (paid, { relay, simplify }) => ({ ...paid, relay, simplify }),
	identity: ({ body }) => body,
	says: ({ body }) => ({ ...body, stream: undefined }),

	async relay({ relay }, { json }, item) {
		const text = relay ? answerIn(json) : undefined;
		if (text === undefined) return;
		const client = relayToClient(item);
		await client.text(text);
		await client.end();
	},

	async execute({ body, relay, simplify }, item) {
		const client = relay ? relayToClient(item) : undefined;
		try {
			const reply = await completeChat(item, body, client?.text);
			await client?.end();
			const json = simplify
				? simplified(reply, body)
				: withoutErrorKey(reply.raw as IDataObject, 'chatError');
			return { branch: 'success', items: [{ json }] };
		} catch (error) {
			// Whatever fails after the first word is of this kind; it becomes an item, so n8n tells the client nothing of it.
			if (error instanceof OutcomeUnknownError) await client?.fail(error.message);
			throw asError(error);
		}
	},
});

/** The text of an answer, whether it was simplified or not. */
function answerIn({ text, choices }: IDataObject): string | undefined {
	const [first]: unknown[] = Array.isArray(choices) ? choices : [];
	const message = isRecord(first) && isRecord(first.message) ? first.message : {};
	return [text, message.content].find((said) => typeof said === 'string');
}

/** Passes the answer of an item on to the client of a workflow that streams. Nothing begins before the first word is there. */
function relayToClient({ session: { nodeCall }, index }: ItemRequests) {
	let begun = false;
	return {
		async text(text: string): Promise<void> {
			if (!begun) await nodeCall.stream('begin', index);
			begun = true;
			await nodeCall.stream('item', index, text);
		},
		async end(): Promise<void> {
			if (begun) await nodeCall.stream('end', index);
		},
		async fail(message: string): Promise<void> {
			if (begun) await nodeCall.stream('error', index, message);
		},
	};
}

/** Streams often leave out the usage, some the reason: the fields are there all the same. */
const simplified = (
	{ text, model, finishReason, usage, toolCalls }: ChatReply,
	body: IDataObject,
): IDataObject => ({
	text,
	model: model ?? body.model,
	finishReason: finishReason ?? null,
	usage: (usage ?? null) as IDataObject | null,
	...(toolCalls && { toolCalls }),
});

/**
 * The request body, in which fields of the form win over additional ones. `relay`: whether the text goes on to the
 * client of the workflow while it is being written.
 */
function chatRequest(input: ChatValues, { nodeCall }: Parameters) {
	const { model, messages, additionalBody, temperature, maxTokens, tools, simplify } = input;
	const { streams } = nodeCall;
	const stream = input.stream ?? streams;
	const body: IDataObject = {
		...additionalBody,
		model,
		messages,
		...(temperature !== undefined && { temperature }),
		...(maxTokens !== undefined && { max_tokens: maxTokens }),
		...(tools.length > 0 && { tools }),
		...(stream && { stream }),
	};
	return { body, relay: stream && streams, simplify };
}

/** What people know the request by on Unknown: the words that the user said last. */
function lastMessage({ messages }: IDataObject): string | undefined {
	const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
	return isRecord(last) && typeof last.content === 'string' ? last.content : undefined;
}
