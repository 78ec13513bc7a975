import type { INodeExecutionData } from 'n8n-workflow';
import { givingWay } from '../core/pause';
import type { Execution } from '../engine/execution';
import { Transport } from '../gateway/transport';
import { giveHints, type Settled, sortOntoBranches } from './branches';
import { runError } from './errors';
import type { Operation } from './operation';
import { type ReadItem, readOne } from './readItems';
import { openSession } from '../requests/session';

/**
 * Makes one result of all items, where the operation does so; undefined where each item has its own. It costs nothing, so
 * there is no ledger. In the continue modes, items that cannot be read become error items, and the others are combined.
 */
export async function combineItems(
	execution: Execution,
	operation: Operation,
): Promise<INodeExecutionData[][] | undefined> {
	const { combine, combines = () => false } = operation;
	if (!combine) return undefined;
	const count = execution.items.length;
	const inputs: ReadItem[] = [];
	const good: Array<{ index: number; input: object }> = [];
	const giveWay = givingWay();
	// One by one: reading an item may be reading its files.
	for (let index = 0; index < count; index++) {
		await giveWay();
		const input = await readOne(execution, operation, index);
		inputs.push(input);
		if (!('parameters' in input)) continue;
		if (good.length === 0 && !combines(input.parameters)) return undefined;
		good.push({ index, input: input.parameters });
	}

	const fail = (index: number, error: unknown): Settled => {
		if (execution.stopsOnError)
			throw runError(execution, { index, count, kept: 0, error, operation });
		return { failed: error };
	};
	const settled = inputs.map(
		(input, index): Settled =>
			'failed' in input ? fail(index, input.failed) : { branch: 'success', items: [] },
	);
	if (good.length === 0) return await sortOntoBranches(settled, ['success'], execution, giveWay);
	const session = openSession(execution, Transport.offline(execution.context), 1);
	const [first] = good;
	try {
		settled[first.index] = await combine(good, session);
	} catch (error) {
		settled[first.index] = fail(first.index, error);
	}
	giveHints(execution, session.hints, settled);
	const [output] = await sortOntoBranches(settled, ['success'], execution, giveWay);
	const pairedItem = good.map(({ index }) => ({ item: index }));
	return [output.map((item) => (item.json.error === undefined ? { ...item, pairedItem } : item))];
}
