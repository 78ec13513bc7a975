/**
 * A chat reply from bytes, as it arrives. Gateways agree on little: some stream although they were not asked to, or
 * answer whole though they were; some repeat the message at the end, number all parallel calls 0, leave out blank lines
 * or [DONE], or write an error bare into the stream. The reader takes what it can and judges only one thing, whether
 * the reply is whole: it was paid for, and a text that broke off must not pass for an answer. Fields that nobody knows
 * are kept in `raw`, rebuilt as an answer that was not streamed.
 */
import { isRecord, parseJson } from '../core/json';
import { createParser } from '../libraries/eventsourceParser';

/** An answer of a chat, whatever its gateway and however it came. */
export interface ChatReply {
	text: string;
	model?: string;
	finishReason?: string;
	usage?: Record<string, unknown>;
	toolCalls?: ToolCall[];
	error?: { message: string; code?: string };
	/** The body as received; for a stream, an equivalent non-stream body rebuilt from the deltas. */
	raw: unknown;
}

/** What a model asks a tool for; `arguments`: JSON, as the model wrote it. */
interface ToolCall {
	id?: string;
	type?: string;
	function: { name: string; arguments: string };
}

type JsonObject = Record<string, unknown>;

const objectIn = (value: unknown): JsonObject => (isRecord(value) ? value : {});

const arrayIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A non-empty string, else undefined: providers send null and '' for what they do not have. */
const stringIn = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;

/** Content is a string or an array of parts, of which the text parts count. */
function contentText(content: unknown): string {
	if (typeof content === 'string') return content;
	return arrayIn(content)
		.map((part) => {
			if (typeof part === 'string') return part;
			const { type, text } = objectIn(part);
			const isText = type === undefined || type === 'text' || type === 'output_text';
			return isText && typeof text === 'string' ? text : '';
		})
		.join('');
}

/** The text of a message or delta. A refusal is what the model said, and is billed like it. */
const messageText = ({ content, refusal }: JsonObject): string =>
	contentText(content) || (stringIn(refusal) ?? '');

/** Arguments are a JSON string; some providers send the object itself. */
function argumentsText(value: unknown): string {
	if (typeof value === 'string') return value;
	return value === undefined || value === null ? '' : JSON.stringify(value);
}

function readToolCalls(message: JsonObject): ToolCall[] {
	return arrayIn(message.tool_calls).map((value): ToolCall => {
		const { id, type, function: called } = objectIn(value);
		const { name, arguments: input } = objectIn(called);
		return {
			id: stringIn(id),
			type: stringIn(type),
			function: { name: stringIn(name) ?? '', arguments: argumentsText(input) },
		};
	});
}

/** An error as a string, `{ message, code }`, or nothing but that there is one. */
function readError(value: unknown): ChatReply['error'] {
	if (Array.isArray(value)) return readError(value[0]);
	if (!isRecord(value)) return value ? { message: String(value) } : undefined;
	const code = value.code ?? value.type ?? value.status;
	return {
		message: stringIn(value.message) ?? JSON.stringify(value),
		code: typeof code === 'string' || typeof code === 'number' ? String(code) : undefined,
	};
}

/** Reads the body of a chat completion that was not streamed. Takes anything; what is not there is left out. */
export function readChatReply(body: unknown): ChatReply {
	const whole = objectIn(body);
	// Some gateways wrap it in `data`.
	const reply = whole.choices === undefined && isRecord(whole.data) ? whole.data : whole;
	const choice = objectIn(arrayIn(reply.choices)[0]);
	const message = objectIn(choice.message);
	const toolCalls = readToolCalls(message);
	return {
		text: messageText(message) || contentText(choice.text),
		model: stringIn(reply.model),
		finishReason: stringIn(choice.finish_reason),
		usage: isRecord(reply.usage) ? reply.usage : undefined,
		toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
		error: readError(reply.error),
		raw: body,
	};
}

type IndexedCall = ToolCall & { index?: number };

