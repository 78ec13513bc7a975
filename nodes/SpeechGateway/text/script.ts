/**
 * Scripts as models, transcripts and screenplays write them, brought into lines of `Name: words`:
 *
 *     [00:12] Anna: Hi!              Anna: Hi!
 *     <Ben>Hello.</Ben>              Ben: Hello.
 *     **ANNA** (CONT'D)              ANNA (CONT'D):
 *     Come in.                       Come in.
 *     [door closes]
 */
import { InputError, NOTHING_SENT } from '../core/errors';
import { grouped } from '../core/grouped';
import { letters } from './characters';
import { closingOf } from './closing';
import { behindName, withoutDirections } from './directions';
import {
	foldName,
	isLabel,
	looksLikeName,
	type Name,
	namesIn,
	SINGLE_NAME,
	writtenName,
} from './names';
import { TIME_RANGE } from './times';
import type { Parentheses } from './toneTags';
import { isTone } from './tones';

/** What nobody says, each with an example from the script, if there is any. */
export interface LeftOut {
	preface?: string;
	/** What a model says to its reader behind the script. */
	closing?: string;
	direction?: string;
	fence?: string;
	/** How many letters of that would have been heard. */
	letters: number;
}

/** A script without what nobody says. */
export interface Script {
	text: string;
	leftOut: LeftOut;
	/** Names, folded, that have a form which only speakers have: in tags, alone above their words, behind a time. */
	named: Set<string>;
}

/** What is done with brackets, and with what nobody says. */
export interface Directions {
	parentheses: Parentheses;
	/** See `TagRules`. */
	takesDirections: boolean;
	/** Whether a speaker of the list says what is nobody's. */
	hasNarrator: boolean;
}

/** Whether a name, folded, is that of a speaker or the narrator. */
type IsKnown = (key: string) => boolean;

