/** The comment header of Ogg Opus (RFC 7845, section 5.2): a vendor and any number of `KEY=value`, in UTF-8. */
import { concat, uint32sLe, utf8 } from '../bytes';
import { MAX_SEGMENTS, oggPage } from './page';
import { CONTINUED } from './reader';
import { segmentsOf } from './tally';

const VENDOR = 'speech-gateway';
/** Bytes in a segment, at most. */
const SEGMENT_BYTES = 255;
/** Granule position of a page on which no packet ends. */
const NO_POSITION = -1;

/**
 * The OpusTags packet, lengths little endian:
 *
 *     "OpusTags" · length and vendor · number of comments · length and text of each comment
 */
export function opusTags(comments: string[]): Uint8Array {
	const counted = (text: string) => {
		const bytes = utf8(text);
		return [uint32sLe(bytes.length), bytes];
	};
	return concat([
		utf8('OpusTags'),
		...counted(VENDOR),
		uint32sLe(comments.length),
		...comments.flatMap(counted),
	]);
}

/** The pages of one header packet, which may be longer than a page; the first has the number 1. */
export function headerPages(packet: Uint8Array): Uint8Array[] {
	const pages: Uint8Array[] = [];
	const segments = segmentsOf(packet.length);
	for (let from = 0; from < segments; from += MAX_SEGMENTS) {
		const isLast = from + MAX_SEGMENTS >= segments;
		const lacing = new Uint8Array(Math.min(MAX_SEGMENTS, segments - from)).fill(SEGMENT_BYTES);
		if (isLast) lacing[lacing.length - 1] = packet.length % SEGMENT_BYTES;
		const start = from * SEGMENT_BYTES;
		pages.push(
			oggPage({
				number: pages.length + 1,
				flags: from > 0 ? CONTINUED : 0,
				position: isLast ? 0 : NO_POSITION,
				lacing,
				body: [packet.subarray(start, start + MAX_SEGMENTS * SEGMENT_BYTES)],
			}),
		);
	}
	return pages;
}
