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
 * Chooses them so that each part starts within one frame of where it should: behind the playing times of all parts before
 * it, and the pauses. The difference is carried on from seam to seam, so it does not add up. Frames of mere delay and
 * padding go first. As they seldom make whole frames, at some seams a frame goes that holds sound, less than a frame of
 * it: the one that holds least. At the ends of the file, and of a part whose delay is not known, nothing is left out.
 * `pauseSamples`: before each part.
 */
export function planSeams(infos: Mp3Info[], pauseSamples: number[]): Kept[] {
	const frameSamples = parseHeader(infos[0].header).samples;
	const kept = infos.map((): Kept => ({ pauseFrames: 0, skip: 0, drop: 0 }));
	const pauseFrames = Math.round(pauseSamples[0] / frameSamples);
	kept[0].pauseFrames = pauseFrames + framesBefore(infos[0].gapless, frameSamples);
	let error = pauseFrames * frameSamples - pauseSamples[0]; // samples by which the part starts too late
	for (let part = 1; part < infos.length; part++) {
		const [before, after] = [infos[part - 1], infos[part]];
		// What the encoder added: of these samples the decoder's lag has moved some from the end to the start.
		const padding = cutAtEnd(before.edges) + DECODER_DELAY;
		const delay = cutAtStart(after.edges) - DECODER_DELAY;
		let least = Infinity;
		let choice = { error, pauseFrames: 0, skip: 0, drop: 0 };
		for (const skip of possibleSkips(after)) {
			for (const drop of possibleDrops(before, kept[part - 1].skip)) {
				const late = error + padding + delay - pauseSamples[part] - (skip + drop) * frameSamples;
				const pauseFrames = Math.max(0, Math.round(-late / frameSamples));
				const rest = late + pauseFrames * frameSamples;
				const lost =
					Math.max(0, skip * frameSamples - delay) + Math.max(0, drop * frameSamples - padding);
				// A difference of a whole frame weighs as much as a frame of lost sound, so it never grows beyond.
				const cost = lost + rest ** 2 / frameSamples;
				if (cost < least) {
					least = cost;
					choice = { error: rest, pauseFrames, skip, drop };
				}
			}
		}
		error = choice.error;
		kept[part - 1].drop = choice.drop;
		kept[part].pauseFrames = choice.pauseFrames;
		kept[part].skip = choice.skip;
	}
	return kept;
}

/**
 * Silent frames behind the last part, and the padding that decoders are to be told of, so that they play the pause to the
 * sample. The padding that the part has is silence already. A slice without padding needs a frame that pushes its end out of
 * the decoder.
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

function possibleSkips({ edges, head }: Mp3Info): number[] {
	if (!edges) return [0];
	return [...head.keys()].filter((skip) => freshHeader(head, skip) !== undefined);
}

/** How many frames may be left out at the end of a part; at least one of it stays. */
function possibleDrops({ edges, frames }: Mp3Info, skip: number): number[] {
	const most = edges ? Math.min(EDGE_FRAMES, frames - skip - 1) : 0;
	return Array.from({ length: most + 1 }, (_, drop) => drop);
}
