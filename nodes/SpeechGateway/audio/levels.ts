/** How loud a file is from moment to moment, and where it pauses. */

const STEP_SECONDS = 0.01;
/** Levels are kept in dB above this. */
const FLOOR_DB = -100;
const MAX_DB = 127;
/** Shorter ones are the stops within words. */
const SHORTEST_PAUSE = 0.1;
/** Silence that stays at an edge: a voice begins and ends softly, and codecs spread what they encode. */
const KEPT_SECONDS = 0.05;

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

	/** The next stretch of audio. `level`: of full scale, 0 to 1 */
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
		return this.runs(this.limit).flatMap((run) =>
			run.map((cell) => Math.max(0, Math.round(1000 * (cell * STEP_SECONDS - late)))),
		);
	}

	/** Seconds at the ends that may be left out without a loss: certain silence, but for what fades in or out. */
	silentEdges(limit: Limit): { start: number; end: number } {
		const runs = this.runs(limit);
		const [[from, to] = [NaN, NaN]] = runs;
		const [lastFrom, lastTo] = runs.at(-1) ?? [NaN, NaN];
		const spare = (cells: number) => Math.max(0, cells * STEP_SECONDS - KEPT_SECONDS);
		return {
			start: from === 0 ? spare(to) : 0,
			end: lastTo === this.count ? spare(lastTo - lastFrom) : 0,
		};
	}

	/** The runs of quiet cells that are long enough; the end is exclusive. */
	private runs(limit: Limit): Array<[from: number, to: number]> {
		const cells = this.cells.subarray(0, this.count);
		const counts = new Array<number>(MAX_DB + 1).fill(0);
		for (const cell of cells) counts[cell]++;
		const most = limit((share) => {
			let left = share * this.count;
			return counts.findIndex((count) => (left -= count) <= 0);
		});
		const runs: Array<[number, number]> = [];
		for (let at = 0; at < cells.length; at++) {
			if (cells[at] > most) continue;
			const start = at;
			while (at < cells.length && cells[at] <= most) at++;
			if ((at - start) * STEP_SECONDS >= SHORTEST_PAUSE) runs.push([start, at]);
		}
		return runs;
	}
}
