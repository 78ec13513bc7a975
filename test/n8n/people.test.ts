/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useBench } from '../support/n8n/bench';
import { type Credential, nodeOutputs, poll, type SavedWorkflow } from '../support/n8n/client';
import { readExample } from '../support/n8n/examples';
import { sharedN8n } from '../support/n8n/shared';
import { probe } from '../support/readers';
import { startServices } from '../support/services';
import type { ReceivedFile } from '../support/services/service';
import type { Fault } from '../support/simulator/faults';

/** What the person at the other end gets from each example, whatever the gateway does: never nothing. */

const bench = useBench({ latencyMs: 10, jobSeconds: 0.05 });

const SPEECH = '/v1/audio/speech';
const CHAT = '/v1/chat/completions';
const NO_AUDIO: Array<[string, Fault]> = [
	['504, charged', { status: 504, charge: true }],
	['balance used up', { status: 402 }],
	['too many requests', { status: 429, retryAfter: 3600 }],
];

let services: Awaited<ReturnType<typeof startServices>>;
let credentials: Credential[];
const hosts = () => path.join(sharedN8n().userFolder, 'hosts.json');
beforeAll(async () => {
	services = await startServices();
	writeFileSync(hosts(), JSON.stringify(services.hosts));
	const { telegram, whatsApp, wordPress } = services;
	const signedIn = {
		...{ clientId: 'id', clientSecret: 'secret', grantType: 'authorizationCode' },
		oauthTokenData: { access_token: 'token', refresh_token: 'more', token_type: 'Bearer' },
	};
	const all: Array<[string, Record<string, unknown>]> = [
		['telegramApi', { accessToken: telegram.token, baseUrl: telegram.url }],
		['whatsAppApi', { accessToken: 'token', businessAccountId: '1' }],
		['whatsAppTriggerApi', { clientId: '1', clientSecret: whatsApp.secret }],
		['googleSheetsOAuth2Api', signedIn],
		['googleDriveOAuth2Api', signedIn],
		['slackApi', { accessToken: 'xoxb-1' }],
		['wordpressApi', { username: 'ada', password: 'secret', url: wordPress.url }],
	];
	const { api } = bench;
	credentials = [
		bench.credential,
		...(await Promise.all(all.map(async ([type, data]) => await api.createCredential(type, data)))),
	];
});
afterAll(async () => {
	rmSync(hosts(), { force: true });
	await services?.close();
});
beforeEach(() => {
	const { telegram, whatsApp, google, slack } = services;
	for (const { messages } of [telegram, whatsApp, slack]) messages.length = 0;
	google.files.length = 0;
});

/** Imports an example as a user fills it in: everybody's credentials, a chat model, webhooks of its own; `values` by node. */
async function filledIn(name: string, values: Record<string, object> = {}): Promise<SavedWorkflow> {
	const example = readExample(`${name}.json`);
	for (const node of example.nodes) {
		if (node.webhookId) node.webhookId = randomUUID();
		if ('path' in node.parameters) node.parameters.path = randomUUID();
		if ((node.parameters as { resource?: string }).resource === 'chat')
			Object.assign(node.parameters, { model: { __rl: true, mode: 'id', value: 'sim-chat' } });
		if (node.type.endsWith('.googleSheets'))
			Object.assign(node.parameters, { documentId: { __rl: true, mode: 'id', value: 'sheet' } });
		Object.assign(node.parameters, values[node.name]);
	}
	return await bench.api.importWorkflow(example, credentials);
}

/** Waits until so many executions of a workflow have ended, each of them well. */
async function ended(workflow: SavedWorkflow, count = 1): Promise<void> {
	const all = await poll(`${count} executions`, async () => {
		const found = await bench.api.executions(workflow.id);
		const isOver = found.every(({ status }) => !['new', 'running'].includes(status));
		return found.length >= count && isOver ? found : undefined;
	});
	expect(all.map(({ status }) => status)).toEqual(Array(count).fill('success'));
}

/** Runs an example by hand. */
async function run(name: string, values?: Record<string, object>) {
	const execution = await bench.api.run(await filledIn(name, values));
	expect(execution.data.resultData.error?.message).toBeUndefined();
	return execution;
}

