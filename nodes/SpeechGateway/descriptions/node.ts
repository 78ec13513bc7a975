import type {
	INodeCredentialDescription,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { descriptions, resources } from './index';
import { optionsCollection } from './optionsCollection';

/** The node's fields, from the list of operations: displayOptions are applied here and nowhere else. */
export function properties(): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			default: 'speech',
			options: resources.map(({ value, name }) => ({ value, name })),
		},
		...resources.map(
			({ value: resource, defaultOperation }): INodeProperties => ({
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				default: defaultOperation,
				displayOptions: { show: { resource: [resource] } },
				options: descriptions
					.filter((operation) => operation.resource === resource)
					.map(
						({ operation: value, name, action, description }): INodePropertyOptions => ({
							value,
							name,
							action,
							description,
						}),
					)
					.sort((a, b) => (a.name < b.name ? -1 : 1)),
			}),
		),
		...descriptions.flatMap(({ resource, operation, fields, options }) => {
			return [...fields, optionsCollection(options)].map((field) => ({
				...field,
				displayOptions: {
					show: { resource: [resource], operation: [operation], ...field.displayOptions?.show },
				},
			}));
		}),
	];
}

/**
 * Operations that send nothing need no credential. n8n hides it when any of the rules matches, so no operation that sends
 * may share the name of one that does not.
 */
export const credentialRules = (): INodeCredentialDescription['displayOptions'] => ({
	hide: {
		operation: descriptions
			.filter(({ sends }) => sends.length === 0)
			.map(({ operation }) => operation),
	},
});

/**
 * The outputs as n8n's editor and engine evaluate them, from the parameters alone. Short labels: the canvas cuts them
 * after about nine letters.
 */
export function outputsExpression(): `={{${string}}}` {
	const names = (wanted: 'billed' | 'waits') =>
		JSON.stringify(
			descriptions
				.filter((known) => known[wanted])
				.map(({ resource, operation }) => `${resource}.${operation}`),
		);
	const outputs = `(parameters) => {
		const chosen = parameters.resource + '.' + parameters.operation;
		const output = (displayName) => ({ type: 'main', displayName });
		const branches = [output('Success')];
		if (${names('billed')}.includes(chosen)) branches.push(output('Unknown'));
		if (${names('waits')}.includes(chosen) && parameters.options?.whenMaxWaitReached === 'stillProcessing') branches.push(output('Waiting'));
		return branches.length > 1 ? branches : ['main'];
	}`;
	return `={{(${outputs})($parameter)}}`;
}

/** What the canvas shows under the node's name, such as "Speech: Generate". */
export function subtitleExpression(): string {
	const names = descriptions.map(({ resource, operation, name }) => {
		const shown = resources.find(({ value }) => value === resource)?.name;
		return [`${resource}.${operation}`, `${shown}: ${name}`];
	});
	const table = JSON.stringify(Object.fromEntries(names));
	return `={{ (${table})[$parameter["resource"] + "." + $parameter["operation"]] }}`;
}
