/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { N8nClient, type SavedWorkflow } from '../support/n8n/client';
import { REPOSITORY } from '../support/n8n/install';
import { N8N_VERSION, sharedN8n } from '../support/n8n/shared';

/** A copy of the repository, whose sources this test may change. */
let copy: string;
let dev: ChildProcess | undefined;
let output = '';

beforeAll(async () => {
	copy = await mkdtemp(path.join(tmpdir(), 'speech-gateway-dev-'));
	// Without the lock: the dependencies are there.
	for (const name of [
		'package.json',
		'tsconfig.json',
		'nodes',
		'credentials',
		'examples',
		'scripts',
		'test/tsconfig.json',
		'test/support',
		'test/n8n/versions',
	])
		await cp(path.join(REPOSITORY, name), path.join(copy, name), { recursive: true });
	for (const name of ['node_modules', '.cache'])
		await symlink(path.join(REPOSITORY, name), path.join(copy, name));
});
afterAll(async () => {
	if (dev?.exitCode === null && dev.signalCode === null) process.kill(-dev.pid!, 'SIGKILL');
	await rm(copy, { recursive: true, force: true });
});

/** Waits until npm run dev has printed something. */
async function printed(text: RegExp): Promise<RegExpExecArray> {
	for (;;) {
		const found = text.exec(output);
		if (found) return found;
		const ended = once(dev!, 'exit').then(() => 'ended');
		if ((await Promise.race([once(dev!.stdout!, 'data'), ended])) === 'ended')
			throw new Error(`npm run dev ended:\n${output}`);
	}
}

test('npm run dev: an n8n with the package; a saved change is taken over; Ctrl-C ends it', async () => {
	// A process group, as in a terminal.
	dev = spawn('npm', ['run', 'dev', '--', '--version', N8N_VERSION], {
		cwd: copy,
		env: { ...process.env, PACKAGE_TARBALL: sharedN8n().tarball },
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	for (const stream of [dev.stdout!, dev.stderr!])
		stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
	await printed(/Waiting for changes/);
	const [, url, workflowId] = /Editor: +(\S+)\/workflow\/(\S+)/.exec(output)!;
	const api = new N8nClient(url);
	await api.logIn();

	const workflow = await api.request<SavedWorkflow>('GET', `/rest/workflows/${workflowId}`);
	expect((await api.run(workflow)).status).toBe('success');

	expect(output).not.toContain('Changed:'); // what was installed is what is compiled
	const source = path.join(copy, 'nodes/SpeechGateway/SpeechGateway.node.ts');
	const before = await readFile(source, 'utf8');
	const after = before.replace("displayName: 'Speech Gateway'", "displayName: 'Speech Gatehouse'");
	expect(after).not.toBe(before);
	await writeFile(source, after);
	await printed(/Hot reload triggered for n8n-nodes-speech-gateway/);
	const label = async () => {
		const types: unknown = await api.types().catch(() => undefined);
		if (!Array.isArray(types)) return undefined; // nothing or half of it, while n8n writes it
		return (types as Array<Record<string, unknown>>).find(
			({ name }) => name === 'n8n-nodes-speech-gateway.speechGateway',
		)?.displayName;
	};
	while ((await label()) !== 'Speech Gatehouse'); // or the test's time is over
	expect((await api.run(workflow)).status).toBe('success');

	process.kill(-dev.pid!, 'SIGINT');
	await once(dev, 'close'); // of npm and all that it started
	await expect(fetch(url)).rejects.toThrow('fetch failed');
});
