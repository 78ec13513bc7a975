import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fetchStatus, type Task, taskEndpoints, taskJson } from '../flows/tasks';
import { waitAndSave } from '../flows/wait';
import { type FieldsOf, group } from '../run/fields/field';
import { idField } from '../run/fields/kinds';
import { defineOperation, type Description, type Operation } from '../run/operation';
import type { ItemRequests } from '../run/requests/itemRequests';
import { waitFields } from './fields/wait';

/**
 * Something that is submitted, worked on by the gateway for a while, and then fetched as a file. `I`: what it takes to
 * submit one; `T`: what it takes to save its file.
 */
export interface TaskKind<I extends object, T extends object> {
	resource: string;
	/** What may be looked up before one is submitted; free. */
	lookups?: Operation['sends'];
	/** As errors call it; its endpoints are found by this name, and its request in the ledger. */
	thing: Task['thing'];
	words: Record<OperationName, { action: string; description: string }>;
	/** The parameter with the ID of one that was submitted before. */
	id: { displayName: string; name: string; placeholder: string; description: string };
	/** Of Create; of Create and Wait; and of Wait and Download, which know nothing but the ID. */
	fields: { create: FieldsOf<I>; createAndWait: FieldsOf<I & T>; file: FieldsOf<T> };
	/** Across the fields of an item. Throws InputError. */
	check?(input: I): void;
	/** Across items. Throws InputError. */
	checkAll?(all: I[]): void;
	/** What is known of one without asking the gateway; it goes into its items. */
	describe?(input: I): Record<string, number>;
	/** What an item of unknown outcome calls it. */
	about(input: I): Pick<Description, 'input' | 'fileName'>;
	/** Billed. Its ID is on record before anything else happens. */
	submit(item: ItemRequests, input: I): Promise<IDataObject & { id: string }>;
	/** Downloads the file of a completed one into the item; free. */
	save(item: ItemRequests, id: string, target: T, json: IDataObject): Promise<INodeExecutionData>;
}

type OperationName = 'create' | 'createAndWait' | 'get' | 'wait' | 'download';

/** The operations of a kind, in the order of the list. */
export function taskOperations<I extends object, T extends object>({
	resource,
	thing,
	words,
	lookups = [],
	id: shownId,
	fields,
	check = () => {},
	checkAll = () => {},
	describe = () => ({}),
	about,
	submit,
	save,
}: TaskKind<I, T>): Operation[] {
	const { create, status, content } = taskEndpoints[thing];
	const task = (id: string): Task => ({ thing, id });
	const id = idField(shownId);
	const file = group<T>(fields.file);
	const wait = group(waitFields);

	return [
		defineOperation({
			resource,
			operation: 'createAndWait',
			name: 'Create and Wait',
			...words.createAndWait,
			sends: [...lookups, create, status, content],
			waits: true,
			input: { given: group<I & T>(fields.createAndWait), wait },
			prepare(input) {
				check(input.given);
				return input;
			},
			checkAll: (all) => checkAll(all.map(({ given }) => given)),
			describe: ({ given }) => ({ ...about(given), ...describe(given) }),
			retryWith: ({ given }, { wait }) => ({ given, wait }),
			async execute({ given, wait }, item) {
				const resumed = item.has(thing);
				const created = await submit(item, given);
				const known = { ...created, ...describe(given) };
				return await waitAndSave(
					item,
					task(created.id),
					wait,
					{ known, resumed },
					async (json) => await save(item, created.id, given, json),
				);
			},
		}),
		defineOperation({
			resource,
			operation: 'create',
			name: 'Create',
			...words.create,
			sends: [...lookups, create],
			input: { given: group<I>(fields.create) },
			prepare(input) {
				check(input.given);
				return input;
			},
			checkAll: (all) => checkAll(all.map(({ given }) => given)),
			describe: ({ given }) => ({ ...about(given), ...describe(given) }),
			async execute({ given }, item) {
				const created = await submit(item, given);
				const json = { ...taskJson(task(created.id), created), ...describe(given) };
				return { branch: 'success', items: [{ json }] };
			},
		}),
		defineOperation({
			resource,
			operation: 'get',
			name: 'Get',
			...words.get,
			sends: [status],
			input: { id },
			async execute({ id }, item) {
				const body = await fetchStatus(item, task(id));
				return { branch: 'success', items: [{ json: { ...taskJson(task(id), body), id } }] };
			},
		}),
		defineOperation({
			resource,
			operation: 'wait',
			name: 'Wait',
			...words.wait,
			sends: [status, content],
			waits: true,
			input: { id, file, wait },
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
		defineOperation({
			resource,
			operation: 'download',
			name: 'Download',
			...words.download,
			sends: [content],
			input: { id, file },
			async execute({ id, file }, item) {
				return { branch: 'success', items: [await save(item, id, file, { id })] };
			},
		}),
	];
}
