/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/** The package behind LiteLLM's proxy, with the simulator as its provider. `npm test -- --gateways` installs it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { item, runNode, speechNode, useSimulator } from '../engine/support';
import type { Fault } from '../support/simulator';
import { CACHE } from '../support/n8n/install';
import { freePort } from '../support/n8n/server';
import { type Program, startProgram } from '../support/program';

/** It knows no voices, so that any name is the provider's. */
const sim = useSimulator({ dialect: 'new-api', latencyMs: 1, jobSeconds: 0 }, 'real');
const apiKey = 'sk-of-the-proxy';

let folder: string;
let proxy: Program;
let url: string;

beforeAll(async () => {
	folder = mkdtempSync(path.join(tmpdir(), 'litellm-'));
	const config = path.join(folder, 'config.yaml');
	const model = (name: string) => ({
		model_name: name,
		litellm_params: { model: `openai/${name}`, api_base: `${sim.url}/v1`, api_key: sim.apiKey },
	});
	// JSON is YAML.
	const settings = {
		model_list: [model('fish-speech'), model('sim-chat')],
		litellm_settings: { num_retries: 0, request_timeout: 60 },
		general_settings: { master_key: apiKey },
	};
	writeFileSync(config, JSON.stringify(settings));
	const port = await freePort();
	url = `http://127.0.0.1:${port}`;
	const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port)];
	proxy = await startProgram(path.join(CACHE, 'litellm/bin/litellm'), args, isAlive, {
		cwd: folder,
	});
});

afterAll(async () => {
	await proxy?.stop();
	rmSync(folder, { recursive: true, force: true });
});

const isAlive = async () =>
	await fetch(`${url}/health/liveliness`).then(
		({ ok }) => ok,
		() => false,
	);

async function run(parameters: IDataObject) {
	const items = [item({ text: 'Good morning.' })];
	const { outputs } = await runNode({
		parameters,
		items,
		url,
		apiKey,
		onError: 'continueErrorOutput',
	});
	return outputs.map((branch) => branch.map(({ json }) => json));
}
const speech = (more: IDataObject = {}) =>
	speechNode({ maxRetries: 0 }, { voice: 'alloy', ...more });
const chat = (options: IDataObject, content = 'Good morning.'): IDataObject => ({
	resource: 'chat',
	operation: 'complete',
	model: 'sim-chat',
	messages: { values: [{ role: 'user', content }] },
	options: { maxRetries: 0, ...options },
});

test('what the credential asks is answered, but not with a wrong key; the models are listed', async () => {
	const tested = async (key: string) =>
		await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
	expect((await tested(apiKey)).status).toBe(200);
	expect((await tested('sk-wrong')).ok).toBe(false);
	const [models] = await run({ resource: 'model', operation: 'getMany', returnAll: true });
	expect(models.map(({ id }) => id).sort()).toEqual(['fish-speech', 'sim-chat']);
});

test.each(['mp3', 'wav', 'opus', 'pcm'])('speech as %s', async (responseFormat) => {
	const [success] = await run(speech({ responseFormat }));
	expect(success).toMatchObject([{ responseFormat, durationSeconds: expect.any(Number) }]);
	expect(sim.charges).toHaveLength(1);
});

test('speech without a voice: the error says how to give one', async () => {
	const [, , errors] = await run(speech({ voice: 'default' }));
	expect(JSON.stringify(errors)).toMatch(/by ID/);
	expect(sim.charges).toEqual([]);
});

test.each([false, true])('a chat: stream %s', async (stream) => {
	const [success] = await run(chat({ stream }));
	expect(success).toMatchObject([{ text: 'You said: Good morning.', finishReason: 'stop' }]);
});

test.each([false, true])('a chat with a tool: stream %s', async (stream) => {
	const parameters = { type: 'object', properties: { city: { type: 'string' } } };
	const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
	const options = { stream, tools: JSON.stringify(tools) };
	const [success] = await run(chat(options, 'call tool weather {"city":"Riga"}'));
	expect(JSON.stringify(success[0].toolCalls)).toMatch(/weather.*Riga/);
});

test.each<[string, Fault, RegExp]>([
	['its own key', { case: 'upstream 401' }, /provider refuses the account/],
	['its own quota', { case: 'upstream 429, quota' }, /provider refuses the account/],
	['too many requests', { case: 'upstream 429, rate' }, /too many requests/],
	['a broken provider', { case: 'upstream 500' }, /500/],
])('%s: told as what it is, and not charged', async (_, fault, words) => {
	sim.fault({ ...fault, times: Infinity });
	const [success, , errors] = await run(speech());
	expect(success).toEqual([]);
	expect(JSON.stringify(errors)).toMatch(words);
	expect(sim.charges).toEqual([]);
});
