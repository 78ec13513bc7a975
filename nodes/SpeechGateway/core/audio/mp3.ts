/**
 * MPEG-1, -2 and -2.5 audio, layer III. Written after ISO/IEC 11172-3 and 13818-3 (frame header), id3.org (ID3v1, ID3v2),
 * the APEv2 description, and the Xing, LAME and VBRI header descriptions.
 */
import { BlockReader, concat, hasText, putText, uint32be, uint32le } from './bytes';
import type { AudioReader, BaseInfo } from './format';
import { DamagedAudioError } from './format';
import type { Emit, JoinPlan } from './joiner';
import { assertSame, Joiner } from './joiner';

/** kbit/s by bitrate index; 0 is free format and 15 is forbidden. */
const BITRATES_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES_MPEG1 = [44_100, 48_000, 32_000];

const FRAME_HEADER_BYTES = 4;
/** Header bits that are the same in all frames of a file: sync, version, layer, sample rate. */
const STREAM_MASK = 0xfffe0c00;
/** Bits that a frame made here takes over from the stream: these, bitrate, and channel mode. */
const TEMPLATE_MASK = (STREAM_MASK | 0x0000f0c0) >>> 0;
const NO_CRC_BIT = 0x00010000;
const ID3_HEADER_BYTES = 10;
const ID3V1_BYTES = 128;
/** ID3v1 with the "TAG+" extension in front. */
const ID3V1_EXTENDED_BYTES = 227 + ID3V1_BYTES;
const APE_HEADER_BYTES = 32;
/** Xing or Info: name, flags, frames, bytes, table of contents, quality. */
const XING_BYTES = 4 + 4 + 4 + 4 + 100 + 4;
/** What LAME appends to it, and where in there the encoder's delay and padding stand (12 bits each). */
const LAME_BYTES = 36;
const LAME_DELAY_OFFSET = 21;
/** Encoders whose delay and padding decoders (ffmpeg, mpg123, browsers) act upon. */
const LAME_NAMES = ['LAME', 'Lavf', 'Lavc'];
/** Samples by which every decoder lags; they are cut off together with the encoder's delay. */
const DECODER_DELAY = 529;
/**
 * The longest stretch that may be passed over in search of the next frame. Some of the longest frames (1,441 bytes), so
 * that one destroyed frame does not cost the file, but no long stretch of audio goes missing.
 */
const MAX_RUBBISH_BYTES = 16 * 1024;
/** Entries of the seek table, at most. The table of contents made from it has 100 entries of 1/256 of the file. */
const MAX_SEEK_POINTS = 64;

const NEED_MORE = -1;

export interface Mp3Info extends BaseInfo {
	format: 'mp3';
	frames: number;
	/** Header of the first frame. */
	header: number;
	/** kbit/s, or 0 when it varies. */
	bitrate: number;
	/** Byte positions, in the audio data, of every `seekInterval`th frame. Empty at a constant bitrate. */
	seekPositions: number[];
	seekInterval: number;
	/** What the encoder says it added before and after the sound, in samples; null when it does not say. */
	gapless: Gapless | null;
}

interface Gapless {
	delay: number;
	padding: number;
}

/** What a frame header says, for valid headers. */
interface Frame {
	mpeg1: boolean;
	mono: boolean;
	bitrate: number;
	sampleRate: number;
	samples: number;
	bytes: number;
}

function parseHeader(header: number): Frame {
	const version = (header >>> 19) & 3;
	const mpeg1 = version === 3;
	const bitrate = (mpeg1 ? BITRATES_MPEG1 : BITRATES_MPEG2)[(header >>> 12) & 15];
	const divisor = mpeg1 ? 1 : version === 2 ? 2 : 4;
	const sampleRate = SAMPLE_RATES_MPEG1[(header >>> 10) & 3] / divisor;
	const samples = mpeg1 ? 1152 : 576;
	return {
		mpeg1,
		mono: ((header >>> 6) & 3) === 3,
		bitrate,
		sampleRate,
		samples,
		bytes: Math.floor((samples * bitrate * 125) / sampleRate) + ((header >>> 9) & 1),
	};
}

/** Whether these four bytes can begin a layer III frame that is not free format. */
export function isMp3FrameHeader(header: number): boolean {
	const bitrate = (header >>> 12) & 15;
	return isLayer3(header) && bitrate !== 0 && bitrate !== 15;
}