/** One choice of a stream, put together from its deltas. */
class ChoiceBuilder {
	text = '';
	finishReason: string | undefined;
	private readonly toolCalls: IndexedCall[] = [];
	/** The latest call with an index, or an id. */
	private readonly byIndex = new Map<number, IndexedCall>();
	private readonly byId = new Map<string, IndexedCall>();

	/** Takes the choice of one stream event and returns the text it adds. */
	add(choice: JsonObject): string {
		this.finishReason = stringIn(choice.finish_reason) ?? this.finishReason;
		// Some gateways send the whole message at the end, or instead of deltas.
		const whole = this.text === '' ? objectIn(choice.message) : {};
		const delta = isRecord(choice.delta) ? choice.delta : whole;
		for (const call of arrayIn(delta.tool_calls)) this.addToolCall(objectIn(call));
		const text = messageText(delta) || contentText(choice.text);
		this.text += text;
		return text;
	}

	/** Adds a delta to the call that it belongs to, or begins another: gateways number and name calls in different ways. */
	private addToolCall(delta: JsonObject): void {
		const called = objectIn(delta.function);
		const id = stringIn(delta.id);
		const index = typeof delta.index === 'number' ? delta.index : undefined;
		// By index; without one, by id; with neither, the call goes on.
		let call =
			index !== undefined
				? this.byIndex.get(index)
				: id !== undefined
					? this.byId.get(id)
					: this.toolCalls.at(-1);
		// Some providers give every parallel call the index 0, others every delta of one call a new id.
		const startsAnother =
			id !== undefined && call?.id !== undefined && id !== call.id && stringIn(called.name);
		if (!call || startsAnother) {
			call = { index, function: { name: '', arguments: '' } };
			this.toolCalls.push(call);
			if (index !== undefined) this.byIndex.set(index, call);
		}
		if (id !== undefined && call.id === undefined) this.byId.set(id, call);
		call.id ??= id;
		call.type ??= stringIn(delta.type);
		// The name comes once, or again with every delta; the arguments come in pieces.
		const name = stringIn(called.name) ?? '';
		if (name !== call.function.name) call.function.name += name;
		call.function.arguments += argumentsText(called.arguments);
	}

	/** The choice as a body that was not streamed would have it. */
	build(index: number): JsonObject {
		const calls = this.toolCalls
			.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
			.map(({ id, type = 'function', function: called }) => ({ id, type, function: called }));
		const hasCalls = calls.length > 0;
		return {
			index,
			message: {
				role: 'assistant',
				content: this.text === '' && hasCalls ? null : this.text,
				...(hasCalls && { tool_calls: calls }),
			},
			finish_reason: this.finishReason ?? null,
		};
	}
}

/**
 * Reads a chat reply as its bytes arrive: a text/event-stream of deltas, or a JSON body (recognised by its first
 * character) where the gateway did not stream. Pure: no I/O, no clock. Reasoning fields are ignored.
 */
export class ChatStreamReader {
	private readonly parser = createParser({
		onEvent: ({ event, data }) => this.read(event, data),
		onError: (error) => {
			if (error.type === 'max-buffer-size-exceeded') {
				// What came before may be whole.
				this.parser.reset();
				throw error;
			}
			// Gateways that fail after the headers write their JSON bare into the stream.
			if (error.line && JSON_START.test(error.line)) this.read(undefined, error.line);
		},
		maxBufferSize: MAX_EVENT_LENGTH,
	});
	private readonly decoder = new TextDecoder();
	/** The text that the current chunk adds. */
	private added: string[] = [];
	private readonly choices = new Map<number, ChoiceBuilder>();
	/** The top-level fields of the events: id, created, model, usage … the last that is not null. */
	private fields: JsonObject = {};
	private error: unknown;
	/** The stream said [DONE]: nothing follows, even when the connection stays open. */
	done = false;
	/** An event was not JSON: text may be missing, so the stream no longer counts as whole. */
	private damaged = false;
	/** A JSON body as far as it came; undefined while nothing but white space came, null for a stream. */
	private body: string | null | undefined;

