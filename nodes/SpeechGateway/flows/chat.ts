import { createHash } from 'crypto';
import type { ChunkType, IDataObject } from 'n8n-workflow';
import { type ChatReply, ChatStreamReader } from '../core/chat/stream';
import { asError, OutcomeUnknownError } from '../core/errors';
import { endpoints } from '../gateway/endpoints';
import { bounded } from '../gateway/readBody';
import type { GatewayResponse } from '../gateway/transport';
import { withReceived } from './files/received';
import { ItemRequests, type ItemSettings } from '../run/requests/itemRequests';
import { Ledger, type LedgerContext } from '../run/requests/ledger';
import type { Replay } from '../run/requests/replay';
import type { Session } from '../run/requests/session';

/** Hears the answer's text while it is being written, piece by piece. */
export type TextListener = (text: string) => void | Promise<void>;

/**
 * Completes a chat; billed. The body decides whether the answer is streamed; either kind is understood, whatever was
 * asked for. Throws as ItemRequests.billed does; when the answer broke off, its text so far is in the error's `details.text`.
 */
export async function completeChat(
	item: ItemRequests,
	name: string,
	body: IDataObject,
	onText: TextListener = () => undefined,
): Promise<ChatReply> {
	let text = '';
	const read = async (response: GatewayResponse) => {
		const received: Uint8Array[] = [];
		try {
			return await readAnswer(item, kept(bounded(response.body), received), async (piece) => {
				text += piece;
				await onText(piece);
			});
		} catch (error) {
			throw await withReceived(item, response, error, Buffer.concat(received));
		}
	};
	try {
		const about = { model: String(body.model) };
		return await item.billed({ name, endpoint: endpoints.chat, input: body, about, read });
	} catch (error) {
		if (error instanceof OutcomeUnknownError && text !== '') Object.assign(error.details, { text });
		throw asError(error);
	}
}

/** The same chunks, which are also put into `received`. */
async function* kept(
	chunks: AsyncIterable<Uint8Array>,
	received: Uint8Array[],
): AsyncGenerator<Uint8Array> {
	for await (const chunk of chunks) {
		received.push(chunk);
		yield chunk;
	}
}

/** Calls under way in this process; a record of any other call is left from an earlier attempt. */
const underWay = new Set<string>();

/**
 * Completes a chat for a chat model, whose calls belong to no item. When an earlier call with the same messages may have
 * been charged without an answer in this execution, nothing is sent and OutcomeUnknownError is thrown again. When n8n
 * retries the agent, `replay` answers what was answered before.
 */
export async function completeCall(
	session: Session & { context: LedgerContext },
	settings: ItemSettings,
	replay: Replay | undefined,
	body: IDataObject,
	onText?: TextListener,
): Promise<ChatReply> {
	const messages = createHash('sha256').update(JSON.stringify(body.messages)).digest('hex');
	const replayed = replay?.next(messages) as ChatReply | undefined;
	if (replayed) {
		await onText?.(replayed.text);
		return replayed;
	}
	const ledger = new Ledger(session.context, 'speechGatewayChatModel', messages);
	const earlier = ledger.keys().find((call) => !underWay.has(call));
	const call = earlier ?? crypto.randomUUID();
	const record = ledger.item(call);
	if (earlier === undefined) underWay.add(call);
	try {
		const item = new ItemRequests(session, 0, record, settings);
		const reply = await completeChat(item, 'chat', body, onText);
		replay?.add(messages, reply);
		return reply;
	} finally {
		underWay.delete(call);
		if (record.entries().every(({ state }) => state === 'done')) ledger.forget(call);
	}
}

/**
 * Reads the body as it comes in. Throws when it ends too early, brings an error, is too large, or is no answer of a chat:
 * it was paid for. An answer that is whole may be without text, as when the first token is one too many.
 */
async function readAnswer(
	item: ItemRequests,
	chunks: AsyncIterable<Uint8Array>,
	onText: TextListener,
): Promise<ChatReply> {
	const { transport } = item.session;
	const reader = new ChatStreamReader();
	const shown = transport.redactStream();
	let heard = 0;
	const hear = async (text: string) => {
		if (text !== '') await onText(text);
	};
	try {
		for await (const chunk of chunks) {
			for (const piece of reader.feed(chunk)) {
				heard += piece.length;
				await hear(shown.push(piece));
			}
			if (reader.closed) break;
		}
	} catch (error) {
		// What breaks after the end of the answer takes nothing from it.
		if (!reader.whole) {
			await hear(shown.end());
			throw asError(error);
		}
	}
	const reply = reader.end();
	await hear(shown.push(reply.text.slice(heard)) + shown.end());
	if (reply.error) throw new Error(`the answer ends with an error: ${reply.error.message}`);
	if (!reader.whole) throw new Error('the answer ended before it was whole');
	const says = reply.text !== '' || reply.toolCalls?.length || reply.finishReason;
	if (!says && !reader.closed) throw new Error('the answer is empty');
	return transport.redactValue(reply);
}

/** Passes an answer on to the client of a workflow that streams. */
export interface Relay {
	text: TextListener;
	/** The answer is whole. */
	end(): Promise<void>;
	/** The answer broke off. */
	fail(message: string): Promise<void>;
}

/** The relay of one item. A client that has gone away does not cost the answer. */
export function relayToClient({ session: { context }, index }: ItemRequests): Relay {
	let begun = false;
	const send = async (type: ChunkType, content?: string) => {
		// On n8n it is a promise, whatever its type says.
		const sent = new Promise((resolve) => resolve(context.sendChunk?.(type, index, content)));
		await sent.catch(() => undefined);
	};
	return {
		async text(text) {
			if (!begun) await send('begin');
			begun = true;
			await send('item', text);
		},
		async end() {
			if (begun) await send('end');
		},
		async fail(message) {
			if (begun) await send('error', message);
		},
	};
}
