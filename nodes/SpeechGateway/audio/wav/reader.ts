/** RIFF WAVE. Written after Microsoft's "Multimedia Programming Interface and Data Specifications 1.0" and RFC 2361. */
import { BlockReader, hasText, nameAt, uint16le, uint32le } from '../bytes';
import { ErrorWatch } from '../errorWatch';
import { type AudioReader, type BaseInfo, DamagedAudioError } from '../format';
import type { Emit } from '../joiner';
import { SampleTrack } from '../sampleTrack';
import { MARK_BYTES, NEED_MORE, trailerBytes } from '../trailer';

/** Sample encodings with a fixed number of bytes per sample, by format tag, and the byte that is silence in them. */
export const ENCODINGS: Record<number, { name: string; silence: number }> = {
	1: { name: 'PCM', silence: 0 },
	3: { name: 'float', silence: 0 },
	6: { name: 'A-law', silence: 0xd5 },
	7: { name: 'mu-law', silence: 0xff },
};
const EXTENSIBLE = 0xfffe;
/** Where the real format tag of WAVE_FORMAT_EXTENSIBLE stands: the first bytes of its sub-format GUID. */
const EXTENSIBLE_TAG_OFFSET = 24;
const RIFF_HEADER_BYTES = 12;
export const CHUNK_HEADER_BYTES = 8;
/** The longest fmt chunk in use is 40 bytes; anything much longer is no WAV. */
const MAX_FMT_BYTES = 1024;
/**
 * Programs that stream do not know the size yet, so they write 0 or far too much (pocket-tts 2,000,000,000, SoX 0x7FFFF000, ffmpeg
 * 0xFFFFFFFF). Such data end where the file ends.
 */
const STREAMING_SIZE = 1_000_000_000;
const isStreamingSize = (size: number): boolean => size === 0 || size > STREAMING_SIZE;
export interface WavInfo extends BaseInfo {
	format: 'wav';
	bitsPerSample: number;
	/** Format tag: 1 PCM, 3 float, 6 A-law, 7 mu-law; never 0xFFFE. */
	encoding: number;
}

export type WavShape = Pick<WavInfo, 'sampleRate' | 'channels' | 'bitsPerSample' | 'encoding'>;

/** What is known of the samples while they are read. */
interface Samples {
	shape: WavShape;
	track?: SampleTrack;
}

/** A chunk being read, and how many of its bytes are still to come. */
interface Chunk {
	id: string;
	left: number;
	/** Of the data chunk. */
	samples?: Samples;
}

/** Bytes of one sample of each channel. */
export function bytesPerSampleFrame(shape: WavShape): number {
	return (shape.channels * shape.bitsPerSample) / 8;
}

/** What ffmpeg calls the encoding. */
export function wavCodec({ encoding, bitsPerSample }: WavShape): string {
	if (encoding === 6) return 'pcm_alaw';
	if (encoding === 7) return 'pcm_mulaw';
	if (encoding === 1 && bitsPerSample === 8) return 'pcm_u8';
	return `pcm_${encoding === 3 ? 'f' : 's'}${bitsPerSample}le`;
}

/**
 * The fmt chunk, numbers little endian:
 *
 *      0  format tag                14  bits per sample
 *      2  channels                  16  length of the extension; of WAVE_FORMAT_EXTENSIBLE, 22:
 *      4  sample rate               18  valid bits per sample
 *      8  bytes per second          20  channel mask
 *     12  block align: the bytes    24  sub-format GUID, which begins with the real format tag
 *         of all channels' samples
 */
