import type { ErrorDetails } from '../core/errors';
import type { ItemLedger } from '../requests/itemLedger';
import { OUTCOMES } from '../requests/outcome';
import type { ErrorText } from '../requests/records';
import { errorText, descriptionParts } from '../requests/errorText';
import type { Failed } from '../requests/operation';

/**
 * An item that has failed. From here on its error is text, together with what was paid for: the ID of its task, and its
 * files.
 */
export function failed(error: unknown, ledger?: ItemLedger): Failed {
	const text = errorText(error);
	return { failed: ledger?.maybeCharged ? withPaid(text, ledger) : text };
}

/** Files of the error itself win over those on record: they are the same audio, joined. */
function withPaid({ message, description, details, binary }: ErrorText, ledger: ItemLedger) {
	return {
		message,
		description: withCharged(description, details, ledger),
		details: { ...ledger.paidDetails, ...details },
		binary: binary && Object.keys(binary).length > 0 ? binary : ledger.files,
	};
}

/** Says how many requests of a text were charged. */
function withCharged(description: string, details: ErrorDetails, ledger: ItemLedger): string {
	const { segments } = details;
	const charged = ledger.entries().filter(({ state }) => OUTCOMES[state].charged === 'yes').length;
	if (!segments || charged === 0) return description;
	const all = charged + segments.total - segments.completed;
	const { about, charge, todo, said } = descriptionParts(description, details);
	const count = `${charged} of ${all} requests ${charged === 1 ? 'was' : 'were'} charged.`;
	return [about, charge, count, todo, said].filter(Boolean).join(' ');
}
