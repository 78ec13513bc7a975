/**
 * Ogg Opus. Written after RFC 3533 (Ogg), RFC 7845 (Opus in Ogg) and RFC 6716 (Opus packets). Pages have numbers and
 * checksums, and the last one a mark, so damage is certain and nothing is guessed: a file is read whole, or not at all.
 */
import { concat, hasText, sum, uint16le, uint32le } from '../bytes';
import { type AudioReader, type BaseInfo, DamagedAudioError, UnreadAudioError } from '../format';
import { leadIn, LevelTrack, type Limit } from '../levels';
import { BlockReader } from '../reader';
import {
	CONTINUED,
	FIRST_PAGE,
	LAST_PAGE,
	NO_GRANULE,
	oggChecksum,
	PAGE_HEADER_BYTES,
	SAMPLE_RATE,
} from './page';

/** Longest packet that Opus allows: 120 ms. */
const MAX_PACKET_SAMPLES = 5760;
/** More than any valid packet (48 frames of 1,275 bytes); what would not fit one page here is damage. */
const MAX_PACKET_BYTES = 64_000;
const OPUS_HEAD_BYTES = 19;
/** Configurations below this one are SILK and hybrid. RFC 6716, section 3.1. */
const FIRST_CELT_CONFIG = 16;
/** Only the name of the comment packet matters; it may carry a picture. */
const TAGS_KEPT_BYTES = 8;
/** The highest bitrate of Opus, 510 kbit/s. */
const MAX_BYTES_PER_SECOND = 63_750;
/**
 * Encoders with a variable bitrate make packets of silence at least a quarter smaller than those of speech; at a constant one
 * no packet is small, and no pause is found. The levels are squares, so 5 dB are that quarter.
 */
const smallPackets: Limit = (quantile) => quantile(0.7) - 5;
/** Digital silence takes at most 0.42 of the bytes of speech, pure tones and hiss at least 0.44. */
const silentPackets: Limit = (quantile) => quantile(0.8) - 15;
/** Packets remembered at the end: as many as the silence of a voice that trails off, 1.3 s of packets of 20 ms. */
const EDGE_PACKETS = 64;

/** Packets in a row, and how long they are. */
export interface PacketRun {
	packets: number;
	samples: number;
}

/** What is known of a whole Ogg Opus file. Samples are counted at 48 kHz. */
export interface OpusInfo extends BaseInfo {
	format: 'opus';
	/** Logical streams in the file. Of a chain, this, `seconds` and `bytes` are of the whole, the rest is of the last stream. */
	streams: number;
	/** The OpusHead packet. */
	head: number[];
	/** Samples to be cut off the beginning. */
	preSkip: number;
	/** Sample, counted before the cut, at which the file ends; the last packet may reach beyond. */
	endSample: number;
	/** Whether the first packet is one of CELT alone, neither SILK nor both (hybrid). */
	startsWithCelt: boolean;
	/** All audio packets. */
	all: PacketRun;
	/** Packets wholly within the pre-skip. */
	preroll: PacketRun;
	/** Packets wholly behind the end. */
	tail: PacketRun;
	/** Lengths of the last packets before the tail, at most `EDGE_PACKETS`. */
	last: number[];
	maxPacketSamples: number;
	/** The first packet was predicted from one that is not there. */
	isExcerpt?: boolean;
}

/**
 * Samples (at 48 kHz) in an Opus packet, 0 when it is not valid. RFC 6716, section 3: the first byte (TOC) is
 *
 *     CCCCCSFF   C  configuration: mode, bandwidth and length of a frame
 *                S  stereo
 *                F  frames: 0 one, 1 and 2 two, 3 as many as the second byte says in its lower six bits
 */
export function opusPacketSamples(packet: Uint8Array): number {
	if (packet.length === 0) return 0;
	const config = packet[0] >>> 3;
	let frame: number;
	if (config < 12) frame = [480, 960, 1920, 2880][config & 3];
	else if (config < 16) frame = [480, 960][config & 1];
	else frame = 120 << (config & 3);
	const code = packet[0] & 3;
	const count = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 0x3f;
	return count * frame <= MAX_PACKET_SAMPLES ? count * frame : 0;
}

/**
 * Reads an Ogg Opus file, of one logical stream or several chained one behind the other; passes each audio packet and its
 * samples to `onPacket`.
 */
export class OggOpusReader extends BlockReader implements AudioReader<OpusInfo> {
	private stream: OpusStream;
	/** The streams before it. */
	private chain?: OpusInfo;

	constructor(private readonly onPacket: (packet: Uint8Array, samples: number) => void = () => {}) {
		super();
		this.stream = new OpusStream(onPacket);
	}

	end(): OpusInfo {
		this.finish('Opus');
		return { ...chained(this.chain, this.stream.end()), bytes: this.bytes };
	}

