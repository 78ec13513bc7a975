/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { holdNextChat } from '../support/heldChat';
import { decoderMessages } from '../support/listen';
import { probe } from '../support/readers';
import { type Bench, openBench, useBench } from '../support/n8n/bench';
import { EXAMPLES, readExample, storeOnDisk } from '../support/n8n/examples';
import { HAS_AI_SDK, HAS_STREAMS, n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';
import { renderAudio } from '../support/simulator/audio';
import {
	executionError,
	nodeOutputs,
	poll,
	type Execution,
	type SavedWorkflow,
	type WorkflowJson,
} from '../support/n8n/client';
import { buildWorkflow, connection, makeNode } from '../support/workflow';
import { zip } from '../support/zip';

const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.json'));

const bench = useBench({ latencyMs: 10, jobSeconds: 0.05 });

/** What a user fills in before an example can run: here, so that it runs against the simulator, and soon. */
function fillIn({ nodes }: WorkflowJson, values: Record<string, object>): void {
	for (const node of nodes) {
		if (node.webhookId) node.webhookId = randomUUID();
		const { resource } = node.parameters as { resource?: string };
		const isChat = resource === 'chat' || node.type.endsWith('.lmChatSpeechGateway');
		const model = isChat ? 'sim-chat' : resource === 'video' ? 'sim-video' : undefined;
		if (model) Object.assign(node.parameters, { model: { __rl: true, mode: 'id', value: model } });
		Object.assign(node.parameters, values[node.name]);
	}
}

const SCRIPT = '# Welcome\nAnna: (happy) Hello!\nBen: Hello, Anna.\n\n# The sky\nAnna: It is blue.';
const COMPLETION = {
	id: 'chatcmpl-1',
	object: 'chat.completion',
	model: 'sim-chat',
	choices: [{ index: 0, message: { role: 'assistant', content: SCRIPT }, finish_reason: 'stop' }],
};

/** Imports an example with its store on disk, and `values` in the nodes of these names; `folder` is where its files go. */
async function importExample(
	file: string,
	values: Record<string, object> = {},
): Promise<{ workflow: SavedWorkflow; folder: string }> {
	const example = readExample(file);
	fillIn(example, values);
	const folder = storeOnDisk(example, sharedN8n().userFolder);
	return { workflow: await bench.api.importWorkflow(example, [bench.credential]), folder };
}

const page = (title: string, text: string) => `<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Not read</title></head>
<body><h1>${title}</h1><p>${text}</p></body></html>`;
const GULLS = page('The gulls', 'The gulls are back – with arguments.');
const GIRL = page('The girl', 'In the morning a boat lay below the rock.');
const CONTENTS = page('Contents', 'A list.');

/** What is in the book's list, and what is read there; its spine has the opposite order. */
const ITEMS = [
	// Names with blanks, links into a file and out of the folder, and one name in two folders.
	['c', 'href="../one/1%20%C3%A9.xhtml#end"', 'book/one/1 é.xhtml', GIRL],
	['b', 'href="../one/1%20%C3%A9.xhtml#start"', 'book/one/1 é.xhtml', GIRL],
	['a', 'href="./two/1%20%C3%A9.xhtml"', 'book/list/two/1 é.xhtml', GULLS],
	['note', 'href="11.xhtml"', 'book/list/11.xhtml', CONTENTS],
	['nav', 'href="1.xhtml" properties="scripted nav"', 'book/list/1.xhtml', CONTENTS],
];
const EPUB = zip({
	mimetype: 'application/epub+zip',
	'book/list/content.opf': `<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title id="t">The Lighthouse</dc:title><dc:creator>Marta Brandt</dc:creator></metadata>
<manifest>${ITEMS.map(([id, attributes]) => `<item id="${id}" ${attributes}/>`).join('')}</manifest>
<spine>${ITEMS.toReversed()
		.map(([id]) => `<itemref idref="${id}"${id === 'note' ? ' linear="no"' : ''}/>`)
		.join('')}</spine></package>`,
	...Object.fromEntries(ITEMS.map(([, , path, text]) => [path, text])),
	'book/list/cover.jpg': 'no text',
});
const paragraph = (style: string, text: string) =>
	`<w:p w:rsidR="1"><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const DOCX = zip({
	'[Content_Types].xml': '<Types/>',
	'word/document.xml': `<w:document><w:body>${paragraph('Heading1', 'The gulls')}${paragraph('Normal', 'The gulls are back &amp; loud.')}${paragraph('Heading1', 'The girl')}${paragraph('Normal', 'A boat lay below the rock.')}</w:body></w:document>`,
});

type FormField = string | File;

/** Sends a form or a page of it, as a browser does. */
async function sendForm(url: string, fields: FormField[]): Promise<Response> {
	const form = new FormData();
	for (const [i, field] of fields.entries()) form.append(`field-${i}`, field);
	const response = await fetch(url, { method: 'POST', body: form });
	expect(response.status).toBe(200);
	return response;
}

/** Fills in the form that starts a workflow; waits until the execution ends, or shows another page (`url`). */
async function runForm(workflow: SavedWorkflow, fields: FormField[]) {
	await bench.api.activate(workflow);
	const { webhookId } = workflow.nodes.find(({ type }) => type.endsWith('.formTrigger'))!;
	const response = await sendForm(`${sharedN8n().url}/form/${String(webhookId)}`, fields);
	const { formWaitingUrl: url = '' } = (await response.json()) as { formWaitingUrl?: string };
	await bench.sim.waitFor((requests) => requests.some(({ path }) => path === '/v1/audio/speech'));
	const [{ id }] = await bench.api.executions(workflow.id);
	return { url, id, execution: await bench.api.waitForExecution(id) };
}
const fileOf = (bytes: Buffer, name: string, type: string): File =>
	new File([new Uint8Array(bytes)], name, { type });

/** Runs a workflow with whatever trigger it has. */
async function runAny(workflow: SavedWorkflow): Promise<Execution> {
	const has = (type: string) => workflow.nodes.some((node) => node.type.endsWith(type));
	if (has('.manualTrigger') || has('.scheduleTrigger')) return await bench.api.run(workflow);
	const sound = Buffer.concat([...renderAudio('A voice.', 31, 'mp3').chunks()]);
	const recording = fileOf(sound, 'voice.mp3', 'audio/mpeg');
	const fields = [recording, 'Anna', 'This is the voice of Anna.'];
	return (await runForm(workflow, fields)).execution;
}

/** Begins before all tests: n8n wakes it up a minute later, or more. */
let durable: Bench;
let durableId: string;
beforeAll(async () => {
	durable = await openBench({ jobSeconds: Infinity });
	const { sim, api, credential } = durable;
	const workflow = await api.importWorkflow(readExample('durable-narration.json'), [credential]);
	durableId = await api.start(workflow);
	expect((await api.waitForExecution(durableId)).status).toBe('waiting');
	sim.finish();
});
afterAll(async () => await durable?.close());

const HAVE_OWN_TESTS = [
	...['ai-agent', 'alarm', 'audiobook', 'changed-document', 'durable-narration', 'nightly-table'],
	...['preview-first', 'pronunciations', 'pronunciations-dialogue', 'settle-unknown'],
	...['spending-log', 'streaming-chat', 'weekly-episode'],
	// In people.test.ts.
	...['daily-news-audio', 'faceless-video-voiceover', 'google-sheets-to-audio'],
	...['newsletter-to-podcast', 'telegram-voice-bot', 'text-to-speech-webhook'],
	...['whatsapp-voice-reply', 'wordpress-article-audio'],
].map((name) => `${name}.json`);

const others = files.filter((file) => !HAVE_OWN_TESTS.includes(file));
test.each(others)('examples/%s runs in n8n, and its files are in the store', async (file) => {
	const { workflow, folder } = await importExample(file);
	const execution = await runAny(workflow);
	expect(executionError(execution)?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	for (const name of ['To be checked', 'Review list', 'Failed jobs'])
		expect(nodeOutputs(execution, name).flat()).toEqual([]);
	const stored = nodeOutputs(execution, 'Disk').flat();
	for (const { binary } of stored) {
		const [file] = Object.values(binary!);
		const kept = readFileSync(path.join(folder, file.fileName!));
		expect(kept.equals(await bench.api.binary(file))).toBe(true);
		if (!file.mimeType.startsWith('audio/')) continue;
		expect(probe(kept).seconds).toBeGreaterThan(0);
		expect(await decoderMessages(kept)).toBe('');
	}
	expect(new Set(readdirSync(folder)).size).toBe(stored.length);
	expect(stored.length).toBeGreaterThan(0);
});

test('weekly episode: the feed item says what the file is, the transcript begins after the intro', async () => {
	bench.sim.fault({ path: '/v1/chat/completions', status: 200, body: COMPLETION, charge: true });
	const { workflow, folder } = await importExample('weekly-episode.json');
	const execution = await bench.api.run(workflow);
	const [{ json, binary }] = nodeOutputs(execution, 'Episode')[0];
	const { chapters, cover, tags } = probe(await bench.api.binary(binary!.data));
	expect(chapters.map(({ title }) => title)).toEqual(['Intro', 'Welcome', 'The sky', 'Outro']);
	expect(tags).toMatchObject({ artist: 'Anna and Ben', album: 'The Kitchen Table' });
	expect(cover?.length).toBeGreaterThan(100);
	const stem = (json.fileName as string).replace('.mp3', '');
	expect(stem).toMatch(/^kitchen-table-\d{4}-w\d\d$/);
	expect(readdirSync(folder).sort()).toEqual(
		['.chapters.json', '.mp3', '.vtt', '.xml'].map((end) => stem + end),
	);
	const item = readFileSync(path.join(folder, `${stem}.xml`), 'utf8');
	const address = `https://example.com/podcast/${stem}`;
	expect(item).toContain(
		`<enclosure url="${address}.mp3" length="${json.bytes as number}" type="audio/mpeg"/>`,
	);
	expect(item).toContain(
		`<itunes:duration>${Math.round(json.durationSeconds as number)}</itunes:duration>`,
	);
	expect(item).toContain(`<podcast:chapters url="${address}.chapters.json"`);
	const transcript = readFileSync(path.join(folder, `${stem}.vtt`), 'utf8');
	const [, seconds] = /\d\d:\d\d:(\d\d\.\d{3}) -->/.exec(transcript)!;
	const [, afterIntro] = json.starts as number[];
	expect(Number(seconds)).toBeCloseTo(afterIntro, 1);
});

