import type { INodeExecutionData } from 'n8n-workflow';
import { asError } from '../core/errors';
import type { Execution } from '../engine/execution';
import { Parameters } from '../fields/parameters';
import { link } from '../fields/settings';
import type { Settled } from '../requests/operation';
import { typedOption } from './readItems';

/**
 * Adds links to their files to finished items, where the user wants them. They are made when the items leave, since a
 * retry stores files anew. Where n8n has no links, a hint says so.
 */
export function withLinks(settled: Settled[], execution: Execution): Settled[] {
	const typed = typedOption(execution, link.options[0].name);
	if (typed === undefined || typed === false) return settled;
	let failure: Error | undefined;
	const withLink = (item: INodeExecutionData): INodeExecutionData => {
		// The others, such as subtitles, come along with the first.
		const [file] = Object.values(item.binary ?? {});
		if (!file) return item;
		try {
			return { ...item, json: { ...item.json, link: execution.linkTo(file) } };
		} catch (error) {
			failure = asError(error);
			return item;
		}
	};
	const linked = settled.map((outcome, index): Settled => {
		if (!('branch' in outcome) || outcome.branch !== 'success') return outcome;
		if (!isWanted(execution, index)) return outcome;
		return { ...outcome, items: outcome.items.map(withLink) };
	});
	if (failure) execution.hint(`n8n has no links to these files: ${failure.message}.`);
	return linked;
}

/** The option of an item; an expression that fails for it wants no link, as its result is there already. */
function isWanted(execution: Execution, index: number): boolean {
	try {
		return link.read(new Parameters(execution, index));
	} catch {
		return false;
	}
}
