/** Which frames of MP3 parts are left out where two parts meet. */
import { parseHeader } from './frame';
import { EDGE_FRAMES, type Mp3Info } from './reader';
import { freshHeader } from './reservoir';
import { cutAtEnd, cutAtStart, DECODER_DELAY, framesBefore, type Gapless } from './xing';

/** What the joined file takes over of one part. */
export interface Kept {
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
export function planSeams(infos: Mp3Info[], pauseSamples: number[]): Kept[] {
	const frameSamples = parseHeader(infos[0].header).samples;
	const kept = infos.map((): Kept => ({ pauseFrames: 0, skip: 0, drop: 0 }));
	const pauseFrames = Math.round(pauseSamples[0] / frameSamples);
	kept[0].pauseFrames = pauseFrames + framesBefore(infos[0].gapless, frameSamples);
	let late = pauseFrames * frameSamples - pauseSamples[0]; // samples by which the part starts too late
	for (let part = 1; part < infos.length; part++) {
		const [before, after] = [infos[part - 1], infos[part]];
		// What the encoder added: of these samples the decoder's lag has moved some from the end to the start.
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
