import type { taskEndpoints } from '../gateway/endpoints';
import { describeResource, type OperationDescription } from '../fields/form';
import { type Field, group, type InputOf } from '../fields/field';
import { idField } from '../fields/kinds';
import { waitFields, type WaitSettings } from '../fields/wait';

type Fields = Record<string, Field>;

/** Something that is submitted, worked on by the gateway for a while, and then fetched as a file, as the editor shows it. */
interface TaskDescription<C extends Fields, F extends Fields> {
	resource: string;
	endpoints: (typeof taskEndpoints)[keyof typeof taskEndpoints];
	/** Endpoints that may be asked before one is submitted; free. */
	lookups?: OperationDescription['sends'];
	price: string;
	words: Record<keyof TaskDescriptions<object, object>, { action: string; description: string }>;
	/** The parameter with the ID of one that was submitted before. */
	id: { displayName: string; name: string; placeholder: string; description: string };
	/**
	 * `create`: what it takes to submit one. `file`: for Wait and Download, which know nothing but the ID. Create and
	 * Wait has both.
	 */
	fields: { create: C; file: F };
}

/** `I`: what it takes to submit one; `T`: what it takes to save its file. */
export type TaskDescriptions<I, T> = {
	createAndWait: OperationDescription<I & T & { wait: WaitSettings }>;
	create: OperationDescription<I>;
	get: OperationDescription<{ id: string }>;
	wait: OperationDescription<T & { id: string; wait: WaitSettings }>;
	download: OperationDescription<T & { id: string }>;
};

/**
 * The forms of a kind of task: create, create and wait, get, wait, download. Only the first two submit, which is
 * charged; `sends` says so, and the branch Unknown follows from it. The cast: TypeScript does not follow generic fields
 * through the spread.
 */
export function describeTasks<C extends Fields, F extends Fields>({
	resource,
	endpoints: { create, status, content },
	lookups = [],
	price,
	words,
	id: labels,
	fields,
}: TaskDescription<C, F>): TaskDescriptions<InputOf<C>, InputOf<F>> {
	const id = idField(resource, labels);
	const wait = group(waitFields);
	// A field of both is shown as Create has it.
	const both = { ...fields.create, ...fields.file, ...fields.create };
	return describeResource(resource, {
		createAndWait: {
			name: 'Create and Wait',
			...words.createAndWait,
			sends: [...lookups, create, status, content],
			waits: true,
			makesFile: true,
			price,
			input: { ...both, wait },
		},
		create: {
			name: 'Create',
			...words.create,
			sends: [...lookups, create],
			price,
			input: fields.create,
		},
		get: { name: 'Get', ...words.get, sends: [status], input: { id } },
		wait: {
			name: 'Wait',
			...words.wait,
			sends: [status, content],
			waits: true,
			makesFile: true,
			input: { id, ...fields.file, wait },
		},
		download: {
			name: 'Download',
			...words.download,
			sends: [content],
			makesFile: true,
			input: { id, ...fields.file },
		},
	}) as TaskDescriptions<InputOf<C>, InputOf<F>>;
}
