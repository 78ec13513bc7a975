/**
 * Where two segments meet in MP3 and Opus. Only whole frames (in Opus, packets) can be put in or left out, so a segment seldom
 * starts on its sample. Each of them brings silence that nobody asked for: the encoder's delay before its sound, padding
 * behind it, in Opus also the packets that reset the decoder. The planner keeps a timeline of where each sound is to begin. At
 * a seam it chooses how many silent frames to put in, and how many quiet ones to leave out at the end of the segment before,
 * so that the next sound begins as near to its time as it can. What is left of the difference is made up for at the next
 * seam, so errors do not add up: half a frame as a rule, more after segments that end while sounding, since no frame with
 * sound is left out. Beginnings stay whole: a first frame may hold data of the next ones.
 */
import { sum } from './bytes';
import { type Silence, soundStart } from './joiner';

/** One segment as the planner sees it; all numbers are samples. */
export interface SegmentSound {
	/** Silence before the sound that cannot be left out. */
	delay: number;
	/** What plays. */
	length: number;
	/** Silence behind it, of the encoder. */
	padding: number;
	/** Silence with which the sound begins, and how much of that at its end may give way. */
	lead: number;
	spare: number;
	/** Lengths of the frames at its end that may be left out, from the last one back. */
	quiet: number[];
}

/** What happens between a segment and the next one. */
export interface Seam {
	/** Frames left out at the end of the first. */
	dropped: number;
	/** Silent frames put before the second. */
	silent: number;
}

/**
 * The seams between the segments. `silences`: before each segment; `frame`: samples of a silent frame; `opening`: where the
 * first sound begins in the file, and by how many samples that is too late.
 */
export function planSeams(
	sounds: SegmentSound[],
	silences: Silence[],
	frame: number,
	opening: { at: number; late: number },
): Seam[] {
	let { late } = opening;
	let end = opening.at - late + sounds[0].length;
	return sounds.slice(1).map((next, index): Seam => {
		const { padding, quiet, spare } = sounds[index];
		const start = soundStart(silences[index + 1], end, spare, next.lead);
		late += padding + next.delay - (start - end);
		end = start + next.length;
		// Silent frames fill what is too early. While all is too late, one more quiet frame is left out each time.
		let best = { rest: Infinity, dropped: 0, silent: 0 };
		for (let dropped = 0; dropped <= quiet.length; dropped++) {
			const early = sum(quiet.slice(0, dropped)) - late;
			const silent = Math.max(0, Math.round(early / frame));
			const rest = silent * frame - early;
			if (Math.abs(rest) < Math.abs(best.rest)) best = { rest, dropped, silent };
			if (early >= 0) break;
		}
		late = best.rest;
		return { dropped: best.dropped, silent: best.silent };
	});
}

/** Silence that stays behind a sound, in seconds: a voice ends softly, and codecs spread what they encode. */
const KEPT_SECONDS = 0.05;

/**
 * The frames at an end that may be left out: those of padding, or of certain silence. `trail`: samples of that;
 * `lengths`: of the frames, from the last one back.
 */
export function quietFrames(
	padding: number,
	trail: number,
	sampleRate: number,
	lengths: number[],
): number[] {
	let left = Math.max(padding, trail - KEPT_SECONDS * sampleRate);
	return lengths.filter((length) => (left -= length) >= 0);
}