function parseFmt(bytes: Uint8Array, at: number, size: number): WavShape {
	let encoding = uint16le(bytes, at);
	if (encoding === EXTENSIBLE && size >= EXTENSIBLE_TAG_OFFSET + 2) {
		encoding = uint16le(bytes, at + EXTENSIBLE_TAG_OFFSET);
	}
	const shape = {
		encoding,
		channels: uint16le(bytes, at + 2),
		sampleRate: uint32le(bytes, at + 4),
		bitsPerSample: uint16le(bytes, at + 14),
	};
	if (!ENCODINGS[encoding]) {
		throw new DamagedAudioError(
			`The WAV file has an unsupported codec (format tag 0x${encoding.toString(16)})`,
		);
	}
	const frameBytes = bytesPerSampleFrame(shape);
	if (
		shape.sampleRate === 0 ||
		frameBytes === 0 ||
		shape.bitsPerSample % 8 !== 0 ||
		frameBytes !== uint16le(bytes, at + 12)
	) {
		throw new DamagedAudioError('The WAV file has a damaged fmt chunk');
	}
	return shape;
}

/** Reads a WAV file; passes the bytes of its samples to `onAudio`. */
export class WavReader extends BlockReader implements AudioReader<WavInfo> {
	private started = false;
	/** Where the file ends, as it says; 0 if that was not known when it began. */
	private statedEnd = 0;
	/** Nor was it known where its data end. */
	private streamed = false;
	private shape?: WavShape;
	private chunk?: Chunk;
	private samples?: Samples;
	private dataBytes = 0;
	private readonly errors = new ErrorWatch('WAV');

	constructor(private readonly onAudio: Emit = () => {}) {
		super();
	}

	end(): WavInfo {
		this.finish('WAV');
		if (!this.started) throw new DamagedAudioError('The WAV file is cut short in its header');
		const { chunk, samples } = this;
		if (chunk && chunk.left > 0 && !(this.streamed && chunk.samples)) {
			throw new DamagedAudioError(
				`The WAV file is cut short: ${chunk.left} bytes of its ${chunk.id.trim()} chunk are missing`,
			);
		}
		if (!samples) {
			throw new DamagedAudioError(
				`The WAV file is cut short: it has no ${this.shape ? 'data' : 'fmt'} chunk`,
			);
		}
		if (this.dataBytes === 0) throw new DamagedAudioError('The WAV file holds no samples');
		if (this.streamed && this.bytes < this.statedEnd) {
			throw new DamagedAudioError(
				`The WAV file is cut short: ${this.statedEnd - this.bytes} of its bytes are missing`,
			);
		}
		const frameBytes = bytesPerSampleFrame(samples.shape);
		if (this.dataBytes % frameBytes !== 0) {
			throw new DamagedAudioError(
				`The WAV file is cut short: ${this.dataBytes} bytes of data are not a whole number of samples of ${frameBytes} bytes`,
			);
		}
		const { bytes, dataBytes } = this;
		const { shape, track } = samples;
		const seconds = dataBytes / frameBytes / shape.sampleRate;
		return { format: 'wav', seconds, bytes, dataBytes, ...shape, pauses: track?.pauses() };
	}

	protected read(bytes: Uint8Array, last: boolean): number {
		let at = 0;
		while (at < bytes.length) {
			const used = this.readNext(bytes, at, last);
			if (used === 0) break;
			at += used;
		}
		return at;
	}

	/** Reads on and returns the bytes used; 0 when more are needed. */
	private readNext(bytes: Uint8Array, at: number, last: boolean): number {
		if (!this.started) return this.readRiff(bytes, at);
		const { chunk } = this;
		return chunk && chunk.left > 0
			? this.readChunk(chunk, bytes, at, last)
			: this.readChunkHeader(bytes, at, last);
	}

