/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- runs outside n8n */
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import { Editor, launchBrowser } from '../test/browser/editor';
import { readDemoTable } from '../test/support/n8n/examples';
import { nodeOutputs, type Credential, type SavedWorkflow } from '../test/support/n8n/client';
import { REPOSITORY } from '../test/support/n8n/install';
import { packPackage } from '../test/support/n8n/package';
import { startN8n, type N8n } from '../test/support/n8n/server';
import { step } from '../test/support/n8n/steps';
import { buildWorkflow, toldOf } from '../test/support/workflow';
import { startSimulator, type Simulator } from '../test/support/simulator';
import { Animation } from './animation';
import { chargedChart, chargesChart, type ChargeRow } from './charts';

const FOLDER = path.join(REPOSITORY, 'docs/images');
/** As fast as English is spoken. */
const SECONDS_PER_CHARACTER = 60 / 850;
/** Narrow enough that the words can still be read in a README. */
const VIEWPORT = { width: 1360, height: 800 };
/** All actions of the nodes panel. */
const TALL_VIEWPORT = { width: 1360, height: 1700 };
/** Down to the last speaker. */
const DIALOGUE_VIEWPORT = { width: 1360, height: 950 };
/** What people need; beneath are times and hashes. */
const UNKNOWN_HEIGHT = 552;
const ANIMATION_VIEWPORT = { width: 1120, height: 700 };
/** Of the narration that the animation plays. */
const SECONDS_HEARD = 4;
/** What to click, and where. */
const RETRY_VIEWPORT = { width: 1360, height: 700 };
const CHART_VIEWPORT = { width: 900, height: 100 };
const NODE = 'Speech Gateway';
/** Of the account, and who speaks with it in the picture of a dialogue. */
const VOICES = [
	{ _id: 'voice-anna', title: 'Anna, calm', speaker: 'Anna' },
	{ _id: 'voice-ben', title: 'Ben, cheerful', speaker: 'Ben' },
];
const DIALOGUE = buildWorkflow({
	name: 'Dialogue',
	parameters: {
		resource: 'speech',
		operation: 'dialogue',
		script:
			'Anna: Welcome back! Today we talk about lighthouses.\nBen: (laughing) Not again.\nAnna: (whispering) There is a new one.',
		speakers: {
			values: VOICES.map(({ _id, title, speaker }) => ({
				name: speaker,
				voice: { __rl: true, mode: 'list', value: _id, cachedResultName: title },
			})),
		},
		options: { fileName: '={{ $json.episode }}' },
	},
	items: [{ episode: '12-lighthouses' }],
});

/**
 * `npm run demo -- --screenshots`: makes the pictures of the documents anew, in light and dark, with the package in a real n8n. With
 * `pictures`, `retry`, `charts` or `animation` only these.
 */
export async function takeScreenshots(args: string[]): Promise<number> {
	const wants = (what: string) => args.length === 0 || args.includes(what);
	const log = (line: string) => console.log(line);
	await mkdir(FOLDER, { recursive: true });
	const tarball = await step('Build and pack the package', log, packPackage);
	const sim = await startSimulator({ secondsPerCharacter: SECONDS_PER_CHARACTER });
	for (const { _id, title } of VOICES) sim.addVoice(title, _id);
	const n8n = await step('Start n8n', log, async () => await startN8n({ tarball, editor: true }));
	try {
		const credential = await n8n.api.createCredential(
			'speechGatewayApi',
			{ apiKey: sim.apiKey, baseUrl: sim.url },
			'Speech Gateway account',
		);
		const batch = await n8n.api.importWorkflow(readDemoTable(), [credential]);
		const dialogue = await n8n.api.importWorkflow(DIALOGUE, [credential]);
		const failed = wants('retry') ? await failedExecution(n8n, sim, credential) : '';
		const charges = wants('charts') ? await chargesOfANight(n8n, sim, credential) : [];
		for (const colorScheme of ['light', 'dark'] as const) {
			if (wants('retry'))
				await step(`Retry, ${colorScheme}`, log, async () => {
					await shootRetry(n8n, failed, colorScheme);
				});
			if (wants('charts'))
				await step(`Charts, ${colorScheme}`, log, async () => await draw(charges, colorScheme));
			if (wants('pictures')) {
				await step(`Pictures, ${colorScheme}`, log, async () => {
					await shoot(n8n, sim, { batch, dialogue }, colorScheme);
				});
			}
			if (wants('animation'))
				await step(`Animation, ${colorScheme}`, log, async () => await film(n8n, colorScheme));
		}
		return 0;
	} finally {
		await n8n.stop();
		await sim.close();
		await rm(tarball, { force: true });
	}
}

