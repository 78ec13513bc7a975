/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { holdNextChat } from '../support/heldChat';
import { decoderMessages } from '../support/listen';
import { probe } from '../support/readers';
import { type Bench, openBench, useBench } from '../support/n8n/bench';
import { readDemoTable, readFixture, storeOnDisk } from '../support/n8n/examples';
import { fileOf, runForm, sendForm } from '../support/n8n/forms';
import { sharedN8n } from '../support/n8n/shared';
import { renderAudio } from '../support/simulator/audio';
import { toldOf } from '../support/workflow';
import {
	executionError,
	nodeOutputs,
	type Execution,
	type SavedWorkflow,
	type WorkflowJson,
} from '../support/n8n/client';

const bench = useBench({ latencyMs: 10, jobSeconds: 0.05 });

/** What a user fills in before a workflow can run: here, so that it runs against the simulator, and soon. */
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

/** Imports a fixture with its store on disk, and `values` in the nodes of these names; `folder` is where its files go. */
async function importFixture(
	file: string,
	values: Record<string, object> = {},
): Promise<{ workflow: SavedWorkflow; folder: string }> {
	const json = readFixture(file);
	fillIn(json, values);
	const folder = storeOnDisk(json, sharedN8n().userFolder);
	return { workflow: await bench.api.importWorkflow(json, [bench.credential]), folder };
}

/** Begins before all tests: n8n wakes it up a minute later, or more. */
let durable: Bench;
let durableId: string;
beforeAll(async () => {
	durable = await openBench({ jobSeconds: Infinity });
	const { sim, api, credential } = durable;
	const workflow = await api.importWorkflow(readFixture('durable-narration.json'), [credential]);
	durableId = await api.start(workflow);
	expect((await api.waitForExecution(durableId)).status).toBe('waiting');
	sim.finish();
});
afterAll(async () => await durable?.close());

/** Each file is in the store as it left the node, and plays. */
async function checkStored(execution: Execution, folder: string): Promise<void> {
	expect(executionError(execution)?.message).toBeUndefined();
	const stored = nodeOutputs(execution, 'Disk').flat();
	for (const { binary } of stored) {
		const [file] = Object.values(binary!);
		const kept = readFileSync(path.join(folder, file.fileName!));
		expect(kept.equals(await bench.api.binary(file))).toBe(true);
		expect(probe(kept).seconds).toBeGreaterThan(0);
		expect(await decoderMessages(kept)).toBe('');
	}
	expect(new Set(readdirSync(folder)).size).toBe(stored.length);
	expect(stored.length).toBeGreaterThan(0);
}

test('a table: every text has its file, and nothing is unknown', async () => {
	const execution = await bench.api.run(
		await bench.api.importWorkflow(readDemoTable(), [bench.credential]),
	);
	expect(executionError(execution)?.message).toBeUndefined();
	const [files, unknown] = nodeOutputs(execution, 'Speech Gateway');
	expect(files).toHaveLength(5);
	expect(unknown).toEqual([]);
	for (const { binary } of files)
		expect(await decoderMessages(await bench.api.binary(binary!.data))).toBe('');
});

test('clone and narrate: a recording from a form becomes a voice, which speaks', async () => {
	const { workflow, folder } = await importFixture('clone-and-narrate.json');
	const sound = Buffer.concat([...renderAudio('A voice.', 31, 'mp3').chunks()]);
	const recording = fileOf(sound, 'voice.mp3', 'audio/mpeg');
	const fields = [recording, 'Anna', 'This is the voice of Anna.'];
	await checkStored((await runForm(bench, workflow, fields)).execution, folder);
	expect(bench.sim.charges.map(({ kind }) => kind)).toEqual(['voice', 'speech']);
});

