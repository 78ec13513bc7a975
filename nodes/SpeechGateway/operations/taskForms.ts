import type { taskEndpoints } from '../gateway/endpoints';
import { type Declaration, describeOperation, type OperationDescription } from '../fields/form';
import { type FieldsOf, group, type InputOf } from '../fields/field';
import { idField } from '../fields/kinds';
import { waitFields } from '../fields/wait';

const NAMES = {
	createAndWait: 'Create and Wait',
	create: 'Create',
	get: 'Get',
	wait: 'Wait',
	download: 'Download',
};

/**
 * Something that is submitted, worked on by the gateway for a while, and then fetched as a file, as the editor shows it.
 * `I`: what it takes to submit one; `T`: what it takes to save its file.
 */
interface TaskDescription<I extends object, T extends object> {
	resource: string;
	endpoints: (typeof taskEndpoints)[keyof typeof taskEndpoints];
	/** Endpoints that may be asked before one is submitted; free. */
	lookups?: OperationDescription['sends'];
	price: string;
	words: Record<keyof typeof NAMES, { action: string; description: string }>;
	/** The parameter with the ID of one that was submitted before. */
	id: { displayName: string; name: string; placeholder: string; description: string };
	/** For Create; for Create and Wait; and for Wait and Download, which know nothing but the ID. */
	fields: { create: FieldsOf<I>; createAndWait: FieldsOf<I & T>; file: FieldsOf<T> };
}

type WaitValues = InputOf<typeof waitFields>;

/** The operations of a kind of task. */
export interface TaskDescriptions<I extends object, T extends object> {
	createAndWait: OperationDescription<{ given: I & T; wait: WaitValues }>;
	create: OperationDescription<{ given: I }>;
	get: OperationDescription<{ id: string }>;
	wait: OperationDescription<{ id: string; file: T; wait: WaitValues }>;
	download: OperationDescription<{ id: string; file: T }>;
}

export function describeTasks<I extends object, T extends object>({
	resource,
	endpoints: { create, status, content },
	lookups = [],
	price,
	words,
	id: shownId,
	fields,
}: TaskDescription<I, T>): TaskDescriptions<I, T> {
	const id = idField(shownId);
	const file = group<T>(fields.file);
	const wait = group(waitFields);
	const describe = <V extends object>(
		operation: keyof typeof NAMES,
		more: Pick<Declaration<V>, 'sends' | 'waits' | 'price' | 'input'>,
	) =>
		describeOperation({
			resource,
			operation,
			name: NAMES[operation],
			...words[operation],
			...more,
		});
	return {
		createAndWait: describe('createAndWait', {
			sends: [...lookups, create, status, content],
			waits: true,
			price,
			input: { given: group<I & T>(fields.createAndWait), wait },
		}),
		create: describe('create', {
			sends: [...lookups, create],
			price,
			input: { given: group<I>(fields.create) },
		}),
		get: describe('get', { sends: [status], input: { id } }),
		wait: describe('wait', { sends: [status, content], waits: true, input: { id, file, wait } }),
		download: describe('download', { sends: [content], input: { id, file } }),
	};
}
