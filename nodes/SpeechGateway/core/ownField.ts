import { isRecord, type Json, keysOf, parseJson } from './json';

/**
 * The field of an item under which all stands that the node says of it, by resource: the rest of the item is its row. What comes
 * back to the node, to Settle or from a tool is looked up there, too.
 */
const OWN_FIELDS: Record<string, string> = {
	speech: 'speech',
	speechJob: 'speech',
	video: 'video',
	audio: 'audio',
	chat: 'chat',
	voice: 'voice',
};

/** The name of the field for a resource. */
export const ownFieldOf = (resource: string): string => OWN_FIELDS[resource] ?? resource;

/** The names of all such fields. */
export const ownFields = (): string[] => [...new Set(keysOf(OWN_FIELDS).map(ownFieldOf))];

/** What stands under such a field, also as JSON text, as the cell of a table has it; undefined if that is no object. */
export function ownIn(
	json: Record<string, unknown>,
	field: string,
): Record<string, Json> | undefined {
	const own = json[field];
	const value = typeof own === 'string' && own.startsWith('{') ? parseJson(own) : own;
	return isRecord(value) ? value : undefined;
}
