/** With fewer others, their pace says little. */
export const ENOUGH_OTHERS = 3;

interface Pace {
	item: number;
	/** Letters a second. */
	pace: number;
}

/** How fast a run's items speak, by what they have in common; so each can be compared with the others. */
export class Paces {
	private readonly paces = new Map<string, { all: Pace[]; isSorted: boolean }>();

	/** `manner`: names model, voice and speed. */
	add(manner: string, pace: Pace): void {
		const together = this.paces.get(manner) ?? { all: [], isSorted: false };
		together.all.push(pace);
		together.isSorted = false;
		this.paces.set(manner, together);
	}

	/** The median pace of the other items; undefined if they are too few. */
	medianWithout(manner: string, item: number): number | undefined {
		const together = this.paces.get(manner);
		if (!together) return undefined;
		if (!together.isSorted) together.all.sort((a, b) => a.pace - b.pace);
		together.isSorted = true;
		let others = 0;
		for (const one of together.all) if (one.item !== item) others++;
		if (others < ENOUGH_OTHERS) return undefined;
		let left = Math.floor(others / 2);
		return together.all.find((one) => one.item !== item && left-- === 0)?.pace;
	}
}