	/**
	 * Takes the next bytes; returns the text they add, in order. A JSON body yields its text only in end(). Throws on an
	 * endless event.
	 */
	feed(chunk: Uint8Array): string[] {
		if (this.body === undefined) {
			const first = chunk.findIndex((byte) => !BLANK_BYTES.has(byte));
			if (first === -1) return [];
			this.body = chunk[first] === OPENING_BRACE ? '' : null;
			chunk = chunk.subarray(first);
		}
		const text = this.decoder.decode(chunk, { stream: true });
		if (this.body !== null) {
			this.body += text;
			return [];
		}
		this.added = [];
		this.parser.feed(text);
		return this.added;
	}

	/** Whether all of the reply has arrived: [DONE], a finish_reason of every choice, or a complete JSON body. */
	get whole(): boolean {
		if (typeof this.body === 'string') return parseJson(this.body) !== undefined;
		return !this.damaged && (this.done || this.finished);
	}

	private get finished(): boolean {
		const choices = [...this.choices.values()];
		return choices.length > 0 && choices.every((choice) => choice.finishReason);
	}

	/** Whether a stream ended with [DONE] alone, which gateways also send after their provider broke off. */
	get mayBeCutShort(): boolean {
		return this.done && ![...this.choices.values()].some(({ finishReason }) => finishReason);
	}

	/** Ends the stream and returns the reply. A body that breaks off before its end gives what was readable. */
	end(): ChatReply {
		if (typeof this.body === 'string') {
			const text = this.body;
			// Behind an error, which is one line, some gateways end the answer as a stream, or write another one.
			const body = parseJson(text) ?? parseJson(text.split(BETWEEN_EVENTS, 1)[0]);
			return body === undefined ? { text: '', raw: text } : readChatReply(body);
		}
		// Ends the last line and its event.
		this.parser.feed('\n\n');
		const choices = [...this.choices].sort(([a], [b]) => a - b);
		return readChatReply({
			...this.fields,
			object: 'chat.completion',
			choices: choices.map(([index, choice]) => choice.build(index)),
			error: this.error,
		});
	}

	/** Takes the data of one event. */
	private read(event: string | undefined, data: string): void {
		// What comes behind a whole answer and its end takes nothing from it.
		if (this.done && this.finished) return;
		if (data.trim() === '[DONE]') {
			this.done = true;
			return;
		}
		const value = parseJson(data);
		const lines = value === undefined ? data.split(BETWEEN_EVENTS) : [];
		if (lines.length > 1) return lines.forEach((line) => this.read(event, line));
		if (event === 'error') this.error ??= objectIn(value).error ?? value ?? data;
		if (!isRecord(value)) {
			// A keep-alive may be any word, but broken JSON had content.
			if (JSON_START.test(data)) this.damaged = true;
			return;
		}
		const { choices, error, ...fields } = value;
		if (error || fields.object === 'error') this.error ??= error ?? fields;
		for (const [name, field] of Object.entries(fields)) {
			if (field !== null && event !== 'error') this.fields[name] = field;
		}
		for (const item of arrayIn(choices)) {
			const choice = objectIn(item);
			const index = typeof choice.index === 'number' ? choice.index : 0;
			let builder = this.choices.get(index);
			if (!builder) this.choices.set(index, (builder = new ChoiceBuilder()));
			const text = builder.add(choice);
			// Of several choices, the first is the reply; the others are in raw.
			if (index === 0 && text !== '') this.added.push(text);
		}
	}
}

/** Far more than any chat delta, in UTF-16 units; without a bound, a stream that never ends its line would fill the memory. */
const MAX_EVENT_LENGTH = 1024 * 1024;

const JSON_START = /^\s*\[?\{/;

/** Some gateways leave out the blank lines between events, and write their error right behind one. */
const BETWEEN_EVENTS = /\n|(?<=\})\s*(?:data:\s*)?(?=\{|\[DONE\])/;

/** White space of JSON, and the three bytes of a byte order mark. */
const BLANK_BYTES = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const OPENING_BRACE = 0x7b;
