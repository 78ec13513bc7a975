/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- runs outside n8n */
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { Editor } from '../test/browser/editor';
import type { WorkflowJson } from '../test/support/n8n/client';
import { REPOSITORY } from '../test/support/n8n/install';
import { packPackage } from '../test/support/n8n/package';
import { startN8n, type N8n } from '../test/support/n8n/server';
import { step } from '../test/support/n8n/steps';
import { startSimulator, type Simulator } from '../test/support/simulator';

const FOLDER = path.join(REPOSITORY, 'docs/images');
/** The service reckons with 250 characters a minute. */
const SECONDS_PER_CHARACTER = 60 / 250;
/** Narrow enough that the words can still be read in a README. */
const VIEWPORT = { width: 1360, height: 800 };
const NODE = 'Speech Gateway';

/** `npm run screenshots`: makes the pictures of the README anew, in light and dark, with the package in a real n8n. */
export async function main(): Promise<number> {
	const log = (line: string) => console.log(line);
	await mkdir(FOLDER, { recursive: true });
	const tarball = await step('Build and pack the package', log, packPackage);
	const sim = await startSimulator({ secondsPerCharacter: SECONDS_PER_CHARACTER });
	const n8n = await step('Start n8n', log, async () => await startN8n({ tarball }));
	try {
		const credential = await n8n.api.createCredential(
			'speechGatewayApi',
			{ apiKey: sim.apiKey, baseUrl: sim.url },
			'Speech Gateway account',
		);
		const example = JSON.parse(
			await readFile(path.join(REPOSITORY, 'examples/batch-narration.json'), 'utf8'),
		) as WorkflowJson;
		const { id } = await n8n.api.importWorkflow(example, [credential]);
		for (const colorScheme of ['light', 'dark'] as const)
			await step(colorScheme, log, async () => await shoot(n8n, sim, id, colorScheme));
		return 0;
	} finally {
		await n8n.stop();
		await sim.close();
		await rm(tarball, { force: true });
	}
}

async function shoot(n8n: N8n, sim: Simulator, workflow: string, colorScheme: 'light' | 'dark') {
	const { url, api } = n8n;
	const editor = await Editor.open({
		url,
		session: api.session,
		colorScheme,
		viewport: VIEWPORT,
	});
	const shot = async (name: string) => {
		// Toasts and moving parts would make every picture different.
		await editor.page.addStyleTag({ content: '.el-notification { display: none !important; }' });
		await editor.page.screenshot({
			path: path.join(FOLDER, `${name}-${colorScheme}.png`),
			animations: 'disabled',
		});
	};
	try {
		await editor.newWorkflow();
		await editor.openNodesPanel();
		await (await editor.search('narrate')).getByText(NODE, { exact: true }).click();
		await editor.page.getByText('Clone voice from recording').scrollIntoViewIfNeeded();
		await shot('nodes-panel');

		sim.clearFaults();
		sim.fault({ input: 'Tuesday', status: 504, charge: true });
		await editor.openWorkflow(workflow);
		await editor.by('execute-workflow-button').click();
		await editor.page.getByText('Workflow executed successfully').waitFor();
		await editor.page.getByText('4 items').first().waitFor();
		await editor.by('zoom-to-fit').click();
		await editor.page.mouse.move(0, 0);
		await shot('canvas');

		await editor.openNode(NODE);
		await editor.playFirstFile();
		await shot('node');
		await editor.page.getByText('Back to list').click();
		await editor.by('tab-1').click();
		await editor.by('radio-button-json').last().click();
		await editor.by('output-panel').getByText('upstream_outcome_unknown').first().waitFor();
		await shot('unknown');
	} finally {
		await editor.close();
	}
}
