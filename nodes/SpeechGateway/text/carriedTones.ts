import { isSpace } from './characters';
import { paragraphBreaks } from './pauses';
import type { PreparedText } from './prepare';
import { endOfWords } from './segment';

/** A tone tag, and the stretch of the spoken text that it holds for: to the last word before the next tag or paragraph. */
export interface Tone {
	/** The tag to repeat before a segment that begins within the stretch. */
	prefix: string;
	from: number;
	to: number;
}

/** The tones of a text. A tag on a line of its own holds for the paragraph below it. */
export function tonesOf({ spoken: { text }, tags }: PreparedText): Tone[] {
	const breaks = paragraphBreaks(text);
	let k = 0;
	return tags.spoken.map(({ start, end }, index) => {
		let words = end;
		while (isSpace(text.charCodeAt(words))) words++;
		while (k < breaks.length && breaks[k].end <= words) k++;
		const next = tags.spoken.at(index + 1)?.start ?? text.length;
		const to = Math.min(next, breaks.at(k)?.start ?? text.length);
		return {
			prefix: text.slice(start, end) + (words > end ? ' ' : ''),
			from: end,
			to: end + endOfWords(text.slice(end, to)),
		};
	});
}
