import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { AsleepError } from '../core/errors';
import { look } from './look';
import { SHORTEST_SLEEP_MS, wakeUpAt } from './pollSchedule';
import type { ItemRequests } from '../requests/itemRequests';
import type { Result } from '../requests/records';
import { type Task, taskJson, withTaskId } from './task';
import type { WaitSettings } from '../fields/wait';
import { type FirstLook, seconds, type Waited, waitInProcess } from './waitInProcess';

/**
 * Waits for a task and then saves its file; the item goes on to Still Processing when the user chose so. `known`: what
 * the submission said of it; `resumed`: it may be done already, so look at once. All errors have the id.
 */
export async function waitAndSave(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	{ known, resumed, size }: { known?: IDataObject; resumed: boolean; size?: number },
	save: (json: IDataObject) => Promise<INodeExecutionData>,
): Promise<Result> {
	const first = { atOnce: resumed, heard: known !== undefined, known, size };
	const { completed, body, waitedSeconds } = await waitForTask(item, task, settings, first);
	const json = taskJson(task, { ...known, ...body });
	return completed
		? { branch: 'success', items: [await withTaskId(item, task, async () => await save(json))] }
		: { branch: 'waiting', items: [{ json: { ...json, waitedSeconds } }] };
}

/**
 * Waits until a task is completed or Max Wait is over, in this process or, where the user wants and n8n allows it, asleep:
 * then it throws AsleepError, and is called again when the execution wakes up. All errors have the id.
 */
export async function waitForTask(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	first: FirstLook,
): Promise<Waited> {
	const wait = settings.whileWaiting === 'sleep' && item.maySleep() ? waitAsleep : waitInProcess;
	return await withTaskId(item, task, async () => await wait(item, task, settings, first));
}

/** Time left for the rest of the workflow, ms. */
const TO_END_MS = 60_000;

/**
 * Looks once, if the task may be done already, and throws AsleepError when it is not: then the whole run sleeps and comes
 * back here. Max Wait counts from the first call, over sleeps; what remains of it and is too short to sleep is waited for
 * in this process. Throws as `waitInProcess` does.
 *
 * Once it has slept, Max Wait ends before the workflow's timeout does, which would end the execution without a word about
 * its tasks: so they are named, and a retry goes on with them.
 */
async function waitAsleep(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	{ atOnce, heard, known }: FirstLook,
): Promise<Waited> {
	const slept = item.ledger.hasWaited;
	const since = item.ledger.waitingSince();
	const lastMoment = (item.session.endsAt ?? Infinity) - TO_END_MS;
	const until = Math.min(since + settings.maxWaitMs, lastMoment);
	const first = { atOnce, heard: heard || slept };
	if (until - Date.now() < SHORTEST_SLEEP_MS)
		return await waitInProcess(
			item,
			task,
			slept ? { ...settings, maxWaitMs: until - since } : settings,
			first,
			Math.max(0, Date.now() - since),
		);
	const end = performance.now() + until - Date.now();
	const seen = atOnce ? await look(item, task, end, first.heard) : {};
	const body = seen.body ?? { ...known, id: task.id };
	const waitedSeconds = seconds(Date.now() - since);
	if (seen.completed) return { completed: true, body, waitedSeconds };
	const wakeAt = wakeUpAt(since, until, Date.now());
	throw new AsleepError([{ ...taskJson(task, body), waitedSeconds }], wakeAt);
}
