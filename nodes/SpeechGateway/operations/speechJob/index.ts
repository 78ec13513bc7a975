import { countCharacters } from '../../core/text/segment';
import { downloadAudio, submitJob } from '../../flows/speak';
import { endpoints } from '../../gateway/endpoints';
import { voiceIds, voiceName } from '../../flows/voices';
import type { InputOf } from '../../run/fields/field';
import { fileFields, responseFormatField } from '../fields/files';
import {
	checkBudget,
	checkedLength,
	estimateOf,
	hintsOn,
	MAX_INPUT_CHARACTERS,
	preparedText,
	speechBody,
	speechFields,
	type SpeechInput,
} from '../fields/speech';
import { taskOperations } from '../tasks';

const fields = speechFields(
	'At most 10,000 characters, charged by their number as soon as the job is submitted',
);

const audioFields = {
	responseFormat: responseFormatField(
		'The audio format that the job was created with; it cannot be changed afterwards',
	),
	...fileFields('speech'),
};

const spokenOf = (input: SpeechInput): string => preparedText(input).spoken.text;

const tokensOf = (input: SpeechInput): number =>
	estimateOf(input, spokenOf(input)).estimatedTokensAsJob;

export const speechJobOperations = taskOperations<SpeechInput, InputOf<typeof audioFields>>({
	resource: 'speechJob',
	thing: 'job',
	lookups: [endpoints.voices],
	words: {
		createAndWait: {
			action: 'Create speech job and wait for audio',
			description:
				'Submit a text as a job, wait until it is spoken, and download the audio. Charged up front, by the number of characters.',
		},
		create: {
			action: 'Create speech job',
			description:
				'Submit a text as a job and go on at once; fetch the audio later with "Wait". Charged up front, by the number of characters.',
		},
		get: {
			action: 'Get speech job',
			description: 'Look up the status of a job; free',
		},
		wait: {
			action: 'Wait for speech job',
			description: 'Wait until a job is completed and download its audio; free',
		},
		download: {
			action: 'Download audio of speech job',
			description: 'Fetch the audio of a completed job; free, as often as you like',
		},
	},
	id: {
		displayName: 'Job ID',
		name: 'jobId',
		placeholder: 'e.g. spj_0123456789',
		description: 'The ID of a speech job, as "Create" returned it',
	},
	fields: { create: fields, createAndWait: fields, file: audioFields },
	check: (input) => checkedLength(input, MAX_INPUT_CHARACTERS),
	checkAll: (all) => checkBudget(all, tokensOf),
	describe: (input) => ({
		characters: countCharacters(spokenOf(input)),
		estimatedTokens: tokensOf(input),
	}),

	about: ({ text, fileName }) => ({ input: text, fileName }),

	async submit(item, input) {
		const { model, voice } = input;
		hintsOn(preparedText(input), true).forEach((hint) => item.session.hints.add(hint));
		const isSent = item.isSettled('job');
		const id = isSent ? voiceName(voice) : (await voiceIds(item, model, [voice]))(voice);
		return await submitJob(item, {
			name: 'job',
			body: speechBody(input, spokenOf(input), id),
			format: input.responseFormat,
			fileName: input.fileName,
		});
	},

	async save(item, id, { responseFormat, fileName, binaryPropertyName }, json) {
		const { binary, info } = await downloadAudio(item, id, responseFormat, fileName);
		return {
			json: {
				...json,
				...(info.seconds !== undefined && { durationSeconds: info.seconds }),
				bytes: info.bytes,
			},
			binary: { [binaryPropertyName]: binary },
		};
	},
});
