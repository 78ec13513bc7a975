import type { IExecuteFunctions } from 'n8n-workflow';
import type { ItemSettings } from './requests/itemRequests';
import type { Operation } from './operation';
import { group } from './fields/field';
import { Parameters } from './fields/parameters';
import { settings } from './fields/settings';

/** What is known of an item before anything is sent. */
export type ReadItem = Input | { failed: unknown };

interface Input {
	parameters: unknown;
	settings: ItemSettings;
}

/** Reads and checks the parameters of all items that are not done; nothing is sent. */
export async function readAll(
	context: IExecuteFunctions,
	operation: Operation,
	count: number,
	done: (index: number) => unknown,
): Promise<Array<ReadItem | undefined>> {
	const inputs: Array<ReadItem | undefined> = [];
	for (let index = 0; index < count; index++) {
		inputs.push(done(index) ? undefined : await readOne(context, operation, index));
	}
	const good = inputs.flatMap((input) =>
		input && 'parameters' in input ? [input.parameters] : [],
	);
	if (operation.checkAll && good.length > 0) {
		try {
			operation.checkAll(good);
		} catch (error) {
			return inputs.map((input) => (input && 'parameters' in input ? { failed: error } : input));
		}
	}
	return inputs;
}

export async function readOne(
	context: IExecuteFunctions,
	operation: Operation,
	index: number,
): Promise<ReadItem> {
	const parameters = new Parameters(context, index);
	try {
		return { parameters: await operation.read(parameters), settings: readSettings(parameters) };
	} catch (error) {
		return { failed: error };
	}
}

/** The options that every operation has. */
export const readSettings = (parameters: Parameters): ItemSettings =>
	group(settings).read(parameters);
