/**
 * Mono MP3 as stereo that decodes to the same samples, without decoding it. Each frame becomes one in
 * joint stereo whose side channel is empty, so left = right = (mid + side) / √2, and its gain is raised by
 * √2. Written after ISO/IEC 11172-3 and 13818-3.
 */
import { concat, uint32be } from '../bytes';
import type { SegmentFile } from '../format';
import type { Emit } from '../joiner';
import type { Frame } from './frame';
import {
	bitsAt,
	emptyFrame,
	FRAME_HEADER_BYTES,
	frameBytes,
	mainDataOffset,
	NO_CRC_BIT,
	parseHeader,
	raised,
	readMainData,
	room,
	sideInfoBytes,
	sideInfoOffset,
} from './frame';
import { type Mp3Info, Mp3Reader } from './reader';
import { xingFrame } from './xing';

const CHANNEL_MODE_BITS = 0xf0;
/** Joint stereo with mid and side, without intensity. */
const MID_SIDE = 0x60;
/** Four steps of the gain double the level. */
const SQRT_2_STEPS = 2;
const MAX_GAIN = 255;
/** Main data may begin so many bytes before their frame. */
const reachOf = ({ mpeg1 }: Frame): number => (mpeg1 ? 511 : 255);

const NOTHING = new Uint8Array(0);

/**
 * A file of mono frames as a file of stereo ones, with the same playing time. Its size is known only after reading
 * every frame.
 */
export async function mp3InStereo({
	info,
	open,
}: SegmentFile<Mp3Info>): Promise<SegmentFile<Mp3Info>> {
	const { frames, gapless, edges } = info;
	const header = stereoHeader(info.header);
	async function* openStereo(): AsyncGenerator<Uint8Array> {
		yield xingFrame({ header, name: 'Xing', frames, dataBytes: 0, gapless, position: () => 0 });
		const out: Uint8Array[] = [];
		const writer = new StereoFrames((frame) => out.push(frame));
		const mono = new Mp3Reader((run) => writer.add(run));
		for await (const chunk of await open()) {
			mono.feed(chunk);
			yield concat(out.splice(0));
		}
		mono.end();
		writer.end();
		yield concat(out);
	}
	const stereo = new Mp3Reader();
	for await (const chunk of openStereo()) stereo.feed(chunk);
	return { info: { ...stereo.end(), edges }, open: openStereo };
}

const stereoHeader = (header: number): number =>
	((header & ~CHANNEL_MODE_BITS) | MID_SIDE | NO_CRC_BIT) >>> 0;

/** Takes runs of whole frames; emits each as soon as its main data area is full. */
class StereoFrames {
	/** Main data of the frames before, as far as later ones can reach. */
	private history = new Uint8Array(0);
	/** Frames with room left, and the offset at which it begins. */
	private readonly open: Array<{ bytes: Uint8Array; at: number }> = [];
	private free = 0;

	constructor(private readonly emit: Emit) {}

	/** Takes whole mono frames. */
	add(run: Uint8Array): void {
		for (let at = 0; at < run.length; at += frameBytes(uint32be(run, at))) {
			this.addFrame(run, at);
		}
	}

	/** Emits the last frames, their room filled with zeros. */
	end(): void {
		this.fill(new Uint8Array(this.free));
	}

	/**
	 * Gathers the main data of a mono frame, which may begin in frames before it (the bit reservoir), and writes it as
	 * stereo.
	 */
	private addFrame(run: Uint8Array, at: number): void {
		const edge = readMainData(run, at);
		const frame = parseHeader(edge.header);
		const side = at + sideInfoOffset(edge.header);
		const area = run.subarray(at + mainDataOffset(edge.header), at + frame.bytes);
		const available = concat([this.history, area]);
		const begin = this.history.length - edge.mainDataBegin;
		this.history = available.slice(-reachOf(frame));
		// Decoders play silence in place of a frame whose main data were cut off.
		if (begin < 0 || begin + edge.mainDataBytes > available.length) {
			this.write(edge.header, new Uint8Array(sideInfoBytes({ ...frame, mono: false })), NOTHING);
			return;
		}
		const data = available.subarray(begin, begin + edge.mainDataBytes);
		this.write(edge.header, stereoSideInfo(run, side, frame), data);
	}

