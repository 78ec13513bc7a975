import { endpoints, taskEndpoints } from '../gateway/endpoints';
import type { InputOf } from '../run/fields/field';
import { fileFields, responseFormatField } from './fields/files';
import { speechFields, type SpeechValues } from './fields/speech';
import { describeTasks } from './tasks';

const fields = speechFields(
	'At most 10,000 characters, charged by their number as soon as the job is submitted',
);

const audioFields = {
	responseFormat: responseFormatField(
		'The audio format that the job was created with; it cannot be changed afterwards',
	),
	...fileFields('speech'),
};

export const speechJob = describeTasks<SpeechValues, InputOf<typeof audioFields>>({
	resource: 'speechJob',
	endpoints: taskEndpoints.job,
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
});
