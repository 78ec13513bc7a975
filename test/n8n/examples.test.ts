/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import type { IBinaryData } from 'n8n-workflow';
import { decoderMessages, ffprobe } from '../support/listen';
import { REPOSITORY } from '../support/n8n/install';
import { probe } from '../support/readers';
import { openBench, type Bench } from '../support/n8n/bench';
import { HAS_AI_SDK, HAS_STREAMS, n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';
import { renderAudio } from '../support/simulator/audio';
import {
	executionError,
	nodeOutputs,
	type Execution,
	type SavedWorkflow,
	type WorkflowJson,
} from '../support/n8n/client';

const FOLDER = path.join(REPOSITORY, 'examples');
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const readExample = (file: string) =>
	JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as WorkflowJson;

let bench: Bench;
let feed: Server;
beforeAll(async () => {
	bench = await openBench();
	feed = createServer((_, response) => response.end(FEED)).listen(0, '127.0.0.1');
	await once(feed, 'listening');
});
afterAll(async () => {
	feed?.close();
	await bench?.close();
});

const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${[1, 2, 3, 4]
	.map(
		(n) =>
			`<item><guid>article-${n}</guid><title>Article ${n}</title><description>This is article number ${n}.</description></item>`,
	)
	.join('')}</channel></rss>`;

/** What a user fills in before an example can run: here, so that it runs against the simulator, and soon. */
function fillIn(workflow: WorkflowJson): WorkflowJson {
	const set = (name: string, values: Record<string, unknown>) =>
		Object.assign(workflow.nodes.find((node) => node.name === name)?.parameters ?? {}, values);
	if (workflow.name === 'Podcast from an RSS feed')
		set('Feed', { url: `http://127.0.0.1:${(feed.address() as AddressInfo).port}/` });
	if (workflow.name === 'Durable narration') set('Wait', { amount: 1, unit: 'seconds' });
	if (workflow.name === 'Video')
		set('Speech Gateway', { model: { __rl: true, mode: 'id', value: 'sim-video' } });
	for (const node of workflow.nodes) {
		if (node.webhookId) node.webhookId = randomUUID();
		const { resource } = node.parameters as { resource?: string };
		if (resource === 'chat' || node.type.endsWith('.lmChatSpeechGateway'))
			Object.assign(node.parameters, { model: { __rl: true, mode: 'id', value: 'sim-chat' } });
	}
	return workflow;
}

const SCRIPT = '# Welcome\nAnna: (happy) Hello!\nBen: Hello, Anna.\n\n# The sky\nAnna: It is blue.';
const COMPLETION = {
	id: 'chatcmpl-1',
	object: 'chat.completion',
	model: 'sim-chat',
	choices: [{ index: 0, message: { role: 'assistant', content: SCRIPT }, finish_reason: 'stop' }],
};

const importExample = async (file: string) =>
	await bench.api.importWorkflow(fillIn(readExample(file)), [bench.credential]);

/** Fills in the form that starts a workflow, as a browser does; waits for the end of the execution. */
async function runForm(workflow: SavedWorkflow): Promise<Execution> {
	await bench.api.activate(workflow);
	const { webhookId } = workflow.nodes.find(({ type }) => type.endsWith('.formTrigger'))!;
	const form = new FormData();
	const recording = Buffer.concat([...renderAudio('A voice.', 31, 'mp3').chunks()]);
	form.append('field-0', new Blob([recording], { type: 'audio/mpeg' }), 'voice.mp3');
	form.append('field-1', 'Anna');
	form.append('field-2', 'This is the voice of Anna.');
	const response = await fetch(`${sharedN8n().url}/form/${String(webhookId)}`, {
		method: 'POST',
		body: form,
	});
	expect(response.status).toBe(200);
	await bench.sim.waitFor((requests) => requests.some(({ path }) => path === '/v1/audio/speech'));
	const [{ id }] = await bench.api.executions(workflow.id);
	return await bench.api.waitForExecution(id);
}

/** Runs a workflow with whatever trigger it has. */
async function runAny(workflow: SavedWorkflow): Promise<Execution> {
	const has = (type: string) => workflow.nodes.some((node) => node.type.endsWith(type));
	if (has('.manualTrigger') || has('.scheduleTrigger')) return await bench.api.run(workflow);
	if (has('.formTrigger')) return await runForm(workflow);
	if (!has('.webhook')) throw new Error('No trigger that this test knows');
	await bench.api.activate(workflow);
	return await bench.api.runProduction(workflow, { text: 'A text from outside.' });
}

