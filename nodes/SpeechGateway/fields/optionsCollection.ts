import type { INodeProperties } from 'n8n-workflow';

/** By name, in the groups in which the editor shows them. Every option has a place here. */
export const ORDER = [
	// Money
	...['sendOnceKey', 'maxEstimatedTokens'],
	// Text and voice, answers
	...['speed', 'textFormat', 'pronunciations', 'pronunciationsByWord', 'parentheses'],
	...['voicesByName', 'longText', 'maxSegmentCharacters'],
	...['pauseBetween', 'pauseAfterParagraphs', 'pauseBetweenSegments', 'reuseExisting'],
	...['temperature', 'maxTokens', 'simplify', 'stream', 'tools', 'additionalBody'],
	// File
	...['fileName', 'subtitles', 'timings', 'previousBinaryPropertyName'],
	...['binaryPropertyName', 'outputBinaryPropertyName'],
	// Podcast
	...['chapters', 'tags', 'keepTags'],
	// Waiting
	...['maxWait', 'whenMaxWaitReached', 'whileWaiting', 'pollInterval', 'maxPollInterval'],
	// Network, and what hardly anybody needs
	...['modelMultiplier', 'concurrency', 'maxRetries', 'timeout'],
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
