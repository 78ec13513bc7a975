import { fetchStatus, taskJson } from '../../flows/tasks';
import type { Operation } from '../../run/operation';
import { freeBatchOptions } from '../fields';
import { jobIdField, job } from './common';

export const get: Operation<{ jobId: string }> = {
	resource: 'speechJob',
	operation: 'get',
	name: 'Get',
	action: 'Get a speech job',
	description: 'Look up the status of a job; free',
	billed: false,
	fields: [jobIdField],
	options: freeBatchOptions,
	read: (parameters) => ({ jobId: parameters.id('jobId', 'Job ID') }),

	async execute({ jobId }, item) {
		const task = job(jobId);
		const status = await fetchStatus(item, task);
		return { branch: 'success', items: [{ json: { ...taskJson(task, status), id: jobId } }] };
	},
};
