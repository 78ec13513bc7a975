import { fetchStatus, taskJson } from '../../flows/tasks';
import type { Operation } from '../../run/operation';
import { freeBatchOptions } from '../fields';
import { videoIdField, video } from './common';

export const get: Operation<{ videoId: string }> = {
	resource: 'video',
	operation: 'get',
	name: 'Get',
	action: 'Get a video',
	description: 'Look up the status of a video; free',
	billed: false,
	fields: [videoIdField],
	options: freeBatchOptions,
	read: (parameters) => ({ videoId: parameters.id('videoId', 'Video ID') }),

	async execute({ videoId }, item) {
		const task = video(videoId);
		const status = await fetchStatus(item, task);
		return { branch: 'success', items: [{ json: { ...taskJson(task, status), id: videoId } }] };
	},
};
