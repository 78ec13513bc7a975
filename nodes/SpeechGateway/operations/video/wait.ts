import type { WaitSettings } from '../../run/jobs';
import type { Operation } from '../../run/operation';
import { binaryOptions, freeBatchOptions, waitOptions } from '../fields';
import { readBinaryOptions } from '../speechInput';
import { readWait } from '../waitInput';
import { videoIdField, type VideoTarget, waitAndDownload } from './common';

export const wait: Operation<VideoTarget & { videoId: string; wait: WaitSettings }> = {
	resource: 'video',
	operation: 'wait',
	name: 'Wait',
	action: 'Wait for a video',
	description: 'Wait until a video is completed and download it; free',
	billed: false,
	waits: true,
	fields: [videoIdField],
	options: [...binaryOptions, ...waitOptions, ...freeBatchOptions],
	read: (parameters) => ({
		videoId: parameters.id('videoId', 'Video ID'),
		...readBinaryOptions(parameters, 'video'),
		wait: readWait(parameters),
	}),

	async execute(input, item) {
		return await waitAndDownload(item, input.videoId, input, input.wait, {
			pollAtOnce: true,
			known: {},
		});
	},
};
