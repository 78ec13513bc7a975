import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node.ts';

interface Form {
	parameters: Set<string>;
	options: Set<string>;
}

const forms = new Map<string, Form>();

const CHOICES = ['resource', 'operation'];

/** Names of what the editor shows for an operation. */
function formOf(resource: string, operation: string): Form {
	const name = `${resource}.${operation}`;
	const known = forms.get(name);
	if (known) return known;
	const shown = new SpeechGateway().description.properties.filter(({ displayOptions }) =>
		[
			[displayOptions?.show?.resource, resource],
			[displayOptions?.show?.operation, operation],
		].every(([show, value]) => !Array.isArray(show) || show.includes(value as string)),
	);
	const options = (shown.find((one) => one.name === 'options')?.options ?? []) as INodeProperties[];
	const form = {
		parameters: new Set([...CHOICES, ...shown.map((one) => one.name)]),
		options: new Set(options.map((one) => one.name)),
	};
	forms.set(name, form);
	return form;
}

const optionsOf = ({ options }: IDataObject) => options as IDataObject | undefined;

/** What the form of an operation has of a bag of parameters that several operations share, and others of its own. */
export function fitting(
	resource: string,
	operation: string,
	bag: IDataObject,
	own: IDataObject = {},
): IDataObject & { options: IDataObject } {
	const form = formOf(resource, operation);
	const pick = (values: IDataObject, names: Set<string>) =>
		Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
	const options = { ...pick(optionsOf(bag) ?? {}, form.options), ...optionsOf(own) };
	return { ...pick(bag, form.parameters), ...own, resource, operation, options };
}

/** Throws if there are parameters that nobody could have set in the editor: a test that relies on them tests nothing. */
export function refuseStrays(parameters: IDataObject): void {
	const resource = String(parameters.resource ?? 'speech');
	const operation = String(parameters.operation ?? 'generate');
	const form = formOf(resource, operation);
	const strays = [
		...Object.keys(parameters).filter((name) => !form.parameters.has(name)),
		...Object.keys(optionsOf(parameters) ?? {})
			.filter((name) => !form.options.has(name))
			.map((name) => `options.${name}`),
	];
	if (strays.length === 0) return;
	throw new Error(`The form of ${resource}.${operation} has no ${strays.join(', ')}`);
}
