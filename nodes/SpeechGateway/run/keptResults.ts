/** What is kept of results in this process, in bytes as JSON with inline files. */
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

/** Who has a name in this process: resolves when it is free again. */
const taken = new Map<string, Promise<void>>();

/** Takes a name in this process and returns what gives it back; or, if another has it, the promise that it is free. */
export function takeName(name: string): (() => void) | Promise<void> {
	const other = taken.get(name);
	if (other) return other;
	let free = () => {};
	const mine = new Promise<void>((resolve) => (free = resolve));
	taken.set(name, mine);
	return () => {
		taken.delete(name);
		free();
	};
}
