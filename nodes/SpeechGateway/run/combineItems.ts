import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { Transport } from '../gateway/transport';
import { sortOntoBranches, type Settled } from './branches';
import { runError } from './errors';
import { giveHints } from './hints';
import type { Operation } from './operation';
import { type ReadItem, readOne } from './readItems';
import { openSession } from '../requests/session';

/**
 * Makes one result of all items, where the operation does so; undefined where each item has its own. It costs nothing, so
 * there is no ledger. In the continue modes, items that cannot be read become error items, and the others are combined.
 */
export async function combineItems(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[][] | undefined> {
	const { combine, combines = () => false } = operation;
	if (!combine) return undefined;
	const count = context.getInputData().length;
	const inputs: ReadItem[] = [];
	const good: Array<{ index: number; input: object }> = [];
	// One by one: reading an item may be reading its files.
	for (let index = 0; index < count; index++) {
		const input = await readOne(context, operation, index);
		inputs.push(input);
		if (!('parameters' in input)) continue;
		if (good.length === 0 && !combines(input.parameters)) return undefined;
		good.push({ index, input: input.parameters });
	}

	const stopOnFail = !context.continueOnFail();
	const fail = (index: number, error: unknown): Settled => {
		if (stopOnFail) throw runError(context, { index, count, kept: 0, error, operation });
		return { failed: error };
	};
	const settled = inputs.map(
		(input, index): Settled =>
			'failed' in input ? fail(index, input.failed) : { branch: 'success', items: [] },
	);
	if (good.length === 0) return sortOntoBranches(settled, ['success'], context);
	const session = openSession(context, Transport.offline(context), 1);
	const [first] = good;
	try {
		settled[first.index] = await combine(good, session);
	} catch (error) {
		settled[first.index] = fail(first.index, error);
	}
	giveHints(context, session.hints, settled);
	const [output] = sortOntoBranches(settled, ['success'], context);
	const pairedItem = good.map(({ index }) => ({ item: index }));
	return [output.map((item) => (item.json.error === undefined ? { ...item, pairedItem } : item))];
}
