/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { executionError, nodeOutputs, OWNER, type WorkflowJson } from '../test/support/n8n/client';
import { installN8n, REPOSITORY } from '../test/support/n8n/install';
import { packedPackage } from '../test/support/n8n/package';
import { startN8n } from '../test/support/n8n/server';
import { step, type Log } from '../test/support/n8n/steps';
import { type Simulator, startSimulator } from '../test/support/simulator';
import { OUTPUT_FOLDER, report } from './demo/report';

const VERSION = '2.41';
const TABLE = 'scripts/demo/table.json';
/** An episode with two speakers, chapters and a cover. */
const EPISODE = 'scripts/demo/episode.json';
const NODE = 'Speech Gateway';

/** What a user with a key sets to run the demo against the real gateway. */
const { SPEECH_GATEWAY_API_KEY, SPEECH_GATEWAY_BASE_URL } = process.env;
/** Settings without which some machines do not reach the real gateway. */
const NETWORK_SETTINGS = [
	'HTTP_PROXY',
	'HTTPS_PROXY',
	'NO_PROXY',
	'ALL_PROXY',
	'NODE_EXTRA_CA_CERTS',
];

/** The simulator's only cloned voice, for the episode's second speaker. */
const BEN = 'Ben';

interface Gateway {
	apiKey: string;
	baseUrl: string;
	/** Not of the real gateway. */
	simulator?: Simulator;
}

const log: Log = (line) => console.log(line);
/** Since the command was given, npm install included. */
const elapsed = () => `${(performance.now() / 1000).toFixed(1)} s`;

/**
 * `npm run demo`: from the sources to audio files in demo-output/. First the table is narrated in n8n's own engine, which
 * npm install has brought; then n8n is installed, and table and episode are narrated in it with the packed package.
 * `--engine` stops after the first part. `--open` leaves n8n running for a look at the editor.
 * `--screenshots` takes the pictures of the documents instead.
 * With a key and a base URL, the real gateway is used, and only in n8n (with `--engine`: only in the engine), as it charges.
 */
export async function main(args: string[]): Promise<number> {
	if (args[0] === '--screenshots') {
		const { takeScreenshots } = await import('./screenshots');
		return await takeScreenshots(args.slice(1));
	}
	const gateway = await chooseGateway();
	const engineOnly = args.includes('--engine');
	if (engineOnly || gateway.simulator) {
		if (!(await narrateInEngine(gateway))) return 1;
		log(`The first audio files are in ${OUTPUT_FOLDER}/ after ${elapsed()}.`);
		if (engineOnly) return 0;
		log('\nNext, the same and an episode in a real n8n, which takes minutes to install, once.');
		log('Press Ctrl-C to stop here; the files stay.');
		exitWellOnInterrupt();
	}
	try {
		return (await narrateInN8n(gateway, args.includes('--open'))) ? 0 : 1;
	} catch (error) {
		log(`\nThe real n8n could not be tried: ${(error as Error).message}`);
		if (gateway.simulator) log(`The files of the first part are in ${OUTPUT_FOLDER}/.`);
		return 1;
	}
}

async function chooseGateway(): Promise<Gateway> {
	if (SPEECH_GATEWAY_API_KEY && SPEECH_GATEWAY_BASE_URL) {
		log(`Gateway: ${SPEECH_GATEWAY_BASE_URL}`);
		return { apiKey: SPEECH_GATEWAY_API_KEY, baseUrl: SPEECH_GATEWAY_BASE_URL };
	}
	const simulator = await startSimulator({ spoken: true });
	simulator.addVoice(BEN);
	log(`Gateway: simulator at ${simulator.url} (free; espeak-ng speaks, a robot's voice)`);
	return { apiKey: simulator.apiKey, baseUrl: simulator.url, simulator };
}

/** From here on, Ctrl-C ends a demo that has shown what it can. */
function exitWellOnInterrupt(): void {
	process.removeAllListeners('SIGINT').on('SIGINT', () => {
		log(`\nStopped. The files are in ${OUTPUT_FOLDER}/.`);
		process.exit(0);
	});
}