const seconds = (file?: ReceivedFile) => (file ? probe(file.bytes).seconds : 0);

describe('telegram-voice-bot', () => {
	const ask = async (text = 'What is 2 < 3 *called*?', times = 1) => {
		const workflow = await filledIn('telegram-voice-bot');
		await bench.api.activate(workflow);
		await services.telegram.deliver(services.telegram.says(text), times);
		await ended(workflow, times);
		return services.telegram.messages;
	};

	test('the answer is heard; a message that comes twice is charged once', async () => {
		const [first, second, ...more] = await ask('Tell me about boats', 2);
		expect(more).toEqual([]);
		expect(first).toMatchObject({ method: 'sendAudio', chatId: '77' });
		expect(first.file).toMatchObject({ name: 'answer.mp3', type: 'audio/mpeg' });
		expect(seconds(first.file)).toBeGreaterThan(0);
		expect(second.file!.bytes.equals(first.file!.bytes)).toBe(true);
		expect(bench.sim.charges.map(({ kind }) => kind)).toEqual(['chat', 'speech']);
	});

	test.each(NO_AUDIO)('%s: the answer is read', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		const answer = expect.stringContaining('2 ') as string;
		expect(await ask()).toMatchObject([{ method: 'sendMessage', text: answer }]);
	});

	test('no answer: somebody says so', async () => {
		bench.sim.fault({ path: CHAT, status: 504, charge: true });
		expect(await ask()).toMatchObject([
			{ method: 'sendMessage', text: expect.stringContaining('could not') as string },
		]);
	});
});

describe('whatsapp-voice-reply', () => {
	const ask = async (times = 1) => {
		const workflow = await filledIn('whatsapp-voice-reply');
		await bench.api.activate(workflow);
		await services.whatsApp.deliver('Tell me about boats', { times });
		await ended(workflow, times);
		return services.whatsApp.messages;
	};

	test('the answer is a voice message; a message that comes twice is charged once', async () => {
		const [first, second] = await ask(2);
		expect(first).toMatchObject({ to: '491701234567', type: 'audio' });
		expect(first.file).toMatchObject({ name: 'answer.ogg', type: 'audio/ogg; codecs=opus' });
		expect(second.file!.bytes.equals(first.file!.bytes)).toBe(true);
		expect(bench.sim.charges.map(({ kind }) => kind)).toEqual(['chat', 'speech']);
	});

	test.each(NO_AUDIO)('%s: the answer is read', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		expect(await ask()).toMatchObject([
			{ type: 'text', text: expect.stringContaining('boats') as string },
		]);
	});
});

