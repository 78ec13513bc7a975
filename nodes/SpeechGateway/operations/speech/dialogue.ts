/**
 * Speech → Dialogue: a script of lines `Name: words` becomes one file. It is sent, charged and answered as by Generate, in at
 * least one segment a line; names, headings and stage directions are never sent. Nothing is sent before every name has a voice.
 */
import { InputError } from '../../core/errors';
import { type Dialogue, parseDialogue } from '../../text/dialogue';
import { foldName, isNarrator } from '../../text/names';
import { type LeftOut, linesOfHtml } from '../../text/script';
import { readingHint } from '../../text/format';
import { received } from '../../text/received';
import { scriptOfSubtitles } from '../../text/subtitleFile';
import { scriptOfTurns } from '../../text/turns';
import { beginningOf, firstIndex, letters } from '../../text/characters';
import { isSpeakable } from '../../text/segment';
import { HEADING_PAUSE_MS } from '../../text/spokenSegments';
import type { TextInput } from '../../fields/text';
import { DEFAULT_VOICE } from '../../fields/voice';
import { type DialogueValues, type Speaker, speech } from './speech.form';
import { narration, withFiles } from './narration';
import { voiceNameOf } from '../../speech/voices';
import { defineOperation } from '../../requests/operation';
import { checkTaggable } from '../../files/podcast';
import { hintsOn, mustBeSpeakable, prepared, takesDirections } from '../../speech/speaking';
import {
	cutIntoSegments,
	type Draft,
	type EarlierIn,
	type Line,
	type OnRecord,
	type DraftSegment,
	type Plan,
	type PlannedHeading,
	planner,
} from '../../speech/plan';

/** How the words of a script are read. */
type SpokenOptions = TextInput & { model: string };

type DialogueInput = Omit<DialogueValues, 'voicesByName'> & OnRecord;

/**
 * The plan of a script: each line becomes segments of its own, in the voice of its speaker, since a request has one
 * voice. A pause goes to the segment before it; headings and times go to the next line that is spoken. Throws
 * InputError when somebody has no voice, or there is nothing to speak.
 */
const planScript = planner((input: DialogueInput, earlier): Draft => {
	const { speakers } = input;
	const turns = scriptOfTurns(input.script);
	const source = turns?.script ?? input.script;
	const names = speakers.map(({ name }) => name);
	const keys = new Set(names.map(foldName));
	const raw = received(source, input.textFormat, (name) => keys.has(foldName(name)));
	const textFormat = raw.format;
	const isSubtitles = textFormat === 'subtitles';
	const read = isSubtitles ? scriptOfSubtitles(raw.text, names) : undefined;
	const {
		text: script,
		notes,
		lettersLeftOut,
	} = read ?? {
		text: raw.text,
		notes: [],
		lettersLeftOut: 0,
	};
	// Subtitles are a script by now, each sentence with its time: the marks of their format are gone.
	const options = { ...input, textFormat: isSubtitles ? 'plain' : textFormat } as const;
	const parsed = parseDialogue(textFormat === 'html' ? linesOfHtml(script) : script, names, {
		// With a format, or where chapters are wanted, a line such as "# Weather" is not spoken.
		headings: options.textFormat !== 'plain' || input.chapters === 'headings',
		parentheses: input.parentheses,
		takesDirections: takesDirections(input.model),
		named: turns?.names ?? read?.names,
	});
	checkSpeakers(parsed);
	const { pauseBeforeMs, segments, lines, ...said } = linesSpoken(parsed, input, options, earlier);
	const hints = [
		...readingHint(textFormat, input.textFormat, raw.changed, {
			letters: letters(raw.leftOut) + lettersLeftOut + parsed.leftOut.letters,
			spoken: parsed.lines.map((line) => line.text).join(),
		}),
		...notes,
		...leftOutHints(parsed.leftOut),
		...spokenNameHints(parsed),
		...said.hints,
	];
	const text = segments.map((segment) => segment.text).join('');
	mustBeSpeakable(text, 'Script');
	const chapters = input.chapters === 'headings' ? scriptChapters(segments, lines, options) : [];
	if (input.chapters === 'headings' && chapters.length === 0) hints.push(NO_HEADINGS_IN_SCRIPT);
	hints.push(...narratorHints(segments), ...voiceHints(segments));
	checkTaggable(input, input.responseFormat, chapters.length);
	// In order of appearance, and only those who say something.
	const speaking = new Set(segments.map(({ speaker }) => speaker ?? 'Narrator'));
	return {
		pauseBeforeMs,
		segments,
		lines,
		text,
		textFormat,
		speakers: [...speaking],
		headings: chapters,
		hints,
	};
});

