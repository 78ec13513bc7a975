import { type WaitSettings, waitAndSave } from '../../flows/tasks';
import type { Operation } from '../../run/operation';
import { binaryOptions, freeBatchOptions, waitOptions } from '../fields';
import { readBinaryOptions, readFormat } from '../speechInput';
import { readWait } from '../waitInput';
import { type AudioTarget, job, jobIdField, knownFormatField, withAudio } from './common';

export const wait: Operation<AudioTarget & { jobId: string; wait: WaitSettings }> = {
	resource: 'speechJob',
	operation: 'wait',
	name: 'Wait',
	action: 'Wait for a speech job',
	description: 'Wait until a job is completed and download its audio; free',
	billed: false,
	waits: true,
	fields: [jobIdField, knownFormatField],
	options: [...binaryOptions, ...waitOptions, ...freeBatchOptions],
	read: (parameters) => ({
		jobId: parameters.id('jobId', 'Job ID'),
		responseFormat: readFormat(parameters),
		...readBinaryOptions(parameters, 'speech'),
		wait: readWait(parameters),
	}),

	async execute(input, item) {
		const { jobId: id } = input;
		return await waitAndSave(
			item,
			job(id),
			input.wait,
			{ resumed: true },
			async (json) => await withAudio(item, id, input, json),
		);
	},
};
