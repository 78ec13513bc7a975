/**
 * The header that an MP3 file carries in its first frame: Xing or Info, with LAME's part, or Fraunhofer's VBRI, whose bytes and
 * frames stand 10 and 14 bytes behind its name. Written after their descriptions. Numbers are big endian. Xing stands behind
 * the side information:
 *
 *      0  "Xing", or "Info" at a constant bitrate      LAME's part, 36 bytes behind the last field:
 *      4  flags: which of the fields follow             0  encoder, such as "LAME3.100"
 *      8  (flag 1) frames                              21  encoder delay and padding, 12 bits each
 *     12  (flag 2) bytes                               28  bytes of the file
 *     16  (flag 4) table of contents, 100 bytes        34  CRC-16 of all before it
 *    116  (flag 8) quality
 */
import { hasText, packed, uint32be, uint32sBe } from '../bytes';
import type { Frame } from './frame';
import { FRAME_HEADER_BYTES, parseHeader, raised, sideInfoBytes, silentFrame } from './frame';

/** Xing or Info: name, flags, frames, bytes, table of contents, quality. */
const XING_BYTES = 4 + 4 + 4 + 4 + 100 + 4;
/** What LAME appends to it, and where in there the encoder's delay and padding stand (12 bits each). */
const LAME_BYTES = 36;
const LAME_DELAY_OFFSET = 21;
/** Encoders whose delay and padding decoders (ffmpeg, mpg123, browsers) act upon. */
const LAME_NAMES = ['LAME', 'Lavf', 'Lavc'];
/** Samples by which every decoder lags; they are cut off together with the encoder's delay. */
export const DECODER_DELAY = 529;
/** What the encoder says it added before and after the sound, in samples. */
export interface Gapless {
	delay: number;
	padding: number;
	/** Of a slice of a joined file; padding is negative if the join cut into the sound. */
	isSlice?: boolean;
}

/** Where Fraunhofer's encoders put VBRI, whatever the size of the side information, and how much of it is read. */
const VBRI_OFFSET = FRAME_HEADER_BYTES + 32;
const VBRI_BYTES = 18;

/** What a Xing, Info or VBRI header says of the file; 0 where it does not say. `bytes` includes the header's own frame. */
export interface FileHeader {
	frames: number;
	bytes: number;
	gapless: Gapless | null;
}

/**
 * What such a header says, or undefined for a frame of audio. A header frame has empty side information, which tells
 * it from audio that has the same letters by chance.
 */
export function readFileHeader(
	bytes: Uint8Array,
	at: number,
	frame: Frame,
): FileHeader | undefined {
	const xing = FRAME_HEADER_BYTES + sideInfoBytes(frame);
	const isXing = hasText(bytes, at + xing, 'Xing') || hasText(bytes, at + xing, 'Info');
	const isVbri = hasText(bytes, at + VBRI_OFFSET, 'VBRI');
	if (!isXing && !isVbri) return undefined;
	const name = isXing ? xing : VBRI_OFFSET;
	if (frame.bytes < name + VBRI_BYTES) return undefined;
	// From 6: a checksum may stand before the side information.
	for (let i = 6; i < name; i++) if (bytes[at + i] !== 0) return undefined;
	if (isVbri) {
		const [size, frames] = [10, 14].map((field) => uint32be(bytes, at + VBRI_OFFSET + field));
		return { frames, bytes: size, gapless: null };
	}
	// Flags say which fields follow, in this order: frames, bytes, table of contents, quality.
	const flags = bytes[at + xing + 7];
	let field = at + xing + 8;
	const take = (flag: number, size: number) => {
		if ((flags & flag) === 0) return 0;
		field += size;
		return uint32be(bytes, field - size);
	};
	const [frames, size] = [take(1, 4), take(2, 4)];
	take(4, 100);
	take(8, 4);
	const hasLame =
		field + LAME_BYTES <= at + frame.bytes &&
		LAME_NAMES.some((name) => hasText(bytes, field, name));
	const delays = uint32be(bytes, field + LAME_DELAY_OFFSET) >>> 8;
	return {
		frames,
		bytes: size,
		gapless: hasLame ? { delay: delays >>> 12, padding: delays & 0xfff } : null,
	};
}

/** Samples that a decoder cuts off the beginning. */
export function cutAtStart(gapless: Gapless | null): number {
	return gapless ? gapless.delay + DECODER_DELAY : 0;
}

/** Samples that a decoder cuts off the end: the padding, less what its own lag has pushed out of the file. */
export function cutAtEnd(gapless: Gapless | null): number {
	if (!gapless) return 0;
	const silent = gapless.padding - DECODER_DELAY;
	return gapless.isSlice ? silent : Math.max(0, silent);
}

/** Seconds that a decoder plays of so many frames. */
export function playingTime(frames: number, frame: Frame, gapless: Gapless | null): number {
	const samples = frames * frame.samples - cutAtStart(gapless) - cutAtEnd(gapless);
	return samples / frame.sampleRate;
}

/** The silent frame in front of the audio that tells players how long the file is, where to seek, and what to cut off. */
export function xingFrame(file: {
	header: number;
	name: 'Xing' | 'Info';
	frames: number;
	dataBytes: number;
	gapless: Gapless | null;
	position: (frame: number) => number;
}): Uint8Array {
	const at = FRAME_HEADER_BYTES + sideInfoBytes(parseHeader(file.header));
	// At a low bitrate the frame is too small, so this one takes a higher bitrate.
	const hasRoom = (header: number) => silentFrame(header).length >= at + XING_BYTES + LAME_BYTES;
	const bytes = silentFrame(raised(file.header, hasRoom));
	const total = bytes.length + file.dataBytes;
	// All four fields follow; the quality stays 0, the best.
	bytes.set(packed(file.name, uint32sBe(15, file.frames, total)), at);
	for (let percent = 0; percent < 100; percent++) {
		const byte = bytes.length + file.position(Math.floor((file.frames * percent) / 100));
		bytes[at + 16 + percent] = Math.min(255, Math.floor((256 * byte) / total));
	}
	if (file.gapless) {
		const lame = at + XING_BYTES;
		bytes.set(packed('LAME'), lame);
		const { delay, padding } = file.gapless;
		bytes.set(uint32sBe(((delay << 12) | padding) * 256), lame + LAME_DELAY_OFFSET);
		bytes.set(uint32sBe(total), lame + 28);
		const crc = crc16(bytes.subarray(0, lame + 34));
		bytes.set([crc >>> 8, crc & 0xff], lame + 34);
	}
	return bytes;
}

/** CRC-16 (polynomial 0x8005, reflected) that ends LAME's part of the header. */
function crc16(bytes: Uint8Array): number {
	let crc = 0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc & 1) !== 0 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
	}
	return crc;
}