const readWorkflow = async (file: string) =>
	JSON.parse(await readFile(path.join(REPOSITORY, file), 'utf8')) as WorkflowJson;

/** The parameters of a node of a workflow. */
const parametersOf = (workflow: WorkflowJson, name: string) =>
	workflow.nodes.find((node) => node.name === name)!.parameters as IDataObject;

function logFailure(status: string, error?: { message: string; description?: unknown }): void {
	log(`The execution ended as ${status}: ${error?.message}\n${String(error?.description ?? '')}`);
}

/** Narrates the table with the node alone, from its sources. Returns whether every row has its file. */
async function narrateInEngine({ apiKey, baseUrl }: Gateway): Promise<boolean> {
	const table = await readWorkflow(TABLE);
	const { rows } = JSON.parse(String(parametersOf(table, 'Table').jsonOutput)) as {
		rows: IDataObject[];
	};
	const engine = await step(
		"Load n8n's engine",
		log,
		async () => await import('../test/engine/support'),
	);
	const {
		run,
		left: outputs,
		error,
	} = await step('Narrate a table in it', log, async () => {
		return await engine.runNode({
			parameters: parametersOf(table, NODE),
			items: rows.map((json) => ({ json })),
			url: baseUrl,
			apiKey,
		});
	});
	if (error) logFailure(run.status, error);
	return await report({ outputs, read: engine.readStored }, log);
}

/** Narrates table and episode in a real n8n with the packed package. Returns whether everything has its file. */
async function narrateInN8n(gateway: Gateway, open: boolean): Promise<boolean> {
	const [, tarball] = await Promise.all([
		installN8n(VERSION, log),
		step('Build and pack the package', log, packedPackage),
	]);
	const n8n = await step(`Install the package into n8n ${VERSION} and start it`, log, async () => {
		const settings = NETWORK_SETTINGS.flatMap((name) => [name, name.toLowerCase()]);
		const env = Object.fromEntries(settings.map((name) => [name, process.env[name]]));
		return await startN8n({ version: VERSION, tarball, env, editor: true });
	});
	const { apiKey, baseUrl, simulator } = gateway;
	const credential = await n8n.api.createCredential(
		'speechGatewayApi',
		{ apiKey, baseUrl },
		'Speech Gateway account',
	);
	const episode = await readWorkflow(EPISODE);
	if (simulator) castBen(episode);
	const editors: string[] = [];
	let isWhole = true;
	for (const json of [await readWorkflow(TABLE), episode]) {
		const workflow = await n8n.api.importWorkflow(json, [credential]);
		editors.push(`${n8n.url}/workflow/${workflow.id}`);
		const run = async () => await n8n.api.run(workflow);
		const execution = await step(`Run "${workflow.name}"`, log, run);
		if (execution.status !== 'success') logFailure(execution.status, executionError(execution));
		const outputs = nodeOutputs(execution, NODE);
		const read = async (binary: IBinaryData) => await n8n.api.binary(binary);
		isWhole = (await report({ outputs, read }, log)) && isWhole;
	}
	if (simulator) {
		const tokens = simulator.charges.reduce((sum, charge) => sum + charge.tokens, 0);
		log(`The simulator charged ${Math.round(tokens)} tokens in all.`);
	}
	log(`Done after ${elapsed()}. The files are in ${OUTPUT_FOLDER}/.`);

	if (open) {
		log(`\nEditor: ${editors.join('\n        ')}`);
		log(`Login:  ${OWNER.email} / ${OWNER.password}`);
		log('Ctrl-C ends n8n.');
		await new Promise(() => {}); // until a signal
	}
	await n8n.stop();
	return isWhole;
}

/** The second speaker of the episode gets the cloned voice; in the file, both have the default voice. */
function castBen(episode: WorkflowJson): void {
	const { values } = parametersOf(episode, NODE).speakers as { values: IDataObject[] };
	values[1].voice = { __rl: true, mode: 'id', value: BEN.toLowerCase() };
}