/** `<Anna>` or `</Anna>`; whether it is a name shows later. */
const SCRIPT_TAG = /<(\/?)([\p{L}][^<>/\n"]{0,59}?)[ \t]*>/gu;
/** `<voice name="Anna">`, `<speaker id='Anna'>`, WebVTT's `<v Anna>` and `<v.loud Anna>`, and their end tags. */
const VOICE_TAG =
	/<(?:voice|speaker|v)[ \t.\w-]{1,40}?(?:(?<=[ \t])(?:name|id)[ \t]*=[ \t]*)?["']([^"'<>\n]{1,60})["'][^<>\n]{0,60}>|<v(?:\.[\w.-]{1,40})?[ \t]+(\p{L}[^<>\n"]{0,59})>|<\/(?:voice|speaker|v)>/giu;

const BLOCK_TAG =
	/<\/?(?:p|div|br|[uo]l|li|table|tbody|tr|td|section|article|main|blockquote|body|html)\b[^<>]{0,500}>/gi;
const EMPHASIS_TAG = /<\/?(?:b|strong|em|i|u)>/gi;

/** The lines of a script in HTML: each block is one. */
export const linesOfHtml = (script: string): string =>
	script.replace(BLOCK_TAG, '\n').replace(EMPHASIS_TAG, '');

/** Writes `<Anna>…</Anna>`, `<v Anna>` and `<voice name="Anna">` as lines; `named` gets the names. */
function linesOfTags(script: string, isKnown: IsKnown, named: Set<string>): string {
	const lineOf = (name: string) => {
		for (const one of [name, name.replace(/\([^()]*\)\s*$/, '')]) named.add(foldName(one));
		return `\n${writtenName(name)}: `;
	};
	const unvoiced = script.replace(VOICE_TAG, (tag, quoted?: string, plain?: string) => {
		const name = quoted ?? plain;
		if (name === undefined) return '\n';
		// What stands in quotes may be a voice of SSML.
		const isName = plain !== undefined || isKnown(foldName(name)) || SINGLE_NAME.test(name.trim());
		return isName ? lineOf(name) : tag;
	});
	const closed = new Set<string>();
	let namesAreTags = false;
	for (const { 1: slash, 2: name } of unvoiced.matchAll(SCRIPT_TAG)) {
		if (slash) closed.add(foldName(name));
		else namesAreTags ||= isKnown(foldName(name));
	}
	if (!namesAreTags) return unvoiced;
	checkTags(unvoiced, isKnown);
	return unvoiced.replace(SCRIPT_TAG, (tag, slash: string, name: string) => {
		const key = foldName(name);
		if (!closed.has(key) || !(isKnown(key) || SINGLE_NAME.test(name))) return tag;
		return slash ? '\n' : lineOf(name);
	});
}

const AROUND_TAG = 30;

/** Throws InputError where the tag of one speaker ends with that of another: who says what is between them? */
function checkTags(script: string, isKnown: IsKnown): void {
	let open: string | undefined;
	for (const { 0: tag, 1: slash, 2: name, index } of script.matchAll(SCRIPT_TAG)) {
		if (!isKnown(foldName(name))) continue;
		if (slash && open !== undefined && foldName(open) !== foldName(name)) {
			const place = script.slice(Math.max(0, index - AROUND_TAG), index + tag.length);
			throw new InputError(
				`In the script, <${open}> ends with ${tag}: "${place.replace(/\s+/g, ' ').trim()}"`,
				`End each speech with the tag of who says it. ${NOTHING_SENT}`,
			);
		}
		open = slash ? undefined : name;
	}
}

/** A time before a name, a time in brackets, and marks around them. */
const LEADING_TIME = new RegExp(
	`^([ \\t]{0,20}(?:[-*+>][ \\t]{1,4})?)([*_]{0,3})(?:([[(（［])${TIME_RANGE}[\\])）］]|${TIME_RANGE})([*_]{1,3}(?=[ \\t]))?[ \\t]*(?:[-–—|][ \\t]+)?`,
	'u',
);
const TIME_ALONE = new RegExp(`^${TIME_RANGE}$`, 'u');
const LEADING_PAUSES = /^[ \t]{0,20}(?:\[[ \t]{0,3}(?:pause|at)[^[\]\n]{1,40}\][ \t]*)+/i;
/** A name alone on its line, with a direction and a time: `**ANNA** (CONT'D)`, `Anna  0:12`. */
const LONE_NAME = new RegExp(
	`^[ \\t]{0,20}([*_]{0,3}|\\[)([^\\s*_[\\]()（）:：<>"“”][^*_[\\]()（）:：<>]{0,59}?)([*_]{0,3}|\\])(?:[ \\t]{0,20}[(（]([^()（）]{1,60})[)）](?:[ \\t]{0,3}\\([^()]{1,20}\\))?)?(?:[ \\t]{0,20}[-–—|,]?[ \\t]{0,20}([[(]?${TIME_RANGE}[\\])]?))?[*_]{0,3}[ \\t]{0,20}$`,
	'u',
);
const loneName = (line: string): string => LONE_NAME.exec(line.trimEnd())?.[2] ?? '';
/** How a line in capitals begins that is a scene or a cut, not a name. */
const SCENE_HEADING = /^(?:INT|EXT|EST|I\/E|FADE|CUT|SMASH|MATCH|DISSOLVE|THE END|END)\b/;
/** What only screenplays have: scenes, fades, and marks behind a name that stands alone. */
const SCREENPLAY =
	/^[ \t]{0,40}[*_]{0,2}(?:(?:INT|EXT|INT\.?\/EXT|I\/E)\.[ \t]|FADE (?:IN|OUT|TO)\b|(?:CUT|DISSOLVE) TO:)|^[ \t]{0,60}[*_]{0,2}\p{Lu}[^\p{Ll}\n()]{1,40}\((?:V\.?O|O\.?S|O\.?C|CONT['’]?D)\.?\)[*_]{0,2}[ \t]{0,20}\r?$/u;
/** `[Host] Welcome back.` */
const NAME_IN_BRACKETS =
	/^([ \t]{0,20}(?:[-*+>][ \t]{1,4})?[*_]{0,3})[[［【]([^[\]［］【】:：\n]{1,60})[\]］】]([*_]{0,3})(?=[ \t]*[^\s:：(（[［])/u;
const isCapitals = (name: string) =>
	/^[^\p{Ll}]*$/u.test(name) && (/\p{Lu}.*\p{Lu}/u.test(name) || /\p{Lo}/u.test(name));

/** `*laughs* Hello`: words in emphasis, with others behind them. */
const EMPHASIZED = /^[*_]([^*_\n]{1,60})[*_](?=[ \t]+[^\s*_])/;
const FENCE = /^[ \t]{0,3}(?:```|~~~)[^`\n]{0,60}$/;
/** Before the first name, no more than this is taken for a model's words about its script. UTF-16 units. */
const LONGEST_PREFACE = 400;
const ENDS_IN_COLON = /[:：][*_]{0,3}[ \t]*\r?$/gmu;

/** Where a preface such as "Here is the script:" ends; `first`: where the first name stands. */
function prefaceEnd(text: string, first: number): number {
	const before = text.slice(0, first);
	const last = [...before.matchAll(ENDS_IN_COLON)].at(-1);
	if (!last) return 0;
	const end = last.index + last[0].length;
	return before.slice(0, end).trim().length <= LONGEST_PREFACE ? end : 0;
}

/**
 * Brings a script into lines of `Name: words`, and leaves out what nobody says: times before names, fences around the script, a
 * preface, and lines of nothing but music or stage directions (with `parentheses` = `tags`, brackets are for the model).
 */
export function tidyScript(script: string, isKnown: IsKnown, directions: Directions): Script {
	const { parentheses } = directions;
	const named = new Set<string>();
	const lines = linesOfTags(script, isKnown, named).split('\n');
	const reader = new ScriptReader(lines, isKnown, named, directions);
	reader.leaveOutClosing();
	const text = [...reader.tidied()].join('\n');
	const first = namesIn(text, parentheses, isKnown).find(({ key }) => isKnown(key));
	const start = first ? prefaceEnd(text, first.at) : 0;
	if (start > 0) reader.leaveOut('preface', text.slice(0, start).trim());
	return { text: text.slice(start), leftOut: reader.leftOut, named };
}

/** A tone that is emphasized where a speech begins, as a tag: `Ben: *laughs* Hello!` */
const withToneTag = (line: string, from: number): string =>
	line.slice(0, from) +
	line
		.slice(from)
		.replace(EMPHASIZED, (words, tone: string) => (isTone(tone) ? `(${tone})` : words));

/** Reads a script line by line; what a line means depends on its neighbours. */
class ScriptReader {
	readonly leftOut: LeftOut = { letters: 0 };
	/** Whether a name has stood alone on a line. */
	private namesStandAlone = false;
	private readonly isScreenplay: boolean;
	/** What stands alone on lines of a screenplay. */
	private readonly alone: Map<string, string[]>;

	constructor(
		private lines: string[],
		private readonly isKnown: IsKnown,
		private readonly named: Set<string>,
		private readonly directions: Directions,
	) {
		this.isScreenplay =
			lines.some((line) => SCREENPLAY.test(line)) &&
			lines.some((line) => isCapitals(line) && this.isAlone(line));
		this.alone = grouped(this.isScreenplay ? lines : [], loneName);
	}

	/** Notes that nobody says these words, except those that are `voiced`. */
	leaveOut(kind: 'preface' | 'closing' | 'direction', words: string, voiced = ''): void {
		this.leftOut[kind] ??= words;
		this.leftOut.letters += letters(words) - letters(voiced);
	}

	private get parentheses(): Parentheses {
		return this.directions.parentheses;
	}

	/** Leaves out what stands behind the last speech and speaks to the reader. */
	leaveOutClosing(): void {
		const last = this.lines.findLastIndex((line) => this.isSpeech(line));
		const closing = last < 0 ? undefined : closingOf(this.lines, last + 1);
		if (!closing) return;
		this.leaveOut('closing', closing.words);
		this.lines = this.lines.slice(0, closing.at);
	}

	*tidied(): Generator<string> {
		const fences = this.fencesAround();
		for (const [index, raw] of this.lines.entries()) {
			if (fences.has(index)) {
				this.leftOut.fence ??= raw.trim();
				continue;
			}
			const pauses = LEADING_PAUSES.exec(raw)?.[0] ?? '';
			const timed = raw.slice(pauses.length);
			const untimed = this.withoutTime(timed);
			if (TIME_ALONE.test(untimed.trim()) && this.isBeforeSpeaker(index)) continue;
			const alone = this.nameAlone(untimed, untimed !== timed, index);
			const words = alone ?? this.nameInBrackets(untimed);
			if (this.isOutside(words, alone !== undefined)) {
				const action = this.action(words);
				if (action !== undefined) yield action;
				continue;
			}
			const isOwnLine = pauses !== '' && this.nameOf(words) !== undefined;
			if (isOwnLine) yield pauses.trimEnd();
			const whole = isOwnLine ? words : pauses + words;
			const from = this.speakerOf(whole)?.from ?? 0;
			const toned = from > 0 ? withToneTag(whole, from) : whole;
			const { line, direction } =
				from > 0 && this.parentheses === 'readAloud'
					? behindName(toned, from, this.directions.takesDirections)
					: { line: toned, direction: undefined };
			for (const one of [direction, this.speakerOf(whole)?.direction])
				if (one !== undefined) this.leaveOut('direction', one);
			const voiced = withoutDirections(line.slice(from), from > 0, this.parentheses);
			if (voiced === undefined) {
				yield line;
				continue;
			}
			this.leaveOut('direction', line.slice(from).trim(), voiced);
			if (from > 0 || voiced !== '') yield line.slice(0, from) + voiced;
		}
	}

	/** Whether somebody speaks in the next line. */
	private isBeforeSpeaker(index: number): boolean {
		const next = this.lines.slice(index + 1, index + 3).find((line) => line.trim() !== '');
		return next !== undefined && this.speakerOf(next) !== undefined;
	}

	private nameOf(line: string): Name | undefined {
		return namesIn(line, this.parentheses, this.isKnown).at(0);
	}

	/** Whether a speaker's name stands at the start of a line, or alone on it. */
	private isSpeech(line: string): boolean {
		const untimed = this.withoutTime(line);
		return this.speakerOf(this.nameInBrackets(untimed)) !== undefined || this.isAlone(untimed);
	}

	private isAlone(line: string): boolean {
		const name = loneName(line);
		return name !== '' && this.isKnown(foldName(name));
	}

	/** The line with a speaker's name in brackets as one before a colon. */
	private readonly nameInBrackets = (line: string): string =>
		line.replace(NAME_IN_BRACKETS, (brackets, marks: string, name: string, marksBehind: string) =>
			this.isKnown(foldName(name)) ? `${marks}${name}:${marksBehind} ` : brackets,
		);

	/** Where the reading of a screenplay is: in a speech, whose words have begun or not, or outside of any. */
	private place: 'named' | 'speech' | 'outside' | 'action' = 'outside';

	/** Whether a line of a screenplay with names alone on lines is nobody's: it stands behind the blank line that ends a speech. */
	private isOutside(line: string, isName: boolean): boolean {
		if (!this.isScreenplay) return false;
		const isBlank = line.trim() === '';
		if (isName || this.speakerOf(line)) this.place = isName ? 'named' : 'speech';
		else if (this.place === 'named' && !isBlank) this.place = 'speech';
		else if (isBlank && this.place !== 'named') this.place = 'outside';
		return this.place === 'outside' || this.place === 'action';
	}

	/** A line of action: the narrator's, if there is one; headings and transitions are nobody's. */
	private action(line: string): string | undefined {
		const words = line.trim();
		if (words === '') return '';
		const isHeading = SCENE_HEADING.test(words.replace(/^[*_#\s]+/, '')) || isCapitals(words);
		if (isHeading || !this.directions.hasNarrator) {
			this.leaveOut('direction', words);
			return undefined;
		}
		const goesOn = this.place === 'action';
		this.place = 'action';
		return goesOn ? words : `Narrator: ${words}`;
	}

	/** The name that a line begins with, if it is that of a speaker. */
	private speakerOf(line: string): Name | undefined {
		const name = this.nameOf(line);
		return name && this.isKnown(name.key) ? name : undefined;
	}

	/**
	 * The indexes of lines that fence speeches in, as models do; any other fence is code. One without an end goes to the
	 * last line.
	 */
	private fencesAround(): Set<number> {
		const found = new Set<number>();
		let open: number | undefined;
		let hasName = false;
		const end = [this.lines.length, '```'] as const;
		for (const [index, line] of [...this.lines.entries(), end]) {
			const from = this.speakerOf(line)?.from ?? 0;
			if (!FENCE.test(line.slice(from).trimEnd()))
				hasName ||= this.speakerOf(this.withoutTime(line)) !== undefined;
			else if (open === undefined) [open, hasName] = [index, false];
			else {
				if (hasName && FENCE.test(this.lines[open].trimEnd())) found.add(open).add(index);
				open = undefined;
			}
		}
		return found;
	}

	/** The line without a time before its name or in brackets; `12:30 we left` keeps its own. */
	private withoutTime(line: string): string {
		const time = LEADING_TIME.exec(line);
		if (!time) return line;
		const [whole, indent, marks, bracket, marksBehind] = time;
		const rest = indent + (marksBehind ? '' : marks) + line.slice(whole.length);
		const name = this.nameOf(rest);
		const isStranger = name !== undefined && looksLikeName(name.name) && !isLabel(name.key);
		if (isStranger) this.named.add(name.key);
		const isName = this.isKnown(foldName(rest)) || (name && this.isKnown(name.key)) || isStranger;
		return bracket !== undefined || isName ? rest : line;
	}

	/** A name that stands alone on a line above its words, with a colon; undefined: it is none. */
	private nameAlone(line: string, hasTime: boolean, index: number): string | undefined {
		const [, marks, name, , direction, time] = LONE_NAME.exec(line.trimEnd()) ?? [];
		if (name === undefined) return undefined;
		const isTimed = hasTime || time !== undefined || TIME_ALONE.test(direction ?? '');
		const isCertain = isCapitals(name) || marks !== '' || isTimed;
		const isSpeaker = this.isKnown(foldName(name)) && isCertain;
		const mayBeStranger = this.namesStandAlone || this.isScreenplay;
		if (!isSpeaker && !(mayBeStranger && this.isStranger(name, index))) return undefined;
		this.named.add(foldName(name));
		this.namesStandAlone = true;
		const tone = direction === undefined ? '' : ` (${direction})`;
		return `${name}${tone}:${line.endsWith('\r') ? '\r' : ''}`;
	}

	/** Whether a name in capitals above words is that of somebody who is not in the list. */
	private isStranger(name: string, index: number): boolean {
		const isBlank = (at: number) => (this.lines.at(at) ?? '').trim() === '';
		return (
			isCapitals(name) &&
			(SINGLE_NAME.test(name) ||
				(looksLikeName(name) && (this.alone.get(name)?.length ?? 0) > 1)) &&
			!isLabel(foldName(name)) &&
			!SCENE_HEADING.test(name) &&
			(index === 0 || isBlank(index - 1)) &&
			!isBlank(index + 1)
		);
	}
}
