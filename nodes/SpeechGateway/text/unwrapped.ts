/** The lines of a text as its author meant them: those that only wrap a paragraph are joined. */
import { SENTENCE_END } from './boundaries';

/** Narrower than this, no paragraph is wrapped; UTF-16 units. */
const NARROWEST = 40;
/** What a wrapped line may leave free beyond the next word. */
const SLACK = 2;
/** What begins a line of its own: an item of a list, a time in brackets. */
const OWN_LINE = /^(?:[-*•–—][ \t]|\p{Nd}{1,3}[.)][ \t]|[[［(（]\p{Nd})/u;
const LINE_BREAK = /\r\n|[\r\n\u2028\u2029]/;

/**
 * A paragraph was wrapped if each line but the last has no room for the next word, and sentences go on over a line's
 * end. Three lines or more that each begin with a capital are verse.
 */
function isWrapped(lines: string[]): boolean {
	const width = Math.max(...lines.map(({ length }) => length));
	if (lines.length < 2 || width < NARROWEST) return false;
	const ends = lines.slice(0, -1);
	const isFull = (line: string, index: number) => {
		const [word] = lines[index + 1].split(/\s/, 1);
		return line.length + 1 + word.length + SLACK > width;
	};
	const goesOn = (line: string) => !SENTENCE_END.test(line);
	const isVerse = lines.length > 2 && lines.every((line) => /^[\p{P}\s]*\p{Lu}/u.test(line));
	const isList = lines.every((line) => OWN_LINE.test(line));
	return ends.every(isFull) && ends.some(goesOn) && !isVerse && !isList;
}

/** The lines of a text; those that a program has broken at a width are put together again. */
export function unwrapped(text: string): string[] {
	const paragraphs: string[][] = [[]];
	for (const line of text.split(LINE_BREAK).map((one) => one.trim())) {
		if (line === '') paragraphs.push([]);
		else paragraphs[paragraphs.length - 1].push(line);
	}
	return paragraphs.flatMap((lines) => (isWrapped(lines) ? [lines.join(' ')] : lines));
}