test('weekly episode: without its second half, no episode is made or stored', async () => {
	bench.sim.fault({ path: '/v1/chat/completions', status: 200, body: COMPLETION, charge: true });
	bench.sim.fault({ input: 'That was The Kitchen Table. See you next week!', status: 504 });
	const { workflow, folder } = await importExample('weekly-episode.json');
	const execution = await bench.api.run(workflow);
	// As shipped, the mail behind Unknown is switched off.
	expect(executionError(execution)?.message).toContain('nothing is connected to "Unknown"');
	expect(nodeOutputs(execution, 'Episode').flat()).toEqual([]);
	expect(readdirSync(folder)).toEqual([]);
});

test.each([
	{
		book: fileOf(EPUB, 'lighthouse.epub', 'application/epub+zip'),
		title: 'The Lighthouse',
		sent: 'The gulls are back – with arguments.',
	},
	{
		book: fileOf(
			DOCX,
			'My book.docx',
			'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
		),
		title: 'My book',
		sent: 'The gulls are back & loud.',
	},
])(
	'audiobook: the chapters of $book.name are in order, and in the file',
	async ({ book, title, sent }) => {
		const { workflow, folder } = await importExample('audiobook.json');
		await runForm(workflow, [book]);
		expect(readdirSync(folder)).toEqual([`${title}.mp3`]);
		const { chapters, tags } = probe(readFileSync(path.join(folder, `${title}.mp3`)));
		expect(chapters.map((chapter) => chapter.title)).toEqual(['The gulls', 'The girl']);
		expect(tags).toMatchObject({ title });
		const spoken = bench.sim.charged().join('\n');
		expect(spoken).toContain(sent);
		expect(spoken).not.toMatch(/Not read|A list/);
	},
);

