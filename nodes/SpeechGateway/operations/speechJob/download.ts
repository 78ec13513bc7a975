import type { Operation } from '../../run/operation';
import { binaryOptions, freeBatchOptions } from '../fields';
import { readBinaryOptions, readFormat } from '../speechInput';
import { type AudioTarget, jobIdField, knownFormatField, withAudio } from './common';

export const download: Operation<AudioTarget & { jobId: string }> = {
	resource: 'speechJob',
	operation: 'download',
	name: 'Download',
	action: 'Download the audio of a speech job',
	description: 'Fetch the audio of a completed job; free, as often as you like',
	billed: false,
	fields: [jobIdField, knownFormatField],
	options: [...binaryOptions, ...freeBatchOptions],
	read: (parameters) => ({
		jobId: parameters.id('jobId', 'Job ID'),
		responseFormat: readFormat(parameters),
		...readBinaryOptions(parameters, 'speech'),
	}),

	async execute(input, item) {
		return {
			branch: 'success',
			items: [await withAudio(item, input.jobId, input, { id: input.jobId })],
		};
	},
};
