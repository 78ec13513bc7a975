/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DOCX, EPUB } from '../support/books';
import { useBench } from '../support/n8n/bench';
import {
	type Credential,
	nodeOutputs,
	poll,
	type SavedWorkflow,
	type WorkflowJson,
} from '../support/n8n/client';
import { readExample } from '../support/n8n/examples';
import { fileOf, type FormField, runForm } from '../support/n8n/forms';
import { connectMcp } from '../support/n8n/mcp';
import { sharedN8n } from '../support/n8n/shared';
import { probe } from '../support/readers';
import { startServices } from '../support/services';
import type { ReceivedFile } from '../support/services/service';
import type { Fault } from '../support/simulator/faults';
import { buildWorkflow, connection, makeNode } from '../support/workflow';

/** What the person at the other end gets from each example, whatever the gateway does: never nothing. */

const bench = useBench({ latencyMs: 10, jobSeconds: 0.05 });

const SPEECH = '/v1/audio/speech';
const CHAT = '/v1/chat/completions';
const NO_AUDIO: Array<[string, Fault]> = [
	['504, charged', { status: 504, charge: true }],
	['balance used up', { status: 402 }],
	['too many requests', { status: 429, retryAfter: 3600 }],
];

/** A model that answered nothing. */
const EMPTY = {
	id: 'chatcmpl-1',
	object: 'chat.completion',
	model: 'sim-chat',
	choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
	usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 },
};

