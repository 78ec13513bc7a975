/** RIFF WAVE. Written after Microsoft's "Multimedia Programming Interface and Data Specifications 1.0" and RFC 2361. */
import { hasText, nameAt, uint16le, uint32le } from '../bytes';
import { type AudioReader, type BaseInfo, DamagedAudioError, UnreadAudioError } from '../format';
import type { Emit } from '../joiner';
import { BlockReader, ErrorWatch } from '../reader';
import { SampleTrack } from '../samples';

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
/** Name and size of a chunk, four bytes each. */
export const CHUNK_HEADER_BYTES = 8;
/** The longest fmt chunk in use is 40 bytes; anything much longer is no WAV. */
const MAX_FMT_BYTES = 1024;
/**
 * Programs that stream do not know the size yet, so they write 0 or far too much (pocket-tts 2,000,000,000, SoX
 * 0x7FFFF000, ffmpeg 0xFFFFFFFF). Such data end where the file ends.
 */
const STREAMING_SIZE = 1_000_000_000;
const isStreamingSize = (size: number): boolean => size === 0 || size > STREAMING_SIZE;
/** What is known of a whole WAV file, besides what all formats have. */
export interface WavInfo extends BaseInfo {
	format: 'wav';
	bitsPerSample: number;
	/** Format tag: 1 PCM, 3 float, 6 A-law, 7 mu-law; never 0xFFFE. */
	encoding: number;
}

