/**
 * Reads MP3 files: MPEG-1, -2 and -2.5 audio, layer III. There is no container: frames follow each other, each with its own
 * header, and programs put tags around them. A header has few certain bits, so it counts as a frame only where another
 * frame, a tag or the end follows it. A little that is neither is passed over; more is an error, as sound may be lost. One
 * frame may be a header of the whole file (`xing.ts`), and what it says is checked against what is there.
 */
import { concat, hasText, sum, uint32be } from '../bytes';
import { type AudioReader, type BaseInfo, DamagedAudioError } from '../format';
import type { Emit } from '../joiner';
import { leadIn, LevelTrack, type Limit } from '../levels';
import { BlockReader, ErrorWatch, NEED_MORE } from '../reader';
import { beginsTrailer, isMark, isTag, MARK_BYTES } from '../trailers';
import {
	type Frame,
	FRAME_HEADER_BYTES,
	frameLevel,
	isMp3FrameHeader,
	parseHeader,
	readMainData,
	sameStream,
} from './frame';
import { type FileHeader, cutAtStart, type Gapless, playingTime, readFileHeader } from './xing';

/**
 * Skip at most so many bytes to find the next frame: enough to survive one that is destroyed, too few to lose sound
 * unnoticed.
 */
const MAX_RUBBISH_BYTES = 16 * 1024;
const LONGEST_FRAME_BYTES = 1441;
/**
 * Bytes that some program left behind the last frame, at most; a cut frame, a tag or a message is more, or begins
 * otherwise.
 */
const MAX_STRAY_BYTES = 16;
/** First letters of JSON and HTML, and first byte of a frame. */
const NO_STRAY = [0x7b, 0x5b, 0x3c, 0xff];
/** Entries of the seek table, at most. The table of contents made from it has 100 entries of 1/256 of the file. */
const MAX_SEEK_POINTS = 64;
/** Frames remembered at the end: as many as the silence of a voice that trails off, 1.5 s at 24 kHz. */
const EDGE_FRAMES = 64;
/**
 * LAME adds 576 empty samples before the sound and at least as many after it: a whole frame of MPEG-2. Its header says so. A
 * streamed file has no header, but LAME signs the unused room in its last frames.
 */
const LAME_EDGES: Gapless = { delay: 576, padding: 576 };
const LAME_SIGNATURE = 'LAME3';
const SIGNED_FRAMES = 3;
/** Levels are upper bounds, so anything this far below the voice is certainly silence. */
const silentFrames: Limit = (quantile) => quantile(0.8) - 35;
/** Bytes behind a frame that tell what follows it. */
const NEXT_BYTES = MARK_BYTES;

/**
 * What is known of a whole MP3 file. Positions, and all sizes but `bytes`, are those of its audio frames, without
 * header frame and tags.
 */
export interface Mp3Info extends BaseInfo {
	format: 'mp3';
	frames: number;
	/** Header of the first frame, 32 bits. */
	header: number;
	/** kbit/s, or 0 when it varies. */
	bitrate: number;
	/** Byte positions, in the audio data, of every `seekInterval`th frame. Empty at a constant bitrate. */
	seekPositions: number[];
	seekInterval: number;
	/** Null when the encoder does not say. */
	gapless: Gapless | null;
	/** What the encoder added: `gapless`, or what the encoder is known to add. */
	edges: Gapless | null;
	/** Its header is of other frames, so players show another length. */
	isMisleading?: boolean;
	/** The second at which another stream begins within it, behind a frame that was cut. */
	beginsAnewAt?: number;
	/** Sizes of the last frames, `EDGE_FRAMES` at most. */
	tail: number[];
}

/**
 * Reads an MP3 file and passes runs of whole audio frames to `onAudio`: no tags, no Xing header, no rubbish. A reader with
 * `onAudio` is a second one, so it measures nothing again: its info has no pauses.
 */
export class Mp3Reader extends BlockReader implements AudioReader<Mp3Info> {
	private first = 0;
	private frames = 0;
	private dataBytes = 0;
	private bitrate?: number;
	/** The last bytes of the frames: enough to hold LAME's signature. */
	private ending = new Uint8Array(0);
	/** Size of all Xing and Info frames. */
	private headerBytes = 0;
	/** A header stands behind frames: it is of another file, and plays as silence. */
	private isMisleading = false;
	private fileHeader: FileHeader = { frames: 0, bytes: 0, gapless: null };
	/** Bytes since the last frame that are neither frame nor trailer. */
	private rubbish = 0;
	/** They are few, and no beginning of anything. */
	private isStray = false;
	/** All bytes since the last frame, and whether a frame that was cut may begin there. */
	private gap = 0;
	private isFrameCut = false;
	private beginsAnewAt?: number;
	/** The bytes at hand before this have been passed on, or are no audio. */
	private passedOn = 0;
	private readonly tail: number[] = [];
	private readonly track = new LevelTrack();
	private readonly errors = new ErrorWatch('MP3');
	private seekPositions: number[] = [];
	private seekInterval = 1;

