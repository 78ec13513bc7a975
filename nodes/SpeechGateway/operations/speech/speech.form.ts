import { InputError, NOTHING_SENT } from '../../core/errors';
import { isBlankCell, requiredText, spokenText } from '../../fields/checks';
import { besideOption, type InputOf, mapped, panelField, unseen } from '../../fields/field';
import { fileFields } from '../../fields/files';
import { describeResource } from '../../fields/form';
import {
	choiceOption,
	jsonObjectOption,
	locatorValue,
	rowsOf,
	tableProperty,
	textColumn,
	textField,
} from '../../fields/kinds';
import { speechModelField } from '../../fields/model';
import { chaptersOption, podcastFields } from '../../fields/podcast';
import { cutFields, segmentFields } from '../../fields/segments';
import { speakingFields, speechFields } from '../../fields/speech';
import { DEFAULT_VOICE, parseVoice, type Voice, voiceProperty } from '../../fields/voice';
import { endpoints } from '../../gateway/endpoints';
import { turnsOf } from '../../text/turns';

/** What becomes a chapter of a text. */
const headings = {
	name: 'Headings',
	description:
		'Headings of Markdown and HTML; in plain text, lines such as "# Weather" or "Chapter 3" and short lines that stand alone',
};

/** A text of any length, and what to do when it is too long for one request. */
const anyLengthFields = {
	...speechFields(
		'Any length, in one file. 1,000 characters cost about 1,430 tokens (Chinese: 5,000); Speech → Estimate counts for free.',
	),
	longText: choiceOption({
		displayName: 'Long Text',
		name: 'longText',
		default: 'auto',
		description:
			'What to do with a text that is too long for one request, which the gateway stops after about 1,300 characters',
		choices: {
			auto: {
				name: 'Automatic',
				description: 'Split into segments when needed; one that takes too long is split again',
			},
			single: {
				name: 'Single Request',
				description:
					'Never split (at most 10,000 characters); the gateway is likely to stop long texts',
			},
		},
	}),
};

/** Of use only where a text may be cut. */
const besideLongText = {
	maxSegmentCharacters: besideOption('longText', cutFields.maxSegmentCharacters),
	pauseBetweenSegments: besideOption('longText', cutFields.pauseBetweenSegments),
};

/** Options that affect the characters, the cuts and the price of a text. */
const estimateFields = {
	...anyLengthFields,
	...cutFields,
	...besideLongText,
	chapters: chaptersOption({ headings }),
	/** Not shown: it decides about nothing but `contentHash`, and a previous version of any format is taken. */
	responseFormat: unseen(anyLengthFields.responseFormat),
};

/** The values of Speech → Estimate. */
export type EstimateValues = InputOf<typeof estimateFields>;

const generateFields = {
	...anyLengthFields,
	...segmentFields,
	...besideLongText,
	...podcastFields(headings),
	...fileFields,
};

/** The values of Speech → Generate. */
export type GenerateValues = InputOf<typeof generateFields>;

const script = textField(
	{
		displayName: 'Script',
		name: 'script',
		typeOptions: { rows: 6 },
		hint: 'Any length. Names are not spoken. 1,000 characters cost about 1,430 tokens (Chinese: 5,000).',
		placeholder: 'e.g. Anna: (happy) Good morning!\nBen: Hello, Anna.',
		description:
			'Who says what: each speech starts on a new line with the name of the speaker and a colon; or a list, also as JSON, of { speaker, text }',
	},
	// An expression may give the list itself.
	(value, label) => spokenText(turnsOf(value) ? JSON.stringify(value) : value, label),
);

/** A name of a script, trimmed, and who speaks for it. */
export interface Speaker {
	name: string;
	voice: Voice;
}

const speakers = tableProperty({
	displayName: 'Speakers',
	name: 'speakers',
	description:
		'The speakers in the script and their voices; one named "Narrator" speaks any text before the first name',
	row: 'Speaker',
	columns: [
		textColumn({
			displayName: 'Name',
			name: 'name',
			placeholder: 'e.g. Anna',
			description: 'The name as written in the script, before the colon',
		}),
		voiceProperty,
	],
});

/**
 * The rows of the table, or a list of them from an expression. A row without a voice speaks with the default one; one with
 * nothing in it is none.
 */
function readSpeakers(value: unknown, label: string): Speaker[] {
	const rows = rowsOf(value);
	if (!rows)
		throw new InputError(
			`"${label}" must be a list, such as [{ "name": "Anna", "voice": "voice ID" }]`,
		);
	return rows.flatMap(({ name, voice }, index) => {
		const of = `of speaker ${index + 1}`;
		const isNone = isBlankCell(name) && parseVoice(voice, `Voice ${of}`) === DEFAULT_VOICE;
		return isNone ? [] : speaker(requiredText(name, `Name ${of}`), voice);
	});
}

function speaker(untrimmed: string, voice: unknown): Speaker {
	const name = untrimmed.trim();
	return { name, voice: parseVoice(voice, `Voice of ${name}`) };
}

/** n8n takes no expression for a whole table, so voices that another node knows by name are an option. */
const voicesByName = mapped(
	jsonObjectOption({
		displayName: 'Voices by Name',
		name: 'voicesByName',
		description:
			'More speakers, for example from an expression: a JSON object such as {"Anna": "voice ID"}',
		example: '{"Anna": "voice ID"}',
	}),
	(voices) =>
		Object.entries(voices).map(([name, voice]) => {
			// Of a look-up that found nothing: the default voice would speak, and be paid for, in its place.
			if (String(locatorValue(voice) ?? '').trim() !== '') return speaker(name, voice);
			throw new InputError(
				`"Voices by Name" has no voice for ${JSON.stringify(name)}`,
				`Write "default" for the default voice, as in {"Anna": "default"}. ${NOTHING_SENT}`,
			);
		}),
);

const dialogueFields = {
	model: speechModelField,
	script,
	speakers: panelField(speakers, readSpeakers, {}),
	voicesByName,
	...speakingFields,
	...segmentFields,
	// Of use to few, where each speech is a segment of its own.
	maxSegmentCharacters: besideOption('pauseBetweenSegments', cutFields.maxSegmentCharacters),
	...podcastFields({
		name: 'Headings',
		description: 'Lines such as "# Weather" between the speeches; they are not read out',
	}),
	...fileFields,
};

/** The values of Speech → Dialogue. */
export type DialogueValues = InputOf<typeof dialogueFields>;

/** What Generate and Dialogue have in common. */
const speaking = {
	// After a page of 524, it asks once for a job that cannot be: see `hasJobRoutes`.
	sends: [endpoints.voices, endpoints.speech, endpoints.job],
	makesFile: true,
	price:
		'about 1,000 tokens per minute of audio. Speech → Estimate calculates the number for free.',
};

/** The resource Speech. Estimate sends nothing: a voice by title is not looked up for it. */
export const speech = describeResource('speech', {
	generate: {
		name: 'Generate',
		action: 'Generate speech from text',
		description: 'Turn text of any length into an audio file. Charged per minute of audio.',
		...speaking,
		input: generateFields,
	},
	dialogue: {
		name: 'Dialogue',
		action: 'Generate dialogue from script',
		description:
			'Turn a script with several speakers into one audio file, each with their own voice. Charged per minute of audio.',
		...speaking,
		input: dialogueFields,
	},
	estimate: {
		name: 'Estimate',
		action: 'Estimate speech tokens',
		description: 'Calculate how many tokens and minutes a text will take. Free: no text is sent.',
		sends: [],
		input: estimateFields,
	},
});
