import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import type { AsleepError } from '../core/errors';
import type { GiveWay } from '../core/pause';
import { Parameters } from '../fields/parameters';
import type { Operation } from './operation';
import { errorText } from './errors';
import { errorItem } from './outputItems';
import { type Branch, BRANCHES, type Charge, type Result } from '../requests/records';
import type { Execution } from '../engine/execution';

export type Settled =
	/** `pairedItem`: the items that it was made of, if not the one in its place. */
	| (Result & { pairedItem?: IPairedItemData[] })
	| { failed: unknown }
	| { notStarted: unknown }
	| { asleep: AsleepError };

/** The node's outputs; as an AI tool there is one, since the model sees no other. */
export function branchesOf(operation: Operation, execution: Execution): Branch[] {
	if (execution.isTool) return ['success'];
	const exists: Record<Branch, boolean> = {
		success: true,
		unknown: operation.billed,
		waiting:
			operation.waits === true &&
			new Parameters(execution, 0).runOption('whenMaxWaitReached') === 'stillProcessing',
	};
	return BRANCHES.filter((branch) => exists[branch]);
}

/**
 * The items on their branches, in the order of the input; failures are error items on Success, where n8n looks for them.
 * `chargesOf`: what the first item of an outcome says it was charged, if it does.
 */
export async function sortOntoBranches(
	settled: Settled[],
	branches: Branch[],
	{ settings }: Execution,
	giveWay: GiveWay,
	chargesOf: (index: number) => Charge[] | undefined,
): Promise<INodeExecutionData[][]> {
	const outputs: INodeExecutionData[][] = branches.map(() => []);
	for (const [index, outcome] of settled.entries()) {
		await giveWay();
		const charges = chargesOf(index);
		const told = charges && { charges };
		if ('branch' in outcome) {
			const { branch, items, pairedItem = { item: index } } = outcome;
			const output = outputs[branches.indexOf(branch)] ?? outputs[0];
			for (const [nth, item] of items.entries())
				output.push({ ...item, json: { ...item.json, ...(nth === 0 && told) }, pairedItem });
		} else if ('failed' in outcome) {
			const text = errorText(outcome.failed);
			const failure = { ...text, details: { ...text.details, ...told } };
			outputs[0].push({ ...errorItem(failure, settings.binaryMode), pairedItem: { item: index } });
		}
	}
	return outputs;
}

/** Shows the hints of a finished run, each once, and how many items have an unknown outcome. */
export function giveHints(execution: Execution, hints: Iterable<string>, settled: Settled[]): void {
	for (const hint of hints) execution.hint(hint);
	const reasons = settled.flatMap((outcome) =>
		'branch' in outcome && outcome.branch === 'unknown' ? [outcome.items[0]?.json.reason] : [],
	);
	if (reasons.length === 0) return;
	const sentEarlier = reasons.every((reason) => reason === 'already_sent');
	const count = `${reasons.length} of ${settled.length} ${settled.length === 1 ? 'item' : 'items'}`;
	const [them, were] = reasons.length === 1 ? ['it', 'was'] : ['them', 'were'];
	execution.hint(
		sentEarlier
			? `${count} ${were} sent earlier and skipped: nothing was charged for ${them} now.`
			: `Outcome unknown for ${count}: possibly charged. Nothing was sent twice, but another click on Execute would send and charge ${them} again. See the branch "Unknown".`,
		'warning',
	);
}
