/** The parsed JSON, undefined where it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Whether a parsed JSON value is an object: no array, no null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of the named fields that can be an id: a number, or a text that is not blank. */
export function idIn(resource: Record<string, unknown>, ...names: string[]): string | undefined {
	const id = names
		.map((name) => resource[name])
		.find((given) => typeof given === 'number' || (typeof given === 'string' && given.trim()));
	return id === undefined ? undefined : String(id);
}
