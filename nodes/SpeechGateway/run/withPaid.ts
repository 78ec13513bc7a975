import { type ErrorDetails, GatewayError } from '../core/errors';
import type { ItemLedger } from '../requests/itemLedger';
import { errorText } from './errors';

/** Adds what was paid for to an item's error: the ID of its task, and its files. */
export function withPaid(error: unknown, ledger: ItemLedger): unknown {
	if (!ledger.maybeCharged) return error;
	const { message, description, details, binary = {} } = errorText(error);
	const files = Object.keys(binary).length > 0 ? binary : ledger.files;
	const todo = withCharged(description, details, ledger);
	return new GatewayError(message, todo, { ...ledger.paidDetails, ...details }, files);
}

/** Adds how many requests of a text were charged. */
function withCharged(todo: string, { segments }: ErrorDetails, ledger: ItemLedger): string {
	const charged = ledger.entries().filter(({ state }) => state === 'done').length;
	if (!segments || charged === 0) return todo;
	const all = charged + segments.total - segments.completed;
	const words = `${charged} of ${all} requests ${charged === 1 ? 'was' : 'were'} charged.`;
	return todo.includes(words) ? todo : `${todo} ${words}`;
}
