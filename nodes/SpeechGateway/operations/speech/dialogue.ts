import type { Heading } from '../../audio/tags';
import { derived } from '../../core/derived';
import { InputError } from '../../core/errors';
import { type DialogueLine, isNarrator, parseDialogue } from '../../text/dialogue';
import { formatNotes, takenFormat } from '../../text/format';
import { countCharacters, isSpeakable } from '../../text/segment';
import { HEADING_PAUSE_MS } from '../../text/spokenSegments';
import type { Speaker } from '../../fields/script';
import { DEFAULT_VOICE } from '../../fields/voice';
import { type DialogueValues, speechDialogue } from './dialogue.form';
import { checkVoices, voiceName } from '../../speech/voices';
import { defineOperation } from '../../run/operation';
import { checkTaggable } from '../../files/podcast';
import {
	checkBudget,
	hintsOn,
	mustBeSpeakable,
	prepared,
	type SpeakingInput,
} from '../../speech/speaking';
import {
	cutIntoSegments,
	type Speech,
	type SpeechPart,
	tokensOf,
	voicesToAsk,
	withPauses,
} from '../../speech/parts';
import { knownParts, type PreviousVersion, withPrevious, withReused } from '../../speech/previous';
import { speakParts } from '../../speech/speakParts';
import { checkFiles, withNewTarget, withoutTarget } from '../../speech/target';

type DialogueInput = Omit<DialogueValues, 'voicesByName'> &
	Pick<SpeakingInput, 'tokensToSpare'> & { previous?: PreviousVersion };

/** A part of a dialogue knows its line; its position in the source is within the words of that line. */
interface DialoguePart extends SpeechPart {
	line: DialogueLine;
	/** Headings directly before it, as written. */
	headings: string[];
}

/** What is to be spoken of a script. Throws InputError when somebody has no voice, or there is nothing to speak. */
const speechOf = derived((input: DialogueInput): Speech<DialoguePart> => {
	const { script, speakers } = input;
	const textFormat = scriptFormat(input);
	const { lines, unknownSpeakers } = parseDialogue(
		script,
		speakers.map(({ name }) => name),
		{ headings: textFormat !== 'plain' || input.chapters === 'headings' },
	);
	if (unknownSpeakers.length > 0) {
		throw new InputError(
			`The script has speakers without a voice: ${unknownSpeakers.map((name) => `"${name}"`).join(', ')}`,
			'Add them to "Speakers" with the same names as in the script. Nothing was sent.',
		);
	}
	const narrator = speakers.find(({ name }) => isNarrator(name));
	const all: DialoguePart[] = [];
	let pauseBeforeMs = 0;
	const hints = formatNotes(textFormat, input.textFormat);
	let headings: string[] = [];
	for (const line of lines) {
		headings.push(...line.headings);
		const spokenBy =
			line.speaker === undefined ? narrator : speakers.find(({ name }) => name === line.speaker);
		const text = prepared(line.text, { ...input, textFormat });
		hints.push(...hintsOn(text, false));
		const voice = spokenBy?.voice ?? DEFAULT_VOICE;
		const known = knownParts(input, voice);
		const cut = cutIntoSegments(text, { ...input, chapters: 'none' }, known);
		const before = all.at(-1);
		if (before) {
			const least = headings.length > 0 ? HEADING_PAUSE_MS : 0;
			before.pauseAfterMs = Math.max(before.pauseAfterMs + cut.pauseBeforeMs, least);
		} else pauseBeforeMs += cut.pauseBeforeMs;
		for (const segment of cut.segments) {
			if (!isSpeakable(segment.text)) continue;
			all.push({
				...segment,
				line,
				headings,
				voice,
				speaker: spokenBy?.name,
			});
			headings = [];
		}
	}
	const parts = withReused(input, withPauses(all, input.pauseBetweenSegments));
	const text = parts.map((part) => part.text).join('');
	mustBeSpeakable(text, 'Script');
	const chapters = input.chapters === 'headings' ? chaptersOf(parts, input) : [];
	if (input.chapters === 'headings' && chapters.length === 0) hints.push(NO_HEADINGS);
	hints.push(...narratorHints(parts), ...voiceHints(parts));
	return {
		pauseBeforeMs,
		parts,
		text,
		asNew: () => (input.previous ? speechOf({ ...input, previous: undefined }) : undefined),
		headings: chapters,
		hints,
		wordsOf: (from, to) => linesOf(parts.slice(from, to + 1)),
	};
});

