import {
	foldName,
	isLabel,
	isNarrator,
	looksLikeName,
	type Name,
	namesIn,
	NARRATORS,
	SINGLE_NAME,
	TITLE,
} from './names';
import { type LeftOut, tidyScript } from './script';
import type { Parentheses } from './toneTags';

/** What one speaker says. */
export interface DialogueLine {
	/** The name as in the list of known speakers; undefined: the narrator. */
	speaker: string | undefined;
	/** What is said. A tone after the name (`Anna (laughing): …`, `Anna [laughs]: …`) is put before it as a tag. */
	text: string;
	/** Headings directly before it; nobody says them. */
	headings: string[];
}

/** A script, taken apart. */
export interface Dialogue {
	lines: DialogueLine[];
	/** Speakers who are not in the list, as written, in order of appearance. */
	unknownSpeakers: string[];
	/** Words before a colon that could be the name of somebody else; they are spoken. */
	spokenName?: string;
	/** Whether anybody has a name; if not, the text is no script. */
	hasNames: boolean;
	/** The words around a speaker's name, with a colon, that stands within a line; undefined: there is none. */
	innerName?: string;
	leftOut: LeftOut;
}

/** A Markdown or HTML heading on a line of its own. */
const HEADING_LINE =
	/^[ \t]{0,3}(?:#{1,6}[ \t]+([^\n]{1,200})|<h[1-6](?:[ \t][^<>\n]{0,200})?>([^\n]{1,200}?)<\/h[1-6]>[ \t]*\r?)$/gimu;

interface ScriptHeading {
	at: number;
	from: number;
	heading: string;
}

/** Headings and names, in order. A heading that begins with a known speaker (`## Anna`) counts as a name. */
function marksIn(
	script: string,
	parentheses: Parentheses,
	isKnown: (key: string) => boolean,
): Array<Name | ScriptHeading> {
	const headings = [...script.matchAll(HEADING_LINE)].map((match): Name | ScriptHeading => {
		const { 0: line, 1: marked, 2: tagged, index: at } = match;
		const words = marked ?? tagged;
		const named = namesIn(`${words}:`, parentheses, isKnown).find(({ key }) => isKnown(key));
		return named
			? { ...named, at, from: at + Math.min(line.length, line.indexOf(words) + named.from) }
			: { at, from: at + line.length, heading: words.replace(/[ \t]#+\s*$/u, '').trim() };
	});
	const headingLines = new Set(headings.map(({ at }) => at));
	const names = namesIn(script, parentheses, isKnown).filter(({ at }) => !headingLines.has(at));
	return [...headings, ...names].sort((a, b) => a.at - b.at);
}

/**
 * Finds speakers who are not in the list, by key. They look like a name, are no common label such as `Note`, and have a form
 * that only speakers have (`named`, a tone before the colon, the number of a known one), or come back after somebody else
 * has spoken. Anything else before a colon is text (`The rule is simple: …`, `Breaking News: …`, `Verdict: …`).
 */
function strangersIn(
	names: Name[],
	isKnown: (name: Name) => boolean,
	named: Set<string>,
): Map<string, string> {
	const keys = new Set(
		names.filter(({ name, key }) => looksLikeName(name) && !isLabel(key)).map(({ key }) => key),
	);
	named.forEach((key) => keys.add(key));
	const candidates = names.filter((name) => isKnown(name) || keys.has(name.key));
	const numbered = new Set(candidates.filter(isKnown).map(({ key }) => withoutNumber(key)));
	const unknown = new Map<string, string>();
	const last = new Map<string, number>();
	let turn = 0;
	for (const [index, name] of candidates.entries()) {
		const { key, isDirected } = name;
		if (key !== candidates[index - 1]?.key) turn++;
		const comesBack = turn > (last.get(key) ?? turn);
		const base = withoutNumber(key);
		const isOneMore = base !== key && numbered.has(base);
		if (!isKnown(name) && (comesBack || isDirected || isOneMore || named.has(key)))
			unknown.set(key, unknown.get(key) ?? name.name);
		last.set(key, turn);
	}
	// In order of appearance, as they are written first.
	const first = new Map<string, string>();
	for (const { key, name } of names) if (unknown.has(key) && !first.has(key)) first.set(key, name);
	return first;
}

/** `speaker` of `speaker 2`. */
const withoutNumber = (key: string): string => key.replace(/[ _]?\d{1,3}$/, '');

const escapedName = (name: string) =>
	name
		.trim()
		.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
		.replace(/\s+/g, '\\s{1,3}');

/**
 * Finds a known name with a colon behind other words, as in `Hi! Ben: Hello.`: two speeches in one line, of which the
 * second would be spoken in the voice of the first. The line break may have come as the two characters `\n`.
 */
function innerNames(names: string[]): RegExp | undefined {
	const written = names.filter((name) => name.trim() !== '');
	if (written.length === 0) return undefined;
	const spellings = written.flatMap((name) => [name, name.toUpperCase()]).map(escapedName);
	return new RegExp(
		`(?:(?<![^\\s.!?…。！？;；,，—–*_)\\]”»])|(?<=\\\\[nr]))(?:${spellings.join('|')})[*_]{0,3}[ \\t]{0,3}(?:\\([^()\\n]{1,60}\\)[ \\t]{0,3})?[:：](?![\\d/])`,
		'u',
	);
}

/** How much of a line an error shows. UTF-16 units. */
const AROUND_NAME = { before: 20, after: 40 };

/** The first such place with the words around it; undefined: there is none. */
function innerNameIn(texts: string[], names: string[]): string | undefined {
	const pattern = innerNames(names);
	if (!pattern) return undefined;
	for (const text of texts) {
		const found = pattern.exec(text);
		if (!found) continue;
		const { before, after } = AROUND_NAME;
		const start = Math.max(0, found.index - before);
		return text
			.slice(start, found.index + after)
			.replace(/\s+/g, ' ')
			.trim();
	}
	return undefined;
}

/**
 * Splits a script into what each speaker says. A speech starts with `Name: …` on a line of its own and lasts until the
 * next one:
 *
 *     Anna: (happy) Hi!        Anna: "(happy) Hi!\nHow are you?"
 *     How are you?
 *     BEN (laughing): Fine.    Ben: "(laughing) Fine."
 *
 * Case, spaces, Markdown around the name and a full-width colon do not matter; for other ways to write a script see
 * `tidyScript`. Text before the first name belongs to the narrator, and so does `Narrator:`, unless that is in the
 * list. `named`: names that are those of speakers for certain. With `headings`, nobody says Markdown and HTML headings, and the speaker before a heading goes on after it.
 */
export function parseDialogue(
	script: string,
	knownSpeakers: string[],
	{
		headings: withHeadings = false,
		parentheses = 'readAloud' as Parentheses,
		takesDirections = false,
		named: surely = [] as string[],
	} = {},
): Dialogue {
	const speakers = new Map<string, string | undefined>();
	for (const narrator of NARRATORS) speakers.set(narrator, undefined);
	for (const speaker of knownSpeakers) speakers.set(foldName(speaker), speaker.trim());
	const isKnownKey = (key: string) => speakers.has(key);
	const isKnown = ({ key }: Name) => isKnownKey(key);

	const { text, leftOut, named } = tidyScript(script, isKnownKey, {
		parentheses,
		takesDirections,
		hasNarrator: knownSpeakers.some(isNarrator),
	});
	const marks = withHeadings
		? marksIn(text, parentheses, isKnownKey)
		: namesIn(text, parentheses, isKnownKey);
	const names = marks.filter((mark) => 'name' in mark);
	for (const name of surely) named.add(foldName(name));
	const unknown = strangersIn(names, isKnown, named);
	const turns = marks.filter((mark) => 'heading' in mark || isKnown(mark) || unknown.has(mark.key));
	const lines: DialogueLine[] = [];
	let speaker: string | undefined;
	let headings: string[] = [];
	for (const [index, turn] of [{ from: 0, heading: '' }, ...turns].entries()) {
		if ('key' in turn) speaker = isKnown(turn) ? speakers.get(turn.key) : turn.name;
		else if (turn.heading !== '') headings.push(turn.heading);
		const said = text.slice(turn.from, turns.at(index)?.at).trim();
		if (said === '') continue;
		lines.push({ speaker, text: ('key' in turn ? turn.tone : '') + said, headings });
		headings = [];
	}
	return {
		lines,
		unknownSpeakers: [...unknown.values()],
		spokenName: names.find(
			(name) =>
				!isKnown(name) &&
				!isLabel(name.key) &&
				(SINGLE_NAME.test(name.name) || TITLE.test(name.name)),
		)?.name,
		hasNames: turns.some((turn) => 'key' in turn),
		innerName: innerNameIn(
			[leftOut.preface ?? '', ...lines.map((line) => line.text)],
			[...knownSpeakers, 'Narrator'],
		),
		leftOut,
	};
}