describe('text-to-speech-webhook', () => {
	const active = async () => {
		const workflow = await filledIn('text-to-speech-webhook');
		await bench.api.activate(workflow);
		return async () => await bench.api.callWebhook(workflow, { id: 'order-1', text: 'Thank you.' });
	};

	test('a caller who asks again gets the same file, charged once', async () => {
		const call = await active();
		const [first, again] = [await call(), await call()];
		expect([first.status, first.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
		const [one, two] = [await first.arrayBuffer(), await again.arrayBuffer()].map((bytes) =>
			Buffer.from(bytes),
		);
		expect(two.equals(one)).toBe(true);
		expect(bench.sim.charges).toHaveLength(1);
	});

	test.each(NO_AUDIO)('%s: 503 with words', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		const response = await (await active())();
		expect(response.status).toBe(503);
		const { message, retry } = (await response.json()) as { message: string; retry: boolean };
		expect(message.length).toBeGreaterThan(10);
		expect(retry).toBe(fault.status !== 504);
	});
});

describe('google-sheets-to-audio', () => {
	const status = () => services.google.rows.slice(1).map(([, , one]) => one);
	beforeEach(() => {
		for (const row of services.google.rows.slice(1)) if (row[0] !== 'r2') row.splice(2, 2, '', '');
	});

	test('each new row has its file and its link', async () => {
		await run('google-sheets-to-audio');
		expect(status()).toEqual(['done', 'done', 'done']);
		const { files, rows } = services.google;
		expect(files.map(({ name, type }) => [name, type])).toEqual([
			['r1.mp3', 'audio/mpeg'],
			['r3.mp3', 'audio/mpeg'],
		]);
		for (const file of files) expect(seconds(file)).toBeGreaterThan(0);
		expect(rows[3][3]).toBe('https://drive.google.com/file/d/file-1/view');
	});

	test.each(NO_AUDIO)('%s: its row says so, the others are done', async (_, fault) => {
		bench.sim.fault({ input: 'Good night', times: 9, ...fault });
		await run('google-sheets-to-audio');
		const [one, two, three] = status();
		expect(two).toBe('done');
		if (fault.status === 504) expect(one).toBe('done');
		expect(three).toMatch(/^(Look it up|Not spoken): ./);
	});
});

const FEED = () => ({ url: services.feed.url });

describe('daily-news-audio', () => {
	const news = async () => {
		await run('daily-news-audio', { News: FEED() });
		return services.telegram.messages;
	};

	test('the news are heard', async () => {
		const [{ method, file }] = await news();
		expect(method).toBe('sendAudio');
		expect(seconds(file)).toBeGreaterThan(0);
	});

	test('without audio the script is read, without a script the headlines', async () => {
		bench.sim.fault({ path: SPEECH, status: 504, charge: true });
		expect(await news()).toMatchObject([{ text: expect.stringContaining('harbour') as string }]);
		services.telegram.messages.length = 0;
		bench.sim.fault({ path: CHAT, status: 402 });
		expect(await news()).toMatchObject([{ text: 'Harbour\nGulls' }]);
	});
});

describe('wordpress-article-audio', () => {
	const site = () => ({
		assignments: {
			assignments: [{ id: '1', name: 'site', type: 'string', value: services.wordPress.url }],
		},
	});

	test.each(NO_AUDIO)('%s: Slack is told, the article stays as it is', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		await run('wordpress-article-audio', { Site: site() });
		expect(services.slack.messages).toMatchObject([
			{ text: expect.stringContaining('10') as string },
		]);
		expect(services.wordPress.posts[0].content.rendered).not.toContain('<audio');
	});

	test('an article gets a player', async () => {
		await run('wordpress-article-audio', { Site: site() });
		const [{ content }] = services.wordPress.posts;
		const [file] = services.wordPress.media;
		expect(content.rendered).toMatch(
			/^<audio controls src="https:\/\/\S+\/article-10\.mp3"><\/audio><p>/,
		);
		expect(seconds(file)).toBeGreaterThan(0);
		expect(bench.sim.charged().join(' ')).toContain('The boats are blue.');
	});
});

describe('faceless-video-voiceover', () => {
	test('scenes have their times, the voice and its captions are stored', async () => {
		const execution = await run('faceless-video-voiceover');
		const [scenes] = nodeOutputs(execution, 'Scenes');
		expect(scenes).toHaveLength(3);
		const starts = scenes.map(({ json }) => Number(json.startSeconds));
		expect(starts).toEqual([...starts].sort((a, b) => a - b));
		expect(services.google.files.map(({ name }) => path.extname(name))).toEqual(['.mp3', '.srt']);
	});

	test.each(NO_AUDIO)('%s: Slack is told', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		await run('faceless-video-voiceover');
		expect(services.slack.messages).toMatchObject([
			{ text: expect.stringContaining('lighthouses') as string },
		]);
	});
});

describe('newsletter-to-podcast', () => {
	test('the newest issue is an episode with chapters, and an item for the feed', async () => {
		await run('newsletter-to-podcast', { Issues: FEED() });
		const [file] = services.google.files;
		expect(probe(file.bytes).chapters.map(({ title }) => title)).toEqual(['Harbour', 'Part one']);
		const [{ text }] = services.slack.messages;
		expect(text).toContain(`length="${file.bytes.length}" type="audio/mpeg"`);
		expect(text).toContain('<link>https://example.com/Harbour</link>');
	});

	test.each(NO_AUDIO)('%s: Slack is told', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		await run('newsletter-to-podcast', { Issues: FEED() });
		expect(services.slack.messages).toMatchObject([
			{ text: expect.stringContaining('Harbour') as string },
		]);
	});
});
