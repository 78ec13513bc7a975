import type { taskEndpoints } from '../gateway/endpoints';
import { describeOperation, type OperationDescription } from '../fields/form';
import { type FieldsOf, group, type InputOf } from '../fields/field';
import { idField } from '../fields/kinds';
import { waitFields } from '../fields/wait';

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
	words: Record<
		'create' | 'createAndWait' | 'get' | 'wait' | 'download',
		{ action: string; description: string }
	>;
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
	return {
		createAndWait: describeOperation({
			resource,
			operation: 'createAndWait',
			name: 'Create and Wait',
			...words.createAndWait,
			sends: [...lookups, create, status, content],
			waits: true,
			price,
			input: { given: group<I & T>(fields.createAndWait), wait },
		}),
		create: describeOperation({
			resource,
			operation: 'create',
			name: 'Create',
			...words.create,
			sends: [...lookups, create],
			price,
			input: { given: group<I>(fields.create) },
		}),
		get: describeOperation({
			resource,
			operation: 'get',
			name: 'Get',
			...words.get,
			sends: [status],
			input: { id },
		}),
		wait: describeOperation({
			resource,
			operation: 'wait',
			name: 'Wait',
			...words.wait,
			sends: [status, content],
			waits: true,
			input: { id, file, wait },
		}),
		download: describeOperation({
			resource,
			operation: 'download',
			name: 'Download',
			...words.download,
			sends: [content],
			input: { id, file },
		}),
	};
}
