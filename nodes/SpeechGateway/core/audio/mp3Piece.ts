/** What a joined MP3 file takes over of one of its parts. */
import { concat, uint32be } from './bytes';
import { DamagedAudioError } from './format';
import type { Emit } from './joiner';
import type { Mp3Info } from './mp3Reader';
import { EDGE_FRAMES } from './mp3Reader';
import type { EdgeFrame } from './mp3Reservoir';
import { frameBytes, freshFrame, freshHeader, readEdgeFrame } from './mp3Reservoir';
import type { Kept } from './mp3Seams';

export interface Piece extends Kept {
	info: Mp3Info;
	/** Number of its first frame in the joined audio, and the byte at which that begins. */
	frame: number;
	byte: number;
	/** Frames and bytes taken over. */
	frames: number;
	bytes: number;
	/** Bytes of the skipped frames and the first kept one, and what the latter has in the joined file. 0 if none is skipped. */
	startBytes: number;
	freshBytes: number;
	/** Whether the first kept frame gets a higher bitrate. */
	changesBitrate: boolean;
}

/** Puts the pieces one behind the other. */
export function layOut(infos: Mp3Info[], kept: Kept[], silentFrameBytes: number): Piece[] {
	let frame = 0;
	let byte = 0;
	return infos.map((info, part): Piece => {
		const { skip, drop, pauseFrames } = kept[part];
		const { head, tail } = info;
		const fresh = skip > 0 ? { header: freshHeader(head, skip)! } : undefined;
		const startBytes = fresh ? sum(head.slice(0, skip + 1).map(frameBytes)) : 0;
		const freshBytes = fresh ? frameBytes(fresh) : 0;
		const endBytes = sum(tail.slice(tail.length - drop));
		frame += pauseFrames;
		byte += pauseFrames * silentFrameBytes;
		const piece = {
			...kept[part],
			info,
			frame,
			byte,
			frames: info.frames - skip - drop,
			bytes: info.dataBytes - startBytes + freshBytes - endBytes,
			startBytes,
			freshBytes,
			changesBitrate: freshBytes !== (fresh ? frameBytes(head[skip]) : 0),
		};
		frame += piece.frames;
		byte += piece.bytes;
		return piece;
	});
}

function sum(numbers: number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}

/** Takes all frames of the part, in runs, and emits those that are kept, the first of them made fit to stand there. */
export function keepFrames(piece: Piece, emit: Emit): Emit {
	const { head } = piece.info;
	const end = piece.startBytes + piece.bytes - piece.freshBytes;
	let start: Uint8Array[] = [];
	let at = 0;
	const takeStart = (bytes: Uint8Array) => {
		start.push(bytes);
		at += bytes.length;
		if (at < piece.startBytes) return;
		const frames = concat(start);
		const found = readEdgeFrame(frames, frames.length - frameBytes(head[piece.skip]));
		if (!sameFrame(found, head[piece.skip])) {
			throw new DamagedAudioError('A part has changed since it was inspected');
		}
		emit(freshFrame(head, piece.skip, frames));
		start = [];
	};
	return (run) => {
		let rest = run;
		if (at < piece.startBytes) {
			const left = piece.startBytes - at;
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

/** First and last frames of the joined audio, as many as are known. */
export function joinedEdges(pieces: Piece[], silence: Uint8Array): Pick<Mp3Info, 'head' | 'tail'> {
	const silent: EdgeFrame = { header: uint32be(silence, 0), mainDataBegin: 0, mainDataBytes: 0 };
	const head: EdgeFrame[] = [];
	for (const piece of pieces) {
		const { skip, drop, info } = piece;
		const known = info.head.slice(skip, info.frames - drop);
		if (skip > 0) {
			known[0] = { ...known[0], header: freshHeader(info.head, skip)!, mainDataBegin: 0 };
		}
		for (let i = 0; i < piece.pauseFrames && i < EDGE_FRAMES; i++) head.push(silent);
		head.push(...known);
		if (known.length < piece.frames || head.length >= EDGE_FRAMES) break;
	}
	const tail: number[] = [];
	for (const piece of [...pieces].reverse()) {
		const { skip, drop, info } = piece;
		const firstKnown = info.frames - info.tail.length;
		const known = info.tail.slice(Math.max(0, skip - firstKnown), info.tail.length - drop);
		if (skip > 0 && firstKnown <= skip) known[0] = piece.freshBytes;
		tail.unshift(...known);
		if (known.length < piece.frames || tail.length >= EDGE_FRAMES) break;
		for (let i = 0; i < piece.pauseFrames && i < EDGE_FRAMES; i++) tail.unshift(silence.length);
	}
	return { head: head.slice(0, EDGE_FRAMES), tail: tail.slice(-EDGE_FRAMES) };
}
