import type { taskEndpoints } from '../gateway/endpoints';
import { describeResource, type OperationDescription } from '../fields/form';
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
	words: Record<keyof TaskDescriptions<I, T>, { action: string; description: string }>;
	/** The parameter with the ID of one that was submitted before. */
	id: { displayName: string; name: string; placeholder: string; description: string };
	/** For Create, and for Wait and Download, which know nothing but the ID; Create and Wait has both. */
	fields: { create: FieldsOf<I>; file: FieldsOf<T> };
}

type WaitValues = InputOf<typeof waitFields>;

export type TaskDescriptions<I extends object, T extends object> = {
	createAndWait: OperationDescription<{ given: I & T; wait: WaitValues }>;
	create: OperationDescription<{ given: I }>;
	get: OperationDescription<{ id: string }>;
	wait: OperationDescription<{ id: string; file: T; wait: WaitValues }>;
	download: OperationDescription<{ id: string; file: T }>;
};

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
	// A field of both is shown as Create has it.
	const both: object = { ...fields.create, ...fields.file, ...fields.create };
	return describeResource(resource, {
		createAndWait: {
			name: 'Create and Wait',
			...words.createAndWait,
			sends: [...lookups, create, status, content],
			waits: true,
			price,
			input: { given: group<I & T>(both as FieldsOf<I & T>), wait },
		},
		create: {
			name: 'Create',
			...words.create,
			sends: [...lookups, create],
			price,
			input: { given: group<I>(fields.create) },
		},
		get: { name: 'Get', ...words.get, sends: [status], input: { id } },
		wait: {
			name: 'Wait',
			...words.wait,
			sends: [status, content],
			waits: true,
			input: { id, file, wait },
		},
		download: { name: 'Download', ...words.download, sends: [content], input: { id, file } },
	});
}
