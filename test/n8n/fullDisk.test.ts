/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openBench } from '../support/n8n/bench';
import { executionError, nodeOutputs } from '../support/n8n/client';
import { startN8n } from '../support/n8n/server';
import { sharedN8n } from '../support/n8n/shared';
import { NODE_NAME } from '../support/workflow';

const mount = (...args: string[]) => spawnSync('mount', args).status === 0;
const disk = mkdtempSync(path.join(tmpdir(), 'full-disk-'));
const isMounted = mount('-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk);
const started: Array<() => Promise<unknown>> = [];
afterAll(async () => {
	for (const end of started.reverse()) await end();
	if (isMounted) spawnSync('umount', [disk]);
	rmSync(disk, { recursive: true });
});

const testOnDisk = isMounted ? test : test.skip;
testOnDisk(
	'a disk of 4 MB (mounted by root): 12 of 40 files fit, four more are paid for, none is lost',
	async () => {
		const env = { N8N_BINARY_DATA_STORAGE_PATH: disk };
		const own = await startN8n({
			...sharedN8n(),
			userFolder: undefined,
			binaryMode: 'filesystem',
			env,
		});
		started.push(async () => await own.stop());
		const bench = await openBench({ latencyMs: 20, secondsPerCharacter: 0.5 }, own.api);
		started.push(async () => await bench.close());
		const { sim } = bench;
		const text = '={{ $json.text }}';
		const options = { concurrency: 4 };
		const failed = await bench.run({
			parameters: {
				resource: 'speech',
				operation: 'generate',
				text,
				responseFormat: 'wav',
				options,
			},
			items: Array.from({ length: 40 }, (_, index) => ({ text: `This is row ${index + 10}.` })),
			trigger: 'webhook',
		});
		const { message, description } = executionError(failed)!;
		expect(sim.charges.length).toBeLessThanOrEqual(12 + 4);
		expect(message).toContain('not sent: n8n could not store a file that was paid for');
		expect(description).toContain('no space left on device');
		expect(description).toContain(`${sim.charges.length} of 40 items are done and kept`);

		mount('-o', 'remount,size=64m', disk);
		const [items] = nodeOutputs(await own.api.retry(failed.id), NODE_NAME);
		const files = await Promise.all(
			items.map(async ({ binary }) => await own.api.binary(binary!.data)),
		);
		expect(files.map(({ length }) => length)).toEqual(items.map(({ json }) => json.bytes));
		expect(new Set(sim.charges.map(({ input }) => input)).size).toBe(40);
		expect([files.length, sim.charges.length]).toEqual([40, 40]);
	},
);
