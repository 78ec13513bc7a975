import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { GatewayError } from '../core/errors';
import { pause } from '../gateway/pause';
import type { Settled } from './branches';
import { putToSleep } from '../engine/stack';
import { errorText } from './errors';
import type { Asleep } from '../requests/itemLedger';
import type { Ledger } from '../requests/ledger';
import { runIndex } from '../engine/history';
import type { Session } from '../requests/session';

/**
 * Puts the execution to sleep until it is time to look again. What is finished or has failed is on record, so that waking
 * up does nothing of it anew. Returns the items that n8n shows of the node meanwhile.
 */
export async function goToSleep(
	context: IExecuteFunctions,
	ledger: Ledger,
	settled: Settled[],
	{ hints, endsAt = Infinity }: Session,
): Promise<INodeExecutionData[]> {
	for (const [index, outcome] of settled.entries()) {
		const item = ledger.item(String(index));
		if ('failed' in outcome) item.sleep({ failed: errorText(outcome.failed) });
		else if ('branch' in outcome && !item.result) item.sleep(outcome);
	}
	ledger.sleep(hints, endsAt);
	const waits = settled.flatMap((outcome) => ('asleep' in outcome ? [outcome.asleep] : []));
	const until = Math.min(...waits.map(({ wakeAt }) => wakeAt));
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

/** This is loaded by the first run of the node after n8n's start, so when n8n wakes up what became due while it was down. */
const LOADED_AT = performance.now();

/** n8n takes 2 to 10 s from the moment in which it wakes up what is due to the end of its start. */
const LONGEST_START_MS = 30_000;

/**
 * Lets n8n finish its start before a run ends that it has woken up. Late in its start, n8n calls all executions crashed
 * that it finds unfinished in its log, and writes what it read of them a moment before: one that ends in that moment
 * stays "crashed", although it has delivered everything. Stop ends the wait at once.
 */
export async function outlastStart(cancel?: AbortSignal): Promise<void> {
	await pause(LOADED_AT + LONGEST_START_MS - performance.now(), cancel).catch(() => {});
}

/** How an item came out of the time before the sleep. */
export function beforeSleep(outcome: Asleep): Settled {
	if ('branch' in outcome) return outcome;
	const { message, description, details, binary } = outcome.failed;
	return { failed: new GatewayError(message, description, { ...details }, { ...binary }) };
}
