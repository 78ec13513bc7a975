/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { IBinaryData } from 'n8n-workflow';
import {
	executionError,
	nodeOutputs,
	OWNER,
	type Execution,
	type N8nClient,
	type WorkflowJson,
} from '../test/support/n8n/client';
import { installN8n, REPOSITORY } from '../test/support/n8n/install';
import { packPackage } from '../test/support/n8n/package';
import { startN8n } from '../test/support/n8n/server';
import { secondsSince, step, type Log } from '../test/support/n8n/steps';
import { probe, secondReader } from '../test/support/readers';
import { startSimulator } from '../test/support/simulator';

const VERSION = '2.41';
/** A table of texts, and an episode with two speakers, chapters and a cover. */
const EXAMPLES = ['examples/batch-narration.json', 'examples/dialogue.json'];
const OUTPUT_FOLDER = 'demo-output';

/** The service reckons with 250 characters a minute. */
const SECONDS_PER_CHARACTER = 60 / 250;

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

/**
 * `npm run demo`: from the sources to audio files. Builds and packs the package, installs it into a real n8n, imports
 * example workflows, runs them against the simulator (or the real gateway) and writes their files to demo-output/.
 * `--open` leaves n8n running for a look at the editor.
 */
export async function main(args: string[]): Promise<number> {
	const from = performance.now();
	const log: Log = (line) => console.log(line);
	const real = Boolean(SPEECH_GATEWAY_API_KEY && SPEECH_GATEWAY_BASE_URL);
	const simulator = real
		? undefined
		: await startSimulator({ secondsPerCharacter: SECONDS_PER_CHARACTER });
	const apiKey = simulator?.apiKey ?? SPEECH_GATEWAY_API_KEY;
	const baseUrl = simulator?.url ?? SPEECH_GATEWAY_BASE_URL;
	log(
		simulator
			? `Gateway: simulator at ${baseUrl} (it plays a melody for each text instead of speaking it)`
			: `Gateway: ${baseUrl}`,
	);

	const tarball = await step('Build and pack the package', log, packPackage);
	await installN8n(VERSION, log);
	const n8n = await step(`Install the package into n8n ${VERSION} and start it`, log, async () => {
		const settings = NETWORK_SETTINGS.flatMap((name) => [name, name.toLowerCase()]);
		const env = Object.fromEntries(settings.map((name) => [name, process.env[name]]));
		return await startN8n({ version: VERSION, tarball, env, editor: true });
	});

	const credential = await n8n.api.createCredential(
		'speechGatewayApi',
		{ apiKey, baseUrl },
		'Speech Gateway account',
	);
	await mkdir(path.join(REPOSITORY, OUTPUT_FOLDER), { recursive: true });
	const editors: string[] = [];
	let isWhole = true;
	for (const file of EXAMPLES) {
		const example = JSON.parse(await readFile(path.join(REPOSITORY, file), 'utf8')) as WorkflowJson;
		const workflow = await n8n.api.importWorkflow(example, [credential]);
		editors.push(`${n8n.url}/workflow/${workflow.id}`);
		const execution = await step(
			`Run "${workflow.name}"`,
			log,
			async () => await n8n.api.run(workflow),
		);
		isWhole = (await report(execution, n8n.api, log)) && isWhole;
	}
	if (simulator) {
		const tokens = simulator.charges.reduce((sum, charge) => sum + charge.tokens, 0);
		log(
			`The gateway charged ${Math.round(tokens)} tokens for ${simulator.charges.length} requests.`,
		);
	}
	log(`Done in ${secondsSince(from)} s.`);

	if (args.includes('--open')) {
		log(`\nEditor: ${editors.join('\n        ')}`);
		log(`Login:  ${OWNER.email} / ${OWNER.password}`);
		log('Ctrl-C ends n8n.');
		await new Promise(() => {}); // until a signal
	}
	await n8n.stop();
	return isWhole ? 0 : 1;
}

/** Writes the audio files and shows a table of them; returns whether every row has its file. */
async function report(execution: Execution, api: N8nClient, log: Log): Promise<boolean> {
	if (execution.status !== 'success') {
		const { message, description = '' } = executionError(execution) ?? { message: '' };
		log(`The execution ended as ${execution.status}: ${message}\n${String(description)}`);
		return false;
	}
	const [narrated, unknown] = nodeOutputs(execution, 'Speech Gateway');
	const rows: string[][] = [];
	const episodes: string[] = [];
	for (const { json, binary = {} } of narrated) {
		const { data, chapters } = binary;
		const file = await save(data, api);
		const seconds = Number(json.durationSeconds).toFixed(1);
		rows.push([rows.length + 1, json.characters, seconds, file, json.estimatedTokens].map(String));
		if (chapters) episodes.push(`${file}, ${await save(chapters, api)}\n${contentsOf(file)}`);
	}
	log(`\n${table(['item', 'characters', 'seconds', 'file', 'tokens'], rows)}\n`);
	for (const episode of episodes) log(`${episode}\n`);
	if (unknown.length > 0) log(`${unknown.length} rows have an unknown outcome: see "Review list"`);
	return rows.length > 0 && unknown.length === 0;
}

/** Writes a file of n8n's store to demo-output/; returns its path. */
async function save(binary: IBinaryData, api: N8nClient): Promise<string> {
	const file = path.join(OUTPUT_FOLDER, path.basename(binary.fileName!));
	await writeFile(path.join(REPOSITORY, file), await api.binary(binary));
	return file;
}

/** What two programs that are not ours read in a file: its tags, cover and chapters. */
function contentsOf(file: string): string {
	const absolute = path.join(REPOSITORY, file);
	const read = { ffprobe: () => probe(absolute), 'music-metadata': () => readWith(absolute) };
	return Object.entries(read)
		.map(([name, readFile]) => {
			try {
				const { tags, cover, chapters } = readFile();
				const texts = ['title', 'artist', 'album', 'date'].flatMap((key) => tags[key] ?? []);
				return [
					`  ${name}: ${texts.join(' · ')}${cover ? ` · cover of ${cover.length} bytes` : ''}`,
					...chapters.map(({ start, title }) => `    ${start.toFixed(3).padStart(8)} s  ${title}`),
				].join('\n');
			} catch (error) {
				return `  ${name}: ${(error as Error).message}`;
			}
		})
		.join('\n');
}

/** The second reader's findings under the names of the first. */
function readWith(file: string) {
	const { common, chapters = [] } = secondReader(file);
	const [picture] = common.picture ?? [];
	return {
		tags: {
			...Object.fromEntries(['title', 'artist', 'album'].map((key) => [key, String(common[key])])),
			date: String(common.year),
		} as Record<string, string>,
		cover: picture && Buffer.from(picture.data, 'base64'),
		chapters,
	};
}

/** Lines of a table with aligned columns; numbers to the right. */
function table(head: string[], rows: string[][]): string {
	const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
	const line = (row: string[]) =>
		row
			.map((cell, i) =>
				Number.isNaN(Number(rows[0]?.[i])) ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
			)
			.join('  ');
	return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
