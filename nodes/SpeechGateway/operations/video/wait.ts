import { type WaitSettings, waitAndSave } from '../../flows/tasks';
import type { Operation } from '../../run/operation';
import { binaryOptions, freeBatchOptions, waitOptions } from '../fields';
import { readBinaryOptions } from '../speechInput';
import { readWait } from '../waitInput';
import { video, videoIdField, type VideoTarget, withVideo } from './common';

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
		const { videoId: id } = input;
		return await waitAndSave(
			item,
			video(id),
			input.wait,
			{ resumed: true },
			async (json) => await withVideo(item, id, input, json),
		);
	},
};
