/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Simulator } from './simulator';

export type HeldAnswer = ReturnType<typeof hold>;

/** The answer to the next chat: its headers are sent; each piece of its body, when the test says so. */
export const holdNextChat = async (sim: Simulator): Promise<HeldAnswer> =>
	await new Promise((resolve) =>
		sim.fault({
			path: '/v1/chat/completions',
			answer(response) {
				response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
				resolve(hold(response));
			},
		}),
	);

const event = (choice: object) =>
	`data: ${JSON.stringify({ model: 'held', choices: [{ index: 0, ...choice }] })}\n\n`;

const hold = (response: ServerResponse) => ({
	/** Sends one text delta as an event. */
	say: (content: string) => void response.write(event({ delta: { content } })),
	/** Ends as a whole stream does. */
	finish: () => void response.end(`${event({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`),
	/** Ends the response as if that were all. */
	end: () => void response.end(),
	/** Breaks the connection. */
	breakOff: () => void response.socket?.destroy(),
	/** Resolves when the client has gone. */
	closed: once(response, 'close'),
});
