import type { INodeExecutionData } from 'n8n-workflow';
import { asError } from '../core/errors';
import type { NodeCall } from '../engine/nodeCall';
import { Parameters, typedOption } from '../fields/parameters';
import { link } from '../fields/settings';
import type { ItemEnd } from '../requests/operation';

/**
 * Adds links to their files to finished items, where the user wants them. They are made when the items leave, since a
 * retry stores files anew. Where n8n has no links, a hint says so.
 */
export function withLinks(ends: ItemEnd[], nodeCall: NodeCall): ItemEnd[] {
	const typed = typedOption(nodeCall, link.options[0].name);
	if (typed === undefined || typed === false) return ends;
	let failure: Error | undefined;
	const withLink = (item: INodeExecutionData): INodeExecutionData => {
		// The others, such as subtitles, come along with the first.
		const [file] = Object.values(item.binary ?? {});
		if (!file) return item;
		try {
			return { ...item, json: { ...item.json, link: nodeCall.linkTo(file) } };
		} catch (error) {
			failure = asError(error);
			return item;
		}
	};
	const linked = ends.map((outcome, index): ItemEnd => {
		if (!('branch' in outcome) || outcome.branch !== 'success') return outcome;
		if (!isWanted(nodeCall, index)) return outcome;
		return { ...outcome, items: outcome.items.map(withLink) };
	});
	if (failure) nodeCall.hint(`n8n has no links to these files: ${failure.message}.`);
	return linked;
}

/** The option of an item. An expression that fails means no link: the result is there already, and must not be lost to it. */
function isWanted(nodeCall: NodeCall, index: number): boolean {
	try {
		return link.read(new Parameters(nodeCall, index));
	} catch {
		return false;
	}
}
