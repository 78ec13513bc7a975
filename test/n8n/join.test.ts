/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/* Audio → Join of files that other nodes have made, in real n8n. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { startHttp, type TestServer } from '../support/hostileServers';
import { decode, whichText } from '../support/listen';
import { openBench, type Bench } from '../support/n8n/bench';
import { executionError, nodeOutputs, type WorkflowJson } from '../support/n8n/client';
import { n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';
import { probe } from '../support/readers';
import { renderAudio } from '../support/simulator/audio';
import { connection, makeNode, NODE_NAME, NODE_TYPE } from '../support/workflow';

const MB = 1024 * 1024;
const SAID = ['The intro of another program.', 'The episode itself.', 'Goodbye.'];
const sound = (text: string) => Buffer.concat([...renderAudio(text, 3, 'wav').chunks()]);
/** Bare samples; as often as this they are joined. */
const LONG = Buffer.alloc(8 * MB);
const FILES = 100;

let bench: Bench;
let server: TestServer;
let address: string;
beforeAll(async () => {
	bench = await openBench();
	server = await startHttp(({ url }, response) => {
		const [, at] = /^\/(\d)\.wav$/.exec(url ?? '') ?? [];
		response.setHeader('content-type', at ? 'audio/wav' : 'audio/pcm');
		response.end(at ? sound(SAID[Number(at)]) : LONG);
	});
	address = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
	await server?.close();
	await bench?.close();
});

const download = (url: string, x: number) =>
	makeNode('HTTP Request', 'n8n-nodes-base.httpRequest', 4.2, x, {
		url,
		options: { response: { response: { responseFormat: 'file' } } },
	});
const join = (parameters: IDataObject) =>
	makeNode(NODE_NAME, NODE_TYPE, 1, 800, { resource: 'audio', operation: 'join', ...parameters });
/** One node after the other. */
function chain(name: string, nodes: WorkflowJson['nodes']): WorkflowJson {
	const trigger = makeNode('Trigger', 'n8n-nodes-base.manualTrigger', 1, 0, {});
	const all = [trigger, ...nodes];
	return {
		name,
		nodes: all,
		connections: Object.fromEntries(
			nodes.map((node, index) => [all[index].name, connection([node.name])]),
		),
		settings: { executionOrder: 'v1' },
	};
}

test('files that HTTP Request has downloaded become one, with a chapter each', async () => {
	const workflow = chain('Join downloads', [
		makeNode('Episodes', 'n8n-nodes-base.set', 3.4, 200, {
			mode: 'raw',
			jsonOutput: '={{ { at: [0, 1] } }}',
		}),
		makeNode('One by one', 'n8n-nodes-base.splitOut', 1, 400, { fieldToSplitOut: 'at' }),
		download(`=${address}/{{ $json.at }}.wav`, 600),
		join({
			options: { chapters: 'headings', pauseBetween: 500, tags: { values: { title: 'T' } } },
		}),
	]);
	const execution = await bench.api.run(await bench.api.importWorkflow(workflow, []));
	expect(executionError(execution)?.message).toBeUndefined();
	const [{ json, binary, pairedItem }] = nodeOutputs(execution, NODE_NAME)[0];
	expect(json.audio).toMatchObject({ files: 2, durationSeconds: 6.5, starts: [0, 3.5] });
	expect(pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
	const audio = await bench.api.binary(binary!.data);
	const samples = await decode(audio);
	expect([0, 3.5].map((start) => whichText(samples, SAID, start, 3))).toEqual([0, 1]);
	expect(probe(audio).chapters.map(({ start }) => start)).toEqual([0, 3.5]);
	expect(binary!.chapters.fileName).toMatch(/^joined-1-[0-9a-f]{8}\.chapters\.json$/);
});

// Before 2.33, what is left of a file stays until the execution is deleted.
(n8nIsAtLeast('2.33') ? test : test.skip)(
	'Stop ends a join while its file is being written; nothing of it stays',
	async () => {
		const files = () =>
			readdirSync(sharedN8n().userFolder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile() && !entry.name.includes('sqlite'))
				.map((entry) => path.join(entry.parentPath, entry.name));
		const before = new Set(files());
		const isWriting = () =>
			files().some(
				(file) =>
					!before.has(file) && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LONG.length,
			);
		const workflow = chain('Long join', [
			download(`${address}/long.pcm`, 200),
			makeNode('Many', 'n8n-nodes-base.set', 3.4, 400, {
				duplicateItem: true,
				duplicateCount: FILES - 1,
				includeOtherFields: true,
				options: { stripBinary: false },
			}),
			join({}),
		]);
		const id = await bench.api.start(await bench.api.importWorkflow(workflow, []));
		while (!isWriting()) await wait(5);
		await bench.api.stop(id);
		expect((await bench.api.waitForExecution(id)).status).toBe('canceled');
		while (isWriting()) await wait(5);
	},
);
