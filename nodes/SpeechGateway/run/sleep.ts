import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { putToSleep } from '../engine/sleep';
import type { Settled } from '../requests/operation';
import { withRow } from './rows';
import type { ErrorText } from '../requests/records';
import type { Ledger } from '../requests/ledger';
import type { Run } from '../requests/session';

/**
 * Puts the execution to sleep (`engine/sleep`) until the next poll. Finished and failed items are recorded, so that
 * they are not run again on waking up. Returns the items that n8n shows meanwhile.
 */
export async function goToSleep(
	ledger: Ledger,
	settled: Settled[],
	{ execution, hints, endsAt = Infinity }: Run,
): Promise<INodeExecutionData[]> {
	for (const [index, outcome] of settled.entries()) {
		const item = ledger.item(String(index));
		if ('failed' in outcome) item.sleep({ failed: textAlone(outcome.failed) });
		else if ('branch' in outcome && !item.result) item.sleep(outcome);
	}
	ledger.sleep(hints, endsAt);
	const waits = settled.flatMap((outcome) => ('asleep' in outcome ? [outcome.asleep] : []));
	const until = Math.min(...waits.map(({ wakeAt }) => wakeAt));
	await putToSleep(execution, until);
	return settled.flatMap((outcome, index) =>
		progressOf(outcome).map((json) => ({
			...withRow(execution.items[index] ?? { json: {} }, { json }, 'waiting'),
			pairedItem: { item: index },
		})),
	);
}

const textAlone = ({ message, description, details, binary }: ErrorText): ErrorText => ({
	...{ message, description, details, binary },
});

/** No key is named `error`: n8n would run the node again at once. */
function progressOf(outcome: Settled): IDataObject[] {
	if ('branch' in outcome) return outcome.items.map(({ json }) => json);
	if ('failed' in outcome) {
		const { message, details } = outcome.failed;
		return [{ failed: message, ...details }];
	}
	if (!('asleep' in outcome)) return [];
	const { tasks } = outcome.asleep;
	return tasks.length === 1 ? tasks : [{ jobs: tasks }];
}
