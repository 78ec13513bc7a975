/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { decode, decoderMessages, PCM_SAMPLE_RATE } from '../support/listen';
import { REPOSITORY } from '../support/n8n/install';
import { startSimulator } from '../support/simulator';

const FILES = ['01-welcome', '02-the-harbour', '03-opening-hours', '04-willkommen', '05-huanying'];

/** A copy of the repository, for which no n8n is installed. */
const copy = mkdtempSync(path.join(tmpdir(), 'speech-gateway-demo-'));
beforeAll(() => {
	// Without the lock: the dependencies are there.
	for (const name of [
		...['package.json', 'nodes', 'credentials', 'examples', 'scripts', 'test/support'],
		...['test/engine/support.ts', 'test/engine/keyStore.ts', 'test/n8n/versions'],
	])
		cpSync(path.join(REPOSITORY, name), path.join(copy, name), { recursive: true });
	symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(copy, 'node_modules'));
});
let child: ChildProcess;
afterEach(() => {
	child.kill('SIGKILL'); // after a failure, it may still run
	rmSync(path.join(copy, 'demo-output'), { recursive: true, force: true });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The user's own folder, where n8n has its `.n8n`. */
const home = path.join(copy, 'home');
beforeAll(() => mkdirSync(home));

function startDemo(args: string[], env: NodeJS.ProcessEnv): void {
	child = spawn(process.execPath, ['scripts/run.mjs', 'demo', ...args], {
		cwd: copy,
		env: { ...process.env, HOME: home, ...env },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
}

async function secondsOf(name: string): Promise<number> {
	const file = path.join(copy, 'demo-output', name);
	expect(await decoderMessages(file)).toBe('');
	return (await decode(file)).length / PCM_SAMPLE_RATE;
}

test('--engine with a key: each row is sent once to that gateway, the files are written, and that is all', async () => {
	const sim = await startSimulator();
	const { apiKey: SPEECH_GATEWAY_API_KEY, url: SPEECH_GATEWAY_BASE_URL } = sim;
	startDemo(['--engine'], { SPEECH_GATEWAY_API_KEY, SPEECH_GATEWAY_BASE_URL });
	const [output, [code]] = await Promise.all([text(child.stdout!), once(child, 'close')]);
	await sim.close();

	expect(code).toBe(0);
	expect(output).not.toMatch(/npm install|Ctrl-C|simulator|encryption key/);
	expect(readdirSync(home)).toEqual([]);
	expect(readdirSync(path.join(copy, 'demo-output'))).toEqual(FILES.map((name) => `${name}.mp3`));
	const sent = sim.charges.map(({ input }) => input);
	expect(new Set(sent).size).toBe(sent.length);
	const total = sent.reduce((sum, input) => sum + [...input].length, 0);
	const seconds = await Promise.all(FILES.map(async (name) => await secondsOf(`${name}.mp3`)));
	expect(seconds.reduce((sum, one) => sum + one)).toBeCloseTo(
		total * sim.options.secondsPerCharacter,
		1,
	);
});

test('without a key: spoken files first, then n8n is fetched; Ctrl-C stops that with exit code 0', async () => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	// In place of npm: installs nothing, for ever, and shows that it runs.
	const npm = path.join(copy, 'npm.cjs');
	await writeFile(
		npm,
		`require('node:net').connect(${(server.address() as AddressInfo).port}, '127.0.0.1')`,
	);
	startDemo([], {
		npm_execpath: npm,
		SPEECH_GATEWAY_API_KEY: '',
		SPEECH_GATEWAY_BASE_URL: '',
	});
	const output = text(child.stdout!);
	const [installing] = (await once(server, 'connection')) as [Socket];
	const files = readdirSync(path.join(copy, 'demo-output'));
	expect(files).toEqual(FILES.map((name) => `${name}.mp3`));

	const installEnded = once(installing.resume(), 'close');
	installing.on('error', () => {}); // reset when its process is killed
	child.kill('SIGINT');
	expect(await once(child, 'close')).toEqual([0, null]);
	await installEnded;
	server.close();
	expect(await output).toMatch(
		/first audio files[^]*Press Ctrl-C to stop here; the files stay[^]*n8n 2\.41: npm install[^]*Stopped/,
	);
	expect(readdirSync(path.join(copy, 'demo-output'))).toEqual(files);
	expect(await secondsOf('01-welcome.mp3')).toBeGreaterThan(3);
});