	/** Takes the lowest bitrate, from that of the mono frame on, that keeps room in reserve for a frame that needs more. */
	private write(monoHeader: number, sideInfo: Uint8Array, data: Uint8Array): void {
		const mono = parseHeader(monoHeader);
		const reach = reachOf(mono);
		this.fill(new Uint8Array(Math.max(0, this.free - reach)));
		const roomWith = (header: number) => this.free + room(header) - data.length;
		const header = raised(stereoHeader(monoHeader), (one) => roomWith(one) >= reach / 2);
		if (roomWith(header) < 0) {
			throw new Error(
				'A mono MP3 file of the highest bitrate has no room for a second channel: save it as stereo, or at a lower bitrate',
			);
		}
		const bytes = emptyFrame(header);
		bytes.set(sideInfo, FRAME_HEADER_BYTES);
		// main_data_begin
		if (mono.mpeg1) {
			bytes[FRAME_HEADER_BYTES] = this.free >>> 1;
			bytes[FRAME_HEADER_BYTES + 1] |= (this.free & 1) << 7;
		} else {
			bytes[FRAME_HEADER_BYTES] = this.free;
		}
		this.open.push({ bytes, at: mainDataOffset(header) });
		this.free += room(header);
		this.fill(data);
	}

	/** Puts bytes into the room of the open frames, from the oldest on, and emits those that are full. */
	private fill(data: Uint8Array): void {
		let from = 0;
		while (this.open.length > 0) {
			const [frame] = this.open;
			const fitting = data.subarray(from, from + frame.bytes.length - frame.at);
			frame.bytes.set(fitting, frame.at);
			frame.at += fitting.length;
			from += fitting.length;
			if (frame.at < frame.bytes.length) break;
			this.emit(frame.bytes);
			this.open.shift();
		}
		this.free -= from;
	}
}

/**
 * The side information for two channels (frame.ts has it drawn), main_data_begin left 0. The side channel
 * has no data, but the block types of the other: decoders would else window the two differently.
 */
function stereoSideInfo(bytes: Uint8Array, side: number, { mpeg1 }: Frame): Uint8Array {
	const made = new Uint8Array(sideInfoBytes({ mpeg1, mono: false }));
	let from = mpeg1 ? 9 : 8;
	let to = from;
	const put = (value: number, count: number) => {
		for (let bit = count - 1; bit >= 0; bit--, to++) {
			made[to >>> 3] |= ((value >>> bit) & 1) << (7 - (to & 7));
		}
	};
	const take = (count: number) => {
		from += count;
		return bitsAt(bytes, side, from - count, count);
	};
	const copy = (count: number) => put(take(count), count);
	copy(mpeg1 ? 3 : 1); // private bits, of which mono has 5 or 1, stereo 3 or 2
	if (mpeg1) from += 2;
	else put(0, 1);
	if (mpeg1) {
		copy(4); // scfsi
		put(0, 4);
	}
	for (let granule = 0; granule < (mpeg1 ? 2 : 1); granule++) {
		copy(12); // part2_3_length
		copy(9); // big_values
		put(Math.min(MAX_GAIN, take(8) + SQRT_2_STEPS), 8);
		const compressBits = mpeg1 ? 4 : 9;
		copy(compressBits);
		const isSwitched = take(1);
		const window = take(3); // with window switching: block_type and mixed_block_flag
		put(isSwitched, 1);
		put(window, 3);
		copy(10);
		copy(9);
		copy(mpeg1 ? 3 : 2); // preflag, scalefac_scale, count1table_select
		put(0, 12 + 9 + 8 + compressBits);
		put(isSwitched, 1);
		put(isSwitched ? window : 0, 3);
		put(0, 19 + (mpeg1 ? 3 : 2));
	}
	return made;
}
