/** Caches a function of an object, once for each object, without storing anything in it. */
export function derived<I extends object, T>(derive: (input: I) => T): (input: I) => T {
	const known = new WeakMap<I, { value: T }>();
	return (input) => {
		let found = known.get(input);
		if (!found) known.set(input, (found = { value: derive(input) }));
		return found.value;
	};
}
