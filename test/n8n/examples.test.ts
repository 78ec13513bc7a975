/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IBinaryData } from 'n8n-workflow';
import { decoderMessages, ffprobe } from '../support/listen';
import { REPOSITORY } from '../support/n8n/install';
import { openBench, type Bench } from '../support/n8n/bench';
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
beforeAll(async () => (bench = await openBench()));
afterAll(async () => await bench?.close());

/** Runs a workflow with whatever trigger it has. */
async function runAny(workflow: SavedWorkflow): Promise<Execution> {
	const has = (type: string) => workflow.nodes.some((node) => node.type.endsWith(type));
	if (has('.manualTrigger')) return await bench.api.run(workflow);
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

test.each(files)('examples/%s runs in n8n', async (file) => {
	const workflow = await bench.api.importWorkflow(readExample(file), [bench.credential]);
	const execution = await runAny(workflow);
	expect(executionError(execution)?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	for (const binary of binaries(execution).filter(({ mimeType }) =>
		mimeType.startsWith('audio/'),
	)) {
		const audio = await bench.api.binary(binary);
		expect((await ffprobe(audio)).seconds).toBeGreaterThan(0);
		expect(await decoderMessages(audio)).toBe('');
	}
});

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
