/**
 * The seats of which each can stay empty while every taker has one that fits; undefined if they cannot all have one.
 * Bipartite matching by augmenting paths; from the empty seats, those who would fit there free theirs, and so on.
 */
export function spareSeats<T, E>(
	takers: T[],
	seats: E[],
	fits: (taker: T, seat: E) => boolean,
): Set<E> | undefined {
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
	if (!takers.every((taker) => serve(taker, new Set()))) return undefined;
	const spare = new Set(seats.filter((seat) => !takerOf.has(seat)));
	const staying = new Set(takerOf);
	// A set is walked to its end, also as it grows.
	for (const seat of spare)
		for (const held of staying) {
			if (!fits(held[1], seat)) continue;
			spare.add(held[0]);
			staying.delete(held);
		}
	return spare;
}
