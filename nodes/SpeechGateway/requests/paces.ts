import { grouped } from '../core/grouped';

/** With fewer others, their pace says little. */
export const ENOUGH_OTHERS = 3;

interface Pace {
	item: number;
	/** Letters a second. */
	pace: number;
}

/** The paces of items that are alike: sorted, and where each item's own are in that order; made anew after another came. */
interface Alike {
	all: Pace[];
	places?: Map<number, number[]>;
}

/** How fast a run's items speak, by what they have in common; so each can be compared with the others. */
export class Paces {
	private readonly paces = new Map<string, Alike>();

	/** `manner`: names model, voice and speed. */
	add(manner: string, pace: Pace): void {
		const alike = this.paces.get(manner) ?? { all: [] };
		alike.all.push(pace);
		alike.places = undefined;
		this.paces.set(manner, alike);
	}

	/** The median pace of the other items; undefined if they are too few. Asked for each item of a run, so it sorts once. */
	medianWithout(manner: string, item: number): number | undefined {
		const alike = this.paces.get(manner);
		if (!alike) return undefined;
		const { all } = alike;
		if (!alike.places) {
			all.sort((a, b) => a.pace - b.pace);
			alike.places = grouped(all.keys(), (place) => all[place].item);
		}
		const own = alike.places.get(item) ?? [];
		const others = all.length - own.length;
		if (others < ENOUGH_OTHERS) return undefined;
		let at = Math.floor(others / 2);
		for (const place of own) if (place <= at) at++;
		return all[at].pace;
	}
}
