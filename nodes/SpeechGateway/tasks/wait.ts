import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { ItemRequests } from '../requests/itemRequests';
import type { Result } from '../requests/records';
import { type Task, taskJson, withTaskId } from './task';
import { waitAsleep } from './waitAsleep';
import type { WaitSettings } from '../fields/wait';
import { type FirstLook, type Waited, waitInProcess } from './waitInProcess';

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