	constructor(private readonly onAudio?: Emit) {
		super();
	}

	end(): Mp3Info {
		this.finish('MP3');
		const { bytes, dataBytes, frames, first, bitrate = 0, seekInterval, tail, track } = this;
		if (frames === 0) {
			throw new DamagedAudioError(
				'The file is not an MP3 file: no frame of audio was found',
				this.rubbish === 0,
			);
		}
		if (this.rubbish > 0 && !this.isStray) {
			throw new DamagedAudioError(
				`The MP3 file is damaged or cut short: its last ${this.rubbish} bytes are not audio`,
			);
		}
		// Some encoders count the header frame too: then the bytes are all there.
		const missing = this.fileHeader.frames - frames;
		if (missing > 1 || (missing === 1 && this.fileHeader.bytes > dataBytes + this.headerBytes)) {
			throw new DamagedAudioError(
				`The MP3 file is cut short: it has ${frames} of ${this.fileHeader.frames} frames`,
			);
		}
		const isMisleading =
			this.isMisleading || (this.fileHeader.frames > 0 && frames > this.fileHeader.frames + 1);
		const frame = parseHeader(first);
		const gapless = this.gapless(frame);
		const late = cutAtStart(gapless) / frame.sampleRate;
		const lastFrames = this.ending.slice(-sum(tail.slice(-SIGNED_FRAMES)));
		const isLame = Buffer.from(lastFrames).includes(LAME_SIGNATURE);
		return {
			format: 'mp3',
			seconds: playingTime(frames, frame, gapless),
			sampleRate: frame.sampleRate,
			channels: frame.mono ? 1 : 2,
			header: first,
			seekPositions: bitrate === 0 ? this.seekPositions : [],
			edges: gapless ?? (isLame && frame.samples === LAME_EDGES.delay ? LAME_EDGES : null),
			pauses: track.pauses(late),
			lead: leadIn(track, late),
			trail: track.trail(silentFrames),
			bytes,
			dataBytes,
			frames,
			bitrate,
			seekInterval,
			gapless,
			tail,
			beginsAnewAt: this.beginsAnewAt,
			...(isMisleading && { isMisleading }),
		};
	}

	/**
	 * The encoder's delay and padding, if the header that says them is this file's: where MP3 files were put one behind
	 * the other, its number of frames is that of one of them. Without a number, only the delay is certain.
	 */
	private gapless(frame: Frame): Gapless | null {
		const { frames, gapless } = this.fileHeader;
		if (!gapless || playingTime(this.frames, frame, gapless) <= 0) return null;
		if (frames === this.frames) return gapless;
		return frames === 0 ? { ...gapless, padding: 0 } : null;
	}

	protected override read(bytes: Uint8Array, last: boolean): number {
		this.passedOn = 0;
		const end = super.read(bytes, last);
		this.passOn(bytes, end, end);
		return end;
	}

	/** A frame of audio is counted, a header frame is read for what it says, and all else is passed over. */
	protected next(bytes: Uint8Array, at: number, last: boolean): number {
		const size = this.frameAt(bytes, at, last);
		if (size === NEED_MORE) return size;
		if (size > 0) {
			const header = uint32be(bytes, at);
			const frame = parseHeader(header);
			const fileHeader = readFileHeader(bytes, at, frame);
			if (this.gap > 0) this.endGap(fileHeader, frame, bytes, at);
			this.rubbish = 0;
			if (fileHeader === undefined) {
				this.count(header, frame, bytes, at);
				return size;
			}
			if (this.headerBytes === 0 || fileHeader.frames > this.fileHeader.frames)
				this.fileHeader = fileHeader;
			this.isMisleading ||= this.frames > 0;
			this.headerBytes += size;
			this.passOn(bytes, at, at + size);
			return size;
		}
		this.passOn(bytes, at, at);
		const passed = this.passOver(bytes, at, last);
		if (passed === NEED_MORE) return passed;
		this.passedOn = at + passed;
		// A cut frame takes bytes of the next stream for its own, up to the zeros that end a header frame.
		if (this.gap === 0) this.isFrameCut = bytes[at] === 0xff || bytes[at] === 0;
		this.gap += passed;
		return passed;
	}

	/** Passes on the frames up to `end`; the next ones begin at `from`. */
	private passOn(bytes: Uint8Array, end: number, from: number): void {
		const frames = bytes.subarray(this.passedOn, end);
		this.passedOn = from;
		if (frames.length === 0) return;
		this.errors.feed(frames);
		const ending = frames.subarray(-SIGNED_FRAMES * LONGEST_FRAME_BYTES);
		this.ending = concat([this.ending, ending]).slice(-SIGNED_FRAMES * LONGEST_FRAME_BYTES);
		this.onAudio?.(frames);
	}

