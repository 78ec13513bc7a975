/**
 * Where a text may be cut: ends of paragraphs, sentences, clauses and words, in any language.
 * Intl.Segmenter finds sentences and words by Unicode's rules (UAX #29). These know no abbreviations and
 * take every line break for an end, so most of this file removes false ends: `Dr. Smith`, `am 3. Mai`,
 * `“Why?” he said`. An end that is missed costs little, since there are other places to cut; a false one is
 * heard, because each segment is spoken as if it stood alone.
 */
import { endAt, isPair, matchAt, UNSPACED } from './characters';

/** A tone tag after `maskTags`: `X` for each letter, so nothing in it looks like an end. */
const MASKED_TAG = /[(（[［][X\s]+[)）\]］]/gu;
const TAGS = new RegExp(`(?:${MASKED_TAG.source}\\s*)+`, 'uy');

type Granularity = 'grapheme' | 'word' | 'sentence';

type Segment = Omit<Intl.SegmentData, 'input'>;

/**
 * Created lazily, since the first one takes 10 ms. The locale is fixed so that a text is cut the same way on every machine;
 * the rules and dictionaries cover all scripts in any locale.
 */
const segmenters: Partial<Record<Granularity, Intl.Segmenter>> = {};

/**
 * UTF-16 units given to Intl.Segmenter at once. In V8, each step takes time proportional to the length of the string: minutes
 * for a whole book, half a microsecond at this size.
 */
const WINDOW = 256;

/**
 * Words whose full stop ends no sentence. Those with a capital count only with it: `Fa. Müller`. A word too many costs
 * one place to cut; a word too few separates `Dr.` from its name.
 */
const ABBREVIATIONS = new Set(
	// Common ones.
	(
		'abs abschn abt al anm approx apr art aufl aug av ave bd blvd bros bzgl bzw ca capt cf cmdr co col corp dec ' +
		'dept dez dgl dipl dott dr dra ed eds env evtl feb fig fr frl ft geb gen gest ggf gov hon hr hrn hrsg inc ing ' +
		'inkl jan jh jhd jr jul jun kap lt ltd maj mar max med messrs mio mlle mme mr mrd mrs ms mt mx nov nr núm oct ' +
		'okt op phil pp pres prof pág rd rep rer rev sec sen sep sept sgt sig sog sr sra srta st std tel ud uds usw ' +
		'vgl viz vol vs ziff zzgl гг им млн млрд руб тыс ул ' +
		// The rest of CLDR's (Unicode-3.0 license), without everyday words of any language.
		'Abw Adj Adv Akt Allg Alm App Ausg Ausschl Avda Bed Bez Bibl Cdr Chr Comm Cont Cía Desv Diff Dim Dir Dras Drs ' +
		'Dto Dtzd Dña Einh Emm Erf Etc Excma Excmas Excmo Excmos Exma Exmas Exmo Exmos Fa Fabric Fam Fn Folg Gebr ' +
		'Geograph Ges Hbf Hd Hptst Id Ilma Ilmas Ilmo Ilmos Inh Jahrh Konv Kop Lcda Lcdo Lda Ldo Lic Ltda Ltdo Mgr ' +
		'Misc Mons Msp Num Obj Pfd Phys Prot Proz Pvt Rdo Rdos Rh Rvdmo Rvdmos Rvdo Rvdos Schr Sdad Sek Spezif Sq ' +
		'Srtas StR Sta Sto Str Trab Urspr Ursprüngl Vda Verf Wz Yr Zt Ztr abr abrev acoust adm adr aer afma afmas ' +
		'afmo afmos agric amtl anat ann anon apt arit arqueol arquit astron autom aux avr avv bco beil biogr broch ' +
		'bull categ cfr coll collab compl contab créd cx círc cód depto deptos desc dic dict dpto dptos dtor déb déc ' +
		'educ ehem eigtl einschl ej elem eletr eletrôn encycl ene entspr erw exec exempl exkl fasc fem fev figs filos ' +
		'fisiol fl frz févr fís gedr gek geom gesch ggfs gouv gr gên hnos hpts hôp illustr imprim ind indus ingl janv ' +
		'jew jhrl jue juil jur kath kfm kgl licda licdo lun matem mitt mié mss mtl mtro máq méd möbl mús neol ntra ' +
		'ntro náut näml obs od odont odontol organiz pag pq profa pron prov próx psicol publ quím ref rel relat réf ' +
		'röm schles schweiz schwäb sez sociol sras sres srs ss symb syst sáb séc símb südd tav tecnol trad transp ' +
		'tägl univ verh verw álg éd édit équiv éval índ österr авг апр дек кв нояб окт отд проф сент тел февр янв ' +
		// Of languages that CLDR has none for, and titles and references that are written with vowels.
		'avv bijv mevr enz esim puh ún doç cad sok mah bul örn ul godz tzw woj zob św např tzv nám apod dna ' +
		'вул ім напр див бул гл рис илл напр δηλ σελ καθ αρ डॉ प्रो श्री श्रीमती पं ดร פרופ GS PGS TS ThS TP Tp gem hab'
	).split(' '),
);
/** Initials and one-letter parts (`U.S.`, `z. B.`), ordinals and list numbers (`3. Mai`, `१. पहला`), German streets. */
const NO_SENTENCE_END = /^(?:\p{L}\p{M}*|\p{Nd}{1,2}|\p{L}*str)$/iu;
/** Up to three letters without a vowel, but no acronym: `Дж. Толкин`, `Th. Mann`, `tzn. on`, `str. 5`. */
const WITHOUT_VOWEL =
	/^(?:[bcdfghj-np-tvwxzçćčďłńňřśšťžźżß]{2,3}|[бвгґджзйклмнпрстфхцчшщьъ]{2,3}|[βγδζθκλμνξπρσςτφχψ]{2,3})$/iu;
