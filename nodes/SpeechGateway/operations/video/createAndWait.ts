import { type WaitSettings, waitAndSave } from '../../flows/tasks';
import type { Operation } from '../../run/operation';
import { additionalBodyOption, billedOptions, binaryOptions, waitOptions } from '../fields';
import { readBinaryOptions } from '../speechInput';
import { readWait } from '../waitInput';
import {
	readVideoInput,
	submitVideo,
	video,
	videoFields,
	type VideoInput,
	type VideoTarget,
	withVideo,
} from './common';

export const createAndWait: Operation<VideoInput & VideoTarget & { wait: WaitSettings }> = {
	resource: 'video',
	operation: 'createAndWait',
	name: 'Create and Wait',
	action: 'Create a video and wait for the file',
	description: 'Submit a prompt, wait until the video is made, and download it',
	billed: true,
	waits: true,
	fields: videoFields,
	options: [additionalBodyOption, ...binaryOptions, ...waitOptions, ...billedOptions],
	read: (parameters) => ({
		...readVideoInput(parameters),
		...readBinaryOptions(parameters, 'video'),
		wait: readWait(parameters),
	}),

	async execute(input, item) {
		const resumed = item.record.requests.video !== undefined;
		const created = await submitVideo(item, input);
		return await waitAndSave(
			item,
			video(created.id),
			input.wait,
			{ known: created, resumed },
			async (json) => await withVideo(item, created.id, input, json),
		);
	},
};
