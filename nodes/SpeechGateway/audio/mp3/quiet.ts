/** Quiet edges of an MP3 file, in whole frames. */
import { KEPT_QUIET_SECONDS } from '../quiet';
import type { Frame } from './frame';
import { type EdgeFrame, frameBytes, freshHeader } from './reservoir';

/** Frames that the reservoir can reach back over: 255 bytes, of which the smallest frames (8 kbit/s at 24 kHz) hold 11. */
const REACH_FRAMES = 24;

/**
 * No frequency of a quiet frame is louder than this (-54 dB). A tone of -50 dB is louder, noise of -60 dB at a usual
 * constant bitrate is not.
 */
const QUIET_PEAK = 1 / 500;

/** What may be cut off the ends. Plain JSON. */
export interface QuietFrames {
	/** Frames before `head`, and frames of it that are left out as well: those hold bytes that the next one needs. */
	start?: { frames: number; bytes: number; head: EdgeFrame[]; skip: number };
	/** Frames at the end, and the sizes of the last ones before them. */
	end?: { frames: number; bytes: number; tail: number[] };
}

const noCut = () => ({ frames: 0, bytes: 0, sizes: [] });

/** Finds the quiet edges, frame by frame. Memory stays at a few frames. */
export class QuietEdges {
	/** The last frames before the first loud one. */
	private recent: EdgeFrame[] = [];
	private passed = { frames: 0, bytes: 0 };
	private start?: QuietFrames['start'];
	private isLoud = false;
	/** Quiet frames since the last loud one, and those that may be cut off. */
	private run = 0;
	private cut: { frames: number; bytes: number; sizes: number[] } = noCut();
	private tail: number[] = [];

	constructor(private readonly edgeFrames: number) {}

	add(frame: EdgeFrame, level: number, { samples, sampleRate }: Frame): void {
		const isQuiet = level <= QUIET_PEAK;
		// One more: a frame sounds on in the one behind it.
		const kept = Math.ceil((KEPT_QUIET_SECONDS * sampleRate) / samples) + 1;
		const bytes = frameBytes(frame);
		if (!this.isLoud) this.addToStart(frame, isQuiet, kept);
		else if (this.start && this.start.head.length < this.start.skip + this.edgeFrames) {
			this.start.head.push(frame);
		}
		if (isQuiet) this.run++;
		else this.goOn();
		if (this.run > kept) {
			this.cut.frames++;
			this.cut.bytes += bytes;
			keepLast(this.cut.sizes, bytes, this.edgeFrames);
		} else {
			keepLast(this.tail, bytes, this.edgeFrames);
		}
	}

	/** The quiet frames were a pause, not the end. */
	private goOn(): void {
		this.run = 0;
		if (this.cut.frames === 0) return;
		this.tail.push(...this.cut.sizes);
		this.cut = noCut();
	}

	private addToStart(frame: EdgeFrame, isQuiet: boolean, kept: number): void {
		this.recent.push(frame);
		if (isQuiet) {
			if (this.recent.length <= kept + REACH_FRAMES) return;
			this.passed.frames++;
			const [first] = this.recent.splice(0, 1);
			this.passed.bytes += frameBytes(first);
			return;
		}
		this.isLoud = true;
		const { recent, passed } = this;
		// Frame 0 of the file can stand first as it is.
		let skip = recent.length - 1 - kept;
		const least = passed.frames === 0 ? 0 : 1;
		while (skip >= least && freshHeader(recent, skip) === undefined) skip--;
		if (skip >= least && skip + passed.frames > 0) {
			// Frames that it does not need are not worth keeping.
			while (skip > 1 && freshHeader(recent.slice(1), skip - 1) !== undefined) {
				passed.frames++;
				const [first] = recent.splice(0, 1);
				passed.bytes += frameBytes(first);
				skip--;
			}
			this.start = { ...passed, head: recent, skip };
		}
		this.recent = [];
	}

	end(): QuietFrames {
		const { start, tail } = this;
		const { frames, bytes } = this.cut;
		return { start, end: frames > 0 ? { frames, bytes, tail } : undefined };
	}
}

/** Adds to a list of which only the last ones count. A new list for each frame of a book would be garbage by the gigabyte. */
function keepLast(list: number[], value: number, most: number): void {
	list.push(value);
	while (list.length > most) list.shift();
}
