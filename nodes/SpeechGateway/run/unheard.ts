import { isConnected } from '../engine/connections';
import type { NodeCall } from '../engine/nodeCall';
import { returnsToCaller } from '../engine/caller';
import type { Branch, Result } from '../requests/records';
import type { ItemEnd } from '../requests/operation';

/**
 * An unknown outcome is a failure of which somebody must hear. Where nothing is connected to "Unknown", such items
 * leave as n8n's error items do or, if nothing else leaves either, the execution fails.
 */

/**
 * Where items of unknown outcome go. `lost`: onto their own branch, to which nothing is connected, while others leave;
 * `nowhere`: nothing leaves, so the run must end with an error.
 */
export type UnknownRoute = 'unknown' | 'error' | 'lost' | 'nowhere';

/** Whether somebody must hear of an item's failure. One that another execution has sent was skipped on purpose. */
export const isUnheard = (outcome: ItemEnd): outcome is Result =>
	'branch' in outcome && outcome.branch === 'unknown' && !outcome.isSkipped;

/** Where the items of unknown outcome of a run leave. Where n8n does not tell what is connected, on their own branch. */
export function routeOfUnknown(
	nodeCall: NodeCall,
	branches: Branch[],
	ends: ItemEnd[],
): UnknownRoute {
	const { isTool, isRetry, endsHere, stopsOnError, node } = nodeCall;
	if (isTool || isRetry || !ends.some(isUnheard)) return 'unknown';
	// Whoever has clicked sees the outputs, and would take a green node without a file for a success.
	const isEmpty = !ends.some((one) => 'branch' in one && one.branch === 'success');
	if (endsHere) return stopsOnError && isEmpty ? 'nowhere' : 'unknown';
	const leads = (branch: Branch) => isConnected(nodeCall, branches.indexOf(branch));
	if (leads('unknown') !== false) return 'unknown';
	if (!stopsOnError) {
		// n8n appends its Error output to those of the node.
		const hasPlace =
			node.onError !== 'continueErrorOutput' || isConnected(nodeCall, branches.length);
		if (hasPlace) return 'error';
	}
	const leaves = ends.some(
		(outcome) =>
			'branch' in outcome &&
			outcome.items.length > 0 &&
			(leads(outcome.branch) || (outcome.branch === 'success' && returnsToCaller(nodeCall))),
	);
	return leaves ? 'lost' : 'nowhere';
}

/**
 * Where items of unknown outcome found no output, each item on Success says how many of its run are not there: a batch
 * must not look complete.
 */
export function withMissing(ends: ItemEnd[], route?: UnknownRoute): ItemEnd[] {
	if (route !== 'lost') return ends;
	const leaves = (outcome: ItemEnd) => 'branch' in outcome && outcome.branch !== 'unknown';
	const missing = ends.filter((outcome) => !leaves(outcome)).length;
	return ends.map((outcome) => {
		if (!('branch' in outcome) || outcome.branch !== 'success') return outcome;
		const items = outcome.items.map((item) => ({ ...item, json: { ...item.json, missing } }));
		return { ...outcome, items };
	});
}
