/** The comment header of Ogg Opus (RFC 7845, section 5.2): a vendor and any number of `KEY=value`, in UTF-8. */
import { concat, uint32sLe, utf8 } from '../bytes';
import { CONTINUED, lacingOf, MAX_SEGMENTS, NO_GRANULE, oggPage } from './page';

const VENDOR = 'speech-gateway';
/** Bytes in a segment, at most. */
const SEGMENT_BYTES = 255;

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
	const lacing = lacingOf([packet]);
	for (let from = 0; from < lacing.length; from += MAX_SEGMENTS) {
		const isLast = from + MAX_SEGMENTS >= lacing.length;
		const start = from * SEGMENT_BYTES;
		pages.push(
			oggPage({
				number: pages.length + 1,
				flags: from > 0 ? CONTINUED : 0,
				position: isLast ? 0 : NO_GRANULE,
				lacing: lacing.subarray(from, from + MAX_SEGMENTS),
				body: [packet.subarray(start, start + MAX_SEGMENTS * SEGMENT_BYTES)],
			}),
		);
	}
	return pages;
}