test('alarm: n8n starts it when a workflow ends with Stop and Error', async () => {
	const alarm = await bench.api.importWorkflow(readExample('alarm.json'));
	// n8n 1 takes an error workflow as it is saved, and can't activate it.
	if (n8nIsAtLeast('2.0')) await bench.api.activate(alarm);
	const [webhook] = buildWorkflow({ parameters: {}, trigger: 'webhook' }).nodes;
	const errorMessage = '2 rows need a look';
	const stop = makeNode('Stop', 'n8n-nodes-base.stopAndError', 1, 200, { errorMessage });
	const failing = await bench.api.importWorkflow({
		name: 'Failing',
		nodes: [webhook, stop],
		connections: { [webhook.name]: connection(['Stop']) },
		settings: { errorWorkflow: alarm.id },
	});
	await bench.api.activate(failing);
	await bench.api.runProduction(failing);
	const id = await poll('the alarm', async () => (await bench.api.executions(alarm.id))[0]?.id);
	const execution = await bench.api.waitForExecution(id);
	const [{ json }] = nodeOutputs(execution, 'What happened')[0];
	expect(json.subject).toBe('n8n: Failing needs you');
	expect(json.text).toMatch(/^2 rows need a look\n\nhttp/);
});

test('changed document: only what changed is spoken, and the file is replaced', async () => {
	const example = readExample('changed-document.json');
	const folder = storeOnDisk(example, sharedN8n().userFolder);
	const text = JSON.stringify(example);
	const run = async (edit: (text: string) => string) => {
		const workflow = JSON.parse(edit(text)) as WorkflowJson;
		const execution = await bench.api.run(
			await bench.api.importWorkflow(workflow, [bench.credential]),
		);
		expect(executionError(execution)?.message).toBeUndefined();
		expect(nodeOutputs(execution, 'To be checked').flat()).toEqual([]);
		const [{ json }] = nodeOutputs(execution, 'Speak what changed')[0];
		expect(readdirSync(folder)).toEqual(['Harbour guide.mp3']);
		const audio = readFileSync(path.join(folder, 'Harbour guide.mp3'));
		expect(probe(audio).seconds).toBeCloseTo(Number(json.durationSeconds), 0);
		expect(await decoderMessages(audio)).toBe('');
		return { json, spoken: bench.sim.charges.splice(0).map(({ input }) => input) };
	};
	const first = await run((same) => same);
	expect(first.spoken).toHaveLength(Number(first.json.segments));
	expect((await run((same) => same)).spoken).toEqual([]);
	const changed = await run((same) => same.replace('one euro', 'two euros'));
	expect(changed.spoken).toHaveLength(1);
	expect(changed.spoken[0]).toContain('two euros');
	expect(changed.json.reusedSegments).toBe(Number(first.json.segments) - 1);
});

