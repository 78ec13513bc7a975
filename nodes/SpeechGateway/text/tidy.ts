/**
 * Plain text as files, PDFs and old books bring it, without what nobody reads aloud. A text without such marks is not
 * changed.
 */
import { decoded } from './entities';

const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i;
/** A character reference that was escaped once more: `&amp;#39;`. */
const ESCAPED_AGAIN = /&amp;(?=(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});)/gi;
/** A soft hyphen at the end of a line, with the line break. */
const SOFT_BREAK = /\u00ad[ \t]{0,20}\r?\n[ \t]{0,20}/g;
/** What stands for a hyphen at the end of a line in text from PDFs. */
const HYPHEN_SIGN = /\ufffe(?=\r?\n)/g;
/** Byte order marks, soft hyphens and marks without width, but not the joiners that letters and emoji need. */
const INVISIBLE = /[\ufeff\ufffe\u00ad\u200b\u2060\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** `ﬁ`, `ﬂ` and the like, and the forms of Hebrew and Arabic letters within words, as text from PDFs has them. */
const LIGATURE = /[\ufb00-\ufdff\ufe70-\ufefc]/g;
/** A line of `═══` or `+---+` around a table. */
const BOX_LINE =
	/^[ \t]*(?=[^\n]*[\u2500-\u259f])[\u2500-\u259f \t]+\r?$|^[ \t]*\+[-=+]{2,}\+[ \t]*\r?$/gm;
/** `* * *`, `---`, `❦`, `◇ ◇ ◇` or a lone `*` on a line. */
const SCENE_BREAK =
	/^[ \t\u3000]*(?:[⁂❦❧☙◇◆＊※*#~]|([*_–—=~#•·◇◆＊※-])(?:[ \t\u3000]{0,9}\1){2,200})[ \t\u3000]*(?=\r?$)/gm;
/**
 * Words between two single underscores, as old books mark italics; also over a line break, but not within names such as
 * `_id_.json`.
 */
const ITALICS =
	/(?<![\p{L}\p{N}_/\\.])_(?=[\p{L}\p{N}\p{Ps}\p{Pi}"'¿¡])((?:[^_\n]|\n(?!\s*\n)){1,500}?)(?<=[\p{L}\p{M}\p{N}\p{Pe}\p{Pf}.,;:!?…"'—-])_(?![\p{L}\p{N}_/\\(=]|\.\p{L})/gu;
/**
 * A word, a hyphen at the end of the line, and the word that opens the next one, with a hyphen if there is one in that,
 * too.
 */
const HYPHENATED =
	/(?<![\p{L}\p{M}])([\p{L}\p{M}'’-]{0,38}[\p{L}\p{M}])[-‐]\r?\n[ \t]{0,40}((\p{L}[\p{L}\p{M}'’]{0,38})(-\p{L})?)/gu;

/** First parts of compounds, which keep their hyphen: `well-⏎known`. */
const FIRST_OF_COMPOUND =
	/^(?:\p{L}|well|self|half|cross|long|short|high|low|full|hard|soft|deep|wide|good|old|new|so|first|second|third|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|mother|father|brother|sister|great|grand|north|south|east|west|vice|peut|demi|mi)$/iu;
/** Endings, which are no second part: `high-⏎est` is `highest`. */
const SUFFIX =
	/^(?:e?re?d|ed|er|ers|est|ing|ings|ly|ness|ment|ments|ful|less|ish|able|ity|en|ened|ern|ward|wards|ten|ther|ner|teens?|teenth|ty|tieth|ties|th|fold|hood|ship|some)$/u;
/** Second parts that keep their hyphen: `dit-⏎il`, `mother-⏎in-law`. */
const SECOND_OF_COMPOUND =
	/^(?:ils?|elles?|on|je|tu|nous|vous|ce|ci|là|mêmes?|moi|toi|les?|lui|leur|y|in-law|se|los?|las?|lhes?|me|te|либо|нибудь|то|таки|ка)$/iu;
/** A hyphen between letters and a number at the end of a line: `COVID-19`, `MP3-files`. Between two numbers, it may end a list. */
const BESIDE_NUMBER =
	/(?<=\p{N})[-‐]\r?\n[ \t]{0,40}(?=\p{L})|(?<=\p{L})[-‐]\r?\n[ \t]{0,40}(?=\p{N})/gu;
/** A hyphen that stands for the rest of the word: `Haupt- und Nebensatz`. */
const SUSPENDED = /^(?:and|or|to|und|oder|bis|bzw|sowie|et|ou|y|o|e|en|of|og|och|eller|и|или)$/iu;

/**
 * Joins words that were broken at the end of a line. Compounds keep their hyphen, as far as that can be told: first by
 * the text itself, which may have the word elsewhere with or without one, then by what is usual in European languages.
 * `re-⏎member` becomes `remember`, `well-⏎known` keeps its hyphen, and `Haupt-⏎und` gets a space.
 */
function joinHyphenated(text: string): string {
	let words: Set<string> | undefined;
	const occurs = (word: string) => {
		words ??= new Set(
			Array.from(text.matchAll(/\p{L}[\p{L}\p{M}'’]*(?:-\p{L}[\p{L}\p{M}'’]*)*/gu), ([one]) =>
				one.toLowerCase(),
			),
		);
		return words.has(word.toLowerCase());
	};
	return text
		.replace(BESIDE_NUMBER, '-')
		.replace(
			HYPHENATED,
			(_whole, left: string, right: string, second: string, more: string | undefined) => {
				if (SUSPENDED.test(second)) return `${left}- ${right}`;
				if (occurs(left + second)) return left + right;
				const keepsHyphen =
					left.includes('-') ||
					more !== undefined ||
					/^\p{Lu}/u.test(second) !== /^\p{Lu}{2}/u.test(left) ||
					SECOND_OF_COMPOUND.test(second) ||
					occurs(`${left}-${second}`) ||
					(FIRST_OF_COMPOUND.test(left) && !SUFFIX.test(second));
				return keepsHyphen ? `${left}-${right}` : left + right;
			},
		);
}

/** The pause mark of a scene break; nobody else writes it so, and a script has it before a model's last words. */
export const SCENE_PAUSE = '[pause 1000ms]';

/** A scene break is silence where words are before and after it. */
function pauseAtSceneBreaks(text: string): string {
	const words = text.replace(
		/\[[ \t]{0,3}(?:pause|at)\b[^[\]\n]{0,40}\]|<break[^<>]{0,100}>/gi,
		(mark) => ' '.repeat(mark.length),
	);
	const first = words.search(/[\p{L}\p{N}]/u);
	const last = text.length - (/[^\p{L}\p{N}]*$/u.exec(words.slice(-10_000))?.[0].length ?? 0);
	return text.replace(SCENE_BREAK, (_line, _mark, at: number) =>
		at > first && first >= 0 && at < last ? SCENE_PAUSE : '',
	);
}

/** Lines of a box, with words in it. */
const BOX_ROW = /^[ \t]*[│┃║]([^\n]*)[│┃║][ \t]*(?=\r?$)/gm;

/**
 * Tidies a text that was recognised as plain, step by step, each with what a hint calls it.
 */
export const TIDYING: Array<[name: string | undefined, step: (text: string) => string]> = [
	[
		'character references such as &amp;',
		(text) =>
			REFERENCE.test(text)
				? decoded(text.replace(ESCAPED_AGAIN, '&')).replace(/\u00a0/g, ' ')
				: text,
	],
	[
		undefined,
		(text) => text.replace(SOFT_BREAK, '').replace(HYPHEN_SIGN, '-').replace(INVISIBLE, ''),
	],
	[undefined, (text) => text.replace(LIGATURE, (letters) => letters.normalize('NFKC'))],
	[
		'lines of box characters',
		(text) =>
			text
				.replace(BOX_LINE, '')
				.replace(BOX_ROW, (_line, cells: string) => cells.replace(/[│┃║]/g, ' ').trim()),
	],
	['scene breaks, which are pauses now', pauseAtSceneBreaks],
	['underscores around words', (text) => text.replace(ITALICS, '$1')],
	['hyphens at the ends of lines', joinHyphenated],
];

/** Tidies a text without saying what was changed. */
export const tidy = (source: string): string =>
	TIDYING.reduce((text, [, step]) => step(text), source);
