import type { INodeExecutionData } from 'n8n-workflow';
import { isRecord } from '../core/json';
import { descriptionParts } from '../requests/errorText';
import type { ItemEnd } from '../requests/operation';

/**
 * What leaves the node of a service that charges for nothing ("Requests Cost Nothing"): no tokens, and no word of charges. All
 * other rooms speak as if there were some, and this is the one exit where it is left out.
 */
export function withoutCharges<S extends ItemEnd>(end: S): S {
	if ('failed' in end) {
		const { failed } = end;
		const { message, description, details } = failed;
		const words = {
			message: wordsWithoutCharges(message) || message,
			description: wordsWithoutCharges(description),
			details: withoutPrices(details),
		};
		return { ...end, failed: { ...failed, ...words } };
	}
	if (!('branch' in end)) return end;
	const isUnknown = end.branch === 'unknown';
	const items = end.items.map((item): INodeExecutionData => {
		const json = withoutPrices(item.json);
		return { ...item, json: isUnknown ? ofUnknown(json) : json };
	});
	return { ...end, items };
}

/** Without what only Settle needs. */
function ofUnknown({ settle, ...json }: INodeExecutionData['json']) {
	void settle;
	const { message, advice } = json;
	return {
		...json,
		message: wordsWithoutCharges(String(message)) || message,
		advice: wordsWithoutCharges(String(advice)),
	};
}

/** Shortens a text of ours to what is said. */
export type OwnWords = (text: string) => string;

/** All of it. */
export const asTheyAre: OwnWords = (text) => text;

/** Numbers that are a price. */
const TOKENS = /^(?:estimated|audio|text)Tokens(?:AsJob)?$/;

function withoutPrices<T extends object>(json: T): T {
	const fields = Object.entries(json).filter(([name]) => !TOKENS.test(name));
	const { paid } = json as { paid?: unknown };
	return Object.assign(
		Object.fromEntries(fields),
		isRecord(paid) && { paid: withoutPrices(paid) },
	) as T;
}

/** Parts of sentences that speak of charges, and what stays of them. */
const CLAUSES: Array<[RegExp, string]> = [
	[/Look up whether it was charged[^.]*\. If not, s([^.]*\.) If it was, that[^.]*\./g, 'S$1'],
	[/ and nothing was charged(?: for it)?/g, ''],
	[/: (?:nothing was charged for \w+ now|possibly charged)/g, ''],
	[/; nobody knows yet whether (?:it was|they were) charged/g, ''],
	[/, paid and kept/g, ' and kept'],
	[/, and charges (?:it|them)/g, ''],
	[/ (?:may have been|were|was) charged, but /g, ' failed, but '],
	[/, and be charged again,/g, ''],
	[/ (?:or|and) charged?(?= again|\b)/g, ''],
	[/ that (?:is|was|were) (?:already )?paid for/g, ''],
	[/ were paid for and none is lost/g, ' were made'],
	[/; this was not charged/g, ''],
	[/, which (?:is free|costs nothing)/g, ''],
	[/ for a retry of the parent pays again/g, ' for a retry of the parent sends all again'],
	[/Fetching is free: t/g, 'T'],
];

/** A sentence that says nothing else. */
const ON_CHARGES = /\bcharg|\bpa(?:y|ys|id)\b|\brefund|\bbilling\b|\busage log\b|\btokens?\b/i;

/** A text of ours without what it says of charges; empty if it says nothing else. What others say is left as it is. */
export function wordsWithoutCharges(text: string): string {
	const { todo: own, said: quoted } = descriptionParts(text);
	const rest = CLAUSES.reduce((words, [clause, by]) => words.replace(clause, by), own);
	const others = rest
		.split(/(?<=[.!?]"?) +(?=["A-Z])/)
		.filter((sentence) => !ON_CHARGES.test(sentence.replace(/"[^"]*"/g, '')));
	return [others.join(' '), quoted].filter(Boolean).join(' ');
}