test('preview first: "Speak the whole text" on the page pays for the rest only', async () => {
	const { workflow, folder } = await importExample('preview-first.json');
	const paragraphs = ['First', 'Second', 'Third', 'Fourth'].map(
		(name) => `${name} comes a paragraph${' that is of no great interest'.repeat(18)}.`,
	);
	const fields = ['The story', paragraphs.join('\n\n')];
	const { id, url, execution } = await runForm(workflow, fields);
	expect(execution.status).toBe('waiting');
	expect(readdirSync(folder)).toEqual(['The story (preview).mp3']);
	expect(await (await fetch(url)).text()).toContain('The story (preview).mp3');
	expect(bench.sim.charges.splice(0)).toHaveLength(2);
	// Something of the second paragraph sounds wrong.
	const [{ json: preview }] = nodeOutputs(execution, 'Preview')[0];
	await sendForm(url, ['Speak the whole text', String(Number(preview.durationSeconds) - 1)]);
	expect((await bench.api.waitForResumed(id)).status).toBe('success');
	const spoken = bench.sim.charges.map(({ input }) => input.slice(0, 6)).sort();
	expect(spoken).toEqual(['Fourth', 'Second', 'Third ']);
	expect(readdirSync(folder).sort()).toEqual(['The story (preview).mp3', 'The story.mp3']);
});

test.each(files)('examples/%s holds no credential and no pinned data', (file) => {
	const { nodes, pinData } = readExample(file);
	for (const { credentials = {} } of nodes)
		for (const { id } of Object.values(credentials)) expect(id ?? '').toBe('');
	expect(pinData ?? {}).toEqual({});
});

const canMakeTables = n8nIsAtLeast('2.3') ? test : test.skip;

