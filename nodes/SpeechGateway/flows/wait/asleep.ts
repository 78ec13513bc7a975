import { AsleepError } from '../../core/errors';
import { SHORTEST_SLEEP_MS } from '../../core/pollSchedule';
import type { ItemRequests } from '../../run/requests/itemRequests';
import { type Task, taskJson } from '../tasks';
import {
	type FirstLook,
	look,
	seconds,
	type Waited,
	waitInProcess,
	type WaitSettings,
} from './inProcess';

/**
 * Looks once, if the task may be done already, and throws AsleepError when it is not: then the whole run sleeps and comes
 * back here. Max Wait counts from the first call, over sleeps; what remains of it and is too short to sleep is waited for
 * in this process. Throws as `waitInProcess` does.
 */
export async function waitAsleep(
	item: ItemRequests,
	task: Task,
	settings: WaitSettings,
	{ atOnce, heard, known }: FirstLook,
): Promise<Waited> {
	const slept = item.ledger.hasWaited;
	const since = item.ledger.waitingSince();
	const until = since + settings.maxWaitMs;
	const first = { atOnce, heard: heard || slept };
	if (until - Date.now() < SHORTEST_SLEEP_MS)
		return await waitInProcess(item, task, settings, first, since);
	const seen = atOnce ? await look(item, task, until, first.heard) : {};
	const body = seen.body ?? { ...known, id: task.id };
	const waitedSeconds = seconds(Date.now() - since);
	if (seen.completed) return { completed: true, body, waitedSeconds };
	throw new AsleepError([{ ...taskJson(task, body), waitedSeconds }], since, until);
}
