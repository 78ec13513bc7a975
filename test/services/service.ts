/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type AudioFormat, renderAudio, type WavHeader } from '../support/simulator/audio';
import { PCM_SAMPLE_RATE } from '../support/simulator/audio/sound';

/** What a service answered when its own HTTP code was run, with its synthesizer or provider stubbed. */
export interface RecordedAnswer {
	service: string;
	/** Method and path, as `POST /v1/audio/speech`; `*`: any other. */
	request: string;
	/** What brought it about. */
	case: string;
	/** What was noted as it ran, without the bytes; the rest is as it was sent. */
	noted?: true;
	/** What must hold of a request; the first row of which all holds is the answer. */
	when?: When;
	status: number;
	/** Lower-case names; `<id>` stands for an id that is new in each answer, as in the body. */
	headers: Record<string, string>;
	/** A string is sent as it is, anything else as JSON. */
	body?: unknown;
	/** In place of `body`: hexadecimal bytes. */
	bytes?: string;
	/** In place of `body`: a melody of the text. */
	audio?: RecordedAudio;
	/** The connection dies in place of an end. */
	cut?: true;
}

/** `begins`, `says`: of the text; `longer`: than this many characters. Other names are fields of the body, null if absent. */
type When = Partial<{ key: 'wrong'; begins: string; says: string; longer: number }> &
	Record<string, unknown>;

interface RecordedAudio {
	/** What comes, whatever was asked for; absent: as asked. */
	format?: AudioFormat;
	/** Of a WAV; absent: as ffmpeg writes files. */
	header?: WavHeader;
	/** Samples a second of PCM. */
	rate?: number;
	/** How much of the text is spoken. */
	share?: number;
}

/** All rows of answers.jsonl, in their order. */
export const RECORDED: RecordedAnswer[] = readFileSync(
	path.join(__dirname, 'answers.jsonl'),
	'utf8',
)
	.trim()
	.split('\n')
	.map((line) => JSON.parse(line) as RecordedAnswer);

/** How long a text sounds: 850 characters a minute. */
const SECONDS_PER_CHARACTER = 60 / 850;

type Body = Record<string, unknown>;

/** One service, played from its rows on 127.0.0.1. */
export class PlayedService {
	readonly apiKey = 'sk-abc-of-this-one-xyz';
	/** `METHOD path` of each request. */
	readonly asked: string[] = [];
	/** Of the requests for speech. */
	readonly bodies: Body[] = [];
	private readonly rows: RecordedAnswer[];
	private readonly server = createServer((request, response) => void this.serve(request, response));

	/** `first`: rows that count before its own. */
	constructor(name: string, first: RecordedAnswer[] = []) {
		this.rows = [...first, ...RECORDED.filter(({ service }) => service === name)];
	}

	async listen(): Promise<this> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		return this;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
	}

	async close(): Promise<void> {
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await closed;
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const text = Buffer.concat(chunks).toString();
		const body = (request.method === 'POST' && text ? JSON.parse(text) : {}) as Body;
		const address = `${request.method} ${request.url?.split('?')[0]}`;
		this.asked.push(address);
		if (request.method === 'POST') this.bodies.push(body);
		const key = request.headers.authorization === `Bearer ${this.apiKey}` ? 'right' : 'wrong';
		const asked = { ...body, key };
		const here = this.rows.filter((row) => row.request === address);
		const candidates = here.length > 0 ? here : this.rows.filter((row) => row.request === '*');
		const row = candidates.find(({ when = {} }) => fits(asked, when));
		if (row) send(response, row, body);
		else response.writeHead(501).end(`Nobody knows what it answers to ${address} ${text}`);
	}
}

function fits(asked: Body, { begins, says, longer, format, ...rest }: When): boolean {
	const text = String(asked.input ?? '');
	return (
		(begins === undefined || text.startsWith(begins)) &&
		(says === undefined || text.includes(says)) &&
		(longer === undefined || text.length > longer) &&
		(format === undefined || asked.response_format === format) &&
		Object.entries(rest).every(([name, value]) => (asked[name] ?? null) === value)
	);
}

function send(response: ServerResponse, row: RecordedAnswer, asked: Body): void {
	const id = randomUUID();
	const headers = Object.entries(row.headers).map(([name, value]) => [
		name,
		value.replace('<id>', id),
	]);
	response.writeHead(row.status, Object.fromEntries(headers) as Record<string, string>);
	for (const chunk of chunksOf(row, asked, id)) response.write(chunk);
	if (row.cut) response.write('', () => response.destroy());
	else response.end();
}

function* chunksOf(
	{ body, bytes, audio }: RecordedAnswer,
	asked: Body,
	id: string,
): Iterable<Buffer> {
	if (audio) yield* melody(audio, String(asked.input), asked.response_format as AudioFormat);
	else if (bytes !== undefined) yield Buffer.from(bytes, 'hex');
	else {
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		if (text !== '') yield Buffer.from(text.replaceAll('<id>', id));
	}
}

/** Raw samples of another rate are a slower or quicker melody of the same length. */
function melody(
	{ format, header = 'list', rate = PCM_SAMPLE_RATE, share = 1 }: RecordedAudio,
	text: string,
	asked: AudioFormat = 'mp3',
): Iterable<Buffer> {
	const seconds = text.length * SECONDS_PER_CHARACTER * share * (rate / PCM_SAMPLE_RATE);
	return renderAudio(text, seconds, format ?? asked, header).chunks();
}
