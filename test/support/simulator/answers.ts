/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * What real gateways answered when they were run: new-api and one-api built from their sources, LiteLLM and Portkey as
 * published. Status, type, code and the shape of each body are theirs; of the words only those that tell one answer from
 * another, the rest are ours. The panics are from their sources; streams and audio after a break are as they were noted.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import type { Reply } from './exchange';
import type { SimRequest } from './world';

export interface RecordedAnswer {
	gateway: 'new-api' | 'one-api' | 'litellm' | 'portkey';
	/** Method and path, as `POST /v1/audio/speech`. */
	request: string;
	/** What brought it about, as `upstream 502, page` or `key used up`. */
	case: string;
	status: number;
	/** Lower-case names; `<id>` stands for an id that is new in each answer, as in the body; `<audio>` for its type. */
	headers: Record<string, string>;
	/** A string is sent as it is, anything else as JSON. `<half>` and `<whole>` stand for bytes of the audio asked for. */
	body: unknown;
	/** By the gateway's own books; `hold`: what it had set aside is kept. Absent: it was run without books. */
	charged?: 'no' | 'yes' | 'twice' | 'hold';
}

export const RECORDED: RecordedAnswer[] = readFileSync(
	path.join(__dirname, 'answers.jsonl'),
	'utf8',
)
	.trim()
	.split('\n')
	.map((line) => JSON.parse(line) as RecordedAnswer);

/** The body as it went over the wire, before any compression. */
export const wireBody = ({ body }: RecordedAnswer): string =>
	typeof body === 'string' ? body : JSON.stringify(body);

/** How often a recorded answer was charged; where nobody kept books, a success was. */
export const timesCharged = ({ charged, status }: RecordedAnswer): number =>
	({ no: 0, hold: 0, yes: 1, twice: 2 })[charged ?? (status < 300 ? 'yes' : 'no')];

/** Whether it cost anything, be it what had been set aside. */
export const isCharged = (answer: RecordedAnswer): boolean =>
	answer.charged === 'hold' || timesCharged(answer) > 0;

/** The recorded answer as this request gets it. `audio`: the reply in whose place it comes, for an answer with audio in it. */
export function recordedReply(
	answer: RecordedAnswer,
	{ requestId, headers: { 'accept-encoding': accepted = '' } }: SimRequest,
	audio?: Reply,
): Reply {
	const { 'content-type': contentType = '', ...headers } = Object.fromEntries(
		Object.entries(answer.headers).map(([name, value]) => [name, value.replace('<id>', requestId)]),
	);
	const text = wireBody(answer).replaceAll('<id>', requestId);
	if (audio && /<half>|<whole>/.test(text)) {
		const whole = bytesOf(audio.body);
		const pieces = text.split(/(<half>|<whole>)/).map((piece) => {
			if (piece === '<half>') return whole.subarray(0, Math.floor(whole.length / 4) * 2);
			return piece === '<whole>' ? whole : Buffer.from(piece);
		});
		return { headers, contentType: audio.contentType, ...inPieces(pieces) };
	}
	const isGzip = headers['content-encoding'] === 'gzip';
	if (isGzip && !accepted.includes('gzip')) delete headers['content-encoding'];
	const plain = Buffer.from(text);
	return {
		headers,
		contentType,
		status: answer.status,
		...(contentType.startsWith('text/event-stream')
			? inPieces(text.split(/(?<=\n\n)/).map((event) => Buffer.from(event)))
			: { body: isGzip && accepted.includes('gzip') ? gzipSync(plain) : plain }),
	};
}

export const bytesOf = (body: Reply['body']): Buffer =>
	typeof body === 'string' || Buffer.isBuffer(body)
		? Buffer.from(body)
		: Buffer.concat([...body.chunks()]);

/** Sent in chunks, each on its own. */
function inPieces(pieces: Buffer[]): Pick<Reply, 'body' | 'stream'> {
	const chunks = pieces.filter(({ length }) => length > 0);
	const length = chunks.reduce((sum, piece) => sum + piece.length, 0);
	return { body: { length, chunks: () => chunks }, stream: true };
}
