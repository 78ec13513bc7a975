/** The results that this process keeps take no more: bytes of JSON, with inline files. */
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

/**
 * An execution that has a name in this process, so that others wait for its result instead of sending the same; `free`
 * resolves when it has given the name back.
 */
export interface Taker {
	execution?: string;
	free: Promise<void>;
}

const takers = new Map<string, Taker>();

/** Takes a name in this process and returns what gives it back, or who has the name. */
export function takeName(name: string, execution?: string): (() => void) | Taker {
	const other = takers.get(name);
	if (other) return other;
	let giveBack = () => {};
	const free = new Promise<void>((resolve) => (giveBack = resolve));
	takers.set(name, { execution, free });
	return () => {
		takers.delete(name);
		giveBack();
	};
}
