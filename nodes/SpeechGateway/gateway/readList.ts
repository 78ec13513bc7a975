import type { IDataObject } from 'n8n-workflow';
import { gatewayWords } from './gatewayWords';
import { isRecord } from '../core/json';

const LISTS = ['data', 'items', 'models', 'voices', 'list', 'results', 'result'];

/**
 * List answers are not documented in full: an array, or an object that holds one under a usual name, or an object that
 * holds such an object. Bare texts and numbers are ids; what is nothing of the kind is left out. Throws when there is no list.
 */
export function readList(body: unknown): IDataObject[] {
	const found = listIn(body) ?? heldBy(body).map(listIn).find(Array.isArray);
	if (!found) {
		const { message } = gatewayWords(body);
		throw new Error(`the answer is not a list${message ? `, but says: "${message}"` : ''}`);
	}
	return found.flatMap((entry: unknown): IDataObject[] => {
		if (isRecord(entry)) return [entry];
		return typeof entry === 'string' || typeof entry === 'number' ? [{ id: entry }] : [];
	});
}

/** The list that a body is, or holds directly. */
function listIn(body: unknown): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	const held = heldBy(body);
	const found = held.find(Array.isArray);
	// Gateways written in Go have null for a list without entries; so do answers that only bring an error.
	const isEmpty = held.includes(null) && !held.some(isRecord) && !gatewayWords(body).message;
	return found ?? (isEmpty ? [] : undefined);
}

const heldBy = (body: unknown): unknown[] =>
	isRecord(body) ? LISTS.map((name) => body[name]) : [];