test('weekly episode: the feed item says what the file is, the transcript begins after the intro', async () => {
	bench.sim.fault({ path: '/v1/chat/completions', status: 200, body: COMPLETION, charge: true });
	const { workflow, folder } = await importFixture('weekly-episode.json');
	const execution = await bench.api.run(workflow);
	const [episode] = nodeOutputs(execution, 'Episode')[0];
	const [json, { binary }] = [toldOf(episode, 'audio'), episode];
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
	const { workflow, folder } = await importFixture('weekly-episode.json');
	const execution = await bench.api.run(workflow);
	// As shipped, the mail behind Unknown is switched off.
	expect(executionError(execution)?.message).toContain('nothing is connected to "Unknown"');
	expect(nodeOutputs(execution, 'Episode').flat()).toEqual([]);
	expect(readdirSync(folder)).toEqual([]);
});

test('changed document: only what changed is spoken, and the file is replaced', async () => {
	const json = readFixture('changed-document.json');
	const folder = storeOnDisk(json, sharedN8n().userFolder);
	const text = JSON.stringify(json);
	const run = async (edit: (text: string) => string) => {
		const workflow = JSON.parse(edit(text)) as WorkflowJson;
		const execution = await bench.api.run(
			await bench.api.importWorkflow(workflow, [bench.credential]),
		);
		expect(executionError(execution)?.message).toBeUndefined();
		expect(nodeOutputs(execution, 'To be checked').flat()).toEqual([]);
		const json = toldOf(nodeOutputs(execution, 'Speak what changed')[0][0]);
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
	const { workflow, folder } = await importFixture('preview-first.json');
	const paragraphs = ['First', 'Second', 'Third', 'Fourth'].map(
		(name) => `${name} comes a paragraph${' that is of no great interest'.repeat(18)}.`,
	);
	const fields = ['The story', paragraphs.join('\n\n')];
	const { id, url, execution } = await runForm(bench, workflow, fields);
	expect(execution.status).toBe('waiting');
	expect(readdirSync(folder)).toEqual(['The story (preview).mp3']);
	expect(await (await fetch(url)).text()).toContain('The story (preview).mp3');
	expect(bench.sim.charges.splice(0)).toHaveLength(2);
	// Something of the second paragraph sounds wrong.
	const preview = toldOf(nodeOutputs(execution, 'Preview')[0][0]);
	await sendForm(url, ['Speak the whole text', String(Number(preview.durationSeconds) - 1)]);
	expect((await bench.api.waitForResumed(id)).status).toBe('success');
	const spoken = bench.sim.charges.map(({ input }) => input.slice(0, 6)).sort();
	expect(spoken).toEqual(['Fourth', 'Second', 'Third ']);
	expect(readdirSync(folder).sort()).toEqual(['The story (preview).mp3', 'The story.mp3']);
});

test('pronunciations: two workflows speak the words of one table', async () => {
	for (const file of ['pronunciations.json', 'pronunciations-dialogue.json']) {
		const { workflow, folder } = await importFixture(file);
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

/** What the agent answers whose model calls the tool with these arguments. */
async function narrates(call: object, tool: object = {}) {
	const value = `call tool Narrate ${JSON.stringify(call)}`;
	const assignments = [{ id: '1', name: 'chatInput', type: 'string', value }];
	const { workflow } = await importFixture('agent-jobs.json', {
		Question: { assignments: { assignments } },
		Narrate: tool,
		'Wait for the audio': { options: { pollInterval: 1 } },
	});
	const execution = await bench.api.run(workflow);
	expect(executionError(execution)).toBeUndefined();
	const [{ json }] = nodeOutputs(execution, 'AI Agent')[0];
	return { execution, output: String(json.output) };
}

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

test('streaming chat: each piece is with the caller before the next one is there', async () => {
	const { workflow } = await importFixture('streaming-chat.json');
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
});

test("durable narration: n8n's Wait node puts it away while the jobs are made, and it fetches them then", async () => {
	const { sim } = durable;
	const execution = await bench.api.waitForResumed(durableId);
	expect(execution.status).toBe('success');
	const files = nodeOutputs(execution, 'Wait for the job')[0];
	expect(files.map((file) => toldOf(file).id).sort()).toEqual(sim.jobs.map(({ id }) => id).sort());
	expect(files.map(({ binary }) => binary?.data.mimeType)).toEqual(['audio/mpeg', 'audio/mpeg']);
	expect(sim.charges).toHaveLength(2);
});
