/** The most that this process keeps of results: bytes of JSON, inline files included. */
const MOST_BYTES = 64 * 2 ** 20;

/** JSON of results that were paid for, by name; the oldest first. */
const results = new Map<string, string>();
let bytes = 0;

/** A result of this process: of a tool's call, by execution and call, or of a Send Once Key, by the name of the key. */
export const recall = (name: string): string | undefined => results.get(name);

/** Keeps a result, and forgets the oldest where there are too many. */
export function keep(name: string, result: string): void {
	bytes += result.length - (results.get(name)?.length ?? 0);
	results.delete(name);
	results.set(name, result);
	for (const [oldest, { length }] of results) {
		if (bytes <= MOST_BYTES) break;
		results.delete(oldest);
		bytes -= length;
	}
}

/** By name, for each that is taken in this process: resolves when it is given back. */
const taken = new Map<string, Promise<void>>();

/**
 * Takes a name in this process, so that others wait for its result instead of sending the same. Returns what gives it back or,
 * if another has it, what resolves when that is done.
 */
export function takeName(name: string): (() => void) | Promise<void> {
	const other = taken.get(name);
	if (other) return other;
	let giveBack = () => {};
	const mine = new Promise<void>((resolve) => (giveBack = resolve));
	taken.set(name, mine);
	return () => {
		// It may be another's by now.
		if (taken.get(name) === mine) taken.delete(name);
		giveBack();
	};
}
