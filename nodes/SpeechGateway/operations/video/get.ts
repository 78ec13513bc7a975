import { fetchStatus } from '../../run/jobs';
import type { Operation } from '../../run/operation';
import { freeBatchOptions } from '../fields';
import { videoIdField, videoJson } from './common';

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
		const video = await fetchStatus(item, { thing: 'video', id: videoId });
		return { branch: 'success', items: [{ json: { ...videoJson(video), id: videoId } }] };
	},
};
