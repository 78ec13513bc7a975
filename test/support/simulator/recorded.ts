/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** Sends what was recorded of a real gateway. */
import { gzipSync } from 'node:zlib';

import { type RecordedAnswer, wireBody } from './answers';
import type { Reply } from './exchange';
import type { SimRequest } from './world';

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
		...{ headers, contentType, status: answer.status },
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