	/** A frame that needs none before it, right after a cut one, begins another stream: the gateway's second try. */
	private endGap(
		fileHeader: FileHeader | undefined,
		frame: Frame,
		bytes: Uint8Array,
		at: number,
	): void {
		const isFirst = fileHeader !== undefined || readMainData(bytes, at).mainDataBegin === 0;
		const isCut = this.frames > 0 && this.isFrameCut && this.gap < LONGEST_FRAME_BYTES;
		if (isFirst && isCut) this.beginsAnewAt ??= (this.frames * frame.samples) / frame.sampleRate;
		this.gap = 0;
	}

	/**
	 * Size of the frame at this place, 0 when there is none, NEED_MORE when that cannot be told yet. A frame counts only
	 * when another frame, a trailer or the end follows it.
	 */
	private frameAt(bytes: Uint8Array, at: number, last: boolean): number {
		const left = bytes.length - at;
		if (left < FRAME_HEADER_BYTES) return last ? 0 : this.want(FRAME_HEADER_BYTES);
		const header = uint32be(bytes, at);
		if (!isMp3FrameHeader(header)) return 0;
		if (this.frames > 0 && !sameStream(header, this.first)) return 0;
		const size = parseHeader(header).bytes;
		if (left < size) {
			if (!last) return this.want(size + NEXT_BYTES);
			if (this.rubbish > 0 || this.frames === 0) return 0;
			throw new DamagedAudioError(
				`The MP3 file is cut short: its last frame has ${left} of ${size} bytes`,
			);
		}
		if (left < size + NEXT_BYTES && !last) return this.want(size + NEXT_BYTES);
		if (left < size + FRAME_HEADER_BYTES) return size;
		const next = uint32be(bytes, at + size);
		if (isMp3FrameHeader(next) && sameStream(next, header)) return size;
		const isLast = beginsTrailer(bytes, at + size) || this.isBeforeStray(bytes, at + size, last);
		if (isLast === NEED_MORE) return this.want(size + MAX_STRAY_BYTES + MARK_BYTES);
		return isLast && !hasTag(bytes, at, size) ? size : 0;
	}

	/** Whether a few bytes stand here that are nothing, and then a tag or the end of the file. */
	private isBeforeStray(bytes: Uint8Array, at: number, last: boolean): boolean | typeof NEED_MORE {
		if (this.frames === 0 || this.gap > 0 || NO_STRAY.includes(bytes[at])) return false;
		const left = bytes.length - at;
		if (left < MAX_STRAY_BYTES + MARK_BYTES && !last) return NEED_MORE;
		const most = Math.min(MAX_STRAY_BYTES, left);
		return Array.from({ length: most }, (_, before) => at + 1 + before).some(
			(end) => end === bytes.length || isTag(bytes, end),
		);
	}

	/** Bytes of the trailer or rubbish at this place (a tag may reach beyond what is there), or NEED_MORE. */
	private passOver(bytes: Uint8Array, at: number, last: boolean): number {
		const trailer = this.trailer(bytes, at, last);
		if (trailer !== 0) return trailer;
		let end = at + 1;
		const beginsTag = () => this.frames > 0 && isTag(bytes, end);
		while (end < bytes.length && bytes[end] !== 0xff && !hasText(bytes, end, 'A') && !beginsTag())
			end++;
		this.errors.feed(bytes.subarray(at, end));
		if (this.rubbish === 0) this.isStray = !NO_STRAY.includes(bytes[at]) && !isMark(bytes, at);
		this.rubbish += end - at;
		if (this.rubbish > MAX_STRAY_BYTES) this.isStray = false;
		if (this.rubbish > MAX_RUBBISH_BYTES) {
			throw new DamagedAudioError(
				this.frames === 0
					? 'The file is not an MP3 file: no frame of audio was found'
					: `The MP3 file is damaged: more than ${MAX_RUBBISH_BYTES} bytes after frame ${this.frames} are not audio`,
			);
		}
		return end - at;
	}

	/**
	 * Takes a frame into account. Of a file of any length, at most 64 seek points are kept: when they are full, every
	 * other one goes.
	 */
	private count(header: number, frame: Frame, bytes: Uint8Array, at: number): void {
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
		if (!this.onAudio) {
			this.track.add(frameLevel(bytes, at, header), frame.samples / frame.sampleRate);
		}
		if (this.tail.length === EDGE_FRAMES) this.tail.shift();
		this.tail.push(frame.bytes);
		this.frames++;
		this.dataBytes += frame.bytes;
	}
}

/** A frame that was cut takes bytes of a tag behind it for its own. */
function hasTag(bytes: Uint8Array, at: number, size: number): boolean {
	for (let byte = at + FRAME_HEADER_BYTES; byte < at + size; byte++)
		if (isTag(bytes, byte)) return true;
	return false;
}