/** The lines of a script that are spoken, their segments, and hints on how they were read. `options`: how each of them is. */
function linesSpoken(
	{ lines: said }: Dialogue,
	input: DialogueInput,
	options: SpokenOptions,
	earlier: EarlierIn,
): Pick<Draft, 'pauseBeforeMs' | 'segments' | 'lines' | 'hints'> {
	const narrator = input.speakers.find(({ name }) => isNarrator(name));
	const segments: DraftSegment[] = [];
	const lines: Line[] = [];
	/** By what is the same in all that differ in their example alone. */
	const hints = new Map<string, string>();
	let pauseBeforeMs = 0;
	/** Headings and the time of what is spoken next. */
	let headings: string[] = [];
	let heardAt: number | undefined;
	for (const { speaker: name, text: words, headings: before } of said) {
		headings.push(...before);
		const speaker = name === undefined ? narrator : input.speakers.find((one) => one.name === name);
		const voice = speaker?.voice ?? DEFAULT_VOICE;
		const text = prepared(words, { ...options, isSpeech: name !== undefined });
		for (const hint of hintsOn(text, false)) {
			const [kind] = hint.split(' such as ');
			if (!hints.has(kind)) hints.set(kind, hint);
		}
		// Headings stand between the lines of a script: within a line, there is none to cut at.
		const cut = cutIntoSegments(text, { ...input, chapters: 'none' }, earlier(voice, lines.length));
		const last = segments.at(-1);
		if (last) {
			// As in a text that is read aloud: a heading has silence before it, though nobody speaks it here.
			const least = headings.length > 0 ? HEADING_PAUSE_MS : 0;
			last.pauseAfterMs = Math.max(last.pauseAfterMs + cut.pauseBeforeMs, least);
		} else pauseBeforeMs += cut.pauseBeforeMs;
		// A line of marks alone sends nothing; its headings and its time wait for the next line that does.
		const spoken = cut.segments.filter((segment) => isSpeakable(segment.text));
		if (spoken.length > 0) {
			lines.push({ text, name: name ?? 'Narrator', headings, heardAt });
			spoken[0] = { heardAt, ...spoken[0] };
			heardAt = undefined;
			headings = [];
		}
		heardAt = cut.nextHeardAt ?? heardAt;
		for (const segment of spoken)
			segments.push({ ...segment, line: lines.length - 1, voice, speaker: speaker?.name });
	}
	return { pauseBeforeMs, segments, lines, hints: [...hints.values()] };
}

/** Throws InputError where it is not certain who speaks. */
function checkSpeakers({ unknownSpeakers, hasNames, innerName }: Dialogue): void {
	if (unknownSpeakers.length > 0) {
		throw new InputError(
			`The script has speakers without a voice: ${unknownSpeakers.map((name) => `"${name}"`).join(', ')}`,
			'Add them to "Speakers" with the same names as in the script, or correct them there. Nothing was sent.',
		);
	}
	if (innerName !== undefined) {
		throw new InputError(
			`The name of a speaker stands within a line of the script: "${innerName}"`,
			'Put a line break before each name, so that each speech starts on a line of its own. If the name is only mentioned there, leave out the colon after it. Nothing was sent.',
		);
	}
	if (!hasNames) {
		throw new InputError(
			'The script names no speaker',
			'Begin each speech on a line of its own with the name of its speaker and a colon, such as "Anna: Hello!", and add the names to "Speakers". For a text with one voice, use Speech → Generate. Nothing was sent.',
		);
	}
}

