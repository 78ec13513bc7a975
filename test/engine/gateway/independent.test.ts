import { LLMock } from '@copilotkit/aimock';
import type { IDataObject } from 'n8n-workflow';
import { renderAudio } from '../../support/simulator/audio';
import { item, runNode, type EngineRun, readStored } from '../support';

/**
 * A server of the same request format that others wrote: what our simulator and our code might both misread, it might not. It
 * has no speech jobs, no voices, and no files of videos.
 */
let server: LLMock;
beforeAll(async () => {
	server = new LLMock({ port: 0, host: '127.0.0.1' });
	await server.start();
});
beforeEach(() => server.reset());
afterAll(async () => await server.stop());

async function run(parameters: IDataObject, more: Partial<EngineRun> = {}) {
	const items = [item({})];
	return await runNode({ parameters, items, url: server.url, apiKey: 'sk-any', ...more });
}

const speech = {
	resource: 'speech',
	operation: 'generate',
	model: 'tts-1',
	text: 'Good morning.',
	options: { maxRetries: 0 },
};
const chat = (content: string, options: IDataObject = {}) => ({
	resource: 'chat',
	operation: 'complete',
	model: 'gpt-4o',
	messages: { values: [{ role: 'user', content }] },
	options: { maxRetries: 0, ...options },
});
const requests = (path: string) => server.getRequests().filter((request) => request.path === path);

test('models are listed', async () => {
	const { outputs } = await run({ resource: 'model', operation: 'getMany', returnAll: true });
	expect(outputs[0].map(({ json }) => json.id)).toContain('gpt-4o');
});

test.each(['mp3', 'wav', 'opus', 'pcm'] as const)('speech as %s', async (format) => {
	const audio = Buffer.concat([...renderAudio('Good morning.', 2, format).chunks()]);
	server.onSpeech(/.*/, { audio: audio.toString('base64'), format });
	const { outputs } = await run({ ...speech, responseFormat: format });
	const { data } = outputs[0][0].binary!;
	expect((await readStored(data)).equals(audio)).toBe(true);
	expect(requests('/v1/audio/speech')).toHaveLength(1);
});

test.each([true, false])('chat, with usage and tool calls; stream %s', async (stream) => {
	server.onMessage('weather', { toolCalls: [{ name: 'weather', arguments: '{"city":"Graz"}' }] });
	server.onMessage(/Grüß/, { content: 'Grüß Gott! 🎧 '.repeat(50) });
	const answer = (await run(chat('Grüß dich', { stream }))).outputs[0][0].json;
	expect(answer).toMatchObject({ text: 'Grüß Gott! 🎧 '.repeat(50), finishReason: 'stop' });
	const tools = JSON.stringify([{ type: 'function', function: { name: 'weather' } }]);
	const called = (await run(chat('the weather', { stream, tools }))).outputs[0][0].json;
	expect(called).toMatchObject({
		finishReason: 'tool_calls',
		toolCalls: [{ function: { name: 'weather', arguments: '{"city":"Graz"}' } }],
	});
});

test('a video is made and looked at', async () => {
	server.onVideo(/boat/, {
		video: { id: 'video_1', status: 'completed', url: 'https://example.com/v.mp4' },
	});
	const video = { resource: 'video', operation: 'create', model: 'sora-2', prompt: 'A boat' };
	const created = (await run(video)).outputs[0][0].json;
	const { outputs } = await run({ resource: 'video', operation: 'get', videoId: created.id });
	expect(outputs[0][0].json).toMatchObject({ id: created.id, status: 'completed' });
});

test.each([
	[429, 'The gateway is receiving too many requests (429)'],
	[401, 'The gateway does not accept the API key (401)'],
	[404, 'The gateway has no model "gpt-4o"'],
])('its error %s is understood', async (status, message) => {
	server.nextRequestError(status, { message: 'Sorry', code: 'model_not_found' });
	const { error } = await run(chat('Hello'));
	expect(error?.message).toContain(message);
	expect(error?.description).toContain('Sorry');
	expect(requests('/v1/chat/completions')).toHaveLength(1);
});

test.each([
	['a body that is no JSON', { malformedRate: 1 }, 'damaged_response'],
	['a connection that is cut', { disconnectRate: 1 }, 'connection_lost'],
])('%s: unknown, and never sent again', async (_, chaos, reason) => {
	server.onMessage(/.*/, { content: 'Hello.' });
	server.setChaos(chaos);
	const { outputs } = await run(chat('Hello', { maxRetries: 3 }), { retryOnFail: true });
	server.clearChaos();
	expect(outputs[1][0].json).toMatchObject({ outcome: 'unknown', reason });
	expect(requests('/v1/chat/completions')).toHaveLength(1);
});
