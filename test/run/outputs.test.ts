import type { IExecuteFunctions, INodeExecutionData, OnError } from 'n8n-workflow';
import { moveToErrorOutput } from '../../nodes/SpeechGateway/engine/outputs';
import { NodeCall } from '../../nodes/SpeechGateway/engine/nodeCall';
import { giveHints } from '../../nodes/SpeechGateway/run/outputItems';

const input = [{ json: { row: 1 } }, { json: { row: 2, _files: { intro: 'a file' } } }];
/** n8n's side: what it takes the node to be. `counted`: the outputs, that of errors included. */
const context = (onError: OnError, binaryMode: string, counted: number) =>
	({
		getNode: () => ({ onError }),
		getNodeOutputs: () => Array(counted).fill('main'),
		getWorkflowSettings: () => ({ binaryMode }),
		getInputData: () => input,
	}) as unknown as IExecuteFunctions;

const out = (index: number, json: INodeExecutionData['json']): INodeExecutionData => ({
	json,
	pairedItem: { item: index },
});
const failed = { message: 'No.' };
const unknown = [out(0, { outcome: 'unknown' })];
const outputs = [[out(1, { error: failed }), out(0, { text: 'One.' })], unknown];

test('where n8n counts more outputs than there are, errors go behind the last, with what their items had', () => {
	const moved = moveToErrorOutput(context('continueErrorOutput', 'combined', 5), outputs);
	expect(moved).toEqual([
		[out(0, { text: 'One.' })],
		unknown,
		[out(1, { _files: { intro: 'a file' }, row: 2, error: failed })],
	]);
});

test('hints of one kind are in one box, with how many more there are', () => {
	const hints: string[] = [];
	const nodeCall = new NodeCall({
		addExecutionHints: ({ message }: { message: string }) => void hints.push(message),
	} as unknown as IExecuteFunctions);
	const given = [
		...Array.from(
			{ length: 5000 },
			(_, index) => `Please listen to item ${index + 1}: "word ${index}".`,
		),
		'Nothing was stored: "disk: full".',
		'The file of item 3 has no cover: it is too large.',
		'The file of item 4 has no cover: it is no picture.',
	];
	giveHints(nodeCall, given, [], 'unknown');
	expect(hints).toEqual([
		'Please listen to item 1: "word 0". (And 4999 more like this.)',
		'Nothing was stored: "disk: full".',
		'The file of item 3 has no cover: it is too large. (And 1 more like this.)',
	]);
});

test('an item that had no files says so: n8n would take it for a success', () => {
	const [, , errors] = moveToErrorOutput(context('continueErrorOutput', 'combined', 5), [
		[out(0, { error: failed })],
		[],
	]);
	expect(errors).toEqual([out(0, { _files: {}, row: 1, error: failed })]);
});

test.each<[string, OnError, string, number]>([
	['n8n counts as many as there are', 'continueErrorOutput', 'combined', 3],
	['files are apart from the json', 'continueErrorOutput', 'separate', 5],
	['errors have no output', 'continueRegularOutput', 'combined', 5],
])('where %s, nothing is moved', (_, onError, binaryMode, counted) => {
	expect(moveToErrorOutput(context(onError, binaryMode, counted), outputs)).toBe(outputs);
});
