import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { TaskDescriptions } from './taskForms';
import type { FileValues } from '../fields/files';
import type { Parameters } from '../fields/parameters';
import { fetchStatus, type Task, taskJson, withTaskId } from '../tasks/task';
import { waitAndSave } from '../tasks/wait';
import { type About, defineOperation, type Operation } from '../run/operation';
import type { ItemRequests } from '../requests/itemRequests';

interface TaskWork<I extends object, T extends object> {
	/** Its name in errors and among the endpoints. */
	thing: Task['thing'];
	/** Across the fields of an item, and what else is to be known before anything is sent. Throws InputError. */
	check?: (input: I, parameters: Parameters) => unknown;
	checkAll?: (all: I[], spent: number) => void;
	/** What only the gateway knows of it; free. Throws InputError. */
	lookUp?: (input: I, item: () => ItemRequests) => Promise<unknown> | undefined;
	/** Facts known without asking the gateway; they go into its items. */
	describe?: (input: I) => Record<string, number>;
	/** Identifies the task in an item whose outcome is unknown. */
	about: (input: I & Partial<FileValues>) => Pick<About, 'input' | 'fileName'>;
	/** Billed. Its ID is on record before anything else happens. */
	submit: (item: ItemRequests, input: I) => Promise<IDataObject & { id: string }>;
	/** Downloads the file of a completed one into the item; free. */
	save: (
		item: ItemRequests,
		id: string,
		target: T,
		json: IDataObject,
	) => Promise<INodeExecutionData>;
}

const whatIsMade = ({ given }: { given: object }): object => ({
	...given,
	fileName: undefined,
	binaryPropertyName: undefined,
});

export function taskOperations<I extends object, T extends FileValues>(
	descriptions: TaskDescriptions<I, T>,
	{
		thing,
		check = () => {},
		checkAll = () => {},
		lookUp,
		describe = () => ({}),
		about,
		submit,
		save,
	}: TaskWork<I, T>,
): Operation[] {
	const task = (id: string): Task => ({ thing, id });
	const checked = async <V extends { given: I }>(input: V, parameters: Parameters): Promise<V> => {
		await check(input.given, parameters);
		return input;
	};
	const creating = {
		checkAll: (all: Array<{ given: I }>, spent: number) =>
			checkAll(
				all.map(({ given }) => given),
				spent,
			),
		lookUp: ({ given }: { given: I }, item: () => ItemRequests) => lookUp?.(given, item),
		describe: ({ given }: { given: I }) => ({ ...about(given), ...describe(given) }),
		identity: whatIsMade,
	};
	return [
		defineOperation(descriptions.createAndWait, {
			prepare: checked,
			...creating,
			retryWith: ({ given }, { given: now, wait }) => ({
				given: { ...given, fileName: now.fileName, binaryPropertyName: now.binaryPropertyName },
				wait,
			}),
			async execute({ given, wait }, item) {
				const resumed = item.ledger.taskId !== undefined;
				const created = await submit(item, given);
				const known = { ...created, ...describe(given) };
				return await waitAndSave(
					item,
					task(created.id),
					wait,
					{ known, resumed, size: describe(given).characters },
					async (json) => await save(item, created.id, given, json),
				);
			},
		}),
		defineOperation(descriptions.create, {
			prepare: checked,
			...creating,
			async execute({ given }, item) {
				const created = await submit(item, given);
				const json = { ...taskJson(task(created.id), created), ...describe(given) };
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
			async execute({ id, file, wait }, item) {
				return await waitAndSave(
					item,
					task(id),
					wait,
					{ resumed: true },
					async (json) => await save(item, id, file, json),
				);
			},
		}),
		defineOperation(descriptions.download, {
			async execute({ id, file }, item) {
				const saved = await withTaskId(
					item,
					task(id),
					async () => await save(item, id, file, { id }),
				);
				return { branch: 'success', items: [saved] };
			},
		}),
	];
}
