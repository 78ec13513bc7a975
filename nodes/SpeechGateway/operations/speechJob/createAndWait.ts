import type { Operation } from '../../run/operation';
import { type WaitSettings, waitAndSave } from '../../flows/tasks';
import { submitJob } from '../../flows/speak';
import { billedOptions, speechOptions, waitOptions } from '../fields';
import {
	checkBudget,
	MAX_INPUT_CHARACTERS,
	readSpeechInput,
	speechBody,
	type SpeechInput,
} from '../speechInput';
import { readWait } from '../waitInput';
import { describeJob, job, jobFields, jobTokens, withAudio } from './common';

export const createAndWait: Operation<SpeechInput & { wait: WaitSettings }> = {
	resource: 'speechJob',
	operation: 'createAndWait',
	name: 'Create and Wait',
	action: 'Create a speech job and wait for the audio',
	description:
		'Submit a text as a job, wait until it is spoken, and download the audio. Charged up front, by the number of characters.',
	billed: true,
	waits: true,
	fields: jobFields,
	options: [...speechOptions, ...waitOptions, ...billedOptions],
	read: (parameters) => ({
		...readSpeechInput(parameters, MAX_INPUT_CHARACTERS),
		wait: readWait(parameters),
	}),
	checkAll: (all) => checkBudget(all, jobTokens),
	describe: describeJob,

	async execute(input, item) {
		const resumed = item.record.requests.job !== undefined;
		const body = speechBody(input, input.text);
		const created = await submitJob(item, {
			name: 'job',
			body,
			format: input.responseFormat,
			fileName: input.fileName,
		});
		const known = { ...created, ...describeJob(input) };
		return await waitAndSave(
			item,
			job(created.id),
			input.wait,
			{ known, resumed },
			async (json) => await withAudio(item, created.id, input, json),
		);
	},
};