let services: Awaited<ReturnType<typeof startServices>>;
let credentials: Credential[];
const hosts = () => path.join(sharedN8n().userFolder, 'hosts.json');
beforeAll(async () => {
	services = await startServices();
	writeFileSync(hosts(), JSON.stringify(services.hosts));
	const { telegram, whatsApp, wordPress } = services;
	const signedIn = {
		clientId: 'id',
		clientSecret: 'secret',
		grantType: 'authorizationCode',
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
		['openAiApi', { apiKey: bench.sim.apiKey, url: `${bench.sim.url}/v1` }],
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
	for (const row of google.rows.slice(1)) if (row[0] !== 'r2') row.splice(2, 2, '', '');
});

/** What the sheet says of each of its rows. */
const statuses = () => services.google.rows.slice(1).map(([, , status]) => status);

/** Imports an example as a user fills it in: everybody's credentials, a chat model, webhooks of its own; `values` by node. */
async function filledIn(
	name: string,
	values: Record<string, object> = {},
	edit: (example: WorkflowJson) => WorkflowJson = (example) => example,
): Promise<SavedWorkflow> {
	const example = edit(readExample(`${name}.json`));
	const own = randomUUID();
	for (const node of example.nodes) {
		if (node.webhookId) node.webhookId = randomUUID();
		if ('path' in node.parameters)
			node.parameters.path = String(node.parameters.path).replace(/^[^/]*/, own);
		const { resource } = node.parameters as { resource?: string };
		if (resource === 'chat' || node.type.endsWith('.lmChatSpeechGateway'))
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

/** Enough for a push: somebody who waits, a table, a webhook of its own. `npm test -- --examples` runs them all. */
const EACH_PUSH = ['telegram-voice-bot', 'google-sheets-to-audio', 'newsletter-to-podcast'];

function example(name: string, tests: () => void): void {
	const isSkipped = process.env.EXAMPLES === 'three' && !EACH_PUSH.includes(name);
	(isSkipped ? describe.skip : describe)(name, tests);
}

const seconds = (file?: ReceivedFile) => (file ? probe(file.bytes).seconds : 0);

example('telegram-voice-bot', () => {
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

	test('no audio of a long answer: as much as a message holds is read', async () => {
		bench.sim.fault({ path: SPEECH, times: 9, status: 402 });
		expect(await ask('All about boats & ships. '.repeat(200))).toMatchObject([
			{ method: 'sendMessage', text: expect.stringContaining('boats &amp; ships') as string },
		]);
	});

	test.each(NO_AUDIO)('no answer, %s: somebody says so', async (_, fault) => {
		bench.sim.fault({ path: CHAT, times: 9, ...fault });
		expect(await ask()).toMatchObject([
			{ method: 'sendMessage', text: expect.stringContaining('could not') as string },
		]);
	});

	test('an empty answer of the model: somebody says so', async () => {
		bench.sim.fault({ path: CHAT, status: 200, body: EMPTY });
		expect(await ask()).toMatchObject([
			{ method: 'sendMessage', text: expect.stringContaining('Sorry') as string },
		]);
	});

	test('a message without words: somebody says so', async () => {
		expect(await ask('')).toMatchObject([
			{ method: 'sendMessage', text: expect.stringContaining('could not') as string },
		]);
	});
});

example('whatsapp-voice-reply', () => {
	const ask = async (times = 1, text = 'Tell me about boats') => {
		const workflow = await filledIn('whatsapp-voice-reply');
		await bench.api.activate(workflow);
		await services.whatsApp.deliver(text, { times });
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

	test.each(NO_AUDIO)('no answer, %s: somebody says so', async (_, fault) => {
		bench.sim.fault({ path: CHAT, times: 9, ...fault });
		expect(await ask()).toMatchObject([
			{ type: 'text', text: expect.stringContaining('could not') as string },
		]);
	});

	test('an empty answer of the model: somebody says so', async () => {
		bench.sim.fault({ path: CHAT, status: 200, body: EMPTY });
		expect(await ask()).toMatchObject([
			{ type: 'text', text: expect.stringContaining('Sorry') as string },
		]);
	});

	test('no audio of a long answer: as much as a message holds is read', async () => {
		bench.sim.fault({ path: SPEECH, times: 9, status: 402 });
		expect(await ask(1, 'All about boats. '.repeat(300))).toMatchObject([
			{ type: 'text', text: expect.stringContaining('boats') as string },
		]);
	});
});

example('text-to-speech-webhook', () => {
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

example('google-sheets-to-audio', () => {
	test('each new row has its file and its link', async () => {
		await run('google-sheets-to-audio');
		expect(statuses()).toEqual(['done', 'done', 'done']);
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
		const [one, two, three] = statuses();
		expect(two).toBe('done');
		if (fault.status === 504) expect(one).toBe('done');
		expect(three).toMatch(/^(Look it up|Not spoken): ./);
	});

	test('Drive is full: the next night stores what was paid for', async () => {
		const workflow = await filledIn('google-sheets-to-audio');
		services.google.refuse(1);
		expect((await bench.api.run(workflow)).status).toBe('error');
		expect(statuses()).toEqual(['', 'done', '']);
		expect((await bench.api.run(workflow)).status).toBe('success');
		expect(statuses()).toEqual(['done', 'done', 'done']);
		expect(services.google.files).toHaveLength(2);
		expect(bench.sim.charges).toHaveLength(2);
	});
});

const FEED = () => ({ url: services.feed.url });

example('daily-news-audio', () => {
	const news = async () => {
		await run('daily-news-audio', { News: FEED() });
		return services.telegram.messages;
	};

	test('the news are heard', async () => {
		const [{ method, file }] = await news();
		expect(method).toBe('sendAudio');
		expect(seconds(file)).toBeGreaterThan(0);
	});

	test('twice on one day, they are charged once', async () => {
		const workflow = await filledIn('daily-news-audio', { News: FEED() });
		for (let i = 0; i < 2; i++) await bench.api.run(workflow);
		const [first, second] = services.telegram.messages;
		expect(second.file!.bytes.equals(first.file!.bytes)).toBe(true);
		expect(bench.sim.charges.map(({ kind }) => kind)).toEqual(['chat', 'speech']);
	});

	test.each(NO_AUDIO)('no audio, %s: the script is read', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		expect(await news()).toMatchObject([{ text: expect.stringContaining('harbour') as string }]);
	});

	test('an empty script: the headlines are read', async () => {
		bench.sim.fault({ path: CHAT, status: 200, body: EMPTY });
		expect(await news()).toMatchObject([{ text: 'Harbour\nGulls' }]);
	});

	test.each(NO_AUDIO)('no script, %s: the headlines are read', async (_, fault) => {
		bench.sim.fault({ path: CHAT, times: 9, ...fault });
		expect(await news()).toMatchObject([{ text: 'Harbour\nGulls' }]);
	});
});

example('wordpress-article-audio', () => {
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

	test('an article that may have been charged is told of once', async () => {
		bench.sim.fault({ path: SPEECH, status: 504, charge: true });
		const workflow = await filledIn('wordpress-article-audio', { Site: site() });
		for (let hour = 0; hour < 2; hour++)
			expect((await bench.api.run(workflow)).status).toBe('success');
		expect(services.slack.messages).toHaveLength(1);
		expect(bench.sim.charges).toHaveLength(1);
	});

	test('the site takes no file: the next hour puts up what was paid for', async () => {
		const workflow = await filledIn('wordpress-article-audio', { Site: site() });
		services.wordPress.refuse(1);
		expect((await bench.api.run(workflow)).status).toBe('error');
		expect((await bench.api.run(workflow)).status).toBe('success');
		const [post] = services.wordPress.posts;
		expect(post.content.rendered).toContain('<audio');
		expect(bench.sim.charges).toHaveLength(1);
		post.content.rendered = post.content.rendered.replace(/<audio.*<\/audio>/, '');
	});

	test('an article gets a player', async () => {
		await run('wordpress-article-audio', { Site: site() });
		const [{ content }] = services.wordPress.posts;
		const file = services.wordPress.media.at(-1);
		expect(content.rendered).toMatch(
			/^<audio controls src="https:\/\/\S+\/article-10\.mp3"><\/audio><p>/,
		);
		expect(seconds(file)).toBeGreaterThan(0);
		expect(bench.sim.charged().join(' ')).toContain('The boats are blue.');
	});
});

example('faceless-video-voiceover', () => {
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

example('newsletter-to-podcast', () => {
	/** The example, with a table and a folder of its own. */
	const filledInPodcast = async () => {
		const folder = path.join(sharedN8n().userFolder, '.n8n-files', randomUUID());
		mkdirSync(folder, { recursive: true });
		const edit = (example: WorkflowJson) =>
			JSON.parse(
				JSON.stringify(example)
					.replaceAll('"Podcast"', JSON.stringify(`Podcast ${randomUUID()}`))
					.replace('/home/node/.n8n-files', folder),
			) as WorkflowJson;
		return await filledIn('newsletter-to-podcast', { Issues: FEED() }, edit);
	};
	const morning = async (workflow: SavedWorkflow) => {
		const execution = await bench.api.run(workflow, 'Every morning');
		expect(execution.data.resultData.error?.message).toBeUndefined();
	};
	const addressOf = ({ nodes }: SavedWorkflow, name: string) => {
		const { parameters } = nodes.find((node) => node.name === name)!;
		return `${sharedN8n().url}/webhook/${String((parameters as { path: string }).path)}`;
	};
	const enclosures = (feed: string) =>
		[...feed.matchAll(/<enclosure url="([^"]+)" length="(\d+)" type="([^"]+)"\/>/g)].map(
			([, url, length, type]) => ({ url, length: Number(length), type }),
		);

	test('podcast apps can read its feed and play what it leads to', async () => {
		const workflow = await filledInPodcast();
		await bench.api.activate(workflow);
		await morning(workflow);
		const address = addressOf(workflow, 'Feed');
		const answer = await fetch(address);
		expect(answer.headers.get('content-type')).toContain('application/rss+xml');
		const [{ url, length, type }, ...more] = enclosures(await answer.text());
		expect(more).toEqual([]);
		expect(new URL(url).pathname).toMatch(/\.mp3$/);
		for (const method of ['HEAD', 'GET']) {
			const { status, headers } = await fetch(url, { method });
			expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
				200,
				type,
				String(length),
			]);
		}
		const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
		expect(bytes).toHaveLength(length);
		const { codec, chapters, tags } = probe(bytes);
		expect([codec, type]).toEqual(['mp3', 'audio/mpeg']);
		expect(chapters.map(({ title }) => title)).toEqual(['Harbour', 'Part one']);
		expect(tags.comment).toContain('artificial voice');

		// As n8n's own reader of feeds, and so any other, understands it.
		const reader = makeNode('Read', 'n8n-nodes-base.rssFeedRead', 1.1, 200, { url: address });
		const [trigger] = buildWorkflow({ parameters: {} }).nodes;
		const execution = await bench.api.run(
			await bench.api.importWorkflow({
				name: 'Reader',
				nodes: [trigger, reader],
				connections: { [trigger.name]: connection(['Read']) },
			}),
		);
		expect(nodeOutputs(execution, 'Read')[0].map(({ json }) => json)).toMatchObject([
			{ title: 'Harbour', link: 'https://example.com/Harbour', guid: 'guid-Harbour' },
		]);
	});

	test('before the first episode the feed is empty, and what is not there is a 404', async () => {
		const workflow = await filledInPodcast();
		await bench.api.activate(workflow);
		const feed = await fetch(addressOf(workflow, 'Feed'));
		expect(feed.status).toBe(200);
		expect(enclosures(await feed.text())).toEqual([]);
		for (const id of ['', '?id=1', '?id=x'])
			expect((await fetch(`${addressOf(workflow, 'File')}${id}`)).status).toBe(404);
	});

	test('an issue is charged once and is one episode, however many mornings it is the newest', async () => {
		const workflow = await filledInPodcast();
		await bench.api.activate(workflow);
		for (let day = 0; day < 2; day++) await morning(workflow);
		expect(enclosures(await (await fetch(addressOf(workflow, 'Feed'))).text())).toHaveLength(1);
		const sent = bench.sim.charged();
		expect(new Set(sent).size).toBe(sent.length);
		expect(services.slack.messages).toEqual([]);
	});

	test.each(NO_AUDIO)('%s: Slack is told, once', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		const workflow = await filledInPodcast();
		await morning(workflow);
		if (fault.charge) await morning(workflow);
		expect(services.slack.messages).toMatchObject([
			{ text: expect.stringContaining('Harbour') as string },
		]);
	});
});

example('translate-and-speak', () => {
	/** The last page of the form, and the file that it gives back. */
	const ask = async () => {
		const workflow = await filledIn('translate-and-speak');
		const { url } = await runForm(bench, workflow, ['The sea is calm.', 'German']);
		const page = await (await fetch(url)).text();
		const [json = '[]'] = /(?:%5B)?%7B%22data%22[^"']*/.exec(page) ?? [];
		// Older n8n takes one file.
		const files = JSON.parse(decodeURIComponent(json)) as PageFile | PageFile[];
		return { page, files: [files].flat() };
	};
	interface PageFile {
		/** The bytes; a string with a character for each where n8n keeps files in memory. */
		data: { data: number[] } | string;
		fileName: string;
		type: string;
	}

	test('the last page gives back the translation and its file, which is on Drive, too', async () => {
		const { page, files } = await ask();
		expect(page).toContain('The sea is calm.');
		expect(files).toMatchObject([
			{ fileName: expect.stringMatching(/^German .*\.mp3$/) as string, type: 'audio/mpeg' },
		]);
		const [stored] = services.google.files;
		expect(stored.name).toBe(files[0].fileName);
		const { data } = files[0];
		const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : Buffer.from(data.data);
		expect(stored.bytes.equals(bytes)).toBe(true);
		expect(seconds(stored)).toBeGreaterThan(0);
	});

	test.each(NO_AUDIO)('%s: the translation is read', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		const { page, files } = await ask();
		expect(page).toContain('No audio this time');
		expect(page).toContain('The sea is calm.');
		expect(files).toEqual([]);
	});

	test('an empty translation: the page says so', async () => {
		bench.sim.fault({ path: CHAT, status: 200, body: EMPTY });
		const { page } = await ask();
		expect(page).toContain('Sorry');
	});

	test.each(NO_AUDIO)('no translation, %s: the page says why', async (_, fault) => {
		bench.sim.fault({ path: CHAT, times: 9, ...fault });
		const { page } = await ask();
		expect(page).toMatch(/That did not work[^]*\w{4,}/);
	});
});

example('book-to-audiobook', () => {
	const read = async (book: FormField) => {
		const workflow = await filledIn('book-to-audiobook');
		const { execution } = await runForm(bench, workflow, [book]);
		expect(execution.status).toBe('success');
		const [file] = services.google.files;
		return { workflow, file, said: services.slack.messages.map(({ text }) => text) };
	};
	const epub = () => fileOf(EPUB, 'lighthouse.epub', 'application/epub+zip');
	const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

	test.each([
		['EPUB', epub(), 'The Lighthouse', 'The gulls are back – with arguments.'],
		['Word', fileOf(DOCX, 'My book.docx', WORD), 'My book', 'The gulls are back & loud.'],
	])('%s: the chapters are in order, and in the file', async (_, book, title, sent) => {
		const { file, said } = await read(book);
		expect(file).toMatchObject({ name: `${title}.mp3`, type: 'audio/mpeg' });
		const { chapters, tags } = probe(file.bytes);
		expect(chapters.map((chapter) => chapter.title)).toEqual(['The gulls', 'The girl']);
		expect(tags).toMatchObject({ title });
		expect(said).toEqual([`${title}.mp3 is ready: https://drive.google.com/file/d/file-0/view`]);
		const spoken = bench.sim.charged().join('\n');
		expect(spoken).toContain(sent);
		expect(spoken).not.toMatch(/Not read|A list/);
	});

	test('a book that is uploaded twice is charged once', async () => {
		const { workflow } = await read(epub());
		const charges = bench.sim.charges.length;
		await runForm(bench, workflow, [epub()]);
		await ended(workflow, 2);
		expect(bench.sim.charges).toHaveLength(charges);
		const [first, second] = services.google.files;
		expect(second.bytes.equals(first.bytes)).toBe(true);
	});

	test.each(NO_AUDIO)('%s: Slack is told', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		const { said } = await read(epub());
		expect(said).toEqual([expect.stringMatching(/^The Lighthouse: .{10}/)]);
	});

	test('the second half is lost: Slack is told, and the first half is stored', async () => {
		bench.sim.fault({ input: /boat/, status: 504, charge: true });
		const { said, file } = await read(epub());
		expect(said).toEqual([expect.stringMatching(/^The Lighthouse: .{10}/)]);
		expect(seconds(file)).toBeGreaterThan(0);
	});

	test('no book at all: Slack is told', async () => {
		const { said } = await read(fileOf(Buffer.from('%PDF-1.7'), 'book.epub', 'application/pdf'));
		expect(said).toEqual([expect.stringMatching(/^book\.epub: \w/)]);
	});
});

example('ai-agent-and-mcp-speech', () => {
	const WORDS = { text: 'Welcome to the museum.', voice: 'default', id: 'greeting-1' };
	const open = async (edit?: (example: WorkflowJson) => WorkflowJson) => {
		const workflow = await filledIn('ai-agent-and-mcp-speech', { Chat: { public: true } }, edit);
		await bench.api.activate(workflow);
		return workflow;
	};
	const nodeOf = ({ nodes }: SavedWorkflow, name: string) =>
		nodes.find((node) => node.name === name)!;

	/** What the chat answers. */
	const chat = async (chatInput: string, edit?: (example: WorkflowJson) => WorkflowJson) => {
		const workflow = await open(edit);
		const webhookId = String(nodeOf(workflow, 'Chat').webhookId);
		const response = await fetch(`${sharedN8n().url}/webhook/${webhookId}/chat`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ action: 'sendMessage', sessionId: webhookId, chatInput }),
		});
		const { output } = (await response.json()) as { output: string };
		await ended(workflow);
		return output;
	};
	const speak = `call tool Speak ${JSON.stringify(WORDS)}`;
	const linkIn = (text: string) =>
		/"link":"([^"]+)"/.exec(text.replaceAll('\\', ''))?.[1] as string;
	const heard = async (link: string) => Buffer.from(await (await fetch(link)).arrayBuffer());

	test('chat: the answer has a link to the file, which is stored', async () => {
		const audio = await heard(linkIn(await chat(speak)));
		expect(probe(audio).codec).toBe('mp3');
		const [file] = services.google.files;
		expect(file.bytes.equals(audio)).toBe(true);
	});

	test("chat: the same with OpenAI's model", async () => {
		const output = await chat(speak, (example) => {
			const node = example.nodes.find(({ name }) => name === 'Speech Gateway Chat Model')!;
			const model = { __rl: true, mode: 'id', value: 'sim-chat' };
			Object.assign(node, {
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.2,

				parameters: { model, options: {} },
				credentials: { openAiApi: { id: null, name: '' } },
			});
			return example;
		});
		expect(probe(await heard(linkIn(output))).codec).toBe('mp3');
		expect(bench.sim.charges.map(({ kind }) => kind)).toEqual(['chat', 'speech', 'chat']);
	});

	test('chat: without a file, the answer is there, and nothing is stored', async () => {
		expect(await chat('Hello there')).toContain('Hello there');
		expect(services.google.files).toEqual([]);
	});

	test.each(NO_AUDIO)('chat: %s of the speech: the answer says so', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		const output = await chat(speak);
		expect(output).toMatch(
			fault.status === 504 ? /unknown|may have been charged/ : /The tool said/,
		);
		expect(services.google.files).toEqual([]);
	});

	test.each(NO_AUDIO)('chat: %s of the model: somebody says so', async (_, fault) => {
		bench.sim.fault({ path: CHAT, times: 9, ...fault });
		expect(await chat(speak)).toMatch(/^I could not answer: \w/);
	});

	test('chat: a file that cannot be stored: Slack is told, the answer is there', async () => {
		services.google.refuse(1);
		expect(linkIn(await chat(speak))).toMatch(/^http/);
		expect(services.slack.messages).toMatchObject([
			{ text: expect.stringContaining('not on Google Drive') as string },
		]);
	});

	const mcp = async () =>
		await connectMcp(
			String((nodeOf(await open(), 'MCP Server').parameters as { path: string }).path),
		);

	test('MCP: a client that asks again with its ID gets the same file, charged once', async () => {
		const call = await mcp();
		const files = [];
		for (const text of [await call('Speak', WORDS), await call('Speak', WORDS)])
			files.push(await heard(linkIn(text)));
		expect(probe(files[0]).codec).toBe('mp3');
		expect(files[1].equals(files[0])).toBe(true);
		expect(bench.sim.charges).toHaveLength(1);
	});

	test.each(NO_AUDIO)('MCP: %s: words, no link', async (_, fault) => {
		bench.sim.fault({ path: SPEECH, times: 9, ...fault });
		const text = await (await mcp())('Speak', WORDS);
		expect(linkIn(text)).toBeUndefined();
		expect(text).toMatch(/(\w+ ){5}/);
	});
});