	protected next(bytes: Uint8Array, at: number, last: boolean): number {
		if (this.stream.ended) {
			const trailer = this.trailer(bytes, at, last);
			if (trailer !== 0) return trailer;
			if (!hasText(bytes, at, 'OggS')) {
				throw new DamagedAudioError('The Opus file is damaged: something follows its last page');
			}
		}
		const size = pageBytes(bytes, at);
		if (at + size > bytes.length) {
			if (last) throw new DamagedAudioError('The Opus file is cut short within a page');
			return this.want(size);
		}
		this.readPage(bytes.subarray(at, at + size));
		return size;
	}

	private readPage(page: Uint8Array): void {
		if (oggChecksum(page) !== uint32le(page, 22)) {
			throw new DamagedAudioError('The Opus file is damaged: a page fails its checksum');
		}
		// Streams at the same time all begin before any goes on.
		if ((page[5] & FIRST_PAGE) !== 0 && this.stream.packets > 1) {
			this.chain = chained(this.chain, this.stream.end());
			this.stream = new OpusStream(this.onPacket);
		}
		this.stream.readPage(page);
	}
}

/** What is known of streams that play one behind the other. */
const chained = (before: OpusInfo | undefined, last: OpusInfo): OpusInfo =>
	before
		? {
				...last,
				streams: before.streams + 1,
				seconds: before.seconds + last.seconds,
				pauses: undefined,
				lead: undefined,
				trail: undefined,
			}
		: last;

/** One logical stream, page by page. */
class OpusStream {
	private head?: Uint8Array;
	private serial = 0;
	private nextPage = 0;
	private packetIndex = 0;
	/** Beginning of a packet that goes on in the next page. */
	private partial: Uint8Array[] = [];
	private partialBytes = 0;
	/** A page has said that it is the last. */
	ended = false;
	private preSkip = 0;
	private startsWithCelt = false;
	private dataBytes = 0;
	private readonly all: PacketRun = { packets: 0, samples: 0 };
	private readonly preroll: PacketRun = { packets: 0, samples: 0 };
	/** Lengths of the packets that ended on the latest page, and its granule position. */
	private onPage: number[] = [];
	private position = NO_GRANULE;
	/** Lengths of the last packets of earlier pages. */
	private before: number[] = [];
	private maxPacketSamples = 0;
	private readonly track = new LevelTrack(smallPackets);

	constructor(private readonly onPacket: (packet: Uint8Array, samples: number) => void) {}

	/** Those that were read, with OpusHead and OpusTags. */
	get packets(): number {
		return this.packetIndex;
	}

	/**
	 * A last page that is not marked as such is known by its granule position: only there it may cut off part of a packet
	 * (RFC 7845, section 4.4).
	 */
	end(): OpusInfo {
		const isTrimmed =
			this.position !== NO_GRANULE && this.position < this.all.samples && this.partialBytes === 0;
		if (!this.head || !(this.ended || isTrimmed)) {
			throw new DamagedAudioError(
				'The Opus file is cut short: its last page is missing',
				this.all.samples === 0,
			);
		}
		const { head, dataBytes, preSkip, startsWithCelt, all, preroll, maxPacketSamples, track } =
			this;
		const { samples } = all;
		// Only packets of the last page can be cut off (RFC 7845, section 4.4).
		const end = this.position === NO_GRANULE ? samples : this.position;
		const endSample = Math.min(samples, Math.max(samples - sum(this.onPage), end));
		if (endSample <= preSkip) throw new DamagedAudioError('The Opus file holds no audio', true);
		const played = [...this.onPage];
		const tail = { packets: 0, samples: 0 };
		while (played.length > 0 && samples - tail.samples - played.at(-1)! >= endSample) {
			tail.packets++;
			tail.samples += played.pop()!;
		}
		return {
			format: 'opus',
			streams: 1,
			seconds: (endSample - preSkip) / SAMPLE_RATE,
			bytes: 0, // known of the file only
			sampleRate: SAMPLE_RATE,
			channels: head[9],
			pauses: track.pauses(preSkip / SAMPLE_RATE),
			lead: leadIn(track, preSkip / SAMPLE_RATE),
			trail: track.trail(silentPackets),
			head: [...head],
			last: [...this.before, ...played].slice(-EDGE_PACKETS),
			dataBytes,
			preSkip,
			endSample,
			startsWithCelt,
			all,
			preroll,
			tail,
			maxPacketSamples,
		};
	}

	/** Takes a whole page and reads the packets that end on it; the beginning of one that goes on is kept. */
	readPage(page: Uint8Array): void {
		this.checkOrder(page);
		this.before = [...this.before, ...this.onPage].slice(-EDGE_PACKETS);
		this.onPage = [];
		const segments = page[26];
		let from = PAGE_HEADER_BYTES + segments;
		let to = from;
		for (let i = 0; i < segments; i++) {
			const segment = page[PAGE_HEADER_BYTES + i];
			to += segment;
			if (segment < 255) {
				this.addPart(page.subarray(from, to));
				this.readPacket();
				from = to;
			}
		}
		if (to > from) this.addPart(page.subarray(from, to));
		this.position = granule(page);
		this.ended = (page[5] & LAST_PAGE) !== 0;
		if (this.ended && this.partialBytes > 0) {
			throw new DamagedAudioError('The Opus file is cut short within a packet');
		}
	}

