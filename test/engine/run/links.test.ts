/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** The option Link: n8n's signed address of a file, where n8n has one. */
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { fixture } from '../../audio/support';
import { fitting } from '../form';
import { item, runNode, storedFile, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 }, 'real');
afterEach(() => jest.restoreAllMocks());

/** What the operations need. */
const BAG: IDataObject = {
	model: { __rl: true, mode: 'id', value: 'fish-speech' },
	voice: { __rl: true, mode: 'list', value: 'default' },
	responseFormat: 'mp3',
	text: 'One sentence.',
	script: 'Anna: One sentence.',
	prompt: 'A lighthouse.',
};
const run = async (
	{ resource, operation, ...more }: IDataObject,
	items: INodeExecutionData[] = [item({})],
) =>
	await runNode({
		parameters: fitting(String(resource), String(operation), BAG, more),
		url: sim.url,
		apiKey: sim.apiKey,
		items,
	});

/** The ID of the file that a link leads to, as n8n reads it. */
function fileBehind(link: unknown): string {
	const url = new URL(String(link));
	expect(url.pathname).toMatch(/\/binary-data\/signed$/);
	const token = url.searchParams.get('token')!;
	const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()) as {
		iat: number;
		exp: number;
	};
	// A day.
	expect(exp - iat).toBe(86_400);
	return Container.get(BinaryDataService).validateSignedToken(token);
}

const OPERATIONS: Array<[resource: string, operation: string, options?: IDataObject]> = [
	['speech', 'generate'],
	['speech', 'dialogue', { voicesByName: '{"Anna":"default"}' }],
	['speechJob', 'createAndWait'],
	['video', 'createAndWait'],
];

test.each(OPERATIONS)(
	'%s.%s: a link to the file, if it is wanted',
	async (resource, operation, more = {}) => {
		const isVideo = resource === 'video';
		const model = { __rl: true, mode: 'id', value: isVideo ? 'sim-video' : 'fish-speech' };
		const parameters = { resource, operation, model };
		const wanted = await run({ ...parameters, options: { ...more, link: true } });
		const [{ json, binary }] = wanted.outputs[0];
		expect(fileBehind(json.link)).toBe(binary!.data.id);
		for (const options of [{}, { link: false }]) {
			const { outputs } = await run({ ...parameters, options: { ...more, ...options } });
			expect(outputs[0][0].json).not.toHaveProperty('link');
		}
	},
);

test('Join has one, and each item by an expression; the link is of the audio, not of what comes along', async () => {
	const binary = {
		data: await storedFile(fixture('mp3-24000-mono-cbr.mp3'), 'a.mp3', 'audio/mpeg'),
	};
	const joined = await run(
		{ resource: 'audio', operation: 'join', options: { link: true, chapters: 'headings' } },
		[
			{ json: {}, binary },
			{ json: {}, binary },
		],
	);
	const [{ json, binary: files }] = joined.outputs[0];
	expect(fileBehind(json.link)).toBe(files!.data.id);
	const { outputs } = await run(
		{
			resource: 'speech',
			operation: 'generate',
			options: { link: '={{ $json.wanted }}', subtitles: 'srt', binaryPropertyName: 'voice' },
		},
		[item({ wanted: true }), item({ wanted: false })],
	);
	const [first, second] = outputs[0];
	expect(fileBehind(first.json.link)).toBe(first.binary!.voice.id);
	expect(second.json).not.toHaveProperty('link');
});

test('what came of a request of unknown outcome has none', async () => {
	sim.fault({ corrupt: true });
	const parameters = { resource: 'speech', operation: 'generate', options: { link: true } };
	const [{ json, binary }] = (await run(parameters)).outputs[1];
	expect(binary).toHaveProperty('received');
	expect(json).not.toHaveProperty('link');
});

test('where n8n makes no link, the file comes all the same, with a hint', async () => {
	const service = Container.get(BinaryDataService);
	const parameters = { resource: 'speech', operation: 'generate', options: { link: true } };
	const expectHint = async (words: string) => {
		const { outputs, error, hints } = await run(parameters);
		expect(error).toBeUndefined();
		const [{ json, binary }] = outputs[0];
		expect(json).not.toHaveProperty('link');
		expect(binary!.data).toBeDefined();
		expect(hints).toEqual([expect.stringContaining(`n8n has no links to these files: ${words}`)]);
	};
	jest.spyOn(service, 'createSignedToken').mockImplementation(() => {
		throw new Error('no secret');
	});
	await expectHint('no secret');
	// n8n's memory mode.
	jest.spyOn(service, 'store').mockImplementation(async (_location, data, file) => ({
		...file,
		data: Buffer.from(data as Buffer).toString('base64'),
	}));
	await expectHint('it keeps files in memory');
});