canMakeTables('pronunciations: two workflows speak the words of one table', async () => {
	for (const file of ['pronunciations.json', 'pronunciations-dialogue.json']) {
		const { workflow, folder } = await importExample(file);
		const execution = await bench.api.run(workflow);
		expect(executionError(execution)?.message).toBeUndefined();
		expect(readdirSync(folder)).toHaveLength(1);
	}
	expect(bench.sim.charged().sort()).toEqual([
		'Every night, n eight n reads the news.',
		'Have you tried n eight n?',
		'I use n eight n every day.',
	]);
});

canMakeTables(
	'spending log: every charge is a row; no request once the budget is used up',
	async () => {
		const { sim, api } = bench;
		sim.reset();
		sim.fault({ input: 'Herzlich', status: 504, charge: true });
		const name = `Spending ${randomUUID()}`;
		const text = JSON.stringify(readExample('spending-log.json')).replaceAll(
			'"Spending"',
			`"${name}"`,
		);
		const night = async (budget: number) => {
			const example = JSON.parse(text.replace('300000', String(budget))) as WorkflowJson;
			const folder = storeOnDisk(example, sharedN8n().userFolder);
			const workflow = await api.importWorkflow(example, [bench.credential]);
			return { workflow, folder, run: async () => await api.run(workflow, 'Every night') };
		};
		const { workflow, folder, run } = await night(300_000);
		await api.run(workflow, 'Once: make the table');
		const first = await run();
		expect(executionError(first)?.message).toMatch(/^04-willkommen: /);
		expect(readdirSync(folder)).toHaveLength(4);
		const rows = first.data.resultData.runData.Log.flatMap(
			(_, i) => nodeOutputs(first, 'Log', i)[0],
		);
		expect(rows.map(({ json }) => json.charged).sort()).toEqual([
			'unknown',
			...Array<string>(sim.charges.length - 1).fill('yes'),
		]);
		const logged = rows.reduce((sum, { json }) => sum + Number(json.tokens), 0);
		const spent = sim.charges.reduce((sum, { tokens }) => sum + tokens, 0);
		// Each request is rounded up to whole seconds; the unknown one is estimated.
		expect(logged).toBeGreaterThan(spent - 20);
		expect(logged).toBeLessThan(spent + 150);
		expect(rows.map(({ json }) => json.requestId).sort()).toEqual(
			sim.charges.map(({ requestIndex }) => sim.requests[requestIndex].requestId).sort(),
		);

		sim.reset();
		const tight = await (await night(Math.ceil(logged) + 1)).run();
		expect(executionError(tight)?.message).toContain('Spending Limit');
		const over = await (await night(Math.floor(logged))).run();
		expect(executionError(over)?.message).toContain('is used up');
		expect(sim.charges).toEqual([]);
	},
);

/** What the agent of the example answers, whose model calls the tool with these arguments. */
async function narrates(call: object, tool: object = {}) {
	const value = `call tool Narrate ${JSON.stringify(call)}`;
	const assignments = [{ id: '1', name: 'chatInput', type: 'string', value }];
	const { workflow } = await importExample('ai-agent.json', {
		Question: { assignments: { assignments } },
		Narrate: tool,
		'Wait for the audio': { options: { pollInterval: 1 } },
	});
	const execution = await bench.api.run(workflow);
	expect(executionError(execution)).toBeUndefined();
	const [{ json }] = nodeOutputs(execution, 'AI Agent')[0];
	return { execution, output: String(json.output) };
}

if (HAS_AI_SDK) {
	test('ai-agent: what the agent narrates, with a voice by its title, comes out as an audio file', async () => {
		bench.sim.addVoice('Anna', 'voice-1');
		const { execution, output } = await narrates({ text: 'Welcome.', voice: 'Anna' });
		expect(bench.sim.charges.map(({ kind }) => kind)).toEqual(['chat', 'job', 'chat']);
		expect(bench.sim.jobs).toMatchObject([{ voice: 'voice-1' }]);
		expect(output).toMatch(/"id":"spj_\w+"/);
		const [file] = nodeOutputs(execution, 'Wait for the audio')[0];
		expect(await decoderMessages(await bench.api.binary(file.binary!.data))).toBe('');
	});

	test('ai-agent: audio that is made at once is answered with a link, which needs no login', async () => {
		const tool = { resource: 'speech', operation: 'generate' };
		const { execution, output } = await narrates({ text: 'Welcome.', voice: 'default' }, tool);
		const [, link] = /"links":\{"data":"([^"]+)"\}/.exec(output.replaceAll('\\', ''))!;
		const audio = await (await fetch(link)).arrayBuffer();
		expect(probe(Buffer.from(audio)).codec).toBe('mp3');
		expect(nodeOutputs(execution, 'Wait for the audio').flat()).toEqual([]);
	});
}

