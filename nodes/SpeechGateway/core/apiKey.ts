/** What people copy along with a key: blanks, quotes, the name of the header, and the word in front of it. */
const PASTED_AROUND = /^(?:[\s"'`“”]|authorization:|bearer\s)+|[\s"'`“”]+$/gi;

/** An API key without what was pasted around it; empty if there is none. */
export const cleanKey = (key: unknown): string =>
	typeof key === 'string' || typeof key === 'number' ? String(key).replace(PASTED_AROUND, '') : '';

/** The header that a request is signed with; none without a key. */
export function authorization(apiKey: unknown): { Authorization?: string } {
	const key = cleanKey(apiKey);
	return key === '' ? {} : { Authorization: `Bearer ${key}` };
}
