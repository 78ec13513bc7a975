/**
 * Gives as many takers as possible a thing of their own, one that fits: bipartite matching by augmenting paths. Takers are
 * served in their order, and none loses its place to a later one. Resolves to what each taker got.
 */
export function match<T, E>(
	takers: T[],
	things: E[],
	fits: (taker: T, thing: E) => boolean,
): Map<T, E> {
	const takerOf = new Map<E, T>();
	const serve = (taker: T, tried: Set<E>): boolean => {
		for (const thing of things) {
			if (tried.has(thing) || !fits(taker, thing)) continue;
			tried.add(thing);
			const holder = takerOf.get(thing);
			if (holder !== undefined && !serve(holder, tried)) continue;
			takerOf.set(thing, taker);
			return true;
		}
		return false;
	};
	for (const taker of takers) serve(taker, new Set());
	return new Map([...takerOf].map(([thing, taker]) => [taker, thing]));
}
