import type { NodeCall } from '../engine/nodeCall';
import { Parameters, typedOption } from '../fields/parameters';
import { charges } from '../fields/settings';
import type { ItemLedger } from '../requests/itemLedger';
import type { Charge } from '../requests/records';
import type { Operation } from '../requests/operation';

/** What the items of an attempt say they were charged, if the user wants it (option "Charges"). */
export class ToldCharges {
	/** The option as it is typed; undefined if it is not set, or the operation costs nothing. */
	private readonly typed: unknown;

	/** Whether all that is sent goes to services that charge for nothing. */
	areNone = false;

	constructor(
		private readonly nodeCall: NodeCall,
		{ billed }: Operation,
		private readonly items: ItemLedger[],
	) {
		this.typed = billed ? typedOption(nodeCall, charges.options[0].name) : undefined;
	}

	/** Of an item. Only an expression is read anew: n8n evaluates all options of the item for it. */
	of(index: number): Charge[] | undefined {
		const { typed, nodeCall } = this;
		if (this.areNone || this.items[index].costsNothing) return undefined;
		try {
			const isWanted =
				typeof typed === 'string' ? charges.read(new Parameters(nodeCall, index)) : typed === true;
			return isWanted ? structuredClone(this.items[index].charges) : undefined;
		} catch {
			return undefined;
		}
	}

	/** Of all items. */
	get all(): Charge[] | undefined {
		if (this.typed === undefined || this.areNone) return undefined;
		return this.items.flatMap((_, index) => this.of(index) ?? []);
	}

	/** They have left the node. */
	tell(): void {
		if (this.typed !== undefined) for (const item of this.items) item.tellCharges();
	}
}
