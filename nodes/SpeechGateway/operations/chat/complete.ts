import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../core/json';
import { asError, OutcomeUnknownError } from '../../core/errors';
import { chat, type ChatValues } from './chat.form';
import { completeChat } from '../../chat/completeChat';
import type { ChatReply } from '../../chat/stream';
import { withoutErrorKey } from '../../run/outputItems';
import type { Parameters } from '../../fields/parameters';
import type { ItemRequests } from '../../requests/itemRequests';
import { defineOperation } from '../../run/operation';

/** One answer of a language model; streamed to the client if the workflow's trigger streams. */
export const complete = defineOperation(chat.complete, {
	prepare: chatRequest,
	describe: ({ body }) => ({ input: lastMessage(body) }),
	retryWith: (paid, { relay, simplify }) => ({ ...paid, relay, simplify }),
	identity: ({ body }) => body,

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
			if (error instanceof OutcomeUnknownError) await client?.fail(error.message);
			throw asError(error);
		}
	},
});

/** Passes the answer of an item on to the client of a workflow that streams. */
function relayToClient({ session: { execution }, index }: ItemRequests) {
	let begun = false;
	return {
		async text(text: string): Promise<void> {
			if (!begun) await execution.stream('begin', index);
			begun = true;
			await execution.stream('item', index, text);
		},
		async end(): Promise<void> {
			if (begun) await execution.stream('end', index);
		},
		async fail(message: string): Promise<void> {
			if (begun) await execution.stream('error', index, message);
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

/** `relay`: whether the text goes on to the client of the workflow while it is being written. */
function chatRequest(input: ChatValues, { execution }: Parameters) {
	const { model, messages, additionalBody, temperature, maxTokens, tools, simplify } = input;
	const { streams } = execution;
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

function lastMessage({ messages }: IDataObject): string | undefined {
	const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
	return isRecord(last) && typeof last.content === 'string' ? last.content : undefined;
}
