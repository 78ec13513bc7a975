/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/**
 * A gateway that misbehaves: a real HTTP server whose every test cell has an address of its own (`/cell/v1/…`), answers
 * well where it is not asked to misbehave, and counts what is sent to it and what stays open.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { renderAudio } from '../simulator/audio';

/** One request that is to be answered badly. */
export interface Exchange {
	request: IncomingMessage;
	response: ServerResponse;
	socket: Socket;
	/** What a gateway would answer. */
	good: Answer;
	/** The API key of the cell, for a gateway that repeats it. */
	key: string;
	/** Address of the cell, without /v1. */
	url: string;
}

export interface Answer {
	contentType: string;
	body: Buffer;
}

/** One cell of the table while it runs. */
export interface Cell {
	/** Whether the misbehaviour applies to a request, such as `POST /v1/audio/speech`. */
	target: RegExp;
	misbehave: (exchange: Exchange) => void;
	/** Method and path of every request that came, in order. */
	requests: string[];
	sockets: Set<Socket>;
}

export const KEY = 'sk/hostile+key="42"=';
export const JOB_ID = 'spj_hostile';
export const VIDEO_ID = 'video_hostile';

const audio = Buffer.concat([...renderAudio('Hello.', 1, 'mp3').chunks()]);
const json = (value: unknown): Answer => ({
	contentType: 'application/json',
	body: Buffer.from(JSON.stringify(value)),
});
const event = (delta: object, finish_reason: string | null = null) =>
	`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

const VOICE = { _id: 'voice_1', title: 'Anna', created_at: 1_700_000_000 };
const CHAT = {
	model: 'chat',
	choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
	usage: { total_tokens: 3 },
};
const ROUTES: Array<[RegExp, () => Answer]> = [
	[/^POST \/v1\/audio\/speech$/, () => ({ contentType: 'audio/mpeg', body: audio })],
	[/^POST \/v1\/audio\/speech\/jobs$/, () => json({ id: JOB_ID, status: 'pending' })],
	[/^GET .*\/content$/, () => ({ contentType: 'audio/mpeg', body: audio })],
	[/^GET \/v1\/audio\/speech\/jobs\//, () => json({ id: JOB_ID, status: 'completed' })],
	[/^POST \/v1\/audio\/voices$/, () => json(VOICE)],
	[/^GET \/v1\/audio\/voices/, () => json({ items: [VOICE] })],
	[/^DELETE /, () => json({ deleted: true })],
	[/^GET \/v1\/models$/, () => json({ data: [{ id: 'fish-speech' }] })],
	[/^POST \/v1\/videos$/, () => json({ id: VIDEO_ID, status: 'queued' })],
	[/^GET \/v1\/videos\//, () => json({ id: VIDEO_ID, status: 'completed' })],
];

function goodAnswer(request: string, body: string): Answer {
	if (request !== 'POST /v1/chat/completions')
		return (ROUTES.find(([route]) => route.test(request))?.[1] ?? (() => json({})))();
	if (!body.includes('"stream":true')) return json(CHAT);
	const events = [event({ content: 'Hi' }), event({}, 'stop'), 'data: [DONE]\n\n'];
	return {
		contentType: 'text/event-stream',
		body: Buffer.from(events.join('')),
	};
}

export class HostileGateway {
	url = '';
	private readonly cells = new Map<string, Cell>();
	private readonly server: Server;

	constructor() {
		this.server = createServer((request, response) => void this.serve(request, response));
		this.server.keepAliveTimeout = 0;
		this.server.requestTimeout = 0;
		this.server.on('clientError', (_, socket) => socket.destroy());
	}

	async listen(): Promise<this> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
		return this;
	}

	/** Opens a cell; its address is the base URL of a credential. */
	open(name: string, cell: Pick<Cell, 'target' | 'misbehave'>): Cell & { url: string } {
		const opened = { ...cell, requests: [], sockets: new Set<Socket>() };
		this.cells.set(name, opened);
		return Object.assign(opened, { url: `${this.url}/${name}` });
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		for (const { sockets } of this.cells.values()) for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const [, name = '', path = ''] = /^\/([^/]+)(\/[^?]*)?/.exec(request.url ?? '') ?? [];
		const cell = this.cells.get(name);
		if (!cell) return void response.writeHead(404).end();
		const { socket } = request;
		cell.sockets.add(socket);
		socket.on('error', () => undefined).once('close', () => cell.sockets.delete(socket));
		response.on('error', () => undefined);
		const chunks: Buffer[] = [];
		try {
			for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
		} catch {
			return;
		}
		const line = `${request.method} ${path}`;
		cell.requests.push(line);
		const good = goodAnswer(line, Buffer.concat(chunks).toString('latin1'));
		if (cell.target.test(line)) {
			const url = `${this.url}/${name}`;
			return cell.misbehave({ request, response, socket, good, key: KEY, url });
		}
		response.writeHead(200, { 'content-type': good.contentType }).end(good.body);
	}
}
