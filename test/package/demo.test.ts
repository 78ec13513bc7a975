/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { decode, decoderMessages, PCM_SAMPLE_RATE } from '../support/listen';
import { REPOSITORY } from '../support/n8n/install';

const FILES = ['01-welcome', '02-the-harbour', '03-opening-hours', '04-willkommen', '05-huanying'];

test('npm run demo without a key: spoken files first, then n8n is fetched; Ctrl-C stops that with exit code 0', async () => {
	// A copy of the repository, for which no n8n is installed.
	const copy = mkdtempSync(path.join(tmpdir(), 'speech-gateway-demo-'));
	for (const name of [
		'package.json',
		'nodes',
		'credentials',
		'examples',
		'scripts',
		'test/support',
		'test/engine/support.ts',
		'test/engine/keyStore.ts',
		'test/n8n/versions',
	])
		cpSync(path.join(REPOSITORY, name), path.join(copy, name), { recursive: true });
	symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(copy, 'node_modules'));
	/** The user's own folder, where n8n has its `.n8n`. */
	const home = path.join(copy, 'home');
	mkdirSync(home);
	const made = () => readdirSync(path.join(copy, 'demo-output'));

	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	// In place of npm: installs nothing, for ever, and shows that it runs.
	const npm = path.join(copy, 'npm.cjs');
	await writeFile(npm, `require('node:net').connect(${port}, '127.0.0.1')`);
	const gateway = { SPEECH_GATEWAY_API_KEY: '', SPEECH_GATEWAY_BASE_URL: '' };
	const child = spawn(process.execPath, ['scripts/run.mjs', 'demo'], {
		cwd: copy,
		env: { ...process.env, HOME: home, npm_execpath: npm, ...gateway },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	try {
		const output = text(child.stdout);
		const [installing] = (await once(server, 'connection')) as [Socket];
		const files = FILES.map((name) => `${name}.mp3`);
		expect(made()).toEqual(files);

		const installEnded = once(installing.resume(), 'close');
		installing.on('error', () => {}); // reset when its process is killed
		child.kill('SIGINT');
		expect(await once(child, 'close')).toEqual([0, null]);
		await installEnded;
		expect(await output).toMatch(
			/first audio files[^]*Press Ctrl-C to stop here; the files stay[^]*n8n 2\.41: npm install[^]*Stopped/,
		);
		expect(made()).toEqual(files);
		expect(readdirSync(home)).toEqual([]);
		const file = path.join(copy, 'demo-output', files[0]);
		expect(await decoderMessages(file)).toBe('');
		expect((await decode(file)).length / PCM_SAMPLE_RATE).toBeGreaterThan(3);
	} finally {
		child.kill('SIGKILL');
		server.close();
		rmSync(copy, { recursive: true, force: true });
	}
});