example('budget-and-alarm', () => {
	/** A night with a budget; the table of charges is its own, unless it is named. */
	const night = async (budget: number, table = `Spending ${randomUUID()}`) => {
		const workflow = await filledIn(
			'budget-and-alarm',
			{},
			(example) =>
				JSON.parse(
					JSON.stringify(example)
						.replaceAll('"Spending"', JSON.stringify(table))
						.replace('300000', String(budget)),
				) as WorkflowJson,
		);
		await bench.api.run(workflow, 'Once: make the table');
		const run = async () => {
			const execution = await bench.api.run(workflow, 'Every night');
			const runs = execution.data.resultData.runData.Log ?? [];
			const log = runs.flatMap((_, index) => nodeOutputs(execution, 'Log', index)[0]);
			return { execution, log };
		};
		return { table, ...(await run()), again: run };
	};
	const told = () => services.slack.messages.map(({ text }) => text);

	test('every charge is a row; once the budget is used up, nothing is sent, and Slack is told', async () => {
		const { sim } = bench;
		const { table, execution, log } = await night(300_000);
		expect(execution.status).toBe('success');
		expect(statuses()).toEqual(['done', 'done', 'done']);
		expect(told()).toEqual([]);
		expect(log.map(({ json }) => json.requestId).sort()).toEqual(
			sim.charges.map(({ requestIndex }) => sim.requests[requestIndex].requestId).sort(),
		);
		const logged = log.reduce((sum, { json }) => sum + Number(json.tokens), 0);
		const spent = sim.charges.reduce((sum, { tokens }) => sum + tokens, 0);
		// Each request is rounded up to whole seconds.
		expect(logged).toBeGreaterThan(spent - 20);
		expect(logged).toBeLessThan(spent + 50);

		sim.reset();
		const [, first] = services.google.rows;
		const again = () => void first.splice(0, 3, `r${randomUUID()}`, 'Good evening.', '');
		again();
		await night(Math.ceil(logged) + 1, table);
		expect(statuses()[0]).toContain('Spending Limit');
		expect(told()).toEqual([expect.stringContaining('Spending Limit')]);
		again();
		await night(Math.floor(logged), table);
		expect(told()[1]).toContain('is used up');
		first.splice(0, 2, 'r1', 'Good morning.');
		expect(sim.charges).toEqual([]);
	});

	test.each(NO_AUDIO)('%s: the row says so, and Slack', async (_, fault) => {
		bench.sim.fault({ input: 'Good night.', times: 9, ...fault });
		const { log } = await night(300_000);
		const [, , status] = statuses();
		expect(status).toMatch(/^(Look it up|Not spoken): ./);
		expect(told()).toContain(`r3: ${status}`);
		const perhaps = log.filter(({ json }) => json.charged === 'unknown');
		expect(perhaps).toHaveLength(fault.status === 504 ? 1 : 0);
		for (const { json } of perhaps) expect(json.tokens).toBeGreaterThan(0);
	});

	test('Drive is full: the charges are rows all the same, and the next night stores the files', async () => {
		services.google.refuse(1);
		const { execution, log, again } = await night(300_000);
		expect(execution.status).toBe('error');
		expect(log).toHaveLength(2);
		const next = await again();
		expect(next.execution.status).toBe('success');
		expect(next.log).toEqual([]);
		expect(statuses()).toEqual(['done', 'done', 'done']);
		expect(bench.sim.charges).toHaveLength(2);
	});

	test('whatever else ends it with an error: Slack is told', async () => {
		const alarm = await filledIn('budget-and-alarm');
		await bench.api.activate(alarm);
		const [webhook] = buildWorkflow({ parameters: {}, trigger: 'webhook' }).nodes;
		const errorMessage = 'The sheet is gone';
		const stop = makeNode('Stop', 'n8n-nodes-base.stopAndError', 1, 200, { errorMessage });
		const failing = await bench.api.importWorkflow({
			name: 'Failing',
			nodes: [webhook, stop],
			connections: { [webhook.name]: connection(['Stop']) },
			settings: { errorWorkflow: alarm.id },
		});
		await bench.api.activate(failing);
		await bench.api.runProduction(failing);
		await ended(alarm);
		expect(told()).toEqual([expect.stringMatching(/^Failing: The sheet is gone http/)]);
	});
});

