import type { INodeProperties } from 'n8n-workflow';

/** By name: what people set most often first, what is about the network last. */
const ORDER = [
	...['speed', 'fileName', 'subtitles', 'textFormat', 'pronunciations', 'parentheses'],
	...['pauseBetween', 'pauseAfterParagraphs', 'pauseBetweenSegments', 'trimSilence'],
	...['chapters', 'tags', 'timings', 'voicesByName', 'reuseExisting'],
	...['temperature', 'maxTokens', 'simplify', 'stream', 'tools', 'additionalBody'],
	...['longText', 'maxSegmentCharacters', 'maxEstimatedTokens', 'modelMultiplier', 'sendOnceKey'],
	...['maxWait', 'whenMaxWaitReached', 'whileWaiting', 'pollInterval', 'maxPollInterval'],
	...['binaryPropertyName', 'outputBinaryPropertyName', 'concurrency', 'maxRetries', 'timeout'],
];

/** The collection "Options". */
export const optionsCollection = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [...options].sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name)),
});