(HAS_STREAMS ? test : test.skip)(
	'streaming chat: each piece is with the caller before the next one is there',
	async () => {
		const { workflow } = await importExample('streaming-chat.json');
		await bench.api.activate(workflow);
		const held = holdNextChat(bench.sim);
		const chunks = bench.api.stream(workflow, { text: 'Tell me about lighthouses' });
		const first = chunks.next();
		const answer = await held;
		answer.say('Light');
		expect((await first).value).toMatchObject({ type: 'begin' });
		expect((await chunks.next()).value).toMatchObject({ type: 'item', content: 'Light' });
		for (const piece of ['houses ', 'stand ', '灯台', '🗼']) {
			answer.say(piece);
			expect((await chunks.next()).value).toMatchObject({ type: 'item', content: piece });
		}
		answer.finish();
		expect((await chunks.next()).value).toMatchObject({ type: 'end' });
		expect((await chunks.next()).done).toBe(true);
		const [{ id }] = await bench.api.executions(workflow.id);
		const [[{ json }]] = nodeOutputs(await bench.api.waitForExecution(id), 'Answer');
		expect(json).toMatchObject({ text: 'Lighthouses stand 灯台🗼' });
	},
);

test('settle unknown: what was charged is listed, what was not is narrated again', async () => {
	const { sim, api, credential } = bench;
	const now = Date.now();
	const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString();
	const unknown = (sentAgo: number) => ({
		...{ outcome: 'unknown', reason: 'client_timeout', model: 'fish-speech' },
		...{ sentAt: at(sentAgo), endedAt: at(sentAgo - 20) },
		neighbours: { charged: 0, unknown: 0, sent: [] },
	});
	const entry = (sentAgo: number) => {
		const use_time = 22;
		const created_at = Math.floor(now / 1000) - sentAgo + use_time;
		return { created_at, type: 2, model_name: 'fish-speech', quota: 49, use_time };
	};
	sim.options.usageLog = { others: [entry(7200), entry(1200)] };
	const example = readExample('settle-unknown.json');
	storeOnDisk(example, sharedN8n().userFolder);
	// Two of the texts, as they would have come from Unknown half an hour ago.
	const items = [1200, 1800].map((ago, item) => ({ json: unknown(ago), pairedItem: { item } }));
	const jsCode = `return ${JSON.stringify(items)};`;
	example.nodes.push(makeNode('Unknown', 'n8n-nodes-base.code', 2, 900, { jsCode }, 400));
	Object.assign(example.connections, {
		...{ Texts: connection(['Unknown']), Unknown: connection(['Settle']) },
	});
	const execution = await api.run(await api.importWorkflow(example, [credential]));
	sim.options.usageLog = {};
	expect(executionError(execution)?.message).toBeUndefined();
	const [[{ json: listed }]] = nodeOutputs(execution, 'For the operator');
	expect(listed).toMatchObject({ title: '01-welcome', charged: 'yes' });
	expect(listed.why).toContain('no other request of the run explains');
	const [again] = nodeOutputs(execution, 'Narrate again');
	expect(again.map(({ json }) => json.fileName)).toEqual(['02-the-harbour.mp3']);
	expect(nodeOutputs(execution, 'Disk')[0]).toHaveLength(1);
});

test('durable narration: it sleeps while the jobs are made, until n8n wakes it up', async () => {
	const { sim } = durable;
	const execution = await bench.api.waitForResumed(durableId);
	expect(execution.status).toBe('success');
	const files = nodeOutputs(execution, 'Narrate')[0];
	expect(files.map(({ json }) => json.id).sort()).toEqual(sim.jobs.map(({ id }) => id).sort());
	expect(files.map(({ binary }) => binary?.data.mimeType)).toEqual(['audio/mpeg', 'audio/mpeg']);
	expect(sim.charges).toHaveLength(2);
});
