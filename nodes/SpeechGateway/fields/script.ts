import { requiredText } from './checks';
import { mapped, panelField, refuseLiterals } from './field';
import { jsonObjectOption, rowsOf, textField } from './kinds';
import { parseVoice, type Voice, voiceProperty } from './voice';

export const scriptField = textField({
	displayName: 'Script',
	name: 'script',
	typeOptions: { rows: 6 },
	hint: 'Any length. Names are not spoken. 1,000 characters cost about 1,430 tokens (Chinese: 5,000).',
	placeholder: 'e.g. Anna: (happy) Good morning!\nBen: Hello, Anna.',
	description:
		'Who says what: each speech starts on a new line with the name of the speaker and a colon',
});

export interface Speaker {
	name: string;
	voice: Voice;
}

export const speakersField = refuseLiterals(
	panelField<Speaker[]>(
		{
			displayName: 'Speakers',
			name: 'speakers',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, sortable: true },
			placeholder: 'Add Speaker',
			default: {},
			description:
				'The speakers in the script and their voices; one named "Narrator" speaks any text before the first name',
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
							description: 'The name as written in the script, before the colon',
						},
						voiceProperty,
					],
				},
			],
		},
		readSpeakers,
		{},
	),
);

function readSpeakers(given: unknown): Speaker[] {
	return (rowsOf(given) ?? []).map(({ name, voice }, index) =>
		speaker(requiredText(name, `Name of speaker ${index + 1}`), voice),
	);
}

const speaker = (givenName: string, voice: unknown): Speaker => {
	const name = givenName.trim();
	return { name, voice: parseVoice(voice, `Voice of ${name}`) };
};

/** n8n takes no expression for a whole table, so voices that another node knows by name are an option. */
export const voicesByName = mapped(
	jsonObjectOption({
		displayName: 'Voices by Name',
		name: 'voicesByName',
		description:
			'More speakers, for example from an expression: a JSON object such as {"Anna": "voice ID"}',
		example: '{"Anna": "voice ID"}',
	}),
	(voices) => Object.entries(voices).map(([name, voice]) => speaker(name, voice)),
);
