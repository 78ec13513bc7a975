import type { INodeProperties } from 'n8n-workflow';

/** By name, in the order in which people need them. Every option has a place here. */
export const ORDER = [
	// Money
	...['sendOnceKey', 'maxEstimatedTokens'],
	// What many set: voice, answer, file, podcast
	...['speed', 'voicesByName', 'reuseExisting', 'temperature', 'maxTokens', 'simplify'],
	'pauseBetween',
	...['fileName', 'subtitles', 'pronunciations', 'pauseAfterParagraphs'],
	...[
		'chapters',
		'tags',
		'keepTags',
		'previousBinaryPropertyName',
		'speakAgainAt',
		'retakeOddSegments',
		'timings',
		'charges',
	],
	// Waiting
	...['waitUntilCertain', 'maxWait', 'whenMaxWaitReached'],
	// How a text is read and cut
	...['textFormat', 'pronunciationsByWord', 'parentheses'],
	...['longText', 'whileWaiting', 'pollInterval', 'maxPollInterval'],
	...['maxSegmentCharacters', 'pauseBetweenSegments'],
	// What hardly anybody needs, and the network
	...['stream', 'tools', 'additionalBody', 'binaryPropertyName', 'outputBinaryPropertyName'],
	...['modelMultiplier', 'keyInAddress', 'concurrency', 'maxRetries', 'timeout'],
];

export const optionsCollection = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [...options].sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name)),
});
