/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** What was paid for and is not what it should be: all of it is in the field `received`. */
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startHttp } from '../../support/hostileServers';
import type { Fault } from '../../support/simulator';
import { renderAudio } from '../../support/simulator/audio';
import { readStored, runnerOf, speechNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const run = runnerOf(sim);

const recording = Buffer.concat([...renderAudio('A recording.', 1, 'wav').chunks()]);
const voice: INodeExecutionData = {
	json: { text: 'Anna' },
	binary: { data: { data: recording.toString('base64'), mimeType: 'audio/wav' } },
};
const job = {
	resource: 'speechJob',
	operation: 'createAndWait',
	model: 'fish-speech',
	text: '={{ $json.text }}',
};
const messages = { values: [{ role: 'user', content: 'Hi' }] };
const rows: Array<[name: string, path: string, parameters: IDataObject]> = [
	['speechJob.create', '/v1/audio/speech/jobs', { ...job, operation: 'create' }],
	['speechJob.createAndWait', '/v1/audio/speech/jobs', job],
	[
		'voice.create',
		'/v1/audio/voices',
		{ resource: 'voice', operation: 'create', model: 'fish-speech', title: '={{ $json.text }}' },
	],
	[
		'video.create',
		'/v1/videos',
		{ resource: 'video', operation: 'create', model: 'sim-video', prompt: 'A cat.' },
	],
	[
		'chat.complete',
		'/v1/chat/completions',
		{ resource: 'chat', operation: 'complete', model: 'sim-chat', messages },
	],
];
const bodies: Array<[name: string, body: string, fileExtension: string, mimeType: string]> = [
	['JSON that breaks off', '{"id":"spj_1","stat', 'json', 'application/json'],
	['a page', '<!doctype html><p>Your request has the number 77', 'html', 'text/html'],
	['text', 'Accepted as 77', 'txt', 'text/plain'],
	['one digit', '7', 'txt', 'text/plain'],
];
const answered = async (parameters: IDataObject) =>
	await run({ parameters: { options: { maxRetries: 0 }, ...parameters }, items: [voice] });

test.each(rows)('%s: nothing, half of it, other JSON, a film', async (_, path, parameters) => {
	const unknownAfter = async (fault: Fault) => {
		sim.fault({ path, status: 200, charge: true, ...fault });
		const { outputs } = await answered(parameters);
		expect(outputs.map(({ length }) => length)).toEqual([0, 1]);
		expect(outputs[1][0].json.reason).toBe('damaged_response');
		return outputs[1][0];
	};
	const nothing = await unknownAfter({ body: '' });
	expect(nothing.json.message).toMatch(
		/: (the answer is (empty|not a JSON object|no)|.* before it was whole)/,
	);
	expect(nothing.binary ?? {}).not.toHaveProperty('received');
	const half = await unknownAfter({ status: undefined, truncate: 'half' });
	expect(half.json.message).toMatch(/the answer broke off before its end$/);
	const { binary } = await unknownAfter({ body: '{"ticket":"T-77"}' });
	expect(binary?.received).toMatchObject({ fileName: 'received.json' });
	expect(String(await readStored(binary!.received))).toBe('{"ticket":"T-77"}');
	const body = Buffer.from([0, 0, 0, 1, 255, 254]);
	const film = await unknownAfter({ body, contentType: 'video/mp4' });
	expect(film.binary?.received).toMatchObject({ mimeType: 'video/mp4' });
});

test.each(bodies)('%s is handed over as it is', async (_, body, fileExtension, mimeType) => {
	sim.fault({ path: '/v1/audio/speech/jobs', status: 200, charge: true, body });
	const { outputs } = await answered(job);
	const [{ binary }] = outputs[1];
	const fileName = `received.${fileExtension}`;
	expect(binary?.received).toMatchObject({ fileName, fileExtension, mimeType });
	expect(String(await readStored(binary!.received))).toBe(body);
});

test('an answer that says no type is told by what it is', async () => {
	const server = await startHttp((_, response) => response.end('Accepted.'));
	const { outputs } = await run({
		url: `http://127.0.0.1:${server.port}`,
		parameters: { ...job, operation: 'create', options: { maxRetries: 0 } },
		items: [voice],
	});
	await server.close();
	expect(outputs[1][0].binary?.received).toMatchObject({ mimeType: 'text/plain' });
});

test('what cannot be stored does not hide what was wrong with it', async () => {
	sim.fault({ path: '/v1/audio/speech/jobs', status: 200, charge: true, body: 'Accepted.' });
	const store = jest.spyOn(Container.get(BinaryDataService), 'store');
	store.mockRejectedValueOnce(new Error('the disk is full'));
	const { outputs } = await run({ parameters: { ...job, options: {} }, items: [voice] });
	store.mockRestore();
	const [{ json, binary }] = outputs[1];
	expect(json.message).toContain('the answer is not a JSON object');
	expect(binary ?? {}).not.toHaveProperty('received');
});

test('a stream that breaks off: every event that came', async () => {
	sim.fault({ path: '/v1/chat/completions', truncate: 'half' });
	const { outputs } = await run({
		parameters: {
			resource: 'chat',
			operation: 'complete',
			model: 'sim-chat',
			messages,
			options: { stream: true },
		},
	});
	const [{ json, binary }] = outputs[1];
	const text = String(await readStored(binary!.received));
	expect(text).toMatch(/^data: /);
	expect(json).toMatchObject({
		reason: 'damaged_response',
		message: expect.stringMatching(/the answer broke off before its end$/),
	});
});

test('half of a WAV of which only the data state their size', async () => {
	const body = Buffer.from(recording.subarray(0, 20_000));
	body.writeUInt32LE(0xffffffff, 4);
	sim.fault({ status: 200, charge: true, body, contentType: 'audio/wav' });
	const { outputs } = await run({ parameters: speechNode({}, { responseFormat: 'wav' }) });
	const [{ json, binary }] = outputs[1];
	expect(json).toMatchObject({
		reason: 'damaged_response',
		message: expect.stringContaining('cut short'),
	});
	expect((await readStored(binary!.received)).equals(body)).toBe(true);
});

test('no key is in text of an old encoding', async () => {
	const words = `Der Schlüssel ${sim.apiKey} ist ungültig`;
	const body = Buffer.from(words, 'latin1');
	for (const [path, parameters] of [
		['/v1/audio/speech', speechNode()],
		['/v1/audio/speech/jobs', { ...job, operation: 'create' }],
	] as const) {
		sim.fault({ path, status: 200, charge: true, body, contentType: 'text/plain' });
		const { outputs } = await run({ parameters, items: [voice] });
		const received = await readStored(outputs[1][0].binary!.received);
		expect(received.toString('latin1')).toBe('Der Schlüssel *** ist ungültig');
	}
});