function isLayer3(header: number): boolean {
	return (
		header >>> 21 === 0x7ff &&
		((header >>> 19) & 3) !== 1 &&
		((header >>> 17) & 3) === 1 &&
		((header >>> 10) & 3) !== 3 &&
		// Emphasis 2 is reserved; refusing it makes false headers rarer.
		(header & 3) !== 2
	);
}

function sameStream(a: number, b: number): boolean {
	const monoA = ((a >>> 6) & 3) === 3;
	const monoB = ((b >>> 6) & 3) === 3;
	return ((a ^ b) & STREAM_MASK) === 0 && monoA === monoB;
}

/** Size of the side information, which lies between the frame header and the main data. */
function sideInfoBytes(frame: Pick<Frame, 'mpeg1' | 'mono'>): number {
	if (frame.mpeg1) return frame.mono ? 17 : 32;
	return frame.mono ? 9 : 17;
}

/** What a Xing, Info or VBRI header says of the file; 0 where it does not say. `bytes` includes the header's own frame. */
interface Claim {
	frames: number;
	bytes: number;
	gapless: Gapless | null;
}

/**
 * The claim of a Xing, Info or VBRI header, or undefined for a frame of audio. A header frame has empty side information,
 * which tells it from audio that has the same letters by chance.
 */
