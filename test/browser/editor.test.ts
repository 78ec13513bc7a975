/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import path from 'node:path';
import { descriptions } from '../../nodes/SpeechGateway/operations/forms';
import { REPOSITORY } from '../support/n8n/install';
import type { Credential } from '../support/n8n/client';
import { packedPackage } from '../support/n8n/package';
import { startN8n, type N8n } from '../support/n8n/server';
import { startSimulator, type Simulator } from '../support/simulator';
import { buildWorkflow, NODE_NAME } from '../support/workflow';
import { Editor } from './editor';

const SECONDS_PER_CHARACTER = 0.1;

/** Its own, which has no credential yet. */
let n8n: N8n;
let sim: Simulator;
let editor: Editor;

beforeAll(async () => {
	n8n = await startN8n({ tarball: await packedPackage(), editor: true });
	sim = await startSimulator({ secondsPerCharacter: SECONDS_PER_CHARACTER });
	sim.addVoice('Anna, calm', 'anna');
	editor = await Editor.open({ url: n8n.url, session: n8n.api.session });
});
afterAll(async () => {
	await editor?.close();
	await sim?.close();
	await n8n?.stop();
});

// The tests build on each other, as the steps of a user do: the first makes the credential that the others use.

test('the nodes panel finds the node by what people call it, "tts" among the first three', async () => {
	await editor.newWorkflow();
	await editor.openNodesPanel();
	for (const words of [
		'narrate',
		'text to speech',
		'clone voice',
		'mp3',
		'podcast',
		'audiobook',
		'voice-over',
		'voice message',
		'telegram voice',
		'whatsapp voice',
	]) {
		const found = await editor.search(words);
		await found.getByText('Speech Gateway', { exact: true }).first().waitFor();
	}
	const names = await (await editor.search('tts')).allInnerTexts();
	expect(names.slice(0, 3)).toContain('Speech Gateway');
});

test('the nodes panel lists the operations', async () => {
	await (await editor.search('narrate')).getByText('Speech Gateway', { exact: true }).click();
	// The panel draws its list piece by piece.
	const { action } = descriptions.at(-1)!;
	await editor.page.getByText(action, { exact: true }).first().waitFor();
});

test('a wrong key is told at once, in words', async () => {
	await editor.page.getByText('Generate speech from text').click();
	await editor.by('node-credentials-empty-state').getByRole('button').click();
	await editor.fillCredential({ apiKey: 'mistyped', baseUrl: sim.url });
	await editor.page.getByText('More details').click();
	await editor.page.getByText('The gateway does not accept this API key').waitFor();
});

test('the first narration: credential, voice and model from the lists, run, and hear it', async () => {
	await editor.fillCredential({ apiKey: sim.apiKey, baseUrl: `${sim.url}/v1/` });
	// n8n closes a new credential by itself once its test has passed.
	await editor.by('editCredential-modal').waitFor({ state: 'hidden' });
	expect(sim.requests.at(-1)).toMatchObject({ method: 'GET', path: '/v1/models', status: 200 });

	const text = 'Good morning! This is my first narration.';
	await editor.fillText('text', text);
	const models = await editor.openList('model', 'sim-chat'); // the list is the account's, not ours
	expect(models[0]).toBe('fish-speech');
	await editor.pick('fish-speech');
	const voices = await editor.openList('voice', 'Anna, calm');
	expect(voices).toHaveLength(2);
	expect(voices[0]).toBe('Default');
	await editor.pick('Anna, calm');

	await editor.page.getByText('To get more voices, clone them').waitFor();

	const price = editor.by('output-panel').getByText('Every click on Execute is charged');
	await price.waitFor(); // before the click
	await editor.executeNode();
	await price.waitFor({ state: 'hidden' });
	expect(await editor.playFirstFile()).toBeCloseTo(text.length * SECONDS_PER_CHARACTER, 1);
	expect(sim.requests.at(-1)).toMatchObject({
		path: '/v1/audio/speech',
		body: { model: 'fish-speech', input: text, voice: 'anna' },
	});
	await editor.closeNode();
	await editor.node().getByText('Speech: Generate').waitFor();
	const labels = await editor.by('canvas-node-output-handle').allInnerTexts();
	expect(labels.map((label) => label.trim().split('\n')[0]).filter(Boolean)).toEqual([
		'Success', // followed by the number of items
		'Unknown',
	]);
});

