/** Which frames of MP3 parts are left out where two parts meet, and what is taken over. */
import { concat, sum } from '../bytes';
import type { Emit } from '../joiner';
import { frameBytes, parseHeader } from './frame';
import { EDGE_FRAMES, type Mp3Info } from './reader';
import { freshFrame, freshHeader } from './reservoir';
import { cutAtEnd, cutAtStart, DECODER_DELAY, framesBefore, type Gapless } from './xing';

/** What is put in front of a part, and left out of it. */
interface Kept {
	/** Silent frames put in front of it. */
	pauseFrames: number;
	/** Frames left out at its start. */
	skip: number;
	/** Frames left out at its end. */
	drop: number;
}

/**
 * Starts each part within half a frame of its time, the sum of all lengths and pauses before it. A seam drops frames of delay and
 * padding, then silent ones; what is still too much is left to the next seam. It never drops a frame with sound, the ends of the
 * file, or anything of a part whose delay is unknown. `pauseSamples`: before each part.
 */
function planSeams(infos: Mp3Info[], pauseSamples: number[]): Kept[] {
	const frameSamples = parseHeader(infos[0].header).samples;
	const kept = infos.map((): Kept => ({ pauseFrames: 0, skip: 0, drop: 0 }));
	const pauseFrames = Math.round(pauseSamples[0] / frameSamples);
	kept[0].pauseFrames = pauseFrames + framesBefore(infos[0].gapless, frameSamples);
	let late = pauseFrames * frameSamples - pauseSamples[0]; // samples by which the part starts too late
	for (let part = 1; part < infos.length; part++) {
		const [before, after] = [infos[part - 1], infos[part]];
		// What the encoder added; the decoder's lag moves 529 of these samples from the end to the start.
		const padding = cutAtEnd(before.edges) + DECODER_DELAY;
		const delay = cutAtStart(after.edges) - DECODER_DELAY;
		late += padding + delay - pauseSamples[part];
		let best = { rest: Infinity, pauseFrames: 0, skip: 0, drop: 0 };
		for (const skip of possibleSkips(after, delay)) {
			for (let drop = 0; drop <= mostDrops(before, padding, kept[part - 1].skip); drop++) {
				const early = (skip + drop) * frameSamples - late;
				const pauseFrames = Math.max(0, Math.round(early / frameSamples));
				const rest = pauseFrames * frameSamples - early;
				const isNearer = Math.abs(rest) - Math.abs(best.rest);
				const isLess = skip + drop < best.skip + best.drop;
				if (isNearer < 0 || (isNearer === 0 && isLess)) best = { rest, pauseFrames, skip, drop };
			}
		}
		late = best.rest;
		kept[part - 1].drop = best.drop;
		kept[part].pauseFrames = best.pauseFrames;
		kept[part].skip = best.skip;
	}
	return kept;
}

/**
 * Silent frames after the last part, and the padding to write, so that decoders play the pause to the sample. The part's own
 * padding is silence already. A slice without padding needs a frame that pushes its end out of the decoder.
 */
export function planEnd(
	gapless: Gapless | null,
	pauseSamples: number,
	frameSamples: number,
): { frames: number; padding: number } {
	const silent = cutAtEnd(gapless);
	const frames = Math.max(0, Math.ceil((pauseSamples - silent) / frameSamples));
	const rest = silent + frames * frameSamples - pauseSamples;
	const isChanged = pauseSamples > 0 || frames > 0;
	const padding = isChanged ? rest + DECODER_DELAY : (gapless?.padding ?? 0);
	return { frames, padding };
}

/** How many frames may be left out at the start of a part: those before its sound, if the next one can stand first. */
function possibleSkips(info: Mp3Info, delay: number): number[] {
	const { edges, head, header, silentEdges, lead } = info;
	if (!edges) return [0];
	if (lead) return freshHeader(head, lead) === undefined ? [0] : [lead];
	const { samples, sampleRate } = parseHeader(header);
	const silent = Math.max(0, delay, (silentEdges?.start ?? 0) * sampleRate);
	return [...head.keys()].filter(
		(skip) => skip * samples <= silent && freshHeader(head, skip) !== undefined,
	);
}

/** How many frames may be left out at the end of a part: those behind its sound; at least one of it stays. */
function mostDrops(info: Mp3Info, padding: number, skip: number): number {
	const { edges, frames, header, silentEdges } = info;
	if (!edges) return 0;
	const { samples, sampleRate } = parseHeader(header);
	const silent = Math.max(0, padding, (silentEdges?.end ?? 0) * sampleRate);
	return Math.max(0, Math.min(EDGE_FRAMES, frames - skip - 1, Math.floor(silent / samples)));
}

/** What the joined file takes over of one part. */
export interface Segment extends Kept {
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

/** Puts the parts one behind the other. `pauseSamples`: before each part. */
export function layOut(infos: Mp3Info[], pauseSamples: number[], silentBytes: number): Segment[] {
	let frame = 0;
	let byte = 0;
	return planSeams(infos, pauseSamples).map((kept, part): Segment => {
		const info = infos[part];
		const { skip, drop, pauseFrames } = kept;
		const header = freshHeader(info.head, skip)!; // seams are planned where there is one
		const startBytes =
			skip > 0 ? sum(info.head.slice(0, skip + 1).map((one) => frameBytes(one.header))) : 0;
		const freshBytes = skip > 0 ? frameBytes(header) : 0;
		const endBytes = sum(info.tail.slice(info.tail.length - drop));
		const frames = info.frames - skip - drop;
		const bytes = info.dataBytes - startBytes + freshBytes - endBytes;
		frame += pauseFrames + frames;
		byte += pauseFrames * silentBytes + bytes;
		const begin = { frame: frame - frames, byte: byte - bytes };
		return { ...kept, ...begin, info, frames, bytes, header, startBytes, freshBytes };
	});
}

/** Takes all frames of the part, in runs, and emits those that are kept, the first of them made fit to stand there. */
export function keepFrames(
	{ info, skip, header, startBytes, freshBytes, bytes }: Segment,
	emit: Emit,
): Emit {
	const end = startBytes + bytes - freshBytes;
	const start: Uint8Array[] = [];
	let at = 0;
	return (run) => {
		const head = run.subarray(0, Math.max(0, startBytes - at));
		const kept = run.subarray(head.length, Math.max(head.length, end - at));
		at += run.length;
		if (head.length > 0) {
			start.push(head);
			if (at >= startBytes) emit(freshFrame(info.head, skip, header, concat(start)));
		}
		emit(kept);
	};
}