const MOST_WORDS_SHOWN = 60;

/** Text that is nobody's may be a speaker's whose name was not recognised. */
function narratorHints(parts: DialoguePart[]): string[] {
	const words = parts.find(({ speaker }) => speaker === undefined)?.written.trim();
	if (!words) return [];
	const shown =
		words.length > MOST_WORDS_SHOWN ? `${words.slice(0, MOST_WORDS_SHOWN).trimEnd()}…` : words;
	return [
		`A narrator who is not in "Speakers" speaks with the default voice: "${shown}" Add a speaker named "Narrator" to choose a voice, or check the names in the script.`,
	];
}

/** Listeners cannot tell speakers apart who have one voice. */
function voiceHints(parts: DialoguePart[]): string[] {
	const names = new Map<string, Set<string>>();
	for (const { voice, speaker = 'Narrator' } of parts) {
		const name = voiceName(voice);
		names.set(name, (names.get(name) ?? new Set()).add(speaker));
	}
	return [...names]
		.filter(([, sharing]) => sharing.size > 1)
		.map(
			([voice, sharing]) =>
				`${[...sharing].join(', ').replace(/, ([^,]*)$/, ' and $1')} speak with the same voice: "${voice}".`,
		);
}

/** The headings of a script, each with the part that it stands before. */
const chaptersOf = (parts: DialoguePart[], input: DialogueInput): Heading[] =>
	parts.flatMap(({ headings }, part) =>
		headings.map((heading) => ({
			title: prepared(heading, { ...input, textFormat: scriptFormat(input) }).written.text.trim(),
			part,
		})),
	);

const NO_HEADINGS =
	'No headings were found in the script, so the file has no chapters. A heading is a line such as "# Weather".';

/** What the whole script is read as. With a format, or where chapters are wanted, a line such as "# Weather" is not spoken. */
const scriptFormat = ({ script, textFormat }: DialogueInput) => takenFormat(script, textFormat);

/** The words of some parts as a script that can be spoken by itself. */
function linesOf(parts: DialoguePart[]): string {
	const byLine = new Map<DialogueLine, DialoguePart[]>();
	for (const part of parts) byLine.set(part.line, [...(byLine.get(part.line) ?? []), part]);
	return [...byLine]
		.map(([line, said]) => {
			const words = line.text.slice(said[0].source.start, said[said.length - 1].source.end).trim();
			return [
				...said[0].headings.map((title) => `# ${title}`),
				`${line.speaker ?? 'Narrator'}: ${words}`,
			].join('\n');
		})
		.join('\n');
}

function refuseTwins(speakers: Speaker[]): void {
	const names = new Set<string>();
	for (const { name } of speakers) {
		if (names.has(name.toLowerCase())) throw new InputError(`"Speakers" has "${name}" twice`);
		names.add(name.toLowerCase());
	}
}

export const dialogue = defineOperation(speechDialogue, {
	async prepare({ voicesByName: others, ...given }, parameters): Promise<DialogueInput> {
		const all = { ...given, speakers: [...given.speakers, ...others] };
		const input = await withPrevious(all, parameters);
		refuseTwins(input.speakers);
		checkTaggable(input, input.responseFormat, speechOf(input).headings.length);
		await checkFiles(input, parameters);
		return input;
	},
	checkAll: (all, spent) => checkBudget(all, (input) => tokensOf(input, speechOf(input)), spent),
	describe: (input) => ({
		input: input.script,
		fileName: input.fileName,
		characters: countCharacters(speechOf(input).text),
		estimatedTokens: tokensOf(input, speechOf(input)),
	}),
	lookUp(input, item) {
		return checkVoices(item, input.model, voicesToAsk(speechOf(input)));
	},
	retryWith: withNewTarget,
	identity: withoutTarget,

	async execute(input, item) {
		const speech = speechOf(input);
		const speakers = new Set(speech.parts.map(({ speaker }) => speaker ?? 'Narrator'));
		return await speakParts(item, input, speech, () => ({
			speakers: [...speakers],
			textFormat: scriptFormat(input),
		}));
	},
});
