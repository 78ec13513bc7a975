/** Tags around the audio of an MP3 file. Written after id3.org (ID3v1, ID3v2) and the APEv2 description. */
import { hasText, uint32le } from '../bytes';

const ID3_HEADER_BYTES = 10;
const ID3V1_BYTES = 128;
/** ID3v1 with the "TAG+" extension in front. */
const ID3V1_EXTENDED_BYTES = 227 + ID3V1_BYTES;
export const APE_HEADER_BYTES = 32;
/** Size of the ID3v1, ID3v2 or APE tag that begins here, 0 when none does. */
export function tagBytes(bytes: Uint8Array, at: number): number {
	if (hasText(bytes, at, 'TAG+')) return ID3V1_EXTENDED_BYTES;
	if (hasText(bytes, at, 'TAG')) return ID3V1_BYTES;
	if (isId3(bytes, at)) {
		// Four times seven bits; flag 0x10 announces a footer.
		const size =
			(bytes[at + 6] << 21) | (bytes[at + 7] << 14) | (bytes[at + 8] << 7) | bytes[at + 9];
		return ID3_HEADER_BYTES + size + ((bytes[at + 5] & 0x10) !== 0 ? ID3_HEADER_BYTES : 0);
	}
	if (hasText(bytes, at, 'APETAGEX') && at + APE_HEADER_BYTES <= bytes.length) {
		// The size counts the items and the footer, not the header; bit 29 of the flags says that this is the header.
		const isHeader = (bytes[at + 23] & 0x20) !== 0;
		return APE_HEADER_BYTES + (isHeader ? uint32le(bytes, at + 12) : 0);
	}
	return 0;
}

/** Whether an ID3v2 tag begins here. */
function isId3(bytes: Uint8Array, at: number): boolean {
	return (
		at + ID3_HEADER_BYTES <= bytes.length &&
		hasText(bytes, at, 'ID3') &&
		bytes[at + 3] !== 0xff &&
		bytes[at + 4] !== 0xff &&
		((bytes[at + 6] | bytes[at + 7] | bytes[at + 8] | bytes[at + 9]) & 0x80) === 0
	);
}
