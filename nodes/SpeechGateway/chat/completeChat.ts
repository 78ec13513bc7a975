import type { IDataObject } from 'n8n-workflow';
import { type ChatReply, ChatStreamReader } from './stream';
import { isRecord } from '../core/json';
import { asError, ErrorAnswer, OutcomeUnknownError } from '../core/errors';
import { endpoints } from '../gateway/endpoints';
import { bounded } from '../gateway/readBody';
import type { GatewayResponse } from '../gateway/transport';
import { withReceived } from '../files/received';
import { ItemRequests } from '../requests/itemRequests';
import type { ItemSettings } from '../requests/itemTurns';
import { Ledger } from '../requests/ledger';
import { requestKey } from '../requests/requestKey';
import type { Session } from '../requests/session';

/** Hears the text of an answer as it arrives. The next chunk is read when it has resolved. */
export type TextListener = (text: string) => void | Promise<void>;

/**
 * Completes a chat; billed. The body decides whether the answer is streamed; either kind is understood, whatever was
 * asked for. Throws as ItemRequests.billed does; when the answer broke off, its text so far is in the error's `details.text`.
 * `keyedBy`: what decides whether two requests are the same, if that is not the whole body.
 */
export async function completeChat(
	item: ItemRequests,
	body: IDataObject,
	onText: TextListener = () => undefined,
	keyedBy?: IDataObject,
): Promise<ChatReply> {
	let text = '';
	const read = async (response: GatewayResponse) => {
		text = '';
		const received: Uint8Array[] = [];
		try {
			return await readAnswer(item, bounded(response.body), received, async (added) => {
				text += added;
				await onText(added);
			});
		} catch (error) {
			throw await withReceived(item, response, error, Buffer.concat(received));
		}
	};
	try {
		return await item.billed({
			endpoint: endpoints.chat,
			input: body,
			keyedBy,
			about: { model: String(body.model) },
			price: { of: usedTokens },
			read,
		});
	} catch (error) {
		if (error instanceof OutcomeUnknownError && text !== '') Object.assign(error.details, { text });
		throw asError(error);
	}
}

/**
 * Calls in progress in this process. Two items of a chain may ask the same at once, which is no retry; a record
 * of any other call is from an earlier attempt.
 */
const chatsUnderWay = new Set<string>();

/**
 * The same for a chat model, whose calls belong to no item. When an earlier call like it may have been charged without an
 * answer in this execution, nothing is sent and OutcomeUnknownError is thrown again; where requests cost nothing, all is sent. What the system says makes no difference,
 * as it often has the time in it. Answers are not remembered: n8n does not tell a retry of an agent from the next item of a
 * chain.
 */
export async function completeCall(
	session: Session,
	settings: ItemSettings,
	body: IDataObject,
	onText?: TextListener,
): Promise<ChatReply> {
	const keyedBy = withoutSystem(body);
	const { name, costsNothing } = session.transport.account;
	const key = `${requestKey(endpoints.chat.kind, keyedBy)} ${name}`;
	const ledger = Ledger.begin(session.nodeCall, 'speechGatewayChatModel', key);
	const earlier = costsNothing ? undefined : ledger.keys().find((call) => !chatsUnderWay.has(call));
	const call = earlier ?? crypto.randomUUID();
	const record = ledger.item(call);
	if (earlier === undefined) chatsUnderWay.add(call);
	try {
		const item = new ItemRequests(session, 0, record, settings);
		return await completeChat(item, body, onText, keyedBy);
	} finally {
		chatsUnderWay.delete(call);
		if (costsNothing || record.entries().every(({ state }) => state === 'done'))
			ledger.forget(call);
	}
}

/** A body without its system messages, unless it has no others. */
function withoutSystem({ messages, ...body }: IDataObject): IDataObject {
	const all: unknown[] = Array.isArray(messages) ? messages : [];
	const others = all.filter((message) => isRecord(message) && message.role !== 'system');
	return { ...body, messages: (others.length > 0 ? others : all) as IDataObject[] };
}

/** Tokens that the gateway says it used; undefined if it does not. */
const usedTokens = ({ usage }: ChatReply): number | undefined => {
	const total = usage?.total_tokens;
	return typeof total === 'number' ? total : undefined;
};

/**
 * Reads the body as it comes in, and adds its chunks to `received`. Throws when it ends too early, brings an
 * error, is too large, or is no answer of a chat: it was paid for. An answer with a finish reason may be without
 * text, as when the first token is one too many.
 */
async function readAnswer(
	item: ItemRequests,
	chunks: AsyncIterable<Uint8Array>,
	received: Uint8Array[],
	onText: TextListener,
): Promise<ChatReply> {
	const { transport } = item.session;
	const reader = new ChatStreamReader();
	const redacted = transport.redactor.stream();
	/** Characters of the answer that have been passed on, before what is secret was taken out. */
	let heard = 0;
	const hear = async (text: string) => {
		if (text !== '') await onText(text);
	};
	try {
		for await (const chunk of chunks) {
			received.push(chunk);
			for (const added of reader.feed(chunk)) {
				heard += added.length;
				await hear(redacted.push(added));
			}
			if (reader.done) break;
		}
	} catch (error) {
		// A connection that breaks after the end of the answer does no harm.
		if (!reader.whole) {
			await hear(redacted.end());
			throw asError(error);
		}
	}
	const reply = reader.end();
	await hear(redacted.push(reply.text.slice(heard)) + redacted.end());
	const says = reply.text !== '' || reply.toolCalls?.length;
	if (reply.error && !says) throw new ErrorAnswer(reply.error.message);
	if (reply.error) throw new Error(`the answer ends with an error: ${reply.error.message}`);
	if (!reader.whole || reply.finishReason === 'error')
		throw new Error('the answer ended before it was whole');
	if (!says && !reply.finishReason) throw new Error('the answer is empty');
	if (reader.mayBeCutShort) item.session.hints.add(MAY_BE_CUT_SHORT);
	return transport.redactor.value(reply);
}

const MAY_BE_CUT_SHORT =
	'A chat answer ended without a finish reason (null): it may be cut short, as gateways end a stream in that way when their provider breaks off.';
