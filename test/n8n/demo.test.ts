/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { N8N_VERSIONS, REPOSITORY } from '../support/n8n/install';
import { N8N_VERSION, sharedN8n } from '../support/n8n/shared';
import { startSimulator } from '../support/simulator';

/** The demo runs on one version of n8n. */
const testOnCurrent = N8N_VERSION === N8N_VERSIONS[0] ? test : test.skip;

testOnCurrent('npm run demo with a key: only in n8n, where each text is charged once', async () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'speech-gateway-demo-'));
	const sim = await startSimulator();
	const child = spawn(process.execPath, [path.join(REPOSITORY, 'scripts/run.mjs'), 'demo'], {
		cwd: folder,
		env: {
			...process.env,
			PACKAGE_TARBALL: sharedN8n().tarball,
			SPEECH_GATEWAY_API_KEY: sim.apiKey,
			SPEECH_GATEWAY_BASE_URL: sim.url,
		},
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
	const files = readdirSync(path.join(folder, 'demo-output'));
	rmSync(folder, { recursive: true });
	await sim.close();

	expect(code).toBe(0);
	expect(output).not.toMatch(/engine/);
	expect(files.filter((name) => /^(01|How)/.test(name))).toEqual([
		'01-welcome.mp3',
		'How bread rises.chapters.json',
		'How bread rises.mp3',
	]);
	const sent = sim.charged();
	expect(sent.length).toBeGreaterThan(6 + 8);
	expect(new Set(sent).size).toBe(sent.length);
});
