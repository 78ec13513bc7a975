import { type Content, pieces, type Sound } from './sound';

/** MPEG-2 layer III, 24 kHz, 64 kbit/s, mono. */
export const FRAME_BYTES = 192;
const FRAME_SAMPLES = 576;
const FRAMES_PER_CHUNK = 50;

/** Samples that LAME puts in front of the sound, and those that every decoder adds. */
const ENCODER_DELAY = 576;
const DECODER_DELAY = 529;

/** LAME's header: MPEG-2 mono has 9 bytes of side information behind the 4 bytes of frame header. */
const INFO_AT = 13;
const LAME_AT = INFO_AT + 120;

/** CRC-16 (polynomial 0x8005, reflected) as used in LAME's header. */
function crc16(bytes: Buffer): number {
	let crc = 0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
	}
	return crc;
}

/** ID3v2.4 with one TSSE frame, as ffmpeg writes it. */
function id3(): Buffer {
	const text = Buffer.from('\x03Lavf60.16.100\0', 'latin1');
	const frame = Buffer.alloc(10);
	frame.write('TSSE', 'latin1');
	frame.writeUInt32BE(text.length, 4); // below 128, so also right as a synchsafe number
	const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 10 + text.length]);
	return Buffer.concat([tag, frame, text]);
}

/** The first frame: silence whose body is an Info header with counts, seek table and gapless numbers, as LAME writes it. */
function infoFrame({ samples, piece }: Sound, frames: number): Buffer {
	const frame = Buffer.alloc(FRAME_BYTES);
	piece(0).copy(frame, 0, 0, 4);
	frame.write('Info', INFO_AT, 'latin1');
	frame.writeUInt32BE(0xf, INFO_AT + 4); // frames, bytes, seek table and quality follow
	frame.writeUInt32BE(frames, INFO_AT + 8);
	frame.writeUInt32BE((frames + 1) * FRAME_BYTES, INFO_AT + 12);
	for (let i = 0; i < 100; i++) frame[INFO_AT + 16 + i] = Math.floor((i * 256) / 100);
	frame.writeUInt32BE(50, INFO_AT + 116);
	frame.write('LAME3.100', LAME_AT, 'latin1');
	frame[LAME_AT + 9] = 1; // tag revision 0, constant bit rate
	frame[LAME_AT + 20] = 64; // kbit/s
	const padding = frames * FRAME_SAMPLES - ENCODER_DELAY - samples;
	frame.writeUIntBE(ENCODER_DELAY * 4096 + padding, LAME_AT + 21, 3);
	frame.writeUInt32BE((frames + 1) * FRAME_BYTES, LAME_AT + 28);
	// The CRC of the music itself stays 0: no decoder reads it, and it would need all of a huge file in advance.
	frame.writeUInt16BE(crc16(frame.subarray(0, FRAME_BYTES - 2)), FRAME_BYTES - 2);
	return frame;
}

/** An MP3 file: ID3v2 tag, Info header, frames. */
export function mp3(sound: Sound): Content {
	const frames = Math.ceil((sound.samples + ENCODER_DELAY + DECODER_DELAY) / FRAME_SAMPLES);
	const head = Buffer.concat([id3(), infoFrame(sound, frames)]);
	return {
		length: head.length + frames * FRAME_BYTES,
		*chunks() {
			yield head;
			for (let i = 0; i < frames; i += FRAMES_PER_CHUNK)
				yield Buffer.concat(pieces(sound, i, Math.min(FRAMES_PER_CHUNK, frames - i)));
		},
	};
}
