import { taskJson } from '../../flows/tasks';
import type { Operation } from '../../run/operation';
import { submitJob } from '../../flows/speak';
import { billedOptions, speechOptions } from '../fields';
import {
	checkBudget,
	MAX_INPUT_CHARACTERS,
	readSpeechInput,
	speechBody,
	type SpeechInput,
} from '../speechInput';
import { describeJob, jobFields, job, jobTokens } from './common';

export const create: Operation<SpeechInput> = {
	resource: 'speechJob',
	operation: 'create',
	name: 'Create',
	action: 'Create a speech job',
	description:
		'Submit a text as a job and go on at once; fetch the audio later with "Wait". Charged up front, by the number of characters.',
	billed: true,
	fields: jobFields,
	options: [...speechOptions, ...billedOptions],
	read: (parameters) => readSpeechInput(parameters, MAX_INPUT_CHARACTERS),
	checkAll: (all) => checkBudget(all, jobTokens),
	describe: describeJob,

	async execute(input, item) {
		const body = speechBody(input, input.text);
		const created = await submitJob(item, {
			name: 'job',
			body,
			format: input.responseFormat,
			fileName: input.fileName,
		});
		return {
			branch: 'success',
			items: [{ json: { ...taskJson(job(created.id), created), ...describeJob(input) } }],
		};
	},
};
