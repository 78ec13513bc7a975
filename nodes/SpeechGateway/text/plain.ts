import { attribute, SSML_ELEMENT } from './html';
import { type Edit, rewrite, unchanged } from './mapped';
import { breakMark } from './pauses';
import type { ReadHeading, ReadText } from './reading';

const TAG =
	/<(\/?)([a-z][a-z:-]{0,40})((?:\s{1,20}[\w:-]{1,40}\s{0,5}=\s{0,5}(?:"[^"<>]*"|'[^'<>]*'))*)\s{0,20}\/?>/gi;
const DECLARATION = /^\s*<\?xml[^<>]{0,200}\?>/;
/** Elements that separate words. */
const SEPARATES = /^(?:p|s|speak|voice|audio|desc)$/i;

/** Reads plain text: removes SSML tags but keeps the words inside, and turns `<break>` into a pause mark. */
export function readPlain(source: string): ReadText {
	const edits: Edit[] = [];
	const dropped = new Set<string>();
	for (const { 0: tag, 1: closing, 2: element, 3: attributes, index: start } of source.matchAll(
		TAG,
	)) {
		if (!SSML_ELEMENT.test(element)) continue;
		const name = element.toLowerCase();
		const end = start + tag.length;
		if (name === 'break') {
			const text = closing ? '' : breakMark(attribute(attributes, 'time'));
			edits.push({ start, end, text });
			continue;
		}
		dropped.add(name);
		const glues = SEPARATES.test(name) && /\S/.test(source.charAt(start - 1));
		edits.push({ start, end, text: glues && /[^\s<]/.test(source.charAt(end)) ? ' ' : '' });
	}
	const declaration = DECLARATION.exec(source);
	if (declaration && dropped.has('speak')) {
		edits.unshift({ start: 0, end: declaration[0].length, text: '' });
	}
	const { text } = rewrite(unchanged(source), edits);
	return { text, headings: plainHeadings(text), dropped: [...dropped], notes: [] };
}

const LINE = /[^\r\n\u2028\u2029]+/g;
/** Longer lines are running text. UTF-16 units. */
const MAX_CHARACTERS = 100;
/** `# Title`, as in Markdown. */
const MARKED = /^(#{1,6})[ \t]+(.*?)[ \t#]*$/u;
/** A line with a number: `Chapter 3`, `Part IV: The return`, `Kapitel 2`, `第三章`. */
const NUMBERED_TITLE =
	/^(?:(?:chapter|part|act|episode|section|kapitel|teil|abschnitt|chapitre|partie|cap[ií]tulo|parte|capitolo|hoofdstuk|deel|rozdział|глава|часть)[ \t]+(?:\d{1,4}|[ivxlc]{1,7}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?!\p{L})|第[\p{N}一二三四五六七八九十百千零〇]{1,8}[章节節回部話话幕])/iu;
/** The end of a sentence, of a greeting, or of a line before a list, but not of a heading. */
const ENDS_LIKE_TEXT = /[.!?…,;:。！？，、；：।؟؛،][\p{Pe}\p{Pf}"'*_]*$/u;
const LETTER = /[\p{L}\p{N}]/u;
/** A stage direction such as `(softly)` or `[Music]`, a list item, or direct speech. */
const NO_TITLE = /^(?:[([（【].*[)\]）】]|[-*•–—][ \t].*|[\p{Pi}"„「『].*)$/u;

/**
 * Finds the headings of plain text, which are spoken like the rest: lines that start with `#`, lines such as `Chapter 3`, and short
 * lines between blank lines that do not end like a sentence. The last line is never a heading.
 */
export function plainHeadings(text: string): ReadHeading[] {
	const lines = [...text.matchAll(LINE)].filter(([line]) => line.trim() !== '');
	return lines.flatMap((match, index): ReadHeading[] => {
		const [line] = match;
		const title = line.trim();
		const isLast = index === lines.length - 1;
		if (isLast || title.length > MAX_CHARACTERS || !LETTER.test(title)) return [];
		const at = match.index + line.indexOf(title);
		const marked = MARKED.exec(title);
		if (marked) {
			const wordsAt = at + title.indexOf(marked[2], marked[1].length);
			return [{ at, wordsAt, end: wordsAt + marked[2].length }];
		}
		if (NO_TITLE.test(title) || ENDS_LIKE_TEXT.test(title)) return [];
		const before = lines[index - 1];
		const above = before ? text.slice(before.index + before[0].length, match.index) : '\n\n';
		const below = text.slice(match.index + line.length, lines[index + 1].index);
		const standsAlone = [above, below].every((gap) => gap.split('\n').length > 2);
		return standsAlone || NUMBERED_TITLE.test(title) ? [{ at, end: at + title.length }] : [];
	});
}
