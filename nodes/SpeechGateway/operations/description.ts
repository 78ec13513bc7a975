import type {
	IBuilderHint,
	INodeCredentialDescription,
	INodeProperties,
	INodePropertyOptions,
	NodeHint,
} from 'n8n-workflow';
import { descriptions, resources } from './forms';
import { optionsCollection } from '../fields/form';

const isLocator = ({ type }: INodeProperties): boolean => type === 'resourceLocator';

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
		...resources.map(({ value: resource, operations }): INodeProperties => {
			const [first] = Object.keys(operations);
			return {
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				description:
					'Another operation may have other outputs. Check the connections afterwards: n8n keeps them by position and removes those left over.',
				default: first,
				displayOptions: { show: { resource: [resource] } },
				options: Object.values(operations).map(
					({ operation: value, name, action, description }): INodePropertyOptions => ({
						value,
						name,
						action,
						description,
					}),
				),
			};
		}),
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

/** For an AI that builds workflows. Older versions of n8n ignore it. */
export const builderHint: IBuilderHint = {
	searchHint:
		'Text to speech for texts of any length (narration, audiobooks, podcasts, dialogues, subtitles), voice cloning, joining audio, chat and video. To speak a text use resource "speech", operation "generate"; it splits long texts and joins the audio. The file is in the binary field "data". Output 0 is Success. Operations that cost money have output 1, "Unknown": items that may have been charged without a result. Connect it to a review step, never back to this node. Set the option "sendOnceKey" to a row ID in scheduled workflows.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-speech-gateway.lmChatSpeechGateway',
			relationHint: 'The chat models of the same gateway, for AI Agent nodes',
		},
	],
};

/** Says what a click on Execute costs, or what it needs; the editor shows it in place of the output until there is one. */
export const clickHints = (): NodeHint[] =>
	descriptions.flatMap(({ resource, operation, billed, price, beforeClick }): NodeHint[] => {
		const message = billed
			? `Every click on Execute is charged: ${price} If an answer gets lost, its item ends as "Unknown" and is not sent again.`
			: beforeClick;
		if (message === undefined) return [];
		return [
			{
				message,
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'beforeExecution',
				displayCondition: `={{ $parameter["resource"] === "${resource}" && $parameter["operation"] === "${operation}" }}`,
			},
		];
	});

/**
 * An operation that neither sends anything nor has lists to choose from needs no credential. n8n hides it when any of the
 * rules matches, so no other operation may share its name.
 */
export const credentialRules = (): INodeCredentialDescription['displayOptions'] => ({
	hide: {
		operation: descriptions
			.filter(({ sends, fields }) => sends.length === 0 && !fields.some(isLocator))
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
				.filter((one) => one[wanted])
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
	// In workflows with "combined" binary data, n8n 2.41 cannot read any parameter here. It then counts on more outputs
	// than there are, and what is on them stays (engine/outputs moves the errors). n8n's parser knows no `catch` without
	// a name.
	return `={{((outputs) => {
		try { return outputs($parameter); }
		catch (error) { return ['main', 'main', 'main', 'main']; }
	})(${outputs})}}`;
}

/** What the node shows below its name, such as "Speech: Generate". */
export function subtitleExpression(): string {
	const names = descriptions.map(({ resource, operation, name }) => {
		const resourceName = resources.find(({ value }) => value === resource)?.name;
		return [`${resource}.${operation}`, `${resourceName}: ${name}`];
	});
	const table = JSON.stringify(Object.fromEntries(names));
	return `={{ (${table})[$parameter["resource"] + "." + $parameter["operation"]] }}`;
}
