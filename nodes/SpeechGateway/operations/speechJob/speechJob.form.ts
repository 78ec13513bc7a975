import { endpoints, taskEndpoints } from '../../gateway/endpoints';
import { fileFields, responseFormatField } from '../../fields/files';
import { speechFields } from '../../fields/speech';
import { describeTasks } from '../taskForms';

const fields = speechFields(
	'At most 10,000 characters. 1,000 characters of English cost about 4,250 tokens, three times what Generate takes.',
);

const audioFields = {
	responseFormat: responseFormatField('The audio format the job was created with'),
	...fileFields,
};

/** The resource Speech Job. Voices may be looked up by title before a job is submitted. */
export const speechJob = describeTasks({
	resource: 'speechJob',
	endpoints: taskEndpoints.job,
	lookups: [endpoints.voices],
	price: 'about 1,000 tokens per 250 characters, as soon as the job is submitted.',
	words: {
		createAndWait: {
			action: 'Create speech job and wait for audio',
			description:
				'Submit a text as a job, wait until the audio is ready, and download it. Charged up front, by the number of characters. For most texts, "Generate" is simpler.',
		},
		create: {
			action: 'Create speech job',
			description:
				'Submit a text as a job and continue immediately. Fetch the audio later with "Wait". Charged up front, by the number of characters.',
		},
		get: { action: 'Get speech job', description: 'Get the status of a speech job. Free.' },
		wait: {
			action: 'Wait for speech job',
			description: 'Wait until a speech job is completed and download its audio. Free.',
		},
		download: {
			action: 'Download audio of speech job',
			description: 'Download the audio of a completed speech job. Free, as often as you like.',
		},
	},
	id: {
		displayName: 'Job ID',
		name: 'jobId',
		placeholder: 'e.g. spj_0123456789',
		description: 'The ID of the speech job, as returned by "Create"',
	},
	fields: { create: fields, file: audioFields },
});
