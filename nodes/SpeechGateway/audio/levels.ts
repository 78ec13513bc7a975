/**
 * How loud a file is from moment to moment, and where it pauses, as a reader learns it without decoding: from
 * samples, from the gains of MP3 frames, from the sizes of Opus packets. These are bounds or guesses of the
 * level, so only their differences count: quiet is what lies far below the voice (the level that four fifths of
 * the file do not exceed), but above the noise behind it, if there is any. A track takes a byte for each 10 ms
 * while the file is read; only its pauses are kept.
 */

const STEP_SECONDS = 0.01;
/** Levels are kept in dB above this. */
const FLOOR_DB = -100;
const MAX_DB = 127;
/** Shorter ones are the stops within words. */
const SHORTEST_PAUSE = 0.1;
/** Before the first word there is no stop, so less is silence. */
const SHORTEST_LEAD = 0.03;

/** A level of full scale, in dB above the floor. */
const decibels = (level: number): number =>
	level > 0 ? Math.max(0, Math.min(MAX_DB, Math.round(20 * Math.log10(level) - FLOOR_DB))) : 0;

/** The level in dB up to which a moment is quiet. `quantile`: the level that a share of the file does not exceed. */
export type Limit = (quantile: (share: number) => number) => number;

/** What is quiet depends on how loud the voice is and on the noise behind it. */
const belowVoice: Limit = (quantile) => {
	const [noise, voice] = [quantile(0.05), quantile(0.8)];
	return Math.max(voice - 30, Math.min(noise + 8, voice - 15));
};

/** One byte for each 10 ms while a file is read; only its pauses are kept. */
export class LevelTrack {
	private cells = new Uint8Array(1024);
	private count = 0;
	private seconds = 0;

	constructor(private readonly limit = belowVoice) {}

	/** The next seconds of audio. `level`: of full scale, 0 to 1. */
	add(level: number, seconds: number): void {
		this.seconds += seconds;
		const end = Math.round(this.seconds / STEP_SECONDS);
		if (end > this.cells.length) {
			const longer = new Uint8Array(2 * end);
			longer.set(this.cells);
			this.cells = longer;
		}
		const cell = decibels(level);
		// Two or three cells: `fill` takes longer to call.
		while (this.count < end) this.cells[this.count++] = cell;
	}

	/** Start and end of each pause in turn, in milliseconds. `late`: seconds by which the track lags behind what is heard. */
	pauses(late = 0): number[] {
		const { cells, count } = this;
		const most = this.loudestQuiet(this.limit);
		const pauses: number[] = [];
		for (let at = 0; at < count; at++) {
			if (cells[at] > most) continue;
			const start = at;
			while (at < count && cells[at] <= most) at++;
			if ((at - start) * STEP_SECONDS < SHORTEST_PAUSE) continue;
			for (const cell of [start, at])
				pauses.push(Math.max(0, Math.round(1000 * (cell * STEP_SECONDS - late))));
		}
		return pauses;
	}

	/** Seconds of quiet at the beginning; 0 if it is hardly any. */
	lead(): number {
		const most = this.loudestQuiet(this.limit);
		let at = 0;
		while (at < this.count && this.cells[at] <= most) at++;
		return at * STEP_SECONDS < SHORTEST_LEAD ? 0 : at * STEP_SECONDS;
	}

	/** Seconds of quiet at the end; 0 if it is hardly any. */
	trail(limit = this.limit): number {
		const most = this.loudestQuiet(limit);
		let at = this.count;
		while (at > 0 && this.cells[at - 1] <= most) at--;
		const seconds = (this.count - at) * STEP_SECONDS;
		return seconds < SHORTEST_PAUSE ? 0 : seconds;
	}

	/** The level, in dB above the floor, up to which a moment counts as quiet: a histogram tells the quantiles. */
	private loudestQuiet(limit: Limit): number {
		const counts = new Array<number>(MAX_DB + 1).fill(0);
		for (let at = 0; at < this.count; at++) counts[this.cells[at]]++;
		return limit((share) => {
			let left = share * this.count;
			return counts.findIndex((count) => (left -= count) <= 0);
		});
	}
}

/** Codecs spread a beginning into the frame before it, so it is heard so much later than its level tells; seconds. */
const SPREAD = 0.012;

/** Seconds of silence with which coded audio begins. `late`: seconds by which the track lags behind what is heard. */
export function leadIn(track: LevelTrack, late: number): number {
	const lead = track.lead();
	return lead === 0 ? 0 : Math.max(0, lead + SPREAD - late);
}
