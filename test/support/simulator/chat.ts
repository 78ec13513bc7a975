import { countTokens, price } from './billing';
import { ApiError } from './errors';
import { type Call, json, jsonBody, type Reply, type Work } from './exchange';
import { checkModel } from './models';

/** Seconds of the service for each token generated. */
const SECONDS_PER_TOKEN = 0.02;

interface Message {
	role: string;
	content?: string | Array<{ type: string; text?: string }> | null;
}

interface Tool {
	type: string;
	function: { name: string };
}

interface ToolCall {
	id: string;
	type: 'function';
	function: { name: string; arguments: string };
}

interface Answer {
	content: string[];
	toolCalls: ToolCall[];
	finishReason: 'stop' | 'length' | 'tool_calls';
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** The text of a message; of parts, their texts. */
export function textOf({ content }: Message): string {
	if (typeof content === 'string') return content;
	return (content ?? []).map(({ text }) => text ?? '').join('');
}

function badRequest(param: string, message: string): ApiError {
	return new ApiError(400, message, 'invalid_parameter', param);
}

function readMessages(value: unknown): Message[] {
	if (!Array.isArray(value) || value.length === 0) {
		throw badRequest('messages', 'messages must be an array of at least one message');
	}
	for (const message of value as Message[]) {
		if (!ROLES.includes(message?.role)) throw badRequest('messages', 'unknown role in messages');
		const { content } = message;
		if (typeof content !== 'string' && !Array.isArray(content) && message.role !== 'assistant') {
			throw badRequest('messages', 'content must be a string');
		}
	}
	return value as Message[];
}

/** Says back what it was told. "call tool NAME {json}" in the last message calls that tool, if it was offered. */
function answer(messages: Message[], tools: Tool[], maxTokens: number, id: string): Answer {
	const last = messages[messages.length - 1];
	const text = textOf(last);
	const wanted = /call tool ([\w-]+)\s*(\{[^]*\})?/i.exec(text);
	if (last.role === 'user' && wanted && tools.some((tool) => tool.function?.name === wanted[1])) {
		const call = { name: wanted[1], arguments: wanted[2] ?? '{}' };
		return {
			content: [],
			toolCalls: [{ id: `call_${id}`, type: 'function', function: call }],
			finishReason: 'tool_calls',
		};
	}
	const reply = last.role === 'tool' ? `The tool said: ${text}` : `You said: ${text}`;
	const tokens = reply.match(/\s*(?:[\u2e80-\u{10ffff}]|[^\s\u2e80-\u{10ffff}]{1,4})|\s+/gu) ?? [];
	return {
		content: tokens.slice(0, maxTokens),
		toolCalls: [],
		finishReason: tokens.length > maxTokens ? 'length' : 'stop',
	};
}

/** POST /v1/chat/completions, as JSON or as server-sent events. */
export function createChat(call: Call): Work {
	const { world, request } = call;
	const body = jsonBody(call);
	const model = checkModel(body.model, 'chat');
	const messages = readMessages(body.messages);
	const { max_tokens: max = body.max_completion_tokens, temperature, tools, stream } = body;
	if (max != null && !(Number.isInteger(max) && (max as number) > 0)) {
		throw badRequest('max_tokens', 'max_tokens must be a positive integer');
	}
	if (temperature != null && typeof temperature !== 'number') {
		throw badRequest('temperature', 'temperature must be a number');
	}
	if (tools != null && !Array.isArray(tools)) throw badRequest('tools', 'tools must be an array');

	const id = String(request.index);
	const reply = answer(messages, (tools as Tool[]) ?? [], (max as number) ?? Infinity, id);
	const said = reply.content.length || countTokens(JSON.stringify(reply.toolCalls));
	const asked = messages.reduce((sum, message) => sum + countTokens(textOf(message)), 0);
	const head = {
		id: `chatcmpl-${id}`,
		created: Math.floor(request.at / 1000),
		model,
	};
	const usage = {
		prompt_tokens: asked,
		completion_tokens: said,
		total_tokens: asked + said,
	};
	const { latencyMs, timeScale, multiplier } = world.options;
	const latency = typeof latencyMs === 'function' ? latencyMs(request) : latencyMs;
	const includeUsage =
		(body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true;
	return {
		milliseconds: latency ?? said * SECONDS_PER_TOKEN * timeScale * 1000,
		limited: stream !== true,
		price: price.chat(request.input ?? '', asked + said, multiplier),
		reply: () =>
			stream === true
				? events(head, reply, includeUsage ? usage : undefined)
				: json(completion(head, reply, usage)),
	};
}

function completion(head: object, { content, toolCalls, finishReason }: Answer, usage: object) {
	const calls = toolCalls.length > 0;
	const message = {
		role: 'assistant',
		content: calls ? null : content.join(''),
		...(calls && { tool_calls: toolCalls }),
	};
	const choice = { index: 0, message, logprobs: null, finish_reason: finishReason };
	return { ...head, object: 'chat.completion', choices: [choice], usage };
}

/** One event a token, then the reason to stop, the usage if asked for, and `[DONE]`. */
function events(head: object, { content, toolCalls, finishReason }: Answer, usage?: object): Reply {
	const chunk = (delta: object, reason: string | null = null) => ({
		...head,
		object: 'chat.completion.chunk',
		choices: [{ index: 0, delta, finish_reason: reason }],
	});
	const called = toolCalls.flatMap(({ id, type, function: { name, arguments: args } }, index) => [
		chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
		...[args.slice(0, 5), args.slice(5)].map((piece) =>
			chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
		),
	]);
	const items = [
		chunk({ role: 'assistant', content: '' }),
		...content.map((token) => chunk({ content: token })),
		...called,
		chunk({}, finishReason),
		...(usage ? [{ ...head, object: 'chat.completion.chunk', choices: [], usage }] : []),
	];
	const lines = [...items.map((item) => JSON.stringify(item)), '[DONE]'].map((data) =>
		Buffer.from(`data: ${data}\n\n`),
	);
	return {
		contentType: 'text/event-stream; charset=utf-8',
		body: { length: lines.reduce((sum, line) => sum + line.length, 0), chunks: () => lines },
		stream: true,
	};
}
