/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** A gateway whose chat stream is in the hands of the test: each piece is sent when the test says so. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { startHttp } from './hostileServers';

export interface HeldChat {
	url: string;
	/** Requests seen so far. */
	requests(): number;
	/** The next answer: headers are sent, the body is the test's. */
	answer(): Promise<HeldAnswer>;
	close(): Promise<void>;
}

export interface HeldAnswer {
	/** Sends one text delta as an event. */
	say(text: string): void;
	/** Sends bytes as they are. */
	write(bytes: string | Uint8Array): void;
	/** Ends as a whole stream does. */
	finish(): void;
	/** Ends the response as if that were all. */
	end(): void;
	/** Breaks the connection. */
	breakOff(): void;
	/** Resolves when the client has gone. */
	closed: Promise<unknown>;
}

export const delta = (text: string): string =>
	`data: ${JSON.stringify({ model: 'held', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;

const FINISH = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

/** Starts it on loopback, on a free port. */
export async function startHeldChat(
	contentType = 'text/event-stream; charset=utf-8',
): Promise<HeldChat> {
	const waiting: HeldAnswer[] = [];
	const takers: Array<(answer: HeldAnswer) => void> = [];
	const { port, seen, close } = await startHttp((_request, response) => {
		response.writeHead(200, { 'content-type': contentType }).flushHeaders();
		const answer = hold(response);
		const taker = takers.shift();
		if (taker) taker(answer);
		else waiting.push(answer);
	});
	return {
		url: `http://127.0.0.1:${port}`,
		requests: () => seen.length,
		answer: async () =>
			waiting.shift() ?? (await new Promise<HeldAnswer>((resolve) => takers.push(resolve))),
		close,
	};
}

const hold = (response: ServerResponse): HeldAnswer => ({
	say: (text) => void response.write(delta(text)),
	write: (bytes) => void response.write(bytes),
	finish: () => void response.end(FINISH),
	end: () => void response.end(),
	breakOff: () => void response.socket?.destroy(),
	closed: once(response, 'close'),
});
