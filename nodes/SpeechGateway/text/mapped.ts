/**
 * A text that was made from another one, with the way back. Pause marks are taken out, brackets read aloud, words
 * replaced by how they are pronounced: what is spoken has other offsets than what was written. A mapped text is a list
 * of runs. One whose length has not changed maps unit by unit; a replaced one maps as a whole, so that no offset ever
 * falls within a word that is not there. Edits are made on top of edits, and each text knows its origin in the first.
 */
import { firstIndex, type Span } from './characters';

/**
 * `length` units from `at` on, and their origin from `start` to `end` in another text: unit by unit
 * if both have the same length, else as a whole.
 */
interface MappedRun {
	at: number;
	length: number;
	start: number;
	end: number;
}

/** A text made from another one, with the origin of each part. All offsets are UTF-16 units. */
export interface MappedText {
	text: string;
	/** Sorted and without gaps; their origins ascend. */
	runs: MappedRun[];
}

/** Replaces the text from start to end. */
export interface Edit extends Span {
	text: string;
}

/** Whether each unit of a run has its own origin. */
const isExact = ({ length, start, end }: MappedRun): boolean => length === end - start;

/** A text as its own origin. */
export function unchanged(text: string): MappedText {
	return { text, runs: [{ at: 0, length: text.length, start: 0, end: text.length }] };
}

/** Builds a mapped text from front to back. */
class MappedWriter {
	private text = '';
	private readonly runs: MappedRun[] = [];

	get length(): number {
		return this.text.length;
	}

	/** Writes text whose origin is from start to end in the other text. */
	write(text: string, start: number, end: number): void {
		if (text === '') return;
		const run = this.runs.at(-1);
		const follows =
			run !== undefined && run.end === start && isExact(run) && text.length === end - start;
		if (follows) {
			run.end = end;
			run.length += text.length;
		} else {
			this.runs.push({ at: this.length, length: text.length, start, end });
		}
		this.text += text;
	}

	/** Copies a range of a mapped text together with its origins. */
	copy(from: MappedText, start: number, end: number): void {
		if (start >= end) return;
		for (let i = runIndex(from, start); i < from.runs.length && from.runs[i].at < end; i++) {
			const run = from.runs[i];
			const first = Math.max(start, run.at);
			const last = Math.min(end, run.at + run.length);
			this.write(
				from.text.slice(first, last),
				isExact(run) ? run.start + first - run.at : run.start,
				isExact(run) ? run.start + last - run.at : run.end,
			);
		}
	}

	finish(): MappedText {
		return { text: this.text, runs: this.runs };
	}
}

/** The index of the run that holds an offset, or of the last one for offsets behind the text. */
const runIndex = ({ runs }: MappedText, offset: number): number =>
	Math.max(0, firstIndex(runs, ({ at }) => at > offset) - 1);

/** Where the origin of the unit at an offset starts; for the end of the text, where the last origin ends. */
export function startOf(mapped: MappedText, offset: number): number {
	if (mapped.runs.length === 0) return 0;
	const run = mapped.runs[runIndex(mapped, offset)];
	if (offset >= run.at + run.length) return run.end;
	return isExact(run) ? run.start + offset - run.at : run.start;
}

/** Where the origin of the unit before an offset ends. */
export function endOf(mapped: MappedText, offset: number): number {
	if (mapped.runs.length === 0 || offset === 0) return 0;
	const run = mapped.runs[runIndex(mapped, offset - 1)];
	return isExact(run) ? run.start + offset - run.at : run.end;
}

/** Where an offset of the other text stands in this one; for text that was left out, where the text after it begins. */
export function offsetOf({ text, runs }: MappedText, origin: number): number {
	const run = runs.at(firstIndex(runs, ({ end }) => end > origin));
	if (run === undefined) return text.length;
	return run.at + (isExact(run) ? Math.max(0, origin - run.start) : 0);
}

/**
 * Applies edits, which ascend and do not overlap; their offsets are those of `mapped.text`. The origins stay those in
 * the first text.
 */
export function rewrite(mapped: MappedText, edits: Edit[]): MappedText {
	if (edits.length === 0) return mapped;
	const writer = new MappedWriter();
	let from = 0;
	for (const { start, end, text } of edits) {
		writer.copy(mapped, from, start);
		const origin = startOf(mapped, start);
		writer.write(text, origin, Math.max(origin, endOf(mapped, end)));
		from = end;
	}
	writer.copy(mapped, from, mapped.text.length);
	return writer.finish();
}