test('an unknown outcome is red, and says that it may have been charged', async () => {
	sim.fault({ path: '/v1/audio/speech', status: 504, charge: true });
	await editor.node().filter({ hasText: 'Speech: Generate' }).dblclick();
	await editor.fillText('text', 'Nobody knows what becomes of this.');
	await editor.by('node-execute-button').click();
	const panel = editor.by('output-panel');
	await panel
		.getByText('This item has no audio; nobody knows yet whether it was charged')
		.first()
		.waitFor();
});

test('an AI agent finds the node among its tools', async () => {
	await editor.newWorkflow();
	await editor.importFile(path.join(REPOSITORY, 'examples/ai-agent-and-mcp-speech.json'));
	await editor.addTo('inputs/ai_tool/0');
	await (await editor.search('speech')).getByText('Speech Gateway Tool', { exact: true }).waitFor();
});

test('a workflow from a file runs with the credential that is there, without a change', async () => {
	const charges = sim.charges.length;
	await editor.newWorkflow();
	await editor.importFile(path.join(REPOSITORY, 'scripts/demo/table.json'));
	await editor.by('execute-workflow-button').click();
	await editor.page.getByText('Workflow executed successfully').waitFor();
	expect(sim.charges.length).toBeGreaterThan(charges);
});

/** Opens the workflow of one Speech → Generate with these texts. */
async function openGenerate(texts: string[], credentials: Credential[] = []) {
	const parameters = { resource: 'speech', operation: 'generate', text: '={{ $json.text }}' };
	const items = texts.map((text) => ({ text }));
	const { id } = await n8n.api.importWorkflow(buildWorkflow({ parameters, items }), credentials);
	await editor.openWorkflow(id);
}

/** What a dropdown shows as chosen. */
const shownIn = async (parameter: string) =>
	await editor.by(`parameter-input-${parameter}`).locator('input').inputValue();

test('options: the usual ones first, and filled in with what is usual', async () => {
	await openGenerate(['Hello.']);
	await editor.openNode(NODE_NAME);
	expect((await editor.openOptions()).slice(0, 3)).toEqual(['Speed', 'File Name', 'Subtitles']);
	await editor.by('collection-parameter-option').getByText('Subtitles').click();
	expect(await shownIn('subtitles')).toBe('SRT');
	await editor.openOptions();
	await editor.by('collection-parameter-option').getByText('Chapters').click();
	expect(await shownIn('chapters')).toBe('Headings');
});

test("options: a long text's segments only beside it", async () => {
	const segments = 'Max Segment Characters';
	expect(await editor.openOptions()).not.toContain(segments);
	await editor.by('collection-parameter-option').getByText('Long Text').click();
	const after = await editor.openOptions();
	expect(after.filter((name) => name === segments)).toEqual([segments]);
	await editor.by('collection-parameter-option').getByText(segments).click();
	expect(await editor.by('parameter-input-maxSegmentCharacters').count()).toBe(1);
});

test('options: one that belongs to another is offered before that one has a value', async () => {
	const options = { sendOnceKey: '={{ $json.id }}' };
	const parameters = { resource: 'speech', operation: 'generate', text: 'Hello.', options };
	const { id } = await n8n.api.importWorkflow(buildWorkflow({ parameters }));
	await editor.openWorkflow(id);
	await editor.openNode(NODE_NAME);
	expect(await editor.openOptions()).toContain('When Sent Before');
});

test('an error says what happened, to which item, and what to do', async () => {
	sim.fault({ path: '/v1/audio/speech', input: 'Two', status: 402 });
	const data = { apiKey: sim.apiKey, baseUrl: sim.url };
	const credential = await n8n.api.createCredential('speechGatewayApi', data, 'Another account');
	await openGenerate(['One.', 'Two.', 'Three.'], [credential]);
	await editor.by('execute-workflow-button').click();
	await editor.page.getByText('Problem in node').first().waitFor();
	await editor.openNode(NODE_NAME);
	const message = editor.by('node-error-message');
	await message.waitFor();
	expect(await message.innerText()).toBe('The account balance is too low (402) (item 2 of 3)');
	expect(await editor.by('node-error-description').innerText()).toMatch(
		/^Item 2: "Two\." This request was not charged\. .* Top up the account/,
	);
});