/** Says what of a script nobody says, and how to have it spoken. */
const leftOutHints = ({ preface, closing, direction, fence }: LeftOut): string[] => [
	...(preface === undefined
		? []
		: [
				`What stands before the script was left out: "${beginningOf(preface, MOST_CHARACTERS_SHOWN)}" To have it spoken, write "Narrator:" before it.`,
			]),
	...(closing === undefined
		? []
		: [
				`What stands behind the script was left out: "${beginningOf(closing, MOST_CHARACTERS_SHOWN)}" To have it spoken, write a name before it.`,
			]),
	...(direction === undefined
		? []
		: [
				`Music and stage directions were left out, such as "${beginningOf(direction, MOST_CHARACTERS_SHOWN)}" To have one spoken, write it without brackets or marks; set "Words in Parentheses" to "Tone Tags" to send brackets to the model.`,
			]),
	...(fence === undefined
		? []
		: [`The marks of a code block around the script (${fence}) were left out.`]),
];

const MOST_CHARACTERS_SHOWN = 60;

/** What is spoken may be the name of somebody who speaks once. */
const spokenNameHints = ({ spokenName: name }: Dialogue): string[] =>
	name === undefined
		? []
		: [`"${name}:" is spoken as words: if somebody of that name speaks, add them to "Speakers".`];

/** Text that is nobody's may be a speaker's whose name was not recognised. */
function narratorHints(segments: DraftSegment[]): string[] {
	const words = segments.find(({ speaker }) => speaker === undefined)?.written.trim();
	if (!words) return [];
	return [
		`A narrator who is not in "Speakers" speaks with the default voice: "${beginningOf(words, MOST_CHARACTERS_SHOWN)}" Add a speaker named "Narrator" to choose a voice, or check the names in the script.`,
	];
}

/** Listeners cannot tell speakers apart who have one voice. */
function voiceHints(segments: DraftSegment[]): string[] {
	const names = new Map<string, Set<string>>();
	for (const { voice, speaker = 'Narrator' } of segments) {
		const name = voiceNameOf(voice);
		names.set(name, (names.get(name) ?? new Set()).add(speaker));
	}
	const shared = [...names]
		.filter(([, sharing]) => sharing.size > 1)
		.map(
			([voice, sharing]) =>
				`${[...sharing].join(', ').replace(/, ([^,]*)$/, ' and $1')} ("${voice}")`,
		);
	return shared.length === 0 ? [] : [`These speak with the same voice: ${shared.join('; ')}.`];
}

/** The headings of a script, each with the segment that it stands before. */
const scriptChapters = (
	segments: DraftSegment[],
	lines: Line[],
	options: SpokenOptions,
): PlannedHeading[] =>
	lines.flatMap(({ headings }, index) =>
		headings.map((title) => ({
			title: prepared(title, options).written.trim(),
			segment: firstIndex(segments, ({ line }) => line >= index),
		})),
	);

const NO_HEADINGS_IN_SCRIPT =
	'No headings were found in the script, so the file has no chapters. A heading is a line such as "# Weather".';

/** Throws InputError where a name, in any case, would have two voices: which one speaks must not depend on their order. */
function refuseTwins(speakers: Speaker[]): void {
	const names = new Set<string>();
	for (const { name } of speakers) {
		if (names.has(name.toLowerCase())) throw new InputError(`"Speakers" has "${name}" twice`);
		names.add(name.toLowerCase());
	}
}

/** Speaks a script into one file, each speaker in a voice of their own; charged as `narration.ts` says. */
export const dialogue = defineOperation<DialogueValues, DialogueInput, Plan>(speech.dialogue, {
	async prepare({ voicesByName: others, ...values }, parameters) {
		const speakers = [...values.speakers, ...others];
		refuseTwins(speakers);
		return await withFiles({ ...values, speakers }, parameters);
	},
	...narration<DialogueInput>(planScript, ({ script }) => script),
});
