import type { INodeExecutionData } from 'n8n-workflow';
import type { AsleepError } from '../core/errors';
import { Parameters } from '../fields/parameters';
import type { Operation } from './operation';
import { errorText } from './errors';
import { errorItem } from './outputItems';
import { type Branch, BRANCHES, type Charge, type Result } from '../requests/records';
import type { Execution } from '../engine/execution';

/** How an item ended. */
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
export function sortOntoBranches(
	settled: Settled[],
	branches: Branch[],
	{ settings }: Execution,
): INodeExecutionData[][] {
	const outputs: INodeExecutionData[][] = branches.map(() => []);
	const failure = ({ failed, charges }: { failed: unknown; charges?: Charge[] }) => {
		const text = errorText(failed);
		const details = charges ? { ...text.details, charges } : text.details;
		return errorItem({ ...text, details }, settings.binaryMode);
	};
	settled.forEach((outcome, index) => {
		const [branch, items] =
			'branch' in outcome
				? [outcome.branch, outcome.items]
				: ['success' as const, 'failed' in outcome ? [failure(outcome)] : []];
		const output = outputs[branches.indexOf(branch)] ?? outputs[0];
		output.push(...items.map((item) => ({ ...item, pairedItem: { item: index } })));
	});
	return outputs;
}
