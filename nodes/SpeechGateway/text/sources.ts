/** Marks that refer to sources: `[1]`, `[cite: 4]`. A list of sources is read, its marks in the text are not. */

const SOURCE_NUMBER = String.raw`[1-9]\d{0,2}`;
const SOURCE_NUMBERS = String.raw`${SOURCE_NUMBER}(?:[ ]?[,;–-][ ]?${SOURCE_NUMBER}){0,20}`;

/** Where chat models name a source: `:contentReference[oaicite:7]{index=7}`, `【5†source】`, `[cite: 1, 2]`; with the spaces before it. */
export const NAMED_SOURCE = new RegExp(
	String.raw`\[cite_start\]|\[span_\d{1,4}\]\(start_span\)|[ \t]{0,3}(?:` +
		[
			String.raw`:contentReference\[oaicite:\d{1,4}\](?:\{[^{}]{0,100}\})?`,
			String.raw`【[^【】]{0,60}†[^【】]{0,200}】`,
			String.raw`\ue200[^\ue200\ue201]{0,300}\ue201`,
			String.raw`(?<![\p{L}\p{N}])cite(?:turn\d{1,3}[a-z]{3,12}\d{1,3}){1,20}`,
			String.raw`\[(?:cite|citation|web|sources?):[ ]?${SOURCE_NUMBERS}\]`,
			String.raw`\[\^\d{1,3}\^\]|\[\d{1,3}†[^\]\n]{1,100}\]`,
			String.raw`\[cite_end\]|\[span_\d{1,4}\]\(end_span\)`,
			String.raw`\[oai_citation:\d{1,3}[‡,][^\]\n]{0,200}\]\([^\s()]{0,1000}\)`,
		].join('|') +
		')',
	'iu',
);
const NAMED_SOURCES = new RegExp(NAMED_SOURCE, 'giu');

const MARK_ADDRESS = String.raw`\(<?(?:https?:|www\.|[#/.])[^\s()]{0,1000}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?(?:[ ]"[^"\n]{0,200}")?\)`;
/** Numbers in brackets, also with an address, doubled, and escaped. */
const SOURCE_MARK = String.raw`\[(?:\\?\[${SOURCE_NUMBERS}\\?\]|${SOURCE_NUMBERS})\](?:${MARK_ADDRESS})?`;
const MARK_RUNS = new RegExp(
	String.raw`[ \t]?${SOURCE_MARK}(?:[ ]?,?[ ]?${SOURCE_MARK}){0,20}`,
	'gu',
);
/** Any numbers in brackets, years and zeros included. */
const ANY_NUMBERS = /\[\d{1,6}(?:[ ]?[,;–-][ ]?\d{1,6}){0,20}\]/g;
/** An entry in a list of sources: `[4] https://…`. */
const LISTED = /^[ ]{0,3}\[(\d{1,3})\]:?[ ]+(?:[^\n]{0,200}[ ([])?https?:\/\//gm;

/** Above a list of sources; any number in brackets that opens a line below it is an entry. */
const LIST_HEADING =
	/^[#*_ \t]{0,9}(?:references|sources|citations|footnotes|works cited|quellen|literatur|referencias|fuentes|références|fonti|fontes|источники|参考文献|来源)[*_:： \t]{0,9}\r?$/imu;
const ENTRY = /^[ ]{0,3}\[(\d{1,3})\][ ]+\S/gm;

/** What a mark stands directly behind: a word, punctuation, a closing quote or bracket, but not that of a reference link. */
const DIRECT = /(?:[\p{L}\p{M}]{2}|\p{N}{2}|[.,;:!?…%'"”’»*_)}。，、！？；：）」』】])$/u;
const BEHIND_SENTENCE = /[.!?…。！？]["”’»)*_]*$/u;
const ENDS_CLAUSE = /^(?:[.,;:!?)…。，、]|\s*$|[ \t]*\r?\n)/u;
/** Words that lead to a number that is read: `see [3]`, `at [12]`, `step [2]`. */
const LEADS_TO_NUMBER =
	/(?:^|[^\p{L}])(?:at|in|of|see|to|from|by|and|or|is|for|with|on|per|refs?|eqs?|figs?|section|step|line|press|key|option|item|no|nos|number|pages?|paras?|paragraphs?|type|siehe|vgl|bei|voir|ver|véase|vedi)\.?$/iu;
/** Elements of lists in programs. */
const INDEXED = /[\p{L}\p{N}_]\[0\]/u;

/** `[1][2]`; with addresses, there may be a comma between. */
const TOGETHER = /\]\[|\)[ ]?,?[ ]?\[/;

type MarkPlace = 'direct' | 'together' | 'clause' | undefined;

/** Where a mark of a source may stand: directly behind words, two together, or behind a space at the end of a clause. */
function placeOfMark(text: string, run: string, at: number): MarkPlace {
	const before = text.slice(Math.max(0, at - 40), at);
	const after = text.slice(at + run.length, at + run.length + 4);
	const isSpaced = /^\s/.test(run);
	if (!isSpaced && DIRECT.test(before)) return 'direct';
	const isBehindWord = !isSpaced && /[^\s(]$/u.test(before);
	if (isBehindWord || after.startsWith('(')) return undefined;
	if (TOGETHER.test(run)) return 'together';
	if (BEHIND_SENTENCE.test(before)) return isSpaced ? 'clause' : undefined;
	const isBehindWords = isSpaced && /\S$/.test(before) && !LEADS_TO_NUMBER.test(before);
	return isBehindWords && ENDS_CLAUSE.test(after) ? 'clause' : undefined;
}

/**
 * Leaves out the marks of sources. Numbers in brackets are marks where one stands in `placeOfMark`; behind a space only if no
 * other number in brackets stands elsewhere, or the text lists that source; and only if there are two, a list or an address.
 */
export function withoutSources(source: string): string {
	const text = /[[【\ue200]|cite/.test(source) ? source.replace(NAMED_SOURCES, '') : source;
	if (text.search(/\[\\?\[?\d/) < 0) return text;
	const at = LIST_HEADING.exec(text)?.index ?? text.length;
	const entries = [...text.slice(0, at).matchAll(LISTED), ...text.slice(at).matchAll(ENTRY)];
	const listed = new Set(entries.map(([, number]) => number));
	const isProgram = INDEXED.test(text);
	const placed = isProgram
		? []
		: [...text.matchAll(MARK_RUNS)].flatMap(({ 0: run, index }) => {
				const numbers = run.match(/\[\d[^\]]*\]/g) ?? [];
				const place = placeOfMark(text, run, index);
				return place ? [{ run, index, numbers, place }] : [];
			});
	const count = placed.reduce((sum, { numbers }) => sum + numbers.length, 0);
	const isAllMarks = (text.match(ANY_NUMBERS)?.length ?? 0) <= count + entries.length;
	let edited = '';
	let from = 0;
	for (const { run, index, numbers, place } of placed) {
		const isListed = numbers.every((one) => (one.match(/\d+/g) ?? []).every((n) => listed.has(n)));
		const isMark = place !== 'clause' || isAllMarks || isListed;
		if (!isMark || (count < 2 && listed.size === 0 && !run.includes(']('))) continue;
		edited += text.slice(from, index);
		from = index + run.length;
	}
	return (edited + text.slice(from)).replace(LISTED, (entry) => entry.replace(/\[\d+\][ ]+/, ''));
}
