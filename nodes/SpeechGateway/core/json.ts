/** A text as JSON; undefined if it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A value in an object of JSON: `object` for arrays, too, as in n8n's types. */
export type Json = string | number | boolean | object | null | undefined;

/** An object of JSON: no array, no null. */
export const isRecord = (value: unknown): value is Record<string, Json> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object without those of its fields that are undefined. */
export const defined = <T extends object>(fields: T): T =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** The names of the fields of an object that has no others. */
export const keysOf = <K extends string>(record: Record<K, unknown>): K[] =>
	Object.keys(record) as K[];

/** The first of the named fields that can be an id: a number, or a text that is not blank. */
export function idIn(resource: Record<string, unknown>, ...names: string[]): string | undefined {
	const id = names
		.map((name) => resource[name])
		.find((value) => typeof value === 'number' || (typeof value === 'string' && value.trim()));
	return id === undefined ? undefined : String(id);
}

/** A provider's body as item json: a key named `error` would make n8n retry the node, so it is renamed or dropped. */
export function withoutErrorKey<T>(body: Record<string, T>, newName: string): Record<string, T> {
	const { error, ...rest } = body;
	return error === null || error === undefined ? rest : { ...rest, [newName]: error };
}
