import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../core/json';

/**
 * List answers are not documented in full: an array, or an object that holds one as `data`, `items`, `models` or `voices`.
 * Bare texts and numbers are ids; what is nothing of the kind is left out. Throws when there is no list.
 */
export function readList(body: unknown): IDataObject[] {
	const found = Array.isArray(body)
		? body
		: isRecord(body)
			? [body.data, body.items, body.models, body.voices].find(Array.isArray)
			: undefined;
	if (!found) throw new Error('the answer is not a list');
	return found.flatMap((entry: unknown): IDataObject[] => {
		if (isRecord(entry)) return [entry as IDataObject];
		return typeof entry === 'string' || typeof entry === 'number' ? [{ id: entry }] : [];
	});
}
