import { taskJson } from '../../flows/tasks';
import type { Operation } from '../../run/operation';
import { additionalBodyOption, billedOptions } from '../fields';
import { readVideoInput, submitVideo, videoFields, type VideoInput, video } from './common';

export const create: Operation<VideoInput> = {
	resource: 'video',
	operation: 'create',
	name: 'Create',
	action: 'Create a video',
	description: 'Submit a prompt and go on at once; fetch the video later with "Wait"',
	billed: true,
	fields: videoFields,
	options: [additionalBodyOption, ...billedOptions],
	read: readVideoInput,

	async execute(input, item) {
		const created = await submitVideo(item, input);
		return { branch: 'success', items: [{ json: taskJson(video(created.id), created) }] };
	},
};
