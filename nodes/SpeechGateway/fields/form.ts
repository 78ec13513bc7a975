import type { INodeProperties } from 'n8n-workflow';
import type { Endpoint, FreeEndpoint } from '../gateway/endpoints';
import { type Field, group, type InputOf } from './field';
import type { Parameters } from './parameters';
import { charges, concurrency, link, settings } from './settings';

/** What the editor shows of something that a user can click. */
interface Shown {
	/** Title Case, in the dropdown. */
	name: string;
	/** The sentence in the list of actions. */
	action: string;
	description: string;
	/** Every endpoint that it may send to; none: it needs no network. Whether it costs money follows from them. */
	sends: ReadonlyArray<Endpoint | ((...ids: string[]) => FreeEndpoint)>;
	/** Whether its items can go to the branch Waiting. */
	waits?: boolean;
	/** Whether each item of its input becomes a file: then the fields of the row come along with it. */
	makesFile?: boolean;
	/** What one item costs, if anything, to follow "Every click on Execute is charged:". */
	price?: string;
	/** Of a free one: what to know before the click. */
	beforeClick?: string;
}

interface Declaration extends Shown {
	/** In the order of the editor; required first. */
	input: Record<string, Field>;
	/** Lists are asked for once: then there is no option Concurrency. */
	isList?: boolean;
}

/** An operation as n8n and its users see it. */
export interface OperationDescription<V = unknown> extends Shown {
	resource: string;
	operation: string;
	/** Whether it sends a request that costs money; then it has the Outcome Unknown branch. */
	billed: boolean;
	fields: INodeProperties[];
	options: INodeProperties[];
	/** The values of its fields for one item; no network. Throws InputError. */
	values(parameters: Parameters): V;
}

type Described<O extends Record<string, Declaration>> = {
	[K in keyof O]: OperationDescription<InputOf<O[K]['input']>>;
};

/** The operations of a resource, by name; the first is the one that the editor begins with. */
export const describeResource = <O extends Record<string, Declaration>>(
	resource: string,
	operations: O,
): Described<O> =>
	Object.fromEntries(
		Object.entries(operations).map(([operation, declared]) => [
			operation,
			{ resource, operation, ...describe(declared) },
		]),
	) as Described<O>;

/**
 * Derives what the editor shows and how it is read from the fields, and what it costs from the endpoints. The options
 * that all requests share follow from what is sent, so that none is offered that would do nothing.
 */
function describe({ input, isList, ...declared }: Declaration) {
	const { sends } = declared;
	const billed = sends.some((endpoint) => 'billed' in endpoint && endpoint.billed);
	const shared: Field[] = [
		...(sends.length > 0 ? [settings.maxRetries, settings.timeoutMs] : []),
		...(sends.length > 0 && !isList ? [concurrency] : []),
		...(billed ? [settings.sendOnceKey, settings.whenSentBefore, charges] : []),
		...('fileName' in input ? [link] : []),
	];
	const { panel, options, read } = group(input);
	const allOptions = [...options, ...shared.flatMap((field) => field.options)];
	return {
		...declared,
		billed,
		fields: panel,
		options: allOptions,
		values(parameters: Parameters) {
			parameters.refuseLiterals(panel, allOptions);
			return read(parameters);
		},
	};
}

/** By name, in the order in which people need them. Every option has a place here. */
export const ORDER = [
	// What a beginner sets: voice, answer, file
	'speed',
	'voicesByName',
	'reuseExisting',
	'temperature',
	'maxTokens',
	'simplify',
	'fileName',
	'pauseBetween',
	'subtitles',
	'captionCharacters',
	// Money
	'sendOnceKey',
	'whenSentBefore',
	'maxEstimatedTokens',
	'modelMultiplier',
	'charges',
	// What many set: text, podcast
	'pronunciations',
	'pauseAfterParagraphs',
	'chapters',
	'tags',
	'previousBinaryPropertyName',
	'speakAgainAt',
	'timings',
	'link',
	// Waiting
	'waitUntilCertain',
	'maxWait',
	'whenMaxWaitReached',
	// How a text is read and cut
	'textFormat',
	'pronunciationsByWord',
	'parentheses',
	'longText',
	'pollInterval',
	'maxPollInterval',
	'maxSegmentCharacters',
	'pauseBetweenSegments',
	// What hardly anybody needs, and the network
	'stream',
	'tools',
	'additionalBody',
	'binaryPropertyName',
	'outputBinaryPropertyName',
	'keyInAddress',
	'concurrency',
	'maxRetries',
	'timeout',
];

/** The collection "Options" of an operation, in the order in which people need them. */
export const optionsCollection = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [...options].sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name)),
});
