import type { INodeProperties } from 'n8n-workflow';

/** Fields that several operations share. */

export const modelField = (description: string, defaultModel = ''): INodeProperties => ({
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	required: true,
	default: {
		mode: 'list',
		value: defaultModel,
		...(defaultModel && { cachedResultName: defaultModel }),
	},
	description,
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a model…',
			typeOptions: { searchListMethod: 'searchModels', searchable: true },
		},
		{
			displayName: 'ID',
			name: 'id',
			type: 'string',
			placeholder: `e.g. ${defaultModel || 'gpt-4o-mini'}`,
		},
	],
});

export const speechModelField = modelField(
	'The model that speaks. The list shows the models of your account.',
	'fish-speech',
);

export const textField: INodeProperties = {
	displayName: 'Text',
	name: 'text',
	hint: 'Any length: long texts are split at sentence ends and joined into one file',
	type: 'string',
	typeOptions: { rows: 4 },
	required: true,
	default: '',
	placeholder: 'e.g. (happy) Good morning! Here is the news.',
	description:
		'What is spoken. A word in parentheses, such as (happy) or (whispering), sets the tone and is not read out.',
};

export const voiceField: INodeProperties = {
	displayName: 'Voice',
	name: 'voice',
	type: 'resourceLocator',
	default: { mode: 'list', value: 'default', cachedResultName: 'Default' },
	description: 'Who speaks: the default voice, or one that you cloned with Voice → Create',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a voice…',
			typeOptions: { searchListMethod: 'searchVoicesWithDefault', searchable: true },
		},
		{
			displayName: 'ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 7f92f8afb8ec43bf81429cc1c9199cb1',
		},
	],
};

export const ownVoiceField: INodeProperties = {
	...voiceField,
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The cloned voice. Only voices of your own account are listed.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a voice…',
			typeOptions: { searchListMethod: 'searchOwnVoices', searchable: true },
		},
		voiceField.modes![1],
	],
};

export const responseFormatField: INodeProperties = {
	displayName: 'Audio Format',
	name: 'responseFormat',
	type: 'options',
	default: 'mp3',
	description: 'The type of the audio file',
	options: [
		{ name: 'MP3', value: 'mp3', description: 'Small, plays everywhere; the safe choice' },
		{
			name: 'Opus',
			value: 'opus',
			description: 'Smallest, in an Ogg file; for the web and voice messages',
		},
		{
			name: 'PCM',
			value: 'pcm',
			description:
				'Bare samples without a header (24 kHz, 16-bit, mono, little endian); most players cannot open it',
		},
		{ name: 'WAV', value: 'wav', description: 'Uncompressed, for editing; about 3 MB a minute' },
	],
};

export const returnAllFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

const maxRetries: INodeProperties = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 20 },
	default: 4,
	description:
		'How often a request that brought no charge (too many requests, server error, gateway not reached) is sent again, with growing pauses. One that may have been charged is never sent again.',
};

const timeout: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeout',
	hint: 'Seconds',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 180,
	description:
		'Longest time to wait for an answer. Keep it above 120: a request that is given up too early may still be charged.',
};

const concurrency: INodeProperties = {
	displayName: 'Concurrency',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100 },
	default: 4,
	noDataExpression: true,
	description:
		'How many requests run at the same time, over all items. It is lowered by itself when the gateway answers "too many requests".',
};

const sendOnceKey: INodeProperties = {
	displayName: 'Send Once Key',
	name: 'sendOnceKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.row_id }}',
	description:
		'Something that tells this item from all others, such as a row ID. An item whose key this node has sent before, in any execution, even one that crashed, is not sent again: it goes to the branch "Unknown".',
};

export const freeOptions: INodeProperties[] = [maxRetries, timeout];
export const freeBatchOptions: INodeProperties[] = [concurrency, ...freeOptions];
export const billedOptions: INodeProperties[] = [...freeBatchOptions, sendOnceKey];

export const binaryOptions: INodeProperties[] = [
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		placeholder: 'e.g. chapter-1',
		description: 'Name of the file; the ending, such as .mp3, is added by itself',
	},
	{
		displayName: 'Output Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		description:
			'The field of the output item that holds the file. Nodes that take files ask for it as "Input Binary Field".',
	},
];

export const waitOptions: INodeProperties[] = [
	{
		displayName: 'Max Poll Interval',
		name: 'maxPollInterval',
		hint: 'Seconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 15,
		description: 'Longest pause between two looks, once the work has been going on for long',
	},
	{
		displayName: 'Max Wait',
		name: 'maxWait',
		hint: 'Seconds; 1800 is half an hour',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1800,
		description: 'Longest time to wait for the result',
	},
	{
		displayName: 'Poll Interval',
		name: 'pollInterval',
		hint: 'Seconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 2,
		description:
			'Pause before the first look whether the result is there. The pauses grow from then on; looking is free.',
	},
	{
		displayName: 'When Max Wait Is Reached',
		name: 'whenMaxWaitReached',
		type: 'options',
		noDataExpression: true,
		default: 'fail',
		options: [
			{
				name: 'Fail',
				value: 'fail',
				description: 'The item fails with an error that names the ID',
			},
			{
				name: 'Still Processing',
				value: 'stillProcessing',
				description: 'The item goes to a branch of its own, "Waiting", with the ID',
			},
		],
		description:
			'What happens to an item whose result is not there in time. Nothing is lost: the work goes on at the gateway, and the result can be fetched later.',
	},
];

const speedOption: INodeProperties = {
	displayName: 'Speed',
	name: 'speed',
	type: 'number',
	typeOptions: { minValue: 0.5, maxValue: 2, numberPrecision: 2 },
	default: 1,
	description: 'How fast it is spoken, from 0.5 (half as fast) to 2 (twice as fast)',
};

const modelMultiplierOption: INodeProperties = {
	displayName: 'Model Multiplier',
	name: 'modelMultiplier',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 4 },
	default: 1,
	description:
		'The price factor of the model, as the pricing page of the gateway has it. It changes the estimates of this node, not the price.',
};

const maxEstimatedTokensOption: INodeProperties = {
	displayName: 'Max Estimated Tokens',
	name: 'maxEstimatedTokens',
	hint: 'A minute of speech is about 1,000 tokens',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description:
		'Guards your balance: when the estimate over all items is higher, nothing at all is sent. 0 means no limit.',
};

export const additionalBodyOption: INodeProperties = {
	displayName: 'Additional Body Fields',
	name: 'additionalBody',
	type: 'json',
	default: '{}',
	description:
		'Further fields of the request, as a JSON object; they are sent as they are. The documentation of the model says which there are.',
};

export const speechFields: INodeProperties[] = [
	speechModelField,
	textField,
	voiceField,
	responseFormatField,
];

export const speechOptions: INodeProperties[] = [
	...binaryOptions,
	maxEstimatedTokensOption,
	modelMultiplierOption,
	speedOption,
];

/** Plain comparison: `localeCompare` loads language data for 5 ms, which every n8n process would pay at its start. */
export const byName = (a: { displayName: string }, b: { displayName: string }) =>
	a.displayName < b.displayName ? -1 : 1;