/** Every binary that a node of the execution returned, on any output. */
const binaries = (execution: Execution): IBinaryData[] =>
	Object.values(execution.data.resultData.runData)
		.flat()
		.flatMap(({ data }) => data?.main ?? [])
		.flatMap((items) => items ?? [])
		.flatMap(({ binary }) => Object.values(binary ?? {}));

/** The characters of a text but for white space, which is not spoken, in alphabetical order. */
const letters = (text: string) => [...text.replace(/\s/g, '')].sort().join('');

/** Before, the Data Table node has no operation that makes a table; before 1.113 or so, there is no such node. */
const MAKES_TABLES = n8nIsAtLeast('2.3');
const isRunnable: Record<string, boolean> = {
	// What sleeps takes minutes, and has tests of its own.
	'durable-narration.json': false,
	'ai-agent.json': HAS_AI_SDK,
	'newsletter-changes.json': MAKES_TABLES,
	'streaming-chat.json': HAS_STREAMS,
};
const runnable = files.filter((file) => isRunnable[file] ?? true);

test.each(runnable)('examples/%s runs in n8n', async (file) => {
	bench.sim.reset();
	// The simulator's chat model says back what it was told; here, it writes a script.
	if (file === 'podcast-from-topic.json')
		bench.sim.fault({ path: '/v1/chat/completions', status: 200, body: COMPLETION, charge: true });
	const execution = await runAny(await importExample(file));
	expect(executionError(execution)?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	for (const name of ['To be checked', 'Review list', 'Failed', 'Failed rows', 'Failed jobs'])
		expect(nodeOutputs(execution, name).flat()).toEqual([]);
	for (const binary of binaries(execution).filter(({ mimeType }) =>
		mimeType.startsWith('audio/'),
	)) {
		const audio = await bench.api.binary(binary);
		expect((await ffprobe(audio)).seconds).toBeGreaterThan(0);
		expect(await decoderMessages(audio)).toBe('');
	}
	for (const { json, binary } of nodeOutputs(execution, 'Episode').flat()) {
		const { chapters, cover, tags } = probe(await bench.api.binary(binary!.data));
		expect(json.speakers).toEqual(['Anna', 'Ben']);
		expect(chapters.length).toBeGreaterThan(1);
		expect(chapters[0].title).toBe('Welcome');
		expect(tags).toMatchObject({ artist: 'Anna and Ben' });
		if (file === 'dialogue.json') expect(cover?.length).toBeGreaterThan(100);
	}
});

test('audiobook: headings are chapters, the cover is in the file', async () => {
	bench.sim.reset();
	const execution = await bench.api.run(await importExample('audiobook-chapter.json'));
	const [{ binary }] = nodeOutputs(execution, 'Audio files')[0];
	const { chapters, cover } = probe(await bench.api.binary(binary!.data));
	const titles = ['Chapter 3: The blue boat', 'What the gulls said', 'The girl'];
	expect(chapters.map(({ title }) => title)).toEqual(titles);
	expect(cover?.subarray(1, 4).toString()).toBe('PNG');
	const file = JSON.parse(String(await bench.api.binary(binary!.chapters))) as {
		chapters: Array<{ title: string }>;
	};
	expect(file.chapters.map(({ title }) => title)).toEqual(titles);
});

if (MAKES_TABLES) {
	test('newsletter: only what changed is spoken', async () => {
		bench.sim.reset();
		const example = readExample('newsletter-changes.json');
		const table = `Paragraphs ${randomUUID()}`;
		const text = JSON.stringify(example).replaceAll('Spoken paragraphs', table);
		const run = async (edit: (text: string) => string) => {
			const workflow = JSON.parse(edit(text)) as WorkflowJson;
			const execution = await bench.api.run(
				await bench.api.importWorkflow(workflow, [bench.credential]),
			);
			expect(executionError(execution)?.message).toBeUndefined();
			expect(nodeOutputs(execution, 'To be checked').flat()).toEqual([]);
			return bench.sim.charges.splice(0).map(({ input }) => input);
		};
		expect(await run((same) => same)).toHaveLength(3);
		expect(await run((same) => same)).toEqual([]);
		expect(await run((same) => same.replace('until Thursday', 'until Friday'))).toEqual([
			'The library is closed until Friday.',
		]);
	});
}

test.each(files)('examples/%s holds no credential and no pinned data', (file) => {
	const { nodes, pinData } = readExample(file);
	for (const { credentials = {} } of nodes)
		for (const { id } of Object.values(credentials)) expect(id ?? '').toBe('');
	expect(pinData ?? {}).toEqual({});
});

test('batch narration: each row becomes one file, named after its row and as long as its text', async () => {
	bench.sim.reset();
	const workflow = await bench.api.importWorkflow(readExample('batch-narration.json'), [
		bench.credential,
	]);
	const execution = await bench.api.run(workflow);
	const rows = nodeOutputs(execution, 'Texts')[0];
	const [narrated, unknown] = nodeOutputs(execution, 'Speech Gateway');
	expect(unknown).toEqual([]);
	expect(narrated).toHaveLength(rows.length);
	for (const [i, { json, binary, pairedItem }] of narrated.entries()) {
		const { title, text } = rows[i].json as { title: string; text: string };
		expect(pairedItem).toEqual({ item: i });
		const audio = await bench.api.binary(binary!.data);
		const probe = await ffprobe(audio);
		expect(binary!.data).toMatchObject({
			fileName: `${title}.mp3`,
			fileExtension: 'mp3',
			mimeType: 'audio/mpeg',
		});
		expect(json).toMatchObject({
			model: 'fish-speech',
			responseFormat: 'mp3',
			mimeType: 'audio/mpeg',
			fileName: `${title}.mp3`,
			characters: [...text].length,
			bytes: audio.length,
		});
		expect(probe.codec).toBe('mp3');
		expect(Math.abs(probe.seconds - (json.durationSeconds as number))).toBeLessThan(0.1);
	}
	const sent = bench.sim.charges.map(({ input }) => input);
	expect(new Set(sent).size).toBe(sent.length); // nothing was paid for twice
	const written = rows.map(({ json }) => json.text).join('');
	expect(letters(sent.join(''))).toEqual(letters(written)); // in whatever order they were sent
});

test('scheduled batch: what is unknown goes to the review list, what failed is named, and nothing is sent on two nights', async () => {
	bench.sim.reset();
	const workflow = await importExample('scheduled-batch-narration.json');
	bench.sim.fault({ input: 'harbour', status: 504, charge: true });
	bench.sim.fault({ input: 'Tuesday', status: 402 });
	const firstNight = await bench.api.run(workflow);
	expect(firstNight.status).toBe('success');
	expect(nodeOutputs(firstNight, 'Audio files')[0]).toHaveLength(1);
	expect(nodeOutputs(firstNight, 'Review list')[0].map(({ json }) => json)).toMatchObject([
		{ row: 'row-2', reason: 'upstream_outcome_unknown' },
	]);
	expect(nodeOutputs(firstNight, 'Failed rows')[0].map(({ json }) => json)).toMatchObject([
		{ row: 'row-3', message: expect.stringContaining('balance') },
	]);
	const [file] = nodeOutputs(firstNight, 'Review file')[0];
	expect((await bench.api.binary(file.binary!.data)).toString()).toContain('row-2');

	const secondNight = await bench.api.run(workflow);
	expect(secondNight.status).toBe('success');
	expect(nodeOutputs(secondNight, 'Review list').flat()).toEqual([]);
	expect(nodeOutputs(secondNight, 'Audio files')[0].map(({ json }) => json.fileName)).toEqual([
		'opening-hours.mp3', // refused, so not charged, on the first night
	]);
	const sent = bench.sim.charges.map(({ input }) => input);
	expect(new Set(sent).size).toBe(sent.length);
	expect(sent).toHaveLength(3);
});

test('podcast: an article is spoken once, however often the feed is read', async () => {
	bench.sim.reset();
	const workflow = await importExample('podcast-from-rss.json');
	const first = await bench.api.run(workflow);
	expect(nodeOutputs(first, 'Episodes')[0]).toHaveLength(3);
	const second = await bench.api.run(workflow);
	expect(nodeOutputs(second, 'Speech Gateway')[1].map(({ json }) => json.reason)).toEqual(
		Array(3).fill('already_sent'),
	);
	expect(nodeOutputs(second, 'To be checked').flat()).toEqual([]);
	expect(bench.sim.charges).toHaveLength(3);
});

test('durable narration: it sleeps while the jobs are made; stopped, it still shows their IDs', async () => {
	bench.sim.reset();
	const workflow = await importExample('durable-narration.json');
	bench.sim.fault({ path: '/v1/audio/speech/jobs', jobSeconds: Infinity, times: Infinity });
	const id = await bench.api.start(workflow);
	expect((await bench.api.waitForExecution(id)).status).toBe('waiting');
	await bench.api.request('POST', `/rest/executions/${id}/stop`);
	const execution = await bench.api.waitForResumed(id);
	expect(execution.status).toBe('canceled');
	const shown = nodeOutputs(execution, 'Narrate').flat();
	expect(shown.map(({ json }) => json.id).sort()).toEqual(
		bench.sim.jobs.map((job) => job.id).sort(),
	);
	expect(bench.sim.charges).toHaveLength(2);
});