const ACRONYM = /^\p{Lu}{2}/u;
/** Doubled capitals for a plural, as in `EE. UU.` or `RR. HH.`. */
const PLURAL = /^(\p{Lu})\1$/u;
const OTHER_PLURAL = /(\p{Lu})\1\./uy;
/** The second part of an abbreviation of two: `p. ej.`, `m. in.`, `bl. a.`, `t. ex.`. */
const SECOND_PART = /(?<![\p{L}\p{M}\p{N}])\p{L}{1,2}\.\s?\p{Ll}{1,3}\.\s*$/u;
/** Words that are abbreviations only before a number: `No. 5`, but `No. He left.`; in scripts without case, all short ones. */
const BEFORE_NUMBER =
	/^(?:N[or]s?|Min|Ex|Chap?|Tab|Pl|Bl|Ph|Lot|Cap|Obr|Rys|Ryc|Fig|Abb|Art|Kap|tom|стр|рис|табл|พ|(?!है)(?:\p{Lo}\p{M}*){1,2}|\p{Script=Georgian}{1,2})$/iu;
/** A verse of a book: `Matt. 5:3`, `Röm. 8:1`. */
const VERSE = /\p{Nd}{1,3}:\p{Nd}/uy;
const SHORT_NAME = /^\p{Lu}\p{Ll}{1,5}$/u;
/** `N°. 5`, `Nº. 5`, `№. 5`, `§. 5`. */
const NUMBER_SIGN = /(?:\p{L}[°º]|[№§])\.\s*$/u;
/** A Roman numeral that opens a line or a sentence: `IV. The letter`. */
const LIST_NUMBER = /(?:^|[\n.!?…:]\s*)[IVXLC]{2,6}\.\s*$/u;
const WORD_AND_STOP = /(?<![\p{L}\p{M}\p{N}])([\p{L}\p{M}\p{N}]+)\.\s*$/u;
const STARTS_WITH_NUMBER = /[\p{N}#]/uy;
const NUMBER = /^\p{Nd}+$/u;
/** The last part of a time, a decimal or a price is no ordinal: `at 10:30.`, `1,5.`, `$3.50.` */
const PART_OF_NUMBER = /(?:\p{Nd}[:,]|\p{Sc}\s?[\p{Nd}.,]+)\p{Nd}+\.\s*$/u;
/** The end of an abbreviation of two parts, as in `z. B. 3. Mai`: its number is an ordinal. */
const TWO_PARTS = /(?<!\p{L})\p{L}\.\s?\p{L}{1,3}\.\s*$/u;
const OPENS_SENTENCE = /[\p{Ps}\p{Pi}¿¡"]/uy;
/** The length of the longest abbreviation above with its full stop and a few spaces, UTF-16 units. */
const ABBREVIATION_REACH = 16;

/**
 * Whether the full stop before an offset belongs to an abbreviation, an initial or an ordinal. White space may stand
 * between; what follows the offset decides where a word is both: `No. 5`, but not `No. He left`.
 */
function followsAbbreviation(text: string, offset: number): boolean {
	const from = Math.max(0, offset - ABBREVIATION_REACH);
	// A slice from within the text must not look like its beginning.
	const before = (from > 0 ? 'x' : '') + text.slice(from, offset);
	if (NUMBER_SIGN.test(before)) return matchAt(STARTS_WITH_NUMBER, text, offset) !== null;
	const word = WORD_AND_STOP.exec(before)?.[1];
	if (word === undefined) return false;
	if (NUMBER.test(word)) {
		if (matchAt(OPENS_SENTENCE, text, offset) || PART_OF_NUMBER.test(before)) return false;
		// The number of a reference such as `núm. 7.` or `Fig. 3.` is no ordinal, so its full stop ends a sentence.
		const at = text.lastIndexOf(word, offset - 1);
		const isReference = /\p{L}[°º]?\.\s$/u.test(before.slice(0, before.lastIndexOf(word)));
		if (
			isReference &&
			!TWO_PARTS.test(`x${text.slice(Math.max(0, at - 16), at)}`) &&
			followsAbbreviation(text, at)
		)
			return false;
	}
	return (
		NO_SENTENCE_END.test(word) ||
		ABBREVIATIONS.has(word) ||
		ABBREVIATIONS.has(word.toLowerCase()) ||
		(WITHOUT_VOWEL.test(word) && !ACRONYM.test(word)) ||
		SECOND_PART.test(before) ||
		LIST_NUMBER.test(before) ||
		(PLURAL.test(word) && matchAt(OTHER_PLURAL, text, offset) !== null) ||
		(BEFORE_NUMBER.test(word) && matchAt(STARTS_WITH_NUMBER, text, offset) !== null) ||
		(SHORT_NAME.test(word) && matchAt(VERSE, text, endAt(SPACES, text, offset)) !== null)
	);
}

/** Matches the end of a sentence, with its closing quotes and brackets, at the end of a string. */
export const SENTENCE_END = /[\p{STerm}…][\p{Pe}\p{Pf}\p{Pi}"']*$/u;
/** How far to look back for punctuation, UTF-16 units. */
const MARK_REACH = 16;
/** An ellipsis before a word that may open a sentence: `Well… Then`. */
const ELLIPSIS = /…(?=[\p{Pe}\p{Pf}"']?\s+[\p{Lu}\p{Lo}\p{Ps}\p{Pi}¿¡"])/gu;
const GREEK_QUESTION = /(?<=\p{Script=Greek}["'”’»)]?)[;\u037e](?=[\p{Pe}\p{Pf}"']?\s)/gu;
const LINE_BREAKS = /\r\n|[\r\n\u2028\u2029]/g;

/**
 * Ends of clauses: Latin punctuation before a space (not in `1,000`), East Asian punctuation, spaces in Thai, Lao,
 * Khmer, Burmese.
 */
const CLAUSE_END =
	/(?:[,;:،؛…]|(?<!\.)\.{2,}|--|[–—])[\p{Pe}\p{Pf}"'“]*(?=\s)|(?<![、，；：…—])[、，；：…—]+[\p{Pe}\p{Pf}]*(?![\p{Po}\p{Pe}\p{Pf}])|(?<=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\s(?=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/gu;

/**
 * A number, a full stop and a capital: a sentence may end here (`is number 12. The next`), or not (`bis Kapitel 19. Band`);
 * behind a German article or preposition, it is an ordinal (`am 3. Oktober`).
 */
const AFTER_NUMBER =
	/(?<=\p{L}\s)(?<!(?<!\p{L})(?:am|im|vom|zum|zur|den|der|dem|des|die|das|ab|bis|seit|beim|jede[nrs]?)\s)\d{1,2}\.[\p{Pe}\p{Pf}"']*\s+(?=\p{Lu})/gu;

const SPACES = /\s*/uy;
const CLOSING_THEN_SPACE = /[\p{Pe}\p{Pf}"']+(?=\s|$)/uy;
const PUNCTUATION_THEN_SPACE = /[\p{Po}\p{Pe}\p{Pf}]+(?=\s|$)/uy;
const STARTS_WITH_CLOSING = /^[\p{Po}\p{Pe}\p{Pf}\p{Pc}\p{Pd}]/u;
const ENDS_WITH_OPENING = /[\p{Ps}\p{Pi}]$/u;
/** A sentence that goes on, behind a dash or an opening mark, too: `“Why?” – he said`. Georgian has no capitals. */
const LOWER_CASE = /(?:[–—-]\s?)?[\p{Ps}\p{Pi}"'¿¡]?(?!\p{Script=Georgian})\p{Ll}/uy;

/** The graphemes, words or sentences of a text, by Intl.Segmenter, window by window. Offsets are those of the text. */
export function* segmentsOf(granularity: Granularity, text: string): Generator<Segment> {
	const segmenter = (segmenters[granularity] ??= new Intl.Segmenter('en', { granularity }));
	let size = WINDOW;
	let start = 0;
	while (start < text.length) {
		let stop = Math.min(text.length, start + size);
		if (stop < text.length && isPair(text, stop - 1)) stop--;
		let isWhole = stop === text.length;
		// What follows may change the last two segments of a window, so the next window starts with them again.
		const held: Segment[] = [];
		const window = text.slice(start, stop);
		for (const { segment, index, isWordLike } of segmenter.segment(window)) {
			held.push({ segment, index: start + index, isWordLike });
			if (held.length <= 2) continue;
			yield held[0];
			held.shift();
			// A window that grew for one long segment is too slow for short ones.
			if (size > WINDOW) {
				isWhole = false;
				break;
			}
		}
		if (isWhole) {
			yield* held;
			return;
		}
		size = start === held[0].index ? size * 2 : WINDOW;
		start = held[0].index;
	}
}

/** Finds places of one kind to cut at: ascending offsets of the text, in which tone tags are masked. */
export type CutFinder = (text: string) => Iterable<number>;

/** Blank lines, and single line breaks after a full sentence. Other line breaks may only wrap the text. */
export function* paragraphs(text: string): Generator<number> {
	for (const { 0: space, index } of text.matchAll(/[\r\n\u2028\u2029]\s*/g)) {
		const isBlankLine = (space.match(LINE_BREAKS)?.length ?? 0) > 1;
		const before = text.slice(Math.max(0, index - MARK_REACH), index).trimEnd();
		if (isBlankLine || (SENTENCE_END.test(before) && !followsAbbreviation(text, index)))
			yield index + space.length;
	}
}

/** Sentence ends by Unicode's rules, except after abbreviations and before a lower-case letter (`“What?” he said`). */
export function* sentences(text: string): Generator<number> {
	// Unicode ends a sentence at every line break, which may only wrap the text here; paragraphs() finds those that do not.
	const unwrapped = text
		.replace(/[\r\n\u2028\u2029]/g, ' ')
		// Unicode's rules ignore the ellipsis character, and the question mark of Greek.
		.replace(ELLIPSIS, '?')
		.replace(GREEK_QUESTION, '?');
	for (const { index } of segmentsOf('sentence', unwrapped)) {
		let offset = index;
		// Without a space after the full stop, Unicode takes an opening bracket or quote for a closing one: 走。（笑）来。
		while (ENDS_WITH_OPENING.test(text.charAt(offset - 1))) offset--;
		if (followsAbbreviation(text, offset)) continue;
		// French puts a space before the closing quote (« Oui ! »), which Unicode moves to the next sentence.
		const end = Math.max(offset, endAt(CLOSING_THEN_SPACE, text, offset));
		const next = endAt(SPACES, text, end);
		if (matchAt(LOWER_CASE, text, Math.max(next, endAt(TAGS, text, next)))) continue;
		yield end;
	}
}

const endsOf =
	(pattern: RegExp): CutFinder =>
	(text) =>
		Array.from(text.matchAll(pattern), ({ 0: match, index }) => index + match.length);

/** Line breaks, though most only wrap the text. */
export const lines = endsOf(LINE_BREAKS);
/** Behind commas, colons and dashes, and where Thai and its neighbours put a space. */
export const clauses = endsOf(CLAUSE_END);
/** Behind `12. `, which ends a sentence or is an ordinal. */
export const numbers = endsOf(AFTER_NUMBER);
/** Behind tone tags, for a tag and a word that do not fit into one segment. */
export const tagEnds = endsOf(MASKED_TAG);

/** Korean attaches endings directly to foreign words: NATO는. */
const HANGUL = /\p{Script=Hangul}/u;

/** Spaces, and word ends in scripts that are written without them, by the dictionaries of Intl.Segmenter. */
export function* words(text: string): Generator<number> {
	for (const { 0: run, 1: word, index } of text.matchAll(/(\S*)\s*/g)) {
		// Intl.Segmenter takes microseconds a word, so it runs only where there may be words without spaces between.
		if (UNSPACED.test(word) || HANGUL.test(word)) {
			let afterWord = false;
			for (const part of segmentsOf('word', word)) {
				if (afterWord && part.isWordLike) yield index + part.index;
				afterWord = part.isWordLike === true;
			}
		}
		const next = index + run.length;
		if (run !== word && !clings(text, word, next)) yield next;
	}
}

const LATIN_OR_DIGIT = /[A-Za-z\d]$/;
const OPENING_MARK = /^[\p{Ps}\p{Pi}¿¡]$/u;

/**
 * Whether the space behind a word is no place to cut: behind an abbreviation or a lone opening mark (`«
 * Oui`), or before a lone closing mark (`Oui !`).
 */
function clings(text: string, word: string, next: number): boolean {
	if (matchAt(PUNCTUATION_THEN_SPACE, text, next)) return true;
	if (LATIN_OR_DIGIT.test(word)) return false;
	return OPENING_MARK.test(word) || followsAbbreviation(text, next);
}

/** Places within a run without spaces (`either/or`, an address) that separate no mark from its word. */
export function* wordParts(text: string): Generator<number> {
	let previous = '';
	for (const { segment, index } of segmentsOf('word', text)) {
		if (!STARTS_WITH_CLOSING.test(segment) && !ENDS_WITH_OPENING.test(previous)) yield index;
		previous = segment;
	}
}

/** All edges of words, including those between a word and its punctuation. */
export function* wordEdges(text: string): Generator<number> {
	for (const { index } of segmentsOf('word', text)) yield index;
}

/** Every offset; `cutText` skips the protected ones. */
export const everywhere: CutFinder = ({ length }) => Array(length).keys();
