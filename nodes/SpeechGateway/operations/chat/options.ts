import type { INodeProperties } from 'n8n-workflow';

/** Options that Chat → Complete and the chat model share. */

export const maxTokensOption: INodeProperties = {
	displayName: 'Max Tokens',
	name: 'maxTokens',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 1024,
	description: 'Longest answer, in tokens; not every model supports it',
};

export const temperatureOption: INodeProperties = {
	displayName: 'Temperature',
	name: 'temperature',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
	default: 1,
	description: 'How much chance there is in the answer; not every model supports it',
};
