import { derived } from '../../core/derived';
import { InputError } from '../../core/errors';
import { isRecord } from '../../core/explain';
import { type DialogueLine, isNarrator, parseDialogue } from '../../core/text/dialogue';
import { countCharacters } from '../../core/text/segment';
import type { Voice } from '../../flows/voices';
import { requiredText } from '../../run/fields/checks';
import { type InputOf, mapped, panelField } from '../../run/fields/field';
import { choiceOption, jsonObject, jsonOption, textField } from '../../run/fields/kinds';
import { defineOperation } from '../../run/operation';
import { speechModelField } from '../fields/model';
import { checkBudget, hintsOn, speakingFields, type SpeakingInput } from '../fields/speech';
import { mustBeSpeakable, prepared } from '../fields/text';
import { DEFAULT_VOICE, parseVoice, voiceProperty } from '../fields/voice';
import { segmentFields, splitChoices } from './longText';
import { cutIntoSegments, type Speech, type SpeechPart, tokensOf, withPauses } from './parts';
import { sentBySpeakParts, speakParts, withNewTarget } from './speakParts';

interface Speaker {
	name: string;
	voice: Voice;
}

const speakersField = panelField<Speaker[]>(
	{
		displayName: 'Speakers',
		name: 'speakers',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Speaker',
		default: {},
		description:
			'Everyone who speaks in the script, and in which voice. A speaker named "Narrator" speaks what stands before the first name.',
		options: [
			{
				displayName: 'Speaker',
				name: 'values',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. Anna',
						description: 'The name as it stands in the script, before the colon',
					},
					voiceProperty,
				],
			},
		],
	},
	readSpeakers,
	{},
);

function readSpeakers(given: unknown): Speaker[] {
	const { values } = isRecord(given) ? given : {};
	return (Array.isArray(values) ? values : []).map((row: unknown, index) => {
		const { name, voice } = isRecord(row) ? row : {};
		return speaker(requiredText(name, `Name of speaker ${index + 1}`), voice);
	});
}

const speaker = (givenName: string, voice: unknown): Speaker => {
	const name = givenName.trim();
	return { name, voice: parseVoice(voice, `Voice of ${name}`) };
};

/** n8n takes no expression for a whole table, so voices that another node knows by name are an option. */
const voicesByName = mapped(
	jsonOption(
		{
			displayName: 'Voices by Name',
			name: 'voicesByName',
			default: '{}',
			description:
				'More speakers, such as from an expression: a JSON object with the voice ID of each name',
		},
		jsonObject,
	),
	(voices) => Object.entries(voices).map(([name, voice]) => speaker(name, voice)),
);

function refuseTwins(speakers: Speaker[]): void {
	const names = new Set<string>();
	for (const { name } of speakers) {
		if (names.has(name.toLowerCase())) throw new InputError(`"Speakers" has "${name}" twice`);
		names.add(name.toLowerCase());
	}
}

const fields = {
	model: speechModelField,
	script: textField({
		displayName: 'Script',
		name: 'script',
		typeOptions: { rows: 6 },
		hint: 'Any length. Names are not read out; what stands before the first name is the narrator’s.',
		placeholder: 'e.g. Anna: (happy) Good morning!\nBen: Hello, Anna.',
		description:
			'Who says what: each speech begins on a line of its own, with the name of the speaker and a colon',
	}),
	speakers: speakersField,
	voicesByName,
	...speakingFields,
	longText: choiceOption({
		displayName: 'Long Text',
		name: 'longText',
		default: 'auto',
		description: 'What happens to a speech that is too long for one request',
		choices: splitChoices,
	}),
	...segmentFields,
};

type DialogueInput = Omit<InputOf<typeof fields>, 'voicesByName'> &
	Pick<SpeakingInput, 'tokensToSpare'>;

/** A part of a dialogue knows its line; its place in the source is one in the words of that line. */
interface DialoguePart extends SpeechPart {
	line: DialogueLine;
}

/** What is to be spoken of a script. Throws InputError when somebody has no voice, or there is nothing to speak. */
const speechOf = derived((input: DialogueInput): Speech<DialoguePart> => {
	const { script, speakers } = input;
	const { lines, unknownSpeakers } = parseDialogue(
		script,
		speakers.map(({ name }) => name),
	);
	if (unknownSpeakers.length > 0) {
		throw new InputError(
			`The script has speakers without a voice: ${unknownSpeakers.map((name) => `"${name}"`).join(', ')}`,
			'Add them to "Speakers" under the names that they have in the script. Nothing was sent.',
		);
	}
	const narrator = speakers.find(({ name }) => isNarrator(name));
	const all: DialoguePart[] = [];
	const hints: string[] = [];
	for (const line of lines) {
		const spokenBy =
			line.speaker === undefined ? narrator : speakers.find(({ name }) => name === line.speaker);
		const text = prepared(line.text, input);
		hints.push(...hintsOn(text, false));
		const { pauseBeforeMs, segments } = cutIntoSegments(text, input);
		const before = all.at(-1);
		if (before) before.pauseAfterMs += pauseBeforeMs;
		all.push(
			...segments.map((segment) => ({
				...segment,
				line,
				voice: spokenBy?.voice ?? DEFAULT_VOICE,
				speaker: spokenBy?.name,
			})),
		);
	}
	const parts = withPauses(all, input.pauseBetweenSegments);
	const text = parts.map((part) => part.text).join('');
	mustBeSpeakable(text, 'Script');
	return { parts, text, hints, wordsOf: (from, to) => linesOf(parts.slice(from, to + 1)) };
});

/** The words of some parts as a script that can be spoken by itself. */
function linesOf(parts: DialoguePart[]): string {
	const byLine = new Map<DialogueLine, DialoguePart[]>();
	for (const part of parts) byLine.set(part.line, [...(byLine.get(part.line) ?? []), part]);
	return [...byLine]
		.map(([line, said]) => {
			const words = line.text.slice(said[0].source.start, said[said.length - 1].source.end).trim();
			return `${line.speaker ?? 'Narrator'}: ${words}`;
		})
		.join('\n');
}

export const dialogue = defineOperation({
	resource: 'speech',
	operation: 'dialogue',
	name: 'Dialogue',
	action: 'Generate a dialogue from a script',
	description:
		'Turn a script with several speakers into one audio file, each in a voice of their own; charged by the minute of audio',
	sends: sentBySpeakParts,
	input: fields,
	prepare({ voicesByName: others, ...given }): DialogueInput {
		const input = { ...given, speakers: [...given.speakers, ...others] };
		refuseTwins(input.speakers);
		speechOf(input);
		return input;
	},
	checkAll: (all) => checkBudget(all, (input) => tokensOf(input, speechOf(input))),
	describe: (input) => ({
		input: input.script,
		fileName: input.fileName,
		characters: countCharacters(speechOf(input).text),
		estimatedTokens: tokensOf(input, speechOf(input)),
	}),
	retryWith: withNewTarget,

	async execute(input, item) {
		const speech = speechOf(input);
		const speakers = new Set(speech.parts.map(({ speaker }) => speaker ?? 'Narrator'));
		return await speakParts(item, input, speech, () => ({ speakers: [...speakers] }));
	},
});
