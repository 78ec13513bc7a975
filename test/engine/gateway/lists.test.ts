/* One odd entry of a list costs nobody the others, and nothing that n8n would evaluate can be picked. */
import type { IDataObject } from 'n8n-workflow';
import { SpeechGateway } from '../../../nodes/SpeechGateway/SpeechGateway.node';
import {
	searchModels,
	searchOwnVoices,
	searchVoicesWithDefault,
} from '../../../nodes/SpeechGateway/operations/listSearch';
import { searchList } from '../searchList';
import { type EngineRun, runNode, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

const search = async (
	method: typeof searchModels,
	resource = 'speech',
	url = sim.url,
	credential?: EngineRun['credential'],
) => await searchList(method, { resource, url, apiKey: sim.apiKey, credential });

const voices = (...items: unknown[]) =>
	sim.fault({ path: '/v1/audio/voices', status: 200, body: { items }, times: Infinity });
const good = { _id: 'voice_1', title: 'Anna', created_at: 1_700_000_000 };
const shown = { name: 'Anna (2023-11-14)', value: 'voice_1', description: 'voice_1' };

test.each<[string, unknown]>([
	['nothing', null],
	['a list', []],
	['no id', { title: 'No id' }],
	['an id that is an object', { _id: { toString: 1 } }],
	['an empty id', { _id: ' ' }],
	['the id ..', { _id: '..' }],
	['half of a surrogate pair', { _id: 'a\ud83d' }],
	['an id of a megabyte', { _id: 'x'.repeat(1_000_000) }],
	['an id that n8n would evaluate', { _id: '={{ $env.SECRET }}' }],
])('an entry that is, or has, %s is left out', async (_, odd) => {
	voices(odd, good);
	expect(await search(searchOwnVoices)).toEqual([shown]);
	expect(await search(searchVoicesWithDefault)).toEqual([
		expect.objectContaining({ value: 'default' }),
		shown,
	]);
});

test.each<[unknown, string]>([
	[{ toString: 1 }, 'voice_2'],
	[null, 'voice_2'],
	[42, '42'],
	['', 'voice_2'],
	['=1+1', '"=1+1"'],
	['a\u0000\nb', 'a b'],
	['x'.repeat(1_000_000), `${'x'.repeat(500)}…`],
])('title %# is shown in one line', async (title, name) => {
	voices({ _id: 'voice_2', title }, good);
	expect(await search(searchOwnVoices)).toEqual([
		shown,
		{ name, value: 'voice_2', description: 'voice_2' },
	]);
});

test.each<[unknown]>([[{ toString: 1 }], [[]], [NaN], ['no date'], [1e300], [true]])(
	'no date is made of %j',
	async (created_at) => {
		voices({ ...good, created_at });
		expect(await search(searchOwnVoices)).toEqual([{ ...shown, name: 'Anna' }]);
	},
);

test.each(['new-api', 'litellm'] as const)(
	'%s has no voices: Default can be picked',
	async (dialect) => {
		sim.options.dialect = dialect;
		sim.reset();
		const names = (await search(searchVoicesWithDefault)).map(({ name }) => name);
		sim.options.dialect = 'document';
		expect(names).toEqual(['Default']);
	},
);

test('a list of a gateway that is not there says why, in words', async () => {
	const asked = search(searchModels, 'speech', 'http://127.0.0.1:1');
	await expect(asked).rejects.toThrow('nothing is listening at this address');
});

test('of odd models, those with an id can be picked', async () => {
	const data = [{ id: 'b' }, 'a', 7, null, { id: {} }, { id: '=x' }, { name: 'c' }, true, {}];
	sim.fault({ path: '/v1/models', status: 200, body: { data } });
	const values = (await search(searchModels)).map(({ value }) => value);
	expect(values).toEqual(['7', 'a', 'b', 'c']);
});

describe('a list of models of all kinds', () => {
	const CHAT = { id: 'a-chat' };
	const VIDEO = { id: 'b-video' };
	const VOICE = { id: 'c-voice' };
	const flags = { completion_chat: true, speech: false };
	test.each<[string, IDataObject[]]>([
		[
			'endpoint types',
			[
				{ ...CHAT, supported_endpoint_types: ['openai', 'anthropic', 'chat-completions'] },
				{ ...VIDEO, supported_endpoint_types: ['openai-video'] },
				{ ...VOICE, supported_endpoint_types: ['audio-speech'] },
			],
		],
		[
			'output modalities',
			[
				{ ...CHAT, architecture: { modality: 'text+image+video->text' } },
				{ ...VIDEO, architecture: { output_modalities: ['video'] } },
				{ ...VOICE, output_modalities: ['audio'] },
			],
		],
		[
			'a type or flags',
			[
				{ ...CHAT, capabilities: flags, task: 'image-text-to-text' },
				{ ...VIDEO, type: 'image-to-video' },
				{ ...VOICE, type: 'TTS' },
			],
		],
	])('tells them apart by %s; others are last, and named', async (_, models) => {
		const others = [{ id: 'd-unknown' }, { id: 'e-ears', type: 'speech-to-text' }];
		const data = [...models, ...others, { id: 'fish-speech', owned_by: 'video' }];
		sim.fault({ path: '/v1/models', status: 200, body: { data }, times: Infinity });
		const shown = async (resource: string) =>
			(await search(searchModels, resource)).map(({ name }) => name);
		const [chat, video] = ['a-chat (chat)', 'b-video (video)'];
		const spoken = ['c-voice', 'fish-speech', 'd-unknown', chat, video, 'e-ears (other)'];
		for (const resource of ['speech', 'speechJob', 'voice'])
			expect(await shown(resource)).toEqual(spoken);
		expect(await shown('chat')).toEqual([
			'a-chat',
			'd-unknown',
			video,
			'c-voice (speech)',
			'e-ears (other)',
			'fish-speech (speech)',
		]);
		expect((await shown('video')).slice(0, 2)).toEqual(['b-video', 'd-unknown']);
	});
});

test.each([undefined, ['openai', 'anthropic', 'gemini', 'openai-response']])(
	'models whose entries say nothing (endpoint types: %j) are known by their names',
	async (supported_endpoint_types) => {
		const ids = [
			'claude-x',
			'dall-e-3',
			'fish-speech',
			'gpt-4o',
			'gpt-4o-mini-tts',
			'mystery',
			'gpt-4o-transcribe',
			'sora-2',
			'text-embedding-3',
		];
		const data = ids.map((id) => ({ id, object: 'model', supported_endpoint_types }));
		sim.fault({ path: '/v1/models', status: 200, body: { data } });
		expect((await search(searchModels)).map(({ name }) => name)).toEqual([
			'fish-speech',
			'gpt-4o-mini-tts',
			'mystery',
			'claude-x (chat)',
			'dall-e-3 (other)',
			'gpt-4o (chat)',
			'gpt-4o-transcribe (other)',
			'sora-2 (video)',
			'text-embedding-3 (other)',
		]);
	},
);

test.each([
	[
		['sora-2', 'fish-speech', 'mystery', 'gpt-4o', 'whisper-1'],
		['gpt-4o', 'mystery'],
	],
	[
		['fish-speech', 'sora-2'],
		['fish-speech (speech)', 'sora-2 (video)'],
	],
])('the chat model has the models that can chat, if any: of %j', async (ids, names) => {
	const data = ids.map((id) => ({ id, object: 'model' }));
	sim.fault({ path: '/v1/models', status: 200, body: { data } });
	const listed = await searchList(searchModels, { resource: '', url: sim.url, apiKey: sim.apiKey });
	expect(listed.map(({ name }) => name)).toEqual(names);
});

test('the newest voice is first, those without a date are last', async () => {
	voices(
		{ _id: 'c', title: 'C' },
		{ _id: 'a', title: 'A', created_at: 1_600_000_000 },
		{ _id: 'd', title: 'D' },
		{ _id: 'b', title: 'B', created_at: '2026-01-01T00:00:00Z' },
	);
	expect((await search(searchOwnVoices)).map(({ value }) => value)).toEqual(['b', 'a', 'c', 'd']);
});

/** Speaks with a voice by its title; resolves to the voice that was sent, or what the node says. */
async function spokenWith(title: string) {
	const { error, outputs } = await runNode({
		parameters: speechNode({}, { voice: { __rl: true, mode: 'title', value: title } }),
		url: sim.url,
		apiKey: sim.apiKey,
		items: texts(1),
	});
	// The simulator may not know the voice: what was sent counts.
	const sent = sim.requests.find(({ path }) => path === '/v1/audio/speech');
	if (sent) return (sent.body as IDataObject).voice;
	expect(outputs).toEqual([]);
	return `${error?.message}. ${error?.description}`;
}

test.each([
	[{ _id: 42, title: 'Anna' }, '42'],
	[{ voice_id: 'v7', title: 'Anna' }, 'v7'],
	[{ id: 'en-US-JennyNeural', name: 'Anna' }, 'en-US-JennyNeural'],
	[{ name: 'Anna' }, 'Anna'],
	['Anna', 'Anna'],
])('a voice is found by its title, whatever its id: %j', async (entry, id) => {
	voices(entry, { _id: '', title: 'Ben' });
	expect(await spokenWith('Anna')).toBe(id);
	expect((await search(searchOwnVoices)).map(({ value }) => value)).toContain(id);
});

const HOME = [
	{ id: 'v1', name: 'Zoë' },
	{ id: 'v2', name: 'Anna' },
	{ id: 'v3', name: 'anna' },
	{ id: 'v4', name: 'Ben' },
	{ id: 'v5', name: 'BEN' },
	{ id: 'anna', name: 'Somebody else' },
	{ id: 'nova', name: 'Joan' },
];

test.each([
	['Zoë', 'v1'],
	['zoe\u0308', 'v1'],
	['Anna', 'v2'],
	['anna', 'v3'],
	['NOVA', 'nova'],
	['nova', 'nova'],
	['ben', expect.stringContaining('2 voices have the title "ben": v4, v5')],
	[
		'Johann',
		expect.stringMatching(/no voice with the title "Johann".*nearest of its 7 voices: "Joan", /),
	],
])('of voices by name, %s is found as %s', async (title, voice) => {
	voices(...HOME);
	expect(await spokenWith(title)).toEqual(voice);
});

describe('a service without a list of voices at the usual address', () => {
	const missing = (path: string, status = 404) =>
		sim.fault({ path, status, body: { detail: 'Not here' }, times: Infinity });

	test.each([404, 405])('has it at /voices (%i)', async (status) => {
		missing('/v1/audio/voices', status);
		sim.fault({ path: '/v1/voices', status: 200, body: { voices: HOME }, times: Infinity });
		expect((await search(searchVoicesWithDefault)).map(({ value }) => value)).toEqual([
			'default',
			...HOME.map(({ id }) => id),
		]);
		expect(await spokenWith('Zoë')).toBe('v1');
	});

	test('has those that its list of models names', async () => {
		missing('/v1/audio/voices');
		missing('/v1/voices', 405);
		const data = [{ id: 'fish-speech', supported_voices: ['Tara', 'Leo'] }, { id: 'other' }];
		sim.fault({ path: '/v1/models', status: 200, body: { data }, times: Infinity });
		const values = (await search(searchVoicesWithDefault)).map(({ value }) => value);
		expect(values).toEqual(['default', 'Tara', 'Leo']);
		expect(await spokenWith('leo')).toBe('Leo');
	});

	test('has none at all: Default can be picked, a title is an error before anything is sent', async () => {
		missing('/v1/audio/voices');
		missing('/v1/voices');
		const names = (await search(searchVoicesWithDefault)).map(({ name }) => name);
		expect(names).toEqual(['Default']);
		expect(await spokenWith('Anna')).toMatch(/^This service has no list of voices\..*"By ID"/);
		expect(sim.charges).toEqual([]);
	});
});

test('where no model of the list speaks, those that do are asked for', async () => {
	const writes = { id: 'writer', architecture: { output_modalities: ['text'] } };
	const speaks = { id: 'speaker', architecture: { output_modalities: ['speech'] } };
	sim.fault({ path: '/v1/models', status: 200, body: { data: [writes] }, times: 1 });
	sim.fault({ path: '/v1/models', status: 200, body: { data: [writes, speaks] }, times: 1 });
	expect((await search(searchModels)).map(({ value }) => value)).toEqual(['speaker', 'writer']);
	expect(sim.requests.map(({ query }) => query)).toEqual([{}, { output_modalities: 'speech' }]);
});

test.each([404, 405])('without a list of models (%i), one is typed', async (status) => {
	sim.fault({ path: '/v1/models', status, body: 'Not here', times: Infinity });
	const asked = search(searchModels);
	await expect(asked).rejects.toThrow(
		'This service has no list of models: choose "By ID" and type one',
	);
});

test('a short key is no secret in a list', async () => {
	const data = [{ id: 'kokoro' }];
	sim.fault({ path: '/v1/models', status: 200, body: { data }, times: Infinity });
	const credential = () => ({ apiKey: 'kokoro', baseUrl: sim.url });
	const listed = await search(searchModels, 'speech', sim.url, credential);
	expect(listed.map(({ value }) => value)).toEqual(['kokoro']);
});

test.each([
	['key', () => ({ apiKey: '={{ $json.key }}', baseUrl: sim.url })],
	['base URL', () => ({ apiKey: sim.apiKey, baseUrl: '={{ $json.address }}' })],
])(
	'where only a running workflow has a %s, a list stays empty and says so',
	async (_, credential) => {
		const asked = search(searchModels, 'speech', sim.url, credential);
		await expect(asked).rejects.toThrow(
			'is an expression that has a value in a running workflow only',
		);
		expect(sim.requests).toEqual([]);
	},
);

test.each([{ apiKey: 'a key' }, { baseUrl: 'https://gateway.example' }, {}])(
	'so does the test of a credential, to which n8n gives only %j',
	async (data) => {
		const { credentialTest } = new SpeechGateway().methods;
		const context = { helpers: { request: async () => await Promise.reject(new Error('sent')) } };
		const tested = await credentialTest.testGateway.call(context as never, { data } as never);
		expect(tested.status).toBe('Error');
		expect(tested.message).toContain('has a value in a running workflow only');
	},
);

test.each([
	['', 'A proxy or firewall'],
	['<html>Request blocked</html>', 'A proxy or firewall'],
	[{ error: { message: 'No' } }, 'The service says: "No" (403). This API key may not list models'],
])('a 403 with %j, in the test of a credential: %s', async (body, words) => {
	const { credentialTest } = new SpeechGateway().methods;
	const context = {
		helpers: { request: async () => await Promise.resolve({ statusCode: 403, body }) },
	};
	const data = { apiKey: 'a key', baseUrl: 'https://gateway.example' };
	const tested = await credentialTest.testGateway.call(context as never, { data } as never);
	expect(tested).toMatchObject({ status: 'Error', message: expect.stringContaining(words) });
});

describe('the test of a credential', () => {
	const { credentialTest } = new SpeechGateway().methods;
	/** Its words after this answer. */
	const told = async (
		statusCode: number,
		body: unknown,
		headers = {},
		key = 'a key of sixteen',
	) => {
		const request = async () => await Promise.resolve({ statusCode, body, headers });
		const data = { apiKey: key, baseUrl: 'https://gateway.example' };
		const context = { helpers: { request } };
		const tested = await credentialTest.testGateway.call(context as never, { data } as never);
		return `${tested.status}: ${tested.message}`;
	};
	const error = (message: string, code?: string) => ({ error: { message, code } });
	const NOT_ACCEPTED = 'The gateway does not accept this API key: it may be mistyped';

	test.each<[number, unknown, string, object]>([
		[401, error('Bad key'), `The service says: "Bad key" (401). ${NOT_ACCEPTED}`, {}],
		[401, '', `${NOT_ACCEPTED}`, {}],
		[
			403,
			{ detail: 'Invalid API key. Try another.' },
			`The service says: "Invalid API key. Try another." (403). ${NOT_ACCEPTED}`,
			{},
		],
		[
			403,
			{ detail: 'Go away' },
			`The service says: "Go away" (403). ${NOT_ACCEPTED}`,
			{ 'www-authenticate': 'Bearer' },
		],
		[
			400,
			{ error: { message: 'No connected db.', type: 'no_db_connection' } },
			`The service says: "No connected db." (400). ${NOT_ACCEPTED}`,
			{},
		],
		[
			403,
			error('This token status is unavailable', 'access_denied'),
			`The service says: "This token status is unavailable" (403). ${NOT_ACCEPTED}`,
			{},
		],
		[
			403,
			error('User has been banned'),
			'The service says: "User has been banned" (403). It blocks this account, or the address of this n8n',
			{},
		],
		[
			403,
			error('您的 IP 不在令牌允许访问的列表中', 'access_denied'),
			'The service says: "您的 IP 不在令牌允许访问的列表中" (403). It blocks this account',
			{},
		],
		[403, error('x'), 'The service says: "x" (403). This API key may not list models', {}],
		[
			403,
			error('x', 'insufficient_user_quota'),
			'The service says: "x" (403). The account balance is too low',
			{},
		],
		[
			403,
			'<html>No</html>',
			'A proxy or firewall between n8n and the service refuses the request: this is not about the API key (403)',
			{},
		],
		[407, '', 'A proxy between n8n and the service asks for a login', {}],
		[429, error('Slow down'), 'The service says: "Slow down" (429)', {}],
		[500, '', 'The service answered with an error (500)', {}],
		[404, error('x'), 'This service has no list of models', {}],
		[405, '', 'This service has no list of models', {}],
		[404, '<html>404</html>', 'There is no gateway at this base URL', {}],
		[302, '', 'This base URL redirects to another address (302)', {}],
		[200, '<html>Hi</html>', 'There is no gateway at this base URL', {}],
	])('%i %j: %s', async (status, body, words, headers) => {
		expect(await told(status, body, headers)).toMatch(`Error: ${words}`);
	});

	test('says of an empty key what a run says', async () => {
		const credential = () => ({ apiKey: ' ', baseUrl: sim.url });
		const { error: said } = await runNode({
			parameters: speechNode(),
			url: sim.url,
			apiKey: '',
			credential,
			items: texts(1),
		});
		expect(await told(200, { data: [] }, {}, ' ')).toBe(
			`Error: ${said!.message}. ${said!.description}`.replace(' "Speech Gateway API"', ''),
		);
		expect(sim.requests).toEqual([]);
	});
});