example('settle-unknown', () => {
	test('each new row has its file and its link', async () => {
		await run('settle-unknown');
		expect(statuses()).toEqual(['done', 'done', 'done']);
		expect(services.google.files).toHaveLength(2);
	});

	test('what was not charged is narrated again; of what was charged, the row says so', async () => {
		const { sim, api } = bench;
		const now = Date.now();
		const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString();
		// Both texts, as they would have come from Unknown half an hour ago.
		const items = [1200, 1800].map((ago, item) => ({
			json: {
				speech: {
					outcome: 'unknown',
					reason: 'client_timeout',
					model: 'fish-speech',
					sentAt: at(ago),
					endedAt: at(ago - 20),
					requestId: `req_${ago}`,
					settle: { neighbours: { charged: 0, unknown: 0, sent: [] } },
				},
			},
			pairedItem: { item },
		}));
		const entry = (sentAgo: number) => {
			const use_time = 22;
			const created_at = Math.floor(now / 1000) - sentAgo + use_time;
			const request_id = `req_${sentAgo}`;
			return { created_at, type: 2, model_name: 'fish-speech', quota: 49, use_time, request_id };
		};
		sim.options.usageLog = { others: [entry(7200), entry(1200)] };
		const jsCode = `return ${JSON.stringify(items)};`;
		const workflow = await filledIn('settle-unknown', {}, (example) => {
			example.nodes.push(makeNode('Unknown', 'n8n-nodes-base.code', 2, 900, { jsCode }, 600));
			Object.assign(example.connections, {
				Texts: connection(['Unknown']),
				Unknown: connection(['Settle']),
			});
			return example;
		});
		const execution = await api.run(workflow);
		sim.options.usageLog = {};
		expect(execution.data.resultData.error?.message).toBeUndefined();
		const [charged, , again] = statuses();
		expect(charged).toMatch(
			/^Charged: yes\. The log has a charge with its request ID\. Request: req_1200, /,
		);
		expect(again).toBe('done');
		expect(services.google.files.map(({ name }) => name)).toEqual(['r3.mp3']);
	});

	test.each(NO_AUDIO.slice(1))('%s: its row says so', async (_, fault) => {
		bench.sim.fault({ input: 'Good night.', times: 9, ...fault });
		await run('settle-unknown');
		expect(statuses()[2]).toMatch(/^Not spoken: ./);
	});
});