	/** Reads on within a chunk and returns the bytes used; 0 when more are needed. */
	private readChunk(chunk: Chunk, bytes: Uint8Array, at: number, last: boolean): number {
		const { samples } = chunk;
		const atMost = at + chunk.left;
		let end = Math.min(bytes.length, atMost);
		if (samples && this.streamed && atMost > bytes.length) {
			end -= (end - at) % bytesPerSampleFrame(samples.shape);
			if (!last && end === at) return this.want(bytes.length - at + 1);
			// A line break that a script left there is no sample.
			const isBreak = bytes.subarray(end).every((byte) => byte === 0x0a || byte === 0x0d);
			if (last && !isBreak) end = bytes.length;
		}
		if (samples) {
			this.dataBytes += end - at;
			const audio = bytes.subarray(at, end);
			this.errors.feed(audio);
			samples.track?.feed(audio);
			this.onAudio(audio);
		}
		chunk.left -= end - at;
		return (last ? Math.min(bytes.length, atMost) : end) - at;
	}

	private readRiff(bytes: Uint8Array, at: number): number {
		if (bytes.length - at < RIFF_HEADER_BYTES) return this.want(RIFF_HEADER_BYTES);
		if (!hasText(bytes, at, 'RIFF') || !hasText(bytes, at + 8, 'WAVE')) {
			throw new DamagedAudioError(
				'The file is not a WAV file: it does not begin with RIFF and WAVE',
			);
		}
		this.started = true;
		const size = uint32le(bytes, at + 4);
		if (!isStreamingSize(size)) this.statedEnd = CHUNK_HEADER_BYTES + size;
		return RIFF_HEADER_BYTES;
	}

	/** Reads the head of a chunk (of fmt, all that counts) and returns the bytes used; 0 when more are needed. */
	private readChunkHeader(bytes: Uint8Array, at: number, last: boolean): number {
		// The pad byte after an odd size (which some writers leave out), and zeros with which some pad the file.
		if (bytes[at] === 0) return 1;
		if (this.samples) {
			const trailer = trailerBytes(bytes, at, last);
			if (trailer === NEED_MORE) return this.want(bytes.length - at + MARK_BYTES);
			if (trailer > 0) return trailer;
		}
		if (bytes.length - at < CHUNK_HEADER_BYTES) {
			if (last) throw new DamagedAudioError('The WAV file is cut short in the head of a chunk');
			return this.want(CHUNK_HEADER_BYTES);
		}
		const id = nameAt(bytes, at);
		if (!isChunkId(bytes, at) || id === 'RIFF') {
			throw new DamagedAudioError(
				this.samples
					? 'The WAV file is damaged: what follows its data is not a chunk'
					: 'The WAV file is damaged: a chunk has no name',
			);
		}
		const size = uint32le(bytes, at + 4);
		if (id === 'fmt ') {
			if (size < 16 || size > MAX_FMT_BYTES) {
				throw new DamagedAudioError('The WAV file has a damaged fmt chunk');
			}
			if (bytes.length - at < CHUNK_HEADER_BYTES + size)
				return this.want(CHUNK_HEADER_BYTES + size);
			this.shape = parseFmt(bytes, at + CHUNK_HEADER_BYTES, size);
			return CHUNK_HEADER_BYTES + size;
		}
		if (id === 'data') {
			const { shape } = this;
			if (!shape) throw new DamagedAudioError('The WAV file has no fmt chunk before its data');
			if (this.samples) throw new DamagedAudioError('The WAV file has more than one data chunk');
			const { encoding, bitsPerSample, sampleRate, channels } = shape;
			const isHeard = encoding === 1 && bitsPerSample > 8;
			const track = new SampleTrack(bitsPerSample / 8, sampleRate * channels);
			this.samples = { shape, ...(isHeard && { track }) };
			this.streamed = isStreamingSize(size);
			this.chunk = { id, left: size === 0 ? Infinity : size, samples: this.samples };
			return CHUNK_HEADER_BYTES;
		}
		this.chunk = { id, left: size };
		return CHUNK_HEADER_BYTES;
	}

	private want(bytes: number): 0 {
		this.wanted = bytes;
		return 0;
	}
}

function isChunkId(bytes: Uint8Array, at: number): boolean {
	return bytes.subarray(at, at + 4).every((byte) => byte >= 0x20 && byte <= 0x7e);
}
