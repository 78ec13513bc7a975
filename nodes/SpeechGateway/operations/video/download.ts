import type { Operation } from '../../run/operation';
import { binaryOptions, freeBatchOptions } from '../fields';
import { readBinaryOptions } from '../speechInput';
import { videoIdField, type VideoTarget, withVideo } from './common';

export const download: Operation<VideoTarget & { videoId: string }> = {
	resource: 'video',
	operation: 'download',
	name: 'Download',
	action: 'Download a video',
	description: 'Fetch the file of a completed video; free, as often as you like',
	billed: false,
	fields: [videoIdField],
	options: [...binaryOptions, ...freeBatchOptions],
	read: (parameters) => ({
		videoId: parameters.id('videoId', 'Video ID'),
		...readBinaryOptions(parameters, 'video'),
	}),

	async execute(input, item) {
		return {
			branch: 'success',
			items: [await withVideo(item, input.videoId, input, { id: input.videoId })],
		};
	},
};