type ColorScheme = 'light' | 'dark';
type Box = { x: number; y: number; width: number; height: number };

const box = async (element: Locator): Promise<Box> => (await element.boundingBox())!;

async function save({ page }: Editor, name: string, clip?: Box): Promise<void> {
	// Toasts would make every picture different; the shortcuts to the next nodes cover the output.
	await page.addStyleTag({
		content: '.el-notification, [data-test-id=floating-node] { display: none !important; }',
	});
	await page.screenshot({ path: path.join(FOLDER, `${name}.png`), animations: 'disabled', clip });
}

async function shoot(
	{ url, api }: N8n,
	sim: Simulator,
	{ batch, dialogue }: Record<'batch' | 'dialogue', SavedWorkflow>,
	colorScheme: ColorScheme,
) {
	const editor = await Editor.open({ url, session: api.session, colorScheme, viewport: VIEWPORT });
	const shot = async (name: string, clip?: Box) => {
		await save(editor, `${name}-${colorScheme}`, clip);
	};
	try {
		await editor.page.setViewportSize(TALL_VIEWPORT);
		await editor.newWorkflow();
		await editor.openNodesPanel();
		await (await editor.search('narrate')).getByText(NODE, { exact: true }).click();
		const actions = editor.by('node-creator-item-name');
		await editor.page.getByText('Clone voice from recording').waitFor();
		const panel = await box(editor.by('node-creator'));
		const { y } = await box(editor.page.getByText('Speech Actions', { exact: true }));
		const last = await box(actions.last());
		await shot('nodes-panel', { ...panel, y: y - 16, height: last.y + last.height + 32 - y });

		await editor.page.setViewportSize(DIALOGUE_VIEWPORT);

		await editor.openWorkflow(dialogue.id);
		await editor.openNode(NODE);
		await editor.executeNode();
		await editor.playFirstFile();
		await shot('dialogue');
		await editor.page.setViewportSize(VIEWPORT);

		sim.fault({ input: 'Tuesday', status: 504, charge: true });
		await editor.openWorkflow(batch.id);
		await editor.openNode(NODE);
		await editor.executeNode();
		await editor.closeNode();
		await editor.page.getByText('4 items').first().waitFor();
		await editor.by('zoom-to-fit').click();
		await editor.page.mouse.move(0, 0);
		await shot('canvas');

		await editor.openNode(NODE);
		await editor.by('tab-1').click();
		await editor.by('radio-button-schema').last().click();
		await editor.by('output-panel').getByText('upstream_outcome_unknown').first().waitFor();
		await shot('unknown', { ...(await box(editor.by('output-panel'))), height: UNKNOWN_HEIGHT });
	} finally {
		await editor.close();
	}
}

