/**
 * The bit reservoir: the main data of a frame may begin in the frames before it. Where those are left out, the frame is rebuilt
 * with its data in itself. Written after ISO/IEC 11172-3 and 13818-3.
 */
import { concat, sum } from '../bytes';
import {
	type EdgeFrame,
	emptyFrame,
	FRAME_HEADER_BYTES,
	frameBytes,
	mainDataOffset,
	NO_CRC_BIT,
	parseHeader,
	raised,
	room,
	sideInfoOffset,
} from './frame';

/** Main data up to the end of this frame that belong to later ones. */
function tailBytes(head: EdgeFrame[], index: number): number {
	return head[index + 1].mainDataBegin;
}

/**
 * The header that frame `index` gets if the frames before it are left out: its own, or that of a higher bitrate with room for
 * the data that it has in them. Undefined when no bitrate has the room, data are missing, or the next frame is not known.
 */
export function freshHeader(head: EdgeFrame[], index: number): number | undefined {
	const frame = head[index];
	if (index === 0) return frame.header;
	if (index + 1 >= head.length) return undefined;
	const before = sum(head.slice(0, index).map((one) => room(one.header)));
	const free = frame.mainDataBegin + room(frame.header) - frame.mainDataBytes;
	if (frame.mainDataBegin > before || tailBytes(head, index) > free) return undefined;
	if (frame.mainDataBegin === 0) return frame.header;
	const needed = frame.mainDataBytes + tailBytes(head, index);
	const hasRoom = (header: number) => room(header) >= needed;
	const header = raised((frame.header | NO_CRC_BIT) >>> 0, hasRoom);
	return hasRoom(header) ? header : undefined;
}

/**
 * Rebuilds frame `index` with that header, out of the frames up to and including it. What later frames need stays at its end,
 * since they count back from there; between the two is filler.
 */
export function freshFrame(
	head: EdgeFrame[],
	index: number,
	header: number,
	frames: Uint8Array,
): Uint8Array {
	const frame = head[index];
	const at = frames.length - frameBytes(frame.header);
	if (frame.mainDataBegin === 0) return frames.slice(at);
	const areas: Uint8Array[] = [];
	let from = 0;
	for (const one of head.slice(0, index + 1)) {
		const to = from + frameBytes(one.header);
		areas.push(frames.subarray(from + mainDataOffset(one.header), to));
		from = to;
	}
	const data = concat(areas);
	const begin = data.length - room(frame.header) - frame.mainDataBegin;
	const tail = data.subarray(data.length - tailBytes(head, index));

	const bytes = emptyFrame(header);
	const sideInfo = frames.subarray(
		at + sideInfoOffset(frame.header),
		at + mainDataOffset(frame.header),
	);
	bytes.set(sideInfo, FRAME_HEADER_BYTES);
	bytes[FRAME_HEADER_BYTES] = 0; // main_data_begin: these 8 bits, and in MPEG-1 one more
	if (parseHeader(header).mpeg1) bytes[FRAME_HEADER_BYTES + 1] &= 0x7f;
	bytes.set(data.subarray(begin, begin + frame.mainDataBytes), mainDataOffset(header));
	bytes.set(tail, bytes.length - tail.length);
	return bytes;
}
