/** What a joined MP3 file takes over of one of its parts. */
import { concat } from '../bytes';
import { DamagedAudioError } from '../format';
import type { Emit } from '../joiner';
import type { Mp3Info } from './reader';
import { type EdgeFrame, frameBytes, freshFrame, freshHeader, readEdgeFrame } from './reservoir';
import type { Kept } from './seams';

export interface Mp3Segment extends Kept {
	info: Mp3Info;
	/** Where it begins in the joined audio. */
	frame: number;
	byte: number;
	/** How much of it is kept. */
	frames: number;
	bytes: number;
	/** Header of the first kept frame in the joined file. */
	header: number;
	/** Size of the skipped frames with the first kept one, and of that one as rebuilt. Both 0 if none is skipped. */
	startBytes: number;
	freshBytes: number;
}

/** Puts the segments one behind the other. */
export function layOut(infos: Mp3Info[], kept: Kept[], silentFrameBytes: number): Mp3Segment[] {
	let frame = 0;
	let byte = 0;
	return infos.map((info, part): Mp3Segment => {
		const { skip, drop, pauseFrames } = kept[part];
		const { head, tail } = info;
		const header = freshHeader(head, skip)!; // seams are planned where there is one
		const startBytes = skip > 0 ? sum(head.slice(0, skip + 1).map(frameBytes)) : 0;
		const freshBytes = skip > 0 ? frameBytes({ header }) : 0;
		const endBytes = sum(tail.slice(tail.length - drop));
		frame += pauseFrames;
		byte += pauseFrames * silentFrameBytes;
		const segment = {
			...kept[part],
			info,
			frame,
			byte,
			frames: info.frames - skip - drop,
			bytes: info.dataBytes - startBytes + freshBytes - endBytes,
			header,
			startBytes,
			freshBytes,
		};
		frame += segment.frames;
		byte += segment.bytes;
		return segment;
	});
}

function sum(numbers: number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}

/** Takes all frames of the part, in runs, and emits those that are kept, the first of them made fit to stand there. */
export function keepFrames(segment: Mp3Segment, emit: Emit): Emit {
	const { head } = segment.info;
	const end = segment.startBytes + segment.bytes - segment.freshBytes;
	let start: Uint8Array[] = [];
	let at = 0;
	const takeStart = (bytes: Uint8Array) => {
		start.push(bytes);
		at += bytes.length;
		if (at < segment.startBytes) return;
		const frames = concat(start);
		const found = readEdgeFrame(frames, frames.length - frameBytes(head[segment.skip]));
		if (!sameFrame(found, head[segment.skip])) {
			throw new DamagedAudioError('A part has changed since it was inspected');
		}
		emit(freshFrame(head, segment.skip, segment.header, frames));
		start = [];
	};
	return (run) => {
		let rest = run;
		if (at < segment.startBytes) {
			const left = segment.startBytes - at;
			takeStart(rest.subarray(0, left));
			rest = rest.subarray(left);
		}
		const kept = rest.subarray(0, Math.max(0, end - at));
		at += rest.length;
		if (kept.length > 0) emit(kept);
	};
}

function sameFrame(a: EdgeFrame, b: EdgeFrame): boolean {
	return (
		a.header === b.header &&
		a.mainDataBegin === b.mainDataBegin &&
		a.mainDataBytes === b.mainDataBytes
	);
}