/** From an empty workflow to the sound of a text. */
async function film({ url, api }: N8n, colorScheme: ColorScheme) {
	const viewport = ANIMATION_VIEWPORT;
	const editor = await Editor.open({ url, session: api.session, colorScheme, viewport });
	try {
		await editor.newWorkflow();
		const film = await Animation.begin(editor.page);
		await film.show(1);
		await film.click(editor.by('canvas-plus-button'));
		await editor.by('node-creator-search-bar').waitFor();
		await film.type('narrate');
		await film.click(editor.by('node-creator-item-name').getByText(NODE, { exact: true }));
		await film.click(editor.page.getByText('Generate speech from text'));
		await film.show(1);
		await film.click(editor.by('parameter-input-text').locator('textarea'));
		await film.type('(happy) Good morning! This is my first narration, made in n8n.');
		await film.click(editor.by('node-execute-button'));
		await editor.by('node-run-status-success').waitFor();
		await film.show(1);
		await film.click(editor.by('ndv-view-binary-data').first());
		const audio = editor.page.locator('audio');
		await audio.waitFor();
		for (let second = 1; second <= SECONDS_HEARD; second++) {
			await editor.page.waitForFunction(
				(wanted) => document.querySelector('audio')!.currentTime >= wanted,
				second,
			);
			await film.show(1);
		}
		await film.save(path.join(FOLDER, `narrate-${colorScheme}.webp`));
	} finally {
		await editor.close();
	}
}

/** Where a production execution that ended with an error is shown. */
async function failedExecution(
	{ api }: N8n,
	sim: Simulator,
	credential: Credential,
): Promise<string> {
	const test = buildWorkflow({
		name: 'Museum guide',
		trigger: 'webhook',
		parameters: { resource: 'speech', operation: 'generate', text: '={{ $json.text }}' },
		items: ['Welcome.', 'The harbour.', 'The tower.'].map((text) => ({ text })),
	});
	const workflow = await api.importWorkflow(test, [credential]);
	await api.activate(workflow);
	sim.fault({ input: 'tower', status: 422 });
	const { id } = await api.runProduction(workflow);
	sim.clearFaults();
	return `/workflow/${workflow.id}/executions/${id}`;
}

async function shootRetry({ url, api }: N8n, address: string, colorScheme: ColorScheme) {
	const viewport = RETRY_VIEWPORT;
	const editor = await Editor.open({ url, session: api.session, colorScheme, viewport });
	try {
		await editor.page.goto(address);
		await editor.by('execution-preview-retry-button').click();
		await editor.page.getByText('Retry with original workflow').waitFor();
		await save(editor, `retry-${colorScheme}`);
	} finally {
		await editor.close();
	}
}

/** What the rows of the demo's table cost in a night in which one answer was lost. */
async function chargesOfANight({ api }: N8n, sim: Simulator, credential: Credential) {
	const table = readDemoTable();
	const node = table.nodes.find(({ name }) => name === NODE)!;
	const { options } = node.parameters as { options: IDataObject };
	Object.assign(options, { charges: true });
	const workflow = await api.importWorkflow(table, [credential]);
	sim.fault({ input: 'Herzlich', status: 504, charge: true });
	const night = await api.run(workflow);
	sim.clearFaults();
	return nodeOutputs(night, NODE)
		.flat()
		.flatMap((item) => {
			const { charges, estimatedTokens } = toldOf(item);
			return (charges as IDataObject[]).map(({ charged, tokens }): ChargeRow => {
				const spent = Number(tokens ?? estimatedTokens ?? 0);
				return { title: String(item.json.title), charged: String(charged), tokens: spent };
			});
		});
}

async function draw(charges: ChargeRow[], colorScheme: ColorScheme) {
	const rules = await readFile(path.join(REPOSITORY, 'docs/never-billed-twice.md'), 'utf8');
	const browser = await launchBrowser();
	try {
		const page = await browser.newPage({ colorScheme, viewport: CHART_VIEWPORT });
		const charts = { charged: chargedChart(rules), bars: chargesChart(charges) };
		for (const [name, chart] of Object.entries(charts)) {
			await page.setContent(chart);
			await page.screenshot({
				path: path.join(FOLDER, `${name}-${colorScheme}.png`),
				fullPage: true,
			});
		}
	} finally {
		await browser.close();
	}
}