function readClaim(bytes: Uint8Array, at: number, frame: Frame): Claim | undefined {
	const xing = FRAME_HEADER_BYTES + sideInfoBytes(frame);
	const vbri = FRAME_HEADER_BYTES + 32;
	const isXing =
		frame.bytes >= xing + 16 &&
		(hasText(bytes, at + xing, 'Xing') || hasText(bytes, at + xing, 'Info'));
	const isVbri = frame.bytes >= vbri + 18 && hasText(bytes, at + vbri, 'VBRI');
	if (!isXing && !isVbri) return undefined;
	// From 6: a checksum may stand before the side information.
	for (let i = 6; i < (isXing ? xing : vbri); i++) {
		if (bytes[at + i] !== 0) return undefined;
	}
	if (isVbri) {
		return {
			frames: uint32be(bytes, at + vbri + 14),
			bytes: uint32be(bytes, at + vbri + 10),
			gapless: null,
		};
	}
	// Flags say which fields follow, in this order: frames, bytes, table of contents, quality.
	const flags = bytes[at + xing + 7];
	let field = at + xing + 8;
	const frames = (flags & 1) !== 0 ? uint32be(bytes, field) : 0;
	if ((flags & 1) !== 0) field += 4;
	const size = (flags & 2) !== 0 ? uint32be(bytes, field) : 0;
	if ((flags & 2) !== 0) field += 4;
	if ((flags & 4) !== 0) field += 100;
	if ((flags & 8) !== 0) field += 4;
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
function cutAtStart(gapless: Gapless | null): number {
	return gapless ? gapless.delay + DECODER_DELAY : 0;
}

/** Samples that a decoder cuts off the end. Its lag has pushed as many out of the file already. */
function cutAtEnd(gapless: Gapless | null): number {
	return gapless ? Math.max(0, gapless.padding - DECODER_DELAY) : 0;
}

function playingTime(frames: number, frame: Frame, gapless: Gapless | null): number {
	const samples = frames * frame.samples - cutAtStart(gapless) - cutAtEnd(gapless);
	return samples / frame.sampleRate;
}

/** Reads an MP3 file; passes whole frames of audio, in runs, to `onAudio`: no tags, no Xing header, no rubbish. */
export class Mp3Reader extends BlockReader implements AudioReader<Mp3Info> {
	private first = 0;
	private freeFormat = false;
	private frames = 0;
	private dataBytes = 0;
	private bitrate?: number;
	/** Size of all Xing, Info and VBRI frames. */
	private headerBytes = 0;
	private claim: Claim = { frames: 0, bytes: 0, gapless: null };
	/** Bytes of a tag still to be passed over. */
	private skip = 0;
	/** Bytes passed over since the last frame that are neither frame, tag nor zero. */
	private rubbish = 0;
	private seekPositions: number[] = [];
	private seekInterval = 1;

	constructor(private readonly onAudio: Emit = () => {}) {
		super();
	}

	end(): Mp3Info {
		this.finish();
		if (this.bytes === 0) throw new DamagedAudioError('The MP3 file is empty');
		if (this.skip > 0) {
			throw new DamagedAudioError(
				`The MP3 file is cut short: ${this.skip} bytes of a tag are missing`,
			);
		}
		if (this.frames === 0) {
			throw new DamagedAudioError(
				this.freeFormat
					? 'The MP3 file is in free format, which is not supported'
					: 'The file is not an MP3 file: no frame of audio was found',
			);
		}
		if (this.rubbish > 0) {
			throw new DamagedAudioError(
				`The MP3 file is damaged or cut short: its last ${this.rubbish} bytes are no audio`,
			);
		}
		// Some encoders count the header frame too: then the bytes are all there.
		const missing = this.claim.frames - this.frames;
		if (missing > 1 || (missing === 1 && this.claim.bytes > this.dataBytes + this.headerBytes)) {
			throw new DamagedAudioError(
				`The MP3 file is cut short: it has ${this.frames} of ${this.claim.frames} frames`,
			);
		}
		const frame = parseHeader(this.first);
		const gapless = this.gapless(frame);
		return {
			format: 'mp3',
			seconds: playingTime(this.frames, frame, gapless),
			bytes: this.bytes,
			dataBytes: this.dataBytes,
			sampleRate: frame.sampleRate,
			channels: frame.mono ? 1 : 2,
			frames: this.frames,
			header: this.first,
			bitrate: this.bitrate ?? 0,
			seekPositions: this.bitrate === 0 ? this.seekPositions : [],
			seekInterval: this.seekInterval,
			gapless,
		};
	}

	/** The encoder's delay and padding, unless they are of another file: of the first of several in a row. */
	private gapless(frame: Frame): Gapless | null {
		const { frames, gapless } = this.claim;
		if (!gapless || playingTime(this.frames, frame, gapless) <= 0) return null;
		if (frames === this.frames) return gapless;
		return frames === 0 ? { ...gapless, padding: 0 } : null;
	}

	protected read(bytes: Uint8Array, last: boolean): number {
		let at = 0;
		let run = 0; // where the frames not yet passed on begin
		const flush = () => {
			if (at > run) this.onAudio(bytes.subarray(run, at));
		};
		while (at < bytes.length) {
			if (this.skip > 0) {
				const skipped = Math.min(this.skip, bytes.length - at);
				this.skip -= skipped;
				at += skipped;
				run = at;
				continue;
			}
			const size = this.frameAt(bytes, at, last);
			if (size === NEED_MORE) break;
			if (size > 0) {
				const header = uint32be(bytes, at);
				const frame = parseHeader(header);
				const claim = readClaim(bytes, at, frame);
				this.rubbish = 0;
				if (claim === undefined) {
					this.count(header, frame);
					at += size;
				} else {
					flush();
					if (this.headerBytes === 0 || claim.frames > this.claim.frames) this.claim = claim;
					this.headerBytes += size;
					at += size;
					run = at;
				}
				continue;
			}
			flush();
			run = at;
			const passed = this.passOver(bytes, at, last);
			if (passed === NEED_MORE) break;
			this.skip = Math.max(0, at + passed - bytes.length);
			at += passed - this.skip;
			run = at;
		}
		flush();
		return at;
	}

	/**
	 * Size of the frame at this place, 0 when there is none, NEED_MORE when that cannot be told yet. A frame counts only
	 * when another frame, a tag, zeros or the end follows it.
	 */
	private frameAt(bytes: Uint8Array, at: number, last: boolean): number {
		const left = bytes.length - at;
		if (left < FRAME_HEADER_BYTES) return last ? 0 : this.want(FRAME_HEADER_BYTES);
		const header = uint32be(bytes, at);
		if (!isMp3FrameHeader(header)) {
			if (this.frames === 0 && this.rubbish === 0) this.freeFormat ||= isLayer3(header);
			return 0;
		}
		if (this.frames > 0 && !sameStream(header, this.first)) return 0;
		const size = parseHeader(header).bytes;
		if (left < size) {
			if (!last) return this.want(size + FRAME_HEADER_BYTES);
			if (this.rubbish > 0 || this.frames === 0) return 0;
			throw new DamagedAudioError(
				`The MP3 file is cut short: its last frame has ${left} of ${size} bytes`,
			);
		}
		if (left < size + FRAME_HEADER_BYTES) {
			return last ? size : this.want(size + FRAME_HEADER_BYTES);
		}
		const next = uint32be(bytes, at + size);
		const follows =
			(isMp3FrameHeader(next) && sameStream(next, header)) ||
			next >>> 24 === 0 ||
			hasText(bytes, at + size, 'TAG') ||
			hasText(bytes, at + size, 'ID3') ||
			hasText(bytes, at + size, 'APET');
		return follows ? size : 0;
	}

	/** Bytes of the tag, zeros or rubbish at this place (a tag may reach beyond what is there), or NEED_MORE. */
	private passOver(bytes: Uint8Array, at: number, last: boolean): number {
		const left = bytes.length - at;
		if (bytes[at] === 0) {
			let end = at + 1;
			while (end < bytes.length && bytes[end] === 0) end++;
			return end - at;
		}
		if (!last && left < APE_HEADER_BYTES) return this.want(APE_HEADER_BYTES);
		const tag = tagBytes(bytes, at);
		if (tag > 0) return tag;
		const next = bytes.indexOf(0xff, at + 1);
		const end = next < 0 ? bytes.length : next;
		this.rubbish += end - at;
		if (this.rubbish > MAX_RUBBISH_BYTES) {
			throw new DamagedAudioError(
				this.frames === 0
					? 'The file is not an MP3 file: no frame of audio was found'
					: `The MP3 file is damaged: more than ${MAX_RUBBISH_BYTES} bytes after frame ${this.frames} are no audio`,
			);
		}
		return end - at;
	}

	private count(header: number, frame: Frame): void {
		if (this.frames === 0) {
			this.first = header;
			this.bitrate = frame.bitrate;
		} else if (this.bitrate !== frame.bitrate) {
			this.bitrate = 0;
		}
		if (this.frames % this.seekInterval === 0) {
			if (this.seekPositions.length === MAX_SEEK_POINTS) {
				this.seekPositions = this.seekPositions.filter((_, index) => index % 2 === 0);
				this.seekInterval *= 2;
			}
			this.seekPositions.push(this.dataBytes);
		}
		this.frames++;
		this.dataBytes += frame.bytes;
	}

	private want(bytes: number): typeof NEED_MORE {
		this.wanted = bytes;
		return NEED_MORE;
	}
}

/** Size of the ID3v1, ID3v2 or APE tag that begins here, 0 when none does. */
function tagBytes(bytes: Uint8Array, at: number): number {
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
export function isId3(bytes: Uint8Array, at: number): boolean {
	return (
		at + ID3_HEADER_BYTES <= bytes.length &&
		hasText(bytes, at, 'ID3') &&
		bytes[at + 3] !== 0xff &&
		bytes[at + 4] !== 0xff &&
		((bytes[at + 6] | bytes[at + 7] | bytes[at + 8] | bytes[at + 9]) & 0x80) === 0
	);
}

/**
 * Plans one MP3 file out of several of one MPEG version, sample rate and channel count: one Xing header (Info when the
 * bitrate is constant) and then the frames of all parts, none left out, none changed. The encoder's delay and padding are
 * cut off by decoders at both ends of the joined file; at the seams they play, as 25 to 75 ms of silence, since frames
 * depend on the ones before them. Pauses are silent frames, rounded to whole frames (24 ms at 24 kHz, 26.1 ms at 44.1 kHz).
 *
 * @throws Error on a mismatch
 */
export function planMp3(infos: Mp3Info[], pauseMilliseconds: number): JoinPlan<Mp3Info> {
	assertSame(infos, 'the sample rate', (info) => info.sampleRate);
	assertSame(infos, 'the number of channels', (info) => info.channels);
	const [first] = infos;
	const template = parseHeader(first.header);
	const silence = silentFrame(first.header);
	const pauseFrames = Math.round(
		(pauseMilliseconds / 1000) * (template.sampleRate / template.samples),
	);

	// A decoder that is told of a delay cuts off its own too, so without the first part's nothing is said.
	const gapless = first.gapless && {
		delay: first.gapless.delay,
		padding: infos[infos.length - 1].gapless?.padding ?? 0,
	};
	const starts: number[] = [];
	const offsets: Array<{ frame: number; byte: number }> = [];
	let frames = 0;
	let dataBytes = 0;
	infos.forEach((info, index) => {
		if (index > 0) {
			frames += pauseFrames;
			dataBytes += pauseFrames * silence.length;
		}
		const silent = cutAtStart(info.gapless) - cutAtStart(gapless);
		starts.push((frames * template.samples + silent) / template.sampleRate);
		offsets.push({ frame: frames, byte: dataBytes });
		frames += info.frames;
		dataBytes += info.dataBytes;
	});
	/** Byte at which a frame of the joined audio begins, as exactly as the seek tables say. */
	const position = (frame: number): number => {
		let index = offsets.length - 1;
		while (offsets[index].frame > frame) index--;
		const info = infos[index];
		const inPart = frame - offsets[index].frame;
		const inPause = Math.max(0, inPart - info.frames);
		return offsets[index].byte + positionInPart(info, inPart - inPause) + inPause * silence.length;
	};

	const bitrate = infos.every((info) => info.bitrate === first.bitrate) ? first.bitrate : 0;
	const header = xingFrame({
		header: first.header,
		name: bitrate > 0 ? 'Info' : 'Xing',
		frames,
		dataBytes,
		gapless,
		position,
	});
	const seekInterval = Math.ceil(frames / MAX_SEEK_POINTS);
	const info: Mp3Info = {
		format: 'mp3',
		seconds: playingTime(frames, template, gapless),
		bytes: header.length + dataBytes,
		dataBytes,
		sampleRate: first.sampleRate,
		channels: first.channels,
		frames,
		header: first.header,
		bitrate,
		seekPositions:
			bitrate > 0
				? []
				: Array.from({ length: Math.ceil(frames / seekInterval) }, (_, index) =>
						position(index * seekInterval),
					),
		seekInterval,
		gapless,
	};
	return {
		info,
		starts,
		createJoiner: () =>
			new Joiner(infos, {
				header: [header],
				createReader: (emit) => new Mp3Reader(emit),
				finishPart: (emit, part) => {
					if (part < infos.length - 1) repeated(silence, pauseFrames).forEach(emit);
				},
			}),
	};
}

/** Byte position of a frame within the audio data of one part. */
function positionInPart(info: Mp3Info, frame: number): number {
	if (info.seekPositions.length === 0) return Math.floor((info.dataBytes * frame) / info.frames);
	const index = Math.min(Math.floor(frame / info.seekInterval), info.seekPositions.length - 1);
	const isLast = index === info.seekPositions.length - 1;
	const from = info.seekPositions[index];
	const to = isLast ? info.dataBytes : info.seekPositions[index + 1];
	const start = index * info.seekInterval;
	const end = isLast ? info.frames : start + info.seekInterval;
	return Math.floor(from + ((to - from) * (frame - start)) / (end - start));
}

/** A frame that plays as silence: its side information is all zero, so it holds no spectrum and borrows no bits. */
function silentFrame(header: number): Uint8Array {
	const own = ((header & TEMPLATE_MASK) | NO_CRC_BIT) >>> 0;
	const bytes = new Uint8Array(parseHeader(own).bytes);
	new DataView(bytes.buffer).setUint32(0, own);
	return bytes;
}

/** The silent frame in front of the audio that tells players how long the file is, where to seek, and what to cut off. */
function xingFrame(file: {
	header: number;
	name: 'Xing' | 'Info';
	frames: number;
	dataBytes: number;
	gapless: Gapless | null;
	position: (frame: number) => number;
}): Uint8Array {
	const at = FRAME_HEADER_BYTES + sideInfoBytes(parseHeader(file.header));
	// At a low bitrate the frame is too small: then this one frame takes the next bitrate that is not.
	let header = file.header;
	while (silentFrame(header).length < at + XING_BYTES + LAME_BYTES) header += 1 << 12;
	const bytes = silentFrame(header);
	const view = new DataView(bytes.buffer);
	const total = bytes.length + file.dataBytes;
	putText(bytes, at, file.name);
	view.setUint32(at + 4, 15); // all four fields follow; the quality stays 0, the best
	view.setUint32(at + 8, file.frames);
	view.setUint32(at + 12, total);
	for (let percent = 0; percent < 100; percent++) {
		const byte = bytes.length + file.position(Math.floor((file.frames * percent) / 100));
		bytes[at + 16 + percent] = Math.min(255, Math.floor((256 * byte) / total));
	}
	if (file.gapless) {
		const lame = at + XING_BYTES;
		putText(bytes, lame, 'LAME');
		view.setUint32(
			lame + LAME_DELAY_OFFSET,
			((file.gapless.delay << 12) | file.gapless.padding) * 256,
		);
		view.setUint32(lame + 28, total);
		view.setUint16(lame + 34, crc16(bytes.subarray(0, lame + 34)));
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

/** One frame many times, in pieces of up to about 64 KiB. */
function repeated(frame: Uint8Array, count: number): Uint8Array[] {
	const perPiece = Math.ceil((64 * 1024) / frame.length);
	const pieces: Uint8Array[] = [];
	for (let left = count; left > 0; left -= perPiece) {
		pieces.push(concat(Array.from({ length: Math.min(left, perPiece) }, () => frame)));
	}
	return pieces;
}
