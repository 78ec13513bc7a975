/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openBench, type Bench } from '../support/n8n/bench';
import {
	executionError,
	nodeOutputs,
	type Execution,
	type WorkflowJson,
} from '../support/n8n/client';

/** Workflows as 0.2.0 saves them. They stay as they are: a change that breaks one breaks somebody's night. */
const FOLDER = path.join(__dirname, 'workflows-0.2.0');

let bench: Bench;
beforeAll(async () => (bench = await openBench({ jobSeconds: 1 })));
beforeEach(() => {
	bench.sim.reset();
	const { account } = bench.sim.accounts[0];
	const mine = { account, _id: 'my-voice', title: 'Mine', created_at: 1, size: 1, sha256: '' };
	bench.sim.voices.push(mine);
});
afterAll(async () => await bench?.close());

async function run(name: string): Promise<Execution> {
	const file = readFileSync(path.join(FOLDER, `${name}.json`), 'utf8');
	const workflow = await bench.api.importWorkflow(JSON.parse(file) as WorkflowJson, [
		bench.credential,
	]);
	const execution = await bench.api.run(workflow);
	expect(executionError(execution)?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** The first item of a node's first output (or another), which must have the given json keys and binary properties. */
function item(execution: Execution, node: string, keys: string[], binaries: string[] = []) {
	const found = nodeOutputs(execution, node)[0]?.[0];
	expect([node, Object.keys(found?.json ?? {})]).toEqual([node, expect.arrayContaining(keys)]);
	expect([node, Object.keys(found.binary ?? {})]).toEqual([node, binaries]);
	return found;
}

const AUDIO = ['mimeType', 'fileName', 'durationSeconds', 'bytes'];
const SPOKEN = [...AUDIO, 'model', 'voice', 'responseFormat', 'characters', 'segments'];
const JOB = ['id', 'object', 'status', 'created_at'];

test('speech: estimate, split, single and as a job; what is unknown takes its branch', async () => {
	bench.sim.fault({ input: 'unknown', status: 504, charge: true });
	const execution = await run('speech');
	const { json: estimate } = item(execution, 'Estimate', ['characters', 'segments', 'minutes']);
	expect(estimate).toMatchObject({ characters: 82, segments: 3 });
	const keys = [...SPOKEN, 'estimatedTokens'];
	const split = item(execution, 'Generate', keys, ['speech', 'subtitles']);
	expect(split.json).toMatchObject({ segments: 3, responseFormat: 'wav', fileName: 'old.wav' });
	const single = item(execution, 'Generate single', keys, ['data', 'subtitles']);
	expect(single.json).toMatchObject({ segments: 1, responseFormat: 'mp3', voice: 'my-voice' });
	const asJob = item(execution, 'Generate as job', keys, ['data']);
	expect(asJob.json).toMatchObject({ responseFormat: 'opus', mimeType: 'audio/ogg' });
	item(execution, 'Generate defaults', keys, ['data']);
	const [success, unknown] = nodeOutputs(execution, 'Generate unknown');
	expect(success).toEqual([]);
	expect(unknown[0].json).toMatchObject({
		outcome: 'unknown',
		reason: 'upstream_outcome_unknown',
		operation: 'speech.generate',
		httpCode: '504',
		message: expect.any(String),
		advice: expect.any(String),
		sentAt: expect.any(String),
		endedAt: expect.any(String),
		inputHash: expect.any(String),
	});
	expect(nodeOutputs(execution, 'Generate unknown: Unknown')[0]).toHaveLength(1);
});

test('speech jobs: create, get, wait, download, and all in one', async () => {
	const execution = await run('speech-jobs');
	item(execution, 'Create', [...JOB, 'characters', 'estimatedTokens']);
	item(execution, 'Get', JOB);
	for (const node of ['Wait', 'Create and wait'])
		item(execution, node, [...JOB, ...AUDIO.slice(2)], ['speech']);
	item(execution, 'Download', AUDIO.slice(2), ['speech']);
	expect(bench.sim.charges).toHaveLength(2);
});

test('jobs that take longer than the wait take the branch Waiting', async () => {
	bench.sim.fault({ path: '/v1/audio/speech/jobs', jobSeconds: Infinity });
	const file = readFileSync(path.join(FOLDER, 'speech-jobs.json'), 'utf8');
	const workflow = JSON.parse(file.replaceAll('"maxWait": 60', '"maxWait": 1')) as WorkflowJson;
	const execution = await bench.api.run(
		await bench.api.importWorkflow(workflow, [bench.credential]),
	);
	const [success, waiting] = nodeOutputs(execution, 'Wait');
	expect(success).toEqual([]);
	expect(Object.keys(waiting[0].json)).toEqual(expect.arrayContaining([...JOB, 'waitedSeconds']));
	expect(nodeOutputs(execution, 'Wait: Waiting')[0]).toHaveLength(1);
});

test('voices and models: clone, speak with it, list, delete', async () => {
	const execution = await run('voices-and-models');
	item(execution, 'Clone', ['_id', 'title']);
	item(execution, 'Speak', SPOKEN, ['data']);
	item(execution, 'Voices', ['_id', 'title']);
	item(execution, 'Delete', ['_id', 'deleted']);
	item(execution, 'Models', ['id']);
});

test('chat: complete, streamed, and as received', async () => {
	const execution = await run('chat');
	const keys = ['text', 'model', 'finishReason', 'usage'];
	item(execution, 'Complete', keys);
	item(execution, 'Streamed', keys.slice(0, 3));
	item(execution, 'As received', ['id', 'choices', 'usage']);
	const [first] = bench.sim.requests.filter(({ path }) => path === '/v1/chat/completions');
	expect(first.body).toMatchObject({ temperature: 0.2, max_tokens: 100, top_p: 0.5 });
});

test('videos: create, get, wait, download, and all in one', async () => {
	const execution = await run('videos');
	for (const node of ['Create', 'Get']) item(execution, node, ['id', 'status']);
	for (const node of ['Wait', 'Create and wait']) item(execution, node, ['id', 'status'], ['film']);
	item(execution, 'Download', [], ['film']);
	expect(bench.sim.charges).toHaveLength(2);
});