	/** Throws unless the page follows the one before, in the same stream. */
	private checkOrder(page: Uint8Array): void {
		const flags = page[5];
		const number = uint32le(page, 18);
		if (this.packetIndex === 0) {
			if ((flags & FIRST_PAGE) === 0) {
				throw new DamagedAudioError('The Opus file is damaged: its first page is missing');
			}
			this.serial = uint32le(page, 14);
		} else if (uint32le(page, 14) !== this.serial) {
			throw new DamagedAudioError(
				'The Opus file holds more than one stream, which is not supported',
			);
		} else if (number !== this.nextPage) {
			throw new DamagedAudioError(
				`The Opus file is damaged: page ${number} follows where page ${this.nextPage} should`,
			);
		}
		this.nextPage = (number + 1) >>> 0;
		if (((flags & CONTINUED) !== 0) !== this.partialBytes > 0) {
			throw new DamagedAudioError('The Opus file is damaged: part of a packet is missing');
		}
	}

	/** Keeps a part of a packet; of the comments, which may hold a picture, only what names them. */
	private addPart(part: Uint8Array): void {
		this.partialBytes += part.length;
		if (this.packetIndex === 1) {
			if (this.partial.length === 0) this.partial.push(part.slice(0, TAGS_KEPT_BYTES));
			return;
		}
		if (this.partialBytes > MAX_PACKET_BYTES) {
			throw new DamagedAudioError('The Opus file is damaged: a packet is too long');
		}
		this.partial.push(part);
	}

	/** Reads the packet whose last part has come: OpusHead, OpusTags, then audio (RFC 7845, section 3). */
	private readPacket(): void {
		const packet = concat(this.partial);
		this.partial = [];
		this.partialBytes = 0;
		const index = this.packetIndex++;
		if (index === 0) this.readHead(packet);
		else if (index > 1) this.readAudio(packet, index - 2);
		else if (!hasText(packet, 0, 'OpusTags'))
			throw new DamagedAudioError('The Opus file is damaged: it has no OpusTags');
	}

	/** OpusHead (RFC 7845, section 5.1); 16 and more is a version that nobody can read. */
	private readHead(packet: Uint8Array): void {
		if (packet.length < OPUS_HEAD_BYTES || !hasText(packet, 0, 'OpusHead') || packet[8] >= 16) {
			throw new DamagedAudioError('The file is not an Opus file: it has no OpusHead');
		}
		if (packet[9] === 0 || packet[9] > 2 || packet[18] !== 0) {
			throw new UnreadAudioError('The Opus file has neither one nor two channels');
		}
		this.head = packet.slice();
		this.preSkip = uint16le(packet, 10);
	}

	/** Counts an audio packet and passes it on. Its level is a guess: the more there is to hear, the more bytes it takes. */
	private readAudio(packet: Uint8Array, number: number): void {
		const samples = opusPacketSamples(packet);
		if (samples === 0) {
			throw new DamagedAudioError(`The Opus file is damaged: packet ${number} is not valid`);
		}
		if (this.all.packets === 0) this.startsWithCelt = packet[0] >>> 3 >= FIRST_CELT_CONFIG;
		this.dataBytes += packet.length;
		this.all.packets++;
		this.all.samples += samples;
		if (this.all.samples <= this.preSkip) Object.assign(this.preroll, this.all);
		const seconds = samples / SAMPLE_RATE;
		this.track.add((packet.length / seconds / MAX_BYTES_PER_SECOND) ** 2, seconds);
		this.onPage.push(samples);
		this.maxPacketSamples = Math.max(this.maxPacketSamples, samples);
		this.onPacket(packet, samples);
	}
}

/** Size of the page at this place, as far as it can be told yet (then a lower limit). */
function pageBytes(bytes: Uint8Array, at: number): number {
	const left = bytes.length - at;
	const magic = 'OggS\0';
	if (!hasText(bytes, at, magic.slice(0, left))) {
		throw new DamagedAudioError(
			'The file is not an Ogg file, or is damaged: a page does not begin where it should',
		);
	}
	if (left < PAGE_HEADER_BYTES) return PAGE_HEADER_BYTES;
	const segments = bytes[at + 26];
	let size = PAGE_HEADER_BYTES + segments;
	if (left < size) return size;
	for (let i = 0; i < segments; i++) size += bytes[at + PAGE_HEADER_BYTES + i];
	return size;
}

/** Granule position of a page: a signed 64-bit number; beyond 2^53 it would be damage anyway. */
function granule(page: Uint8Array): number {
	return (uint32le(page, 10) | 0) * 2 ** 32 + uint32le(page, 6);
}
