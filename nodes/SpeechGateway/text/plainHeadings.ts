/**
 * The headings of plain text: lines that start with `#`, numbered titles as books have them, and
 * short lines that stand alone. In a book of numbered chapters only those are headings, since the
 * rest is title pages, letters and page furniture.
 */
import { grouped } from '../core/grouped';
import { SENTENCE_END } from './boundaries';
import type { ReadHeading } from './reading';

const LINE = /[^\r\n\u2028\u2029]+/g;
/** Longer lines are running text. UTF-16 units. */
const MAX_CHARACTERS = 100;
/** `# Title`, as in Markdown. */
const MARKED = /^(#{1,6})[ \t]+(.*?)[ \t#]*$/u;

const CHAPTER =
	'chapter|episode|section|kapitel|abschnitt|chapitre|cap[ií]tulo|capitolo|capitolul|hoofdstuk|rozdział|kapitola|kapittel|' +
	'глава|розділ|раздел|поглавље|poglavlje|luku|fejezet|bölüm|κεφ[άα]λαιο|chương|bab|अध्याय|الفصل|פרק|บทที่|' +
	'(?:ch|chap|kap|cap|гл)\\.|stave|canto|letter|lettre|brief|carta|lettera|письмо|scene|szene|scène|escena|cena|scena|сцена|' +
	'lesson|lektion|lección|leçon|lezione|lição|lekcja|урок';
/** What has chapters of its own. */
const PART =
	'part|book|volume|act|teil|buch|band|akt|partie|livre|tome|acte|parte|libro|livro|acto|ato|atto|deel|boek|część|księga|část|kniha|' +
	'часть|частина|книга|том|del|bok|osa|rész|kısım|partea|cartea|μ[έε]ρος|βιβλ[ίι]ο|phần|भाग|الباب|الجزء|חלק';
const CHAPTER_WORD = `(?:${CHAPTER}|${PART})`;
/** What may follow a number: marks, and a title that begins with no small letter. */
const MARKS_AND_TITLE = '(?!\\p{L})[ \\t]*(?:[.:,;)\\]!?—–।。：、-]+.*|\\s+[^\\p{Ll}\\s].*)?$';
/** Digits, Roman numerals, and letters that are numbers in Hebrew and Greek. */
const CHAPTER_NUMBER = "\\p{Nd}{1,4}|[ivxlcdm]{1,8}|[א-ת](?:[\"״][א-ת])?['׳]?|[Α-Ω]{1,2}[΄ʹ'’]";
/** `1er`, `2e`, `3º`, `4th`. */
const ORDINAL_ENDING = '(?:[aªºo°e]|er|re|ère|ème|st|nd|rd|th)(?!\\p{L})';
const NUMBERED = new RegExp(
	`^(?:(${CHAPTER_WORD})[ \\t]+(?:n[o°º]\\.?[ \\t]*)?(${CHAPTER_NUMBER})(?:\\.?${ORDINAL_ENDING})?|(${CHAPTER_NUMBER})(?:\\.|${ORDINAL_ENDING})[ \\t]+(${CHAPTER_WORD})(?!\\p{L})|第[ \\u3000]?([\\p{N}一二三四五六七八九十百千零〇]{1,8})[ \\u3000]?([章节節回部話话幕卷篇])|제?[ ]?(\\p{Nd}{1,4})[ ]?([장부화편])(?!\\p{L}))`,
	'iu',
);
const ENDS_LIKE_NUMBERED = new RegExp(`^${MARKS_AND_TITLE}`, 'u');
/** `Chapter the First.`, `Глава первая. Дом`, `Erstes Kapitel`. */
const SPELLED = new RegExp(
	`^(?:(${CHAPTER_WORD})[ \\t]+((?:the[ \\t]+)?[\\p{L}-]{2,20}(?:[ \\t][\\p{L}-]{2,12})?)|([\\p{L}-]{3,20})[ \\t]+(kapitel|teil|buch|akt|chapitre|partie|livre|cap[ií]tulo|parte|capitolo|libro|глава|часть|книга|том|розділ|rozdział|część|fejezet|rész|bölüm|luku|osa|kapittel|kapitlet|kapitola|část|hoofdstuk|deel|del|bok|अध्याय))(?:[ \\t]*([.:!?।—–-].*))?$`,
	'iu',
);
const ROMANCE_ORDINAL = /^(?:prim|segund|second|tercer|terceir|terz|cuart|quart|quint)[ao]$/iu;
/** Words that often open a sentence; their numbers have a capital. */
const COMMON_WORD = /^(?:part|book|volume|act|section|episode|del|tom|ato|bok|band|parte|teil)$/iu;
/** Titles that have no number; perhaps with another title behind. */
const UNNUMBERED =
	/^(interlude|interludio|interlúdio|zwischenspiel|intermezzo|acknowledge?ments|danksagung|remerciements|prologu?e?|epilogu?e?|prólogo|epílogo|prologo|epilogo|prolog|epilog|préface|preface|prefacio|prefácio|prefazione|foreword|introduction|introducción|introdução|introduzione|einleitung|vorwort|nachwort|afterword|avant-propos|postface|conclusion|appendix|voorwoord|nawoord|пролог|эпилог|епілог|предисловие|послесловие|введение|wstęp|doslov|předmluva|önsöz|sonsöz|序[章言]?|前言|后记|後記|尾声|尾聲|終章|楔子|引子|プロローグ|エピローグ|あとがき|프롤로그|에필로그|مقدمة|خاتمة)(?:[.:!—–-]*|[ \t]*[:—–-][ \t]*(\p{Lu}.*))$/iu;

/** The end of a sentence, of a greeting, or of a line before a list or a quotation, but not of a heading. */
const ENDS_LIKE_TEXT = /[.!?…,;:。！？，、；：।؟؛،–—-][\p{Pe}\p{Pf}"'*_]*$/u;
/** A number with a mark, alone on a line. */
const NUMBER_ALONE = /^(?:\p{Nd}{1,3}|[IVXLC]{1,8})[.)]$/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** A stage direction such as `(softly)` or `[Music]`, a list item, direct speech, or the number of a page. */
const NO_TITLE =
	/^(?:(?:page|seite|página|pagina|strona|страница|стр\.|sayfa)[ \t]*\d.*|[([（【].*[)\]）】]|[-*•–—][ \t].*|[\p{Pi}"„「『].*)$/iu;
const WEB_ADDRESS = /:\/\/|^www\.|\S@\S+\.\S/iu;
/** So many titles without text between are a table of contents, and so many chapters make a book. */
const MANY = 3;

/** A line that may be a title. `at`: where its words start, without the spaces around them. */
interface TitleLine {
	title: string;
	at: number;
	/** Whether blank lines, or the ends of the text, are around it. */
	isAfterBlank: boolean;
	isBeforeBlank: boolean;
	isLast: boolean;
	/** Of a numbered title: the same for the same chapter. */
	key?: string;
	isChapter?: boolean;
}

/** The headings of a text, in order; they are spoken like the rest. The last line is never one: nothing would follow it. */
export function plainHeadings(text: string): ReadHeading[] {
	const lines = linesOf(text);
	lines.forEach((line, index) => Object.assign(line, numberOf(line, lines[index - 1])));
	dropContents(lines);
	const isBook = lines.filter(({ isChapter }) => isChapter).length >= MANY;
	return lines.flatMap(({ title, at, isAfterBlank, isBeforeBlank, isLast, key }): ReadHeading[] => {
		if (isLast || title.length > MAX_CHARACTERS || !LETTER_OR_DIGIT.test(title)) return [];
		const marked = MARKED.exec(title);
		if (marked) {
			const wordsAt = at + title.indexOf(marked[2], marked[1].length);
			return [{ at, wordsAt, end: wordsAt + marked[2].length }];
		}
		const heading = { at, end: at + title.length };
		if (key !== undefined) return [heading];
		const endsLikeText = ENDS_LIKE_TEXT.test(title) && !NUMBER_ALONE.test(title);
		const isText = NO_TITLE.test(title) || endsLikeText || WEB_ADDRESS.test(title);
		return isBook || isText || !isAfterBlank || !isBeforeBlank ? [] : [heading];
	});
}

/** The lines with words, and what is blank around each. */
function linesOf(text: string): TitleLine[] {
	const found = [...text.matchAll(LINE)].filter(([line]) => line.trim() !== '');
	const isBlank = (from: number, to: number) => text.slice(from, to).split('\n').length > 2;
	return found.map((match, index) => {
		const [line] = match;
		const before = found.at(index - 1);
		const next = found.at(index + 1);
		const end = match.index + line.length;
		return {
			title: line.trim(),
			at: match.index + line.indexOf(line.trim()),
			isAfterBlank:
				index === 0 ||
				(before !== undefined && isBlank(before.index + before[0].length, match.index)),
			isBeforeBlank: next !== undefined && isBlank(end, next.index),
			isLast: index === found.length - 1,
		};
	});
}

/**
 * What a numbered title says of itself; nothing if it is none. One with words behind its number must not stand within a
 * paragraph.
 */
function numberOf(
	line: TitleLine,
	before: TitleLine | undefined,
): Pick<TitleLine, 'key' | 'isChapter'> {
	const { title } = line;
	if (title.length > MAX_CHARACTERS || line.isLast) return {};
	const opens =
		line.isAfterBlank || before?.key !== undefined || SENTENCE_END.test(before?.title ?? '');
	const named = UNNUMBERED.exec(title);
	if (named) {
		const isTitle = named[2] === undefined || (line.isBeforeBlank && !ENDS_LIKE_TEXT.test(title));
		return line.isAfterBlank && isTitle ? { key: named[1].toLowerCase() } : {};
	}
	const numbered = NUMBERED.exec(title);
	const rest = numbered ? title.slice(numbered[0].length) : '';
	const isEastAsian = /^[第제]/u.test(title);
	if (numbered && (ENDS_LIKE_NUMBERED.test(rest) || (isEastAsian && !ENDS_LIKE_TEXT.test(title)))) {
		const [whole, ...groups] = numbered;
		const isAlone = /^[\s\p{P}]*$/u.test(rest);
		const endsInDash = !isAlone && /[–—-]$/u.test(title);
		if ((!isAlone && !opens) || endsInDash) return {};
		return { key: whole.toLowerCase(), isChapter: !isPartTitle(groups) };
	}
	const spelled = SPELLED.exec(title);
	if (!spelled || !line.isAfterBlank || !/^[\p{Lu}\p{Lo}]/u.test(title)) return {};
	const [, word = '', number = '', , , behind = ''] = spelled;
	// Alone on its line, it may stand directly above the text.
	if (!line.isBeforeBlank && (COMMON_WORD.test(word) || LETTER_OR_DIGIT.test(behind))) return {};
	const isNumber = /^(?:the[ \t]+)?\p{Lu}/u.test(number) || ROMANCE_ORDINAL.test(number);
	if (COMMON_WORD.test(word) && !isNumber) return {};
	return {
		key: title.toLowerCase().replace(/[.:—–-].*$/u, ''),
		isChapter: !isPartTitle(spelled.slice(1, 5)),
	};
}

const ONLY_PART = new RegExp(`^(?:${PART})$`, 'iu');
const isPartTitle = (words: Array<string | undefined>) =>
	words.some((word) => word !== undefined && ONLY_PART.test(word));

/**
 * Titles in a table of contents are no headings, since each stands again above its chapter. Of equal ones the last
 * counts, or the first where the contents end the book.
 */
function dropContents(lines: TitleLine[]): void {
	const runs: TitleLine[][] = [[]];
	for (const line of lines) {
		if (line.key === undefined) runs.push([]);
		else runs[runs.length - 1].push(line);
	}
	const titles = lines.filter(({ key }) => key !== undefined);
	const last = new Map(titles.map((line) => [line.key, line]));
	const first = new Map(titles.toReversed().map((line) => [line.key, line]));
	for (const run of runs.filter(isContents)) {
		const standing = run.at(-1) === titles.at(-1) ? first : last;
		for (const line of run)
			if (standing.get(line.key) !== line)
				Object.assign(line, { key: undefined, isChapter: false });
	}
}

/**
 * Whether titles without text between are contents: three that differ only in their numbers, which `Part 1`, `Chapter
 * 1` do not.
 */
function isContents(run: TitleLine[]): boolean {
	const wordOf = ({ key = '' }: TitleLine) =>
		key.replace(/[\p{N}一二三四五六七八九十百千零〇]+/gu, '').split(/\s/, 1)[0];
	return [...grouped(run, wordOf).values()].some(({ length }) => length >= MANY);
}
