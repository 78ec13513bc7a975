import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../core/explain';

/** List answers are not documented in full: an array, or an object that holds one as `data`, `items`, `models` or `voices`. */
export function readList(body: unknown): IDataObject[] {
	const found = Array.isArray(body)
		? body
		: isRecord(body)
			? [body.data, body.items, body.models, body.voices].find(Array.isArray)
			: undefined;
	if (!found) throw new Error('the answer is not a list');
	return found.map((entry) => (isRecord(entry) ? entry : { id: entry }) as IDataObject);
}
