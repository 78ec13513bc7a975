import { renderAudio } from '../../support/simulator/audio';
import { runNode, speechNode, storedFile, type EngineRun, useSimulator } from '../support';

/** n8n 2's combined binary mode: an item's files are under `json._files`, and n8n's helpers take paths and files. */
const sim = useSimulator({ latencyMs: 1 }, 'real');

const wav = async () =>
	await storedFile(
		Buffer.concat([...renderAudio('Anna', 2, 'wav').chunks()]),
		'anna.wav',
		'audio/wav',
	);
const run = async (more: Pick<EngineRun, 'parameters' | 'items' | 'onError' | 'binaryMode'>) =>
	await runNode({ url: sim.url, apiKey: sim.apiKey, binaryMode: 'combined', ...more });
const clone = (binaryPropertyName: string) => ({
	resource: 'voice',
	operation: 'create',
	title: 'Anna',
	binaryPropertyName,
});

test.each([
	['its name', 'data', 'data'],
	['a path', '_files.data', 'data'],
	['an expression', '={{ $json._files.data }}', 'data'],
	['a name that is no path', 'a "b".c', 'a "b".c'],
])('a file is found by %s', async (_, binaryPropertyName, name) => {
	const items = [{ json: { _files: { [name]: { ...(await wav()) } } } }];
	const { error } = await run({ parameters: clone(binaryPropertyName), items });
	expect(error).toBeUndefined();
	expect(sim.voices).toMatchObject([{ title: 'Anna' }]);
});

test('an error names the files that the item has', async () => {
	const items = [{ json: { _files: { intro: { ...(await wav()) } } } }];
	const { error } = await run({ parameters: clone('data'), items });
	expect(error).toMatchObject({
		message: 'The item has no file in the binary field "data"',
		description: expect.stringContaining('Its files are in: intro. '),
	});
	expect(sim.requests).toEqual([]);
});

test('outside of that mode, nothing in the json passes for a file', async () => {
	const items = [{ json: { _files: { data: { ...(await wav()) } } } }];
	const { error } = await run({ parameters: clone('data'), items, binaryMode: undefined });
	expect(error?.message).toBe('The item has no file in the binary field "data"');
	expect(sim.requests).toEqual([]);
});

test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
	'%s: an error keeps its files, and stays an error',
	async (onError) => {
		sim.fault({ path: '/v1/audio/speech', input: 'Two', status: 402 });
		const { outputs } = await run({
			parameters: speechNode({ maxSegmentCharacters: 5, concurrency: 1 }),
			items: [{ json: { text: 'One.\n\nTwo.' } }],
			onError,
		});
		const [item] = outputs[onError === 'continueErrorOutput' ? 2 : 0];
		expect(item.json.error).toMatchObject({
			httpCode: '402',
			_files: { completed: { mimeType: 'audio/mpeg' } },
		});
		expect(item.binary).toBeUndefined();
	},
);

test('paid audio that cannot be read is on Unknown', async () => {
	sim.fault({ path: '/v1/audio/speech', corrupt: true });
	const { left } = await run({ parameters: speechNode(), items: [{ json: { text: 'One.' } }] });
	expect(Object.keys(left[1][0].json._files as object)).toEqual(['received']);
});
