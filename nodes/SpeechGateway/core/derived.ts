/** A function of an object that is worked out once for each; nothing is stored in the object itself. */
export function derived<I extends object, T>(derive: (input: I) => T): (input: I) => T {
	const known = new WeakMap<I, { value: T }>();
	return (input) => {
		let found = known.get(input);
		if (!found) known.set(input, (found = { value: derive(input) }));
		return found.value;
	};
}
