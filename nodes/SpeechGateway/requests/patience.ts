import { type Outcome, OUTCOMES } from './outcome';

/** After this many items in a row have used up their tries, further ones get a single one: 5,000 rows would take hours. */
const MOST_USED_UP_IN_A_ROW = 3;

/**
 * How long one node in one execution goes on trying with one account. Once some items in a row have used up their tries
 * on failures that may pass, each further one is tried once, until one succeeds. A 429 keeps its tries.
 */
export class Patience {
	private usedUpInRow = 0;

	/** Whether a request with this outcome is not tried again. */
	isOver(outcome: Outcome): boolean {
		return OUTCOMES[outcome].inRun === 'again' && this.usedUpInRow >= MOST_USED_UP_IN_A_ROW;
	}

	/** A request was given up; `isFirst`: the first of its item. */
	gaveUp(outcome: Outcome, isFirst: boolean): void {
		const { inRun, says } = OUTCOMES[outcome];
		if (inRun === 'again') this.usedUpInRow += isFirst ? 1 : 0;
		else if (says === 'works') this.usedUpInRow = 0;
	}

	succeeded(): void {
		this.usedUpInRow = 0;
	}
}
