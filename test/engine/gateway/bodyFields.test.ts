/** Additional Body Fields of speech and jobs: sent as they are, and part of what is asked for. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fitting } from '../form';
import { item, runNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, speechFields: ['seed', 'top_p', 'normalize'] }, 'real');

const BAG = {
	model: { __rl: true, mode: 'id', value: 'fish-speech' },
	voice: { __rl: true, mode: 'list', value: 'default' },
	responseFormat: 'mp3',
	text: 'The first sentence. The second sentence.',
	script: 'Anna: The first sentence.',
	options: { voicesByName: '{"Anna":"default"}', maxRetries: 0 },
};
const run = async (
	resource: string,
	operation: string,
	options: IDataObject = {},
	items: INodeExecutionData[] = [item({})],
) => {
	const result = await runNode({
		parameters: fitting(resource, operation, BAG, { options }),
		url: sim.url,
		apiKey: sim.apiKey,
		items,
	});
	return { ...result, first: result.outputs?.[0]?.[0] };
};
const bodies = (from: number) =>
	sim.requests
		.slice(from)
		.flatMap(({ method, body }) => (method === 'POST' ? [body as IDataObject] : []));

const MORE = { seed: 7, normalize: false };

test.each([
	['speech', 'generate', { maxSegmentCharacters: 22 }, 2],
	['speech', 'dialogue', {}, 1],
	['speechJob', 'create', {}, 1],
	['speechJob', 'createAndWait', {}, 1],
])(
	'%s.%s sends them with every request, beside its own',
	async (resource, operation, more, count) => {
		for (const additionalBody of [MORE, JSON.stringify(MORE)]) {
			const from = sim.requests.length;
			const { error } = await run(resource, operation, { ...more, additionalBody });
			expect(error).toBeUndefined();
			const sent = bodies(from);
			expect(sent).toHaveLength(count);
			for (const body of sent)
				expect(body).toMatchObject({ ...MORE, model: 'fish-speech', response_format: 'mp3' });
		}
	},
);

test.each(['model', 'input', 'voice', 'response_format', 'speed'])(
	'"%s" is the node\'s own: an error before anything is sent',
	async (name) => {
		const from = sim.requests.length;
		for (const [resource, operation] of [
			['speech', 'generate'],
			['speech', 'dialogue'],
			['speech', 'estimate'],
			['speechJob', 'create'],
		]) {
			const { error } = await run(resource, operation, {
				additionalBody: { seed: 1, [name]: 'x' },
			});
			expect(String(error?.message)).toContain(`"Additional Body Fields" has the field "${name}"`);
		}
		expect(bodies(from)).toEqual([]);
	},
);

test('other fields are another request: hash, previous version and estimate go by them, in any order', async () => {
	const hashOf = async (operation: string, additionalBody: IDataObject) =>
		(await run('speech', operation, { additionalBody })).first!.json.contentHash;
	const plain = await hashOf('generate', {});
	const seven = await hashOf('generate', MORE);
	expect(seven).not.toBe(plain);
	expect(await hashOf('generate', { normalize: false, seed: 7 })).toBe(seven);
	expect(await hashOf('generate', { ...MORE, seed: 8 })).not.toBe(seven);
	expect(await hashOf('estimate', MORE)).toBe(seven);
	expect(await hashOf('estimate', {})).toBe(plain);

	const cut = { maxSegmentCharacters: 22, previousBinaryPropertyName: 'data' };
	const whole = { ...cut, previousBinaryPropertyName: undefined, additionalBody: MORE };
	const before = await run('speech', 'generate', whole);
	const again = async (additionalBody: IDataObject) => {
		const from = sim.requests.length;
		const items = [{ json: {}, binary: before.first!.binary }];
		const { error } = await run('speech', 'generate', { ...cut, additionalBody }, items);
		expect(error).toBeUndefined();
		return bodies(from).length;
	};
	expect(await again(MORE)).toBe(0);
	expect(await again({ ...MORE, seed: 8 })).toBe(2);
	expect(await again({})).toBe(2);
});
