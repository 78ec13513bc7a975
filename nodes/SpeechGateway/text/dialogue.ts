import { toneTags } from './toneTags';
import { isTone } from './tones';

/** What one speaker says. */
export interface DialogueLine {
	/** The name as in the list of known speakers; undefined: the narrator. */
	speaker: string | undefined;
	/** What is said. A tone after the name (`Anna (laughing): …`, `Anna [laughs]: …`) is put before it as a tag. */
	text: string;
	/** Headings directly before it; nobody says them. */
	headings: string[];
}

export interface Dialogue {
	lines: DialogueLine[];
	/** Speakers who are not in the list, as written, in order of appearance. */
	unknownSpeakers: string[];
}

/** A name at the start of a line, with list and quote marks and Markdown's emphasis around it, before a colon. */
const NAME_AT_LINE_START =
	/^(\uFEFF?[ \t]{0,20}(?:(?:[-*+>]|\d{1,3}[.)])[ \t]{1,4}){0,2}(?:[*_]{1,3}|\[)?)([^\s:：*_[\]()（）<>"“”][^:：*_[\]()（）<>\n]{0,59}?)((?:[*_]{1,3}|\])?[ \t]*(?:[(（]([^()（）\n]{1,60})[)）][ \t]*|([[［][^[\]［］\n]{1,60}[\]］])[ \t]*)?(?:[*_]{1,3})?[:：](?:[*_]{1,3})?)[ \t\u3000]*/gmu;

/** A Markdown or HTML heading on a line of its own. */
const HEADING =
	/^[ \t]{0,3}(?:#{1,6}[ \t]+([^\n]{1,200})|<h[1-6](?:[ \t][^<>\n]{0,200})?>([^\n]{1,200}?)<\/h[1-6]>[ \t]*\r?)$/gimu;

const setOf = (words: string) => new Set(words.split(' '));

/** Words that often stand before a colon, but are no speakers. */
const LABELS = setOf(
	'note notes warning caution tip tips hint important info information example examples update edit summary question ' +
		'answer q a ps p.s nb n.b attention remember result results source sources title subject date time place location ' +
		'scene act chapter part section episode setting cast characters intro outro music sound sfx fx ingredients directions ' +
		'steps step pros cons todo total price address phone email tel fax website url http https www from to cc re day ' +
		'conclusion introduction disclaimer spoiler correction reminder problem solution reason fact bonus option options ' +
		'also however therefore meanwhile finally first second third next ' +
		'hinweis achtung beispiel merke wichtig frage antwort quelle titel datum ort szene akt kapitel zutaten tipp fazit ' +
		'exemple attention remarque note conseil nota ejemplo atención consejo aviso esempio attenzione exemplo atenção ' +
		'примечание внимание пример важно 注意 注 例 提示 备注 说明 重要 メモ ヒント 例え ملاحظة',
);
/** Names for the narrator. */
const NARRATORS = setOf(
	'narrator narration erzähler erzählerin narrateur narratrice narrador narradora narratore narratrice рассказчик 旁白 叙述者 ナレーター ナレーション 내레이터 الراوي',
);

/** A word of a name: capitalized or in a script without case, a short number, or a particle such as `von`. */
const NAME_WORD =
	/^(?:(?:\p{Lu}|\p{Lt}|\p{Lo})[\p{L}\p{M}'’.-]*|\d{1,3}|(?:von|van|de|da|del|der|la|le|al|bin|the|of|di|du)|[#&]\d*)$/u;

const foldName = (name: string) =>
	name
		.normalize('NFKC')
		.toLowerCase()
		.replace(/\s+/g, ' ')
		.replace(/^[*_\s]+|[*_\s]+$/g, '');

function looksLikeName(name: string): boolean {
	const words = name.split(/\s+/);
	return words.length <= 4 && words.every((word) => NAME_WORD.test(word)) && /\p{L}/u.test(name);
}

/** Whether a name stands for the narrator. */
export const isNarrator = (name: string): boolean => NARRATORS.has(foldName(name));

/** A name at the start of a line. */
interface Name {
	/** Where its line starts, and where the speech starts. */
	at: number;
	from: number;
	name: string;
	/** The name without what does not matter in it. */
	key: string;
	/** Whether a stage direction follows the name: `Anna (laughing): …`. */
	isDirected: boolean;
	/** The direction as a tone tag; empty if it is none, as in `Anna (at the door): …`. */
	tone: string;
	/** Whether the name is emphasized or in brackets. */
	isMarked: boolean;
}

function namesIn(script: string): Name[] {
	return [...script.matchAll(NAME_AT_LINE_START)].flatMap((match) => {
		const [speech, marks, name, marksBehind, round, square] = match;
		// `Table [2]: …` is text.
		if (square !== undefined && toneTags(square, 'tags').length === 0) return [];
		const isRoundTone = round !== undefined && isTone(round.trim());
		return {
			at: match.index,
			from: match.index + speech.length,
			name: name.trim(),
			key: foldName(name),
			isDirected: round !== undefined || square !== undefined,
			tone: isRoundTone ? `(${round.trim()}) ` : square ? `${square} ` : '',
			isMarked: /[*_[]$/.test(marks) || /[*_]$/.test(marksBehind),
		};
	});
}

interface Heading {
	at: number;
	from: number;
	heading: string;
}

/** Headings and names, in order. A heading that begins with a known speaker (`## Anna`) counts as a name. */
function marksIn(script: string, isKnown: (name: Name) => boolean): Array<Name | Heading> {
	const headings = [...script.matchAll(HEADING)].map((match): Name | Heading => {
		const { 0: line, 1: marked, 2: tagged, index: at } = match;
		const words = marked ?? tagged;
		const named = namesIn(`${words}:`).find(isKnown);
		return named
			? { ...named, at, from: at + Math.min(line.length, line.indexOf(words) + named.from) }
			: { at, from: at + line.length, heading: words.replace(/[ \t]#+\s*$/u, '').trim() };
	});
	const headingLines = new Set(headings.map(({ at }) => at));
	const names = namesIn(script).filter(({ at }) => !headingLines.has(at));
	return [...headings, ...names].sort((a, b) => a.at - b.at);
}

/** One word, capitalized or in a script without case, and at most a number after it: `Ben`, `Speaker 2`, `小明`. */
const SINGLE_NAME =
	/^(?:\p{Lu}[\p{L}\p{M}'’-]{1,29}|\p{Lo}[\p{Lo}\p{M}]{0,7})(?: ?\d{1,3}| [A-Z])?$/u;
const TITLE =
	/^(?:Dr|Mrs?|Ms|Mx|Prof|Sir|Lady|Lord|Miss|Captain|Capt|Frau|Herr|Mme|Mlle|Monsieur|Madame|M|Señora?|Sra?|Doña?|Don|Signora?|Sig)\.?\s/u;

const isLabel = (key: string) => LABELS.has(key) || LABELS.has(key.split(/[ \d]/)[0]);

/**
 * Finds speakers who are not in the list, by key. They look like a name, are no common label such as `Note`, and have one word, a
 * title, a stage direction, the emphasis that known names have, or at least two lines. Anything else before a colon is text
 * (`The rule is simple: …`, `Breaking News: …`).
 */
function unknownIn(names: Name[], isKnown: (name: Name) => boolean): Map<string, string> {
	const strangers = names.filter(
		(name) => !isKnown(name) && looksLikeName(name.name) && !isLabel(name.key),
	);
	const lines = new Map<string, number>();
	for (const { key } of strangers) lines.set(key, (lines.get(key) ?? 0) + 1);
	const namesAreMarked = names.some((name) => name.isMarked && isKnown(name));
	const speaks = ({ name, key, isMarked, isDirected }: Name) =>
		lines.get(key) !== 1 ||
		isDirected ||
		(isMarked && namesAreMarked) ||
		SINGLE_NAME.test(name) ||
		TITLE.test(name);
	const keys = new Set(strangers.filter(speaks).map(({ key }) => key));
	const unknown = new Map<string, string>();
	for (const { key, name } of names) if (keys.has(key) && !unknown.has(key)) unknown.set(key, name);
	return unknown;
}

/**
 * Splits a script into what each speaker says. A speech starts with `Name: …` on a line of its own and lasts until the next one.
 * Case, spaces, Markdown around the name and a full-width colon do not matter. Text before the first name belongs to the narrator,
 * and so does `Narrator:`, unless that is in the list. With `headings`, nobody says Markdown and HTML headings, and the speaker
 * before a heading goes on after it.
 */
export function parseDialogue(
	script: string,
	knownSpeakers: string[],
	{ headings: withHeadings = false } = {},
): Dialogue {
	const known = new Map<string, string | undefined>();
	for (const narrator of NARRATORS) known.set(narrator, undefined);
	for (const speaker of knownSpeakers) known.set(foldName(speaker), speaker.trim());
	const isKnown = ({ key }: Name) => known.has(key);

	const marks = withHeadings ? marksIn(script, isKnown) : namesIn(script);
	const names = marks.filter((mark) => 'name' in mark);
	const unknown = unknownIn(names, isKnown);
	const turns = marks.filter((mark) => 'heading' in mark || isKnown(mark) || unknown.has(mark.key));
	const lines: DialogueLine[] = [];
	let speaker: string | undefined;
	let headings: string[] = [];
	for (const [index, turn] of [{ from: 0, heading: '' }, ...turns].entries()) {
		if ('key' in turn) speaker = isKnown(turn) ? known.get(turn.key) : turn.name;
		else if (turn.heading !== '') headings.push(turn.heading);
		const said = script.slice(turn.from, turns.at(index)?.at).trim();
		if (said === '') continue;
		lines.push({ speaker, text: ('key' in turn ? turn.tone : '') + said, headings });
		headings = [];
	}
	return { lines, unknownSpeakers: [...unknown.values()] };
}
