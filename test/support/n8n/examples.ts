/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowJson } from './client';
import { REPOSITORY } from './install';

export const EXAMPLES = path.join(REPOSITORY, 'examples');

const readWorkflow = (...names: string[]): WorkflowJson =>
	JSON.parse(readFileSync(path.join(...names), 'utf8')) as WorkflowJson;

export const readExample = (file: string): WorkflowJson => readWorkflow(EXAMPLES, file);

/** A workflow of the tests. */
export const readFixture = (file: string): WorkflowJson =>
	readWorkflow(REPOSITORY, 'test/n8n/fixtures', file);

/** The table that the demo narrates: five texts, and what is unknown on a list. */
export const readDemoTable = (): WorkflowJson =>
	readWorkflow(REPOSITORY, 'scripts/demo/table.json');

/** Activates the store "Disk" of a workflow; returns the folder of its files. */
export function storeOnDisk({ nodes }: WorkflowJson, userFolder: string): string {
	const folder = path.join(userFolder, '.n8n-files', randomUUID());
	mkdirSync(folder, { recursive: true });
	for (const node of nodes.filter(({ type }) => type.endsWith('.readWriteFile'))) {
		const parameters = node.parameters as { fileName?: string; fileSelector?: string };
		for (const name of ['fileName', 'fileSelector'] as const)
			parameters[name] = parameters[name]?.replace('/home/node/.n8n-files', folder);
		node.disabled = false;
	}
	return folder;
}