/** What two WAV files must have in common so that their samples can stand in one file. */
export type WavShape = Pick<WavInfo, 'sampleRate' | 'channels' | 'bitsPerSample' | 'encoding'>;

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
		throw new UnreadAudioError(
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
	/** Its data go on to where the file ends, since their size was not known. */
	private streamed = false;
	private shape?: WavShape;
	/** The chunk that is being read, and how many of its bytes are still to come. */
	private chunk?: { id: string; left: number };
	private hasData = false;
	private dataBytes = 0;
	private track?: SampleTrack;
	private readonly errors = new ErrorWatch('WAV');

	constructor(private readonly onAudio: Emit = () => {}) {
		super();
	}

	end(): WavInfo {
		this.finish('WAV');
		if (!this.started) throw new DamagedAudioError('The WAV file is cut short in its header');
		const { bytes, dataBytes, chunk, shape } = this;
		if (chunk && chunk.left > 0 && !(this.streamed && chunk.id === 'data')) {
			throw new DamagedAudioError(
				`The WAV file is cut short: ${chunk.left} bytes of its ${chunk.id.trim()} chunk are missing`,
				dataBytes === 0,
			);
		}
		if (!shape || !this.hasData) {
			throw new DamagedAudioError(
				`The WAV file is cut short: it has no ${shape ? 'data' : 'fmt'} chunk`,
				dataBytes === 0,
			);
		}
		if (dataBytes === 0) throw new DamagedAudioError('The WAV file holds no samples', true);
		if (this.streamed && bytes < this.statedEnd) {
			throw new DamagedAudioError(
				`The WAV file is cut short: ${this.statedEnd - bytes} of its bytes are missing`,
			);
		}
		const frameBytes = bytesPerSampleFrame(shape);
		if (dataBytes % frameBytes !== 0) {
			throw new DamagedAudioError(
				`The WAV file is cut short: ${dataBytes} bytes of data are not a whole number of samples of ${frameBytes} bytes`,
			);
		}
		const seconds = dataBytes / frameBytes / shape.sampleRate;
		return { format: 'wav', seconds, bytes, dataBytes, ...shape, ...this.track?.heard() };
	}

	protected next(bytes: Uint8Array, at: number, last: boolean): number {
		if (!this.started) return this.readRiff(bytes, at);
		const { chunk } = this;
		if (!chunk || chunk.left === 0) return this.readChunkHeader(bytes, at, last);
		if (chunk.id === 'data') return this.readSamples(chunk, bytes, at, last);
		const used = Math.min(bytes.length - at, chunk.left);
		chunk.left -= used;
		return used;
	}

	private readSamples(
		chunk: { left: number },
		bytes: Uint8Array,
		at: number,
		last: boolean,
	): number {
		const atMost = at + chunk.left;
		let end = Math.min(bytes.length, atMost);
		if (this.streamed && this.shape && atMost > bytes.length) {
			end -= (end - at) % bytesPerSampleFrame(this.shape);
			if (!last && end === at) return this.want(bytes.length - at + 1);
			// A line break that a script left there is no sample.
			const isBreak = bytes.subarray(end).every((byte) => byte === 0x0a || byte === 0x0d);
			if (last && !isBreak) end = bytes.length;
		}
		const audio = bytes.subarray(at, end);
		this.dataBytes += audio.length;
		chunk.left -= audio.length;
		this.errors.feed(audio);
		this.track?.feed(audio);
		this.onAudio(audio);
		return (last ? Math.min(bytes.length, atMost) : end) - at;
	}

	/** Whether a chunk begins here that ends where the file does by its header, or before: its name may be that of a tag. */
	private isChunkWithin(bytes: Uint8Array, at: number): boolean {
		if (bytes.length - at < CHUNK_HEADER_BYTES || !isChunkId(bytes, at)) return false;
		const end = this.position + CHUNK_HEADER_BYTES + uint32le(bytes, at + 4);
		return end <= this.statedEnd;
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

	/** Reads the head of a chunk, and all of fmt. A chunk of no interest is passed over by its size. */
	private readChunkHeader(bytes: Uint8Array, at: number, last: boolean): number {
		// The pad byte after an odd size (which some writers leave out), and zeros with which some pad the file.
		if (bytes[at] === 0) return 1;
		if (this.hasData && !this.isChunkWithin(bytes, at)) {
			const trailer = this.trailer(bytes, at, last);
			if (trailer !== 0) return trailer;
		}
		if (bytes.length - at < CHUNK_HEADER_BYTES) {
			if (last) throw new DamagedAudioError('The WAV file is cut short in the head of a chunk');
			return this.want(CHUNK_HEADER_BYTES);
		}
		const id = nameAt(bytes, at);
		if (!isChunkId(bytes, at) || id === 'RIFF') {
			throw new DamagedAudioError(
				this.hasData
					? 'The WAV file is damaged: what follows its data is not a chunk'
					: 'The WAV file is damaged: a chunk has no name',
			);
		}
		const size = uint32le(bytes, at + 4);
		if (id === 'fmt ') return this.readFmt(bytes, at, size);
		this.chunk = { id, left: size };
		if (id === 'data') this.beginData(this.chunk);
		return CHUNK_HEADER_BYTES;
	}

	/** Reads a fmt chunk as a whole; one behind the data counts for nothing. */
	private readFmt(bytes: Uint8Array, at: number, size: number): number {
		if (size < 16 || size > MAX_FMT_BYTES) {
			throw new DamagedAudioError('The WAV file has a damaged fmt chunk');
		}
		const chunkBytes = CHUNK_HEADER_BYTES + size;
		if (bytes.length - at < chunkBytes) return this.want(chunkBytes);
		const shape = parseFmt(bytes, at + CHUNK_HEADER_BYTES, size);
		if (!this.hasData) this.shape = shape;
		return chunkBytes;
	}

	/** Without a size, the data go on to the end of the file. Levels are told from integers of at least 16 bits. */
	private beginData(chunk: { left: number }): void {
		const { shape } = this;
		if (!shape) throw new DamagedAudioError('The WAV file has no fmt chunk before its data');
		if (this.hasData) throw new DamagedAudioError('The WAV file has more than one data chunk');
		this.hasData = true;
		this.streamed = isStreamingSize(chunk.left);
		if (chunk.left === 0) chunk.left = Infinity;
		const { encoding, bitsPerSample, sampleRate, channels } = shape;
		if (encoding === 1 && bitsPerSample > 8)
			this.track = new SampleTrack(bitsPerSample / 8, sampleRate * channels);
	}
}

function isChunkId(bytes: Uint8Array, at: number): boolean {
	return bytes.subarray(at, at + 4).every((byte) => byte >= 0x20 && byte <= 0x7e);
}
