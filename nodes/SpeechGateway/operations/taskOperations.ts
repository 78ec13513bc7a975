import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { TaskDescriptions } from './taskForms';
import type { FileValues } from '../fields/files';
import { defaultName, hashOf } from '../files/fileName';
import type { WaitSettings } from '../fields/wait';
import { fetchStatus, type Task, taskJson } from '../tasks/task';
import { type BeforeWait, waitForTask } from '../tasks/wait';
import {
	type RequestDescription,
	defineOperation,
	type Operation,
	type Work,
} from '../requests/operation';
import type { ItemRequests } from '../requests/itemRequests';
import type { Result } from '../requests/records';

interface TaskWork<I, T, P> extends Pick<Work<I, P>, 'plan' | 'lookUp' | 'checkAll' | 'asks'> {
	/** 'job' or 'video': its name in errors, and its row of `taskEndpoints`. */
	kind: Task['kind'];
	/** Identifies the task in an item whose outcome is unknown. */
	about: (input: I & Partial<FileValues>) => Pick<RequestDescription, 'input' | 'fileName'>;
	/** Facts known without asking the gateway; they go into its items. */
	describe?: (input: I, plan: P) => Record<string, number>;
	/** Billed. Its ID is on record before anything else happens. */
	submit: (item: ItemRequests, input: I, plan: P) => Promise<IDataObject & { id: string }>;
	/** The beginning of its file's name, if the user gave none. */
	stem: string;
	/** Downloads the file of a completed one into the item; free. */
	save: (
		item: ItemRequests,
		id: string,
		target: T & { fileName: string },
		json: IDataObject,
	) => Promise<INodeExecutionData>;
}

/**
 * What the forms of a kind of task do (see `describeTasks`). Submitting sends one POST and is charged there and then;
 * the rest is free and may be repeated. The task's ID is in the ledger before anything else happens, and from then on
 * in every item and error. A submission that ends in a 504 has no ID: the item leaves on Unknown and is never submitted
 * again. Create and Wait takes up a task on record in each attempt, so a retry waits for the task that was paid for.
 */
export function taskOperations<I extends object, T extends FileValues, P = undefined>(
	descriptions: TaskDescriptions<I, T>,
	{ kind, about, describe = () => ({}), submit, stem, save, ...planning }: TaskWork<I, T, P>,
): Operation[] {
	type Both = I & T & { wait: WaitSettings };
	const task = (id: string): Task => ({ kind, id });
	/** Without a name, the file has one of what was asked for or, if it was made elsewhere, of its task. */
	const saved = async (item: ItemRequests, id: string, target: T, json: IDataObject) => {
		const asked = item.ledger.requestOf(id) ?? hashOf(id);
		const { fileName = defaultName(stem, item, asked) } = target;
		return await save(item, id, { ...target, fileName }, json);
	};
	/** Waits and then saves the file; the item goes to Waiting if the user chose so. */
	const finish = async (
		item: ItemRequests,
		id: string,
		input: T & { wait: WaitSettings },
		before: BeforeWait,
	): Promise<Result> => {
		const waited = await waitForTask(item, task(id), input.wait, before);
		const { completed, body, waitedSeconds } = waited;
		const json = taskJson(task(id), { ...before.said, ...body });
		return completed
			? { branch: 'success', items: [await saved(item, id, input, json)] }
			: { branch: 'waiting', items: [{ json: { ...json, waitedSeconds } }] };
	};
	const creating = {
		...planning,
		describe: (input: I, plan: P) => ({ ...about(input), ...describe(input, plan) }),
	};
	return [
		defineOperation<Both, Both, P>(descriptions.createAndWait, {
			...creating,
			identity: (input) => ({
				...input,
				wait: undefined,
				fileName: undefined,
				binaryPropertyName: undefined,
			}),
			retryWith: (paid, { wait, fileName, binaryPropertyName }) => ({
				...paid,
				wait,
				fileName,
				binaryPropertyName,
			}),
			async execute(input, item, plan) {
				// Asked before `submit` records a new one: a task of an earlier attempt may be done, so the first look is at once.
				const resumed = item.ledger.taskId !== undefined;
				const created = await submit(item, input, plan);
				const said = { ...created, ...describe(input, plan) };
				return await finish(item, created.id, input, { said, resumed });
			},
		}),
		defineOperation<I, I, P>(descriptions.create, {
			...creating,
			async execute(input, item, plan) {
				const created = await submit(item, input, plan);
				const json = { ...taskJson(task(created.id), created), ...describe(input, plan) };
				return { branch: 'success', items: [{ json }] };
			},
		}),
		defineOperation(descriptions.get, {
			async execute({ id }, item) {
				const body = await fetchStatus(item, task(id));
				return { branch: 'success', items: [{ json: { ...taskJson(task(id), body), id } }] };
			},
		}),
		defineOperation(descriptions.wait, {
			async execute(input, item) {
				return await finish(item, input.id, input, { resumed: true });
			},
		}),
		defineOperation(descriptions.download, {
			async execute(input, item) {
				const { id } = input;
				return { branch: 'success', items: [await saved(item, id, input, { id })] };
			},
		}),
	];
}
