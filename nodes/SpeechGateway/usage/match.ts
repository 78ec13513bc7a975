/**
 * Gives as many takers as possible a seat of their own, one that fits: bipartite matching by augmenting paths. Takers are
 * served in their order, and none loses its place to a later one. Returns what each taker got.
 */
export function match<T, E>(
	takers: T[],
	seats: E[],
	fits: (taker: T, seat: E) => boolean,
): Map<T, E> {
	const takerOf = new Map<E, T>();
	const serve = (taker: T, tried: Set<E>): boolean => {
		for (const seat of seats) {
			if (tried.has(seat) || !fits(taker, seat)) continue;
			tried.add(seat);
			const holder = takerOf.get(seat);
			if (holder !== undefined && !serve(holder, tried)) continue;
			takerOf.set(seat, taker);
			return true;
		}
		return false;
	};
	for (const taker of takers) serve(taker, new Set());
	return new Map([...takerOf].map(([seat, taker]) => [taker, seat]));
}
