import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { GatewayError } from '../core/errors';
import { wakeUpAt } from '../core/pollSchedule';
import type { Settled } from './branches';
import { putToSleep } from './engineStack';
import { errorText } from './errors';
import type { Asleep } from './requests/itemLedger';
import type { Ledger } from './requests/ledger';
import { runIndex } from './requests/runHistory';

/**
 * Puts the execution to sleep until it is time to look again. What is finished or has failed is on record, so that waking
 * up does nothing of it anew. Returns the items that n8n shows of the node meanwhile.
 */
export async function goToSleep(
	context: IExecuteFunctions,
	ledger: Ledger,
	settled: Settled[],
	hints: Iterable<string>,
): Promise<INodeExecutionData[]> {
	for (const [index, outcome] of settled.entries()) {
		const item = ledger.item(String(index));
		if ('failed' in outcome) item.sleep({ failed: errorText(outcome.failed) });
		else if ('branch' in outcome && !item.result) item.sleep(outcome);
	}
	ledger.sleep(hints);
	const waits = settled.flatMap((outcome) => ('asleep' in outcome ? [outcome.asleep] : []));
	const until = wakeUpAt(waits, Date.now());
	await putToSleep(context, new Date(until), runIndex(context));
	return settled.flatMap((outcome, index) =>
		shown(outcome).map((json) => ({ json, pairedItem: { item: index } })),
	);
}

/** No key is named `error`: n8n would run the node again at once. */
function shown(outcome: Settled): IDataObject[] {
	if ('branch' in outcome) return outcome.items.map(({ json }) => json);
	if ('failed' in outcome) {
		const { message, details } = errorText(outcome.failed);
		return [{ failed: message, ...details } as IDataObject];
	}
	if (!('asleep' in outcome)) return [];
	const tasks = outcome.asleep.tasks as IDataObject[];
	return tasks.length === 1 ? tasks : [{ jobs: tasks }];
}

/** How an item came out of the time before the sleep. */
export function beforeSleep(outcome: Asleep): Settled {
	if ('branch' in outcome) return outcome;
	const { message, description, details, binary } = outcome.failed;
	return { failed: new GatewayError(message, description, { ...details }, { ...binary }) };
}
