/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { type Fault, type Simulator, startSimulator } from '../support/simulator';
import { item, runNode } from './support';

let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator({ latencyMs: 1 });
});
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

const fixture = (name: string) => readFileSync(join(__dirname, '../core/audio/fixtures', name));
/** The gateway answers with these bytes, and charges. */
const answer = (body: Buffer | string | object, more: Omit<Fault, 'path'> = {}) =>
	sim.fault({ path: '/v1/audio/speech', status: 200, body, charge: true, ...more });
const run = async (text: string, parameters: IDataObject = {}, options: IDataObject = {}) =>
	await runNode({
		parameters: {
			resource: 'speech',
			operation: 'generate',
			model: { __rl: true, mode: 'id', value: 'fish-speech' },
			text,
			voice: { __rl: true, mode: 'list', value: 'default' },
			responseFormat: 'mp3',
			options: { maxRetries: 0, ...options },
			...parameters,
		},
		url: sim.url,
		apiKey: sim.apiKey,
		items: [item({})],
	});
const bytesOf = async (file: IBinaryData) =>
	await Container.get(BinaryDataService).getAsBuffer(file);
const TEXT = 'The first sentence. The second sentence. The third sentence.';
const THREE = { maxSegmentCharacters: 22, concurrency: 1 };

describe('parts that cannot be joined', () => {
	test.each([
		['WAV codec', 'wav-8000-mono-alaw.wav', 'wav-8000-mono-mulaw.wav'],
		['WAV sample size', 'wav-8000-mono-alaw.wav', 'wav-8000-mono-u8-odd.wav'],
	])('by %s are handed over one by one when another fails', async (_, one, two) => {
		answer(fixture(one), { input: 'first' });
		answer(fixture(two), { input: 'second' });
		sim.fault({ path: '/v1/audio/speech', input: 'third', status: 504 });
		const { outputs, error } = await run(TEXT, { responseFormat: 'wav' }, THREE);
		expect(error).toBeUndefined();
		const [{ json, binary }] = outputs[1];
		expect(json).toMatchObject({
			outcome: 'unknown',
			reason: 'upstream_outcome_unknown',
			segments: { total: 3, completed: 2, unknown: 1 },
		});
		expect(await bytesOf(binary!.completed)).toEqual(fixture(one));
		expect(await bytesOf(binary!.completed_2)).toEqual(fixture(two));
	});
});
