import type { INodeExecutionData } from 'n8n-workflow';
import type { AsleepError } from '../core/errors';
import type { GiveWay } from '../core/pause';
import { Parameters } from '../fields/parameters';
import type { Operation } from './operation';
import { errorText } from './errors';
import { errorItem } from './outputItems';
import { type Branch, BRANCHES, type Charge, type Result } from '../requests/records';
import type { Execution } from '../engine/execution';

export type Settled =
	| Result
	| { failed: unknown; charges?: Charge[] }
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

/** The items on their branches, in the order of the input; failures are error items on Success, where n8n looks for them. */
export async function sortOntoBranches(
	settled: Settled[],
	branches: Branch[],
	{ settings }: Execution,
	giveWay: GiveWay,
): Promise<INodeExecutionData[][]> {
	const outputs: INodeExecutionData[][] = branches.map(() => []);
	const failure = ({ failed, charges }: { failed: unknown; charges?: Charge[] }) => {
		const text = errorText(failed);
		const details = charges ? { ...text.details, charges } : text.details;
		return errorItem({ ...text, details }, settings.binaryMode);
	};
	for (const [index, outcome] of settled.entries()) {
		await giveWay();
		const [branch, items] =
			'branch' in outcome
				? [outcome.branch, outcome.items]
				: ['success' as const, 'failed' in outcome ? [failure(outcome)] : []];
		const output = outputs[branches.indexOf(branch)] ?? outputs[0];
		output.push(...items.map((item) => ({ ...item, pairedItem: { item: index } })));
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
