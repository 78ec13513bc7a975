import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import type { Branch } from './requests/ledger';
import type { ItemRequests } from './requests/itemRequests';
import type { Parameters } from './fields/parameters';

/** One thing that a user can click: its fields in the editor, how its parameters are read, and what it does. */
export interface Operation<P = unknown> {
	resource: string;
	operation: string;
	/** Title Case, in the dropdown. */
	name: string;
	/** The sentence in the list of actions. */
	action: string;
	description: string;
	/** Whether it sends a request that costs money; then it has the ItemOutcome Unknown branch. */
	billed: boolean;
	/** Whether it can end on the Still Processing branch. */
	waits?: boolean;
	/** Required first. */
	fields: INodeProperties[];
	options: INodeProperties[];
	/** Reads and checks the parameters of one item; no network. Throws InputError. */
	read: (parameters: Parameters) => P | Promise<P>;
	/** Over all items, before anything is sent. Throws InputError. */
	checkAll?: (all: P[], parameters: Parameters) => void;
	/** One item, parameters read: sends through `item`, and shapes the outcome. */
	execute: (parameters: P, item: ItemRequests) => Promise<ItemOutcome>;
	/** Words about the parameters for records of an unknown outcome: `characters`, `estimatedTokens`. */
	describe?: (parameters: P) => Record<string, number>;
}

export interface ItemOutcome {
	branch: Branch;
	items: INodeExecutionData[];
}
