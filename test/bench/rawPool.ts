/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
/**
 * The limit: the same requests from a bare client with open connections, in a process of its own, its answers written to
 * files as n8n writes them. Run with one JSON argument; prints `{ milliseconds, cpu }`.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { REPOSITORY } from '../support/n8n/install';
import { run } from '../support/n8n/steps';

interface Load {
	url: string;
	apiKey: string;
	texts: string[];
	concurrency: number;
}

export async function rawPool(load: Load): Promise<{ milliseconds: number; cpu: number }> {
	const { stdout } = await run(
		process.execPath,
		['--require', 'tsx/cjs', __filename, JSON.stringify(load)],
		{ cwd: REPOSITORY },
	);
	return JSON.parse(stdout) as { milliseconds: number; cpu: number };
}

async function send({ url, apiKey }: Load, agent: Agent, text: string, file: string) {
	const response = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
		const body = JSON.stringify({ model: 'fish-speech', input: text });
		const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
		request(`${url}/v1/audio/speech`, { method: 'POST', agent, headers }, resolve)
			.on('error', reject)
			.end(body);
	});
	await pipeline(response, createWriteStream(file));
}

async function main(load: Load) {
	const folder = await mkdtemp(path.join(tmpdir(), 'raw-pool-'));
	const agent = new Agent({ keepAlive: true, maxSockets: load.concurrency });
	const cpu = process.cpuUsage();
	const from = performance.now();
	let next = 0;
	const worker = async () => {
		for (let at = next++; at < load.texts.length; at = next++)
			await send(load, agent, load.texts[at], path.join(folder, String(at)));
	};
	await Promise.all(Array.from({ length: load.concurrency }, worker));
	const milliseconds = performance.now() - from;
	const { user, system } = process.cpuUsage(cpu);
	console.log(JSON.stringify({ milliseconds, cpu: (user + system) / 1000 }));
	agent.destroy();
	await rm(folder, { recursive: true });
}

if (require.main === module) void main(JSON.parse(process.argv[2]) as Load);
