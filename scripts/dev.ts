/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- runs outside n8n */
import { watch } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import manifest from '../package.json';
import { OWNER, type N8nClient, type WorkflowJson } from '../test/support/n8n/client';
import {
	installN8n,
	isAtLeast,
	isN8nVersion,
	N8N_VERSIONS,
	REPOSITORY,
	type N8nVersion,
} from '../test/support/n8n/install';
import { packedPackage } from '../test/support/n8n/package';
import { startN8n } from '../test/support/n8n/server';
import { step, type Log } from '../test/support/n8n/steps';
import { startSimulator, type Simulator } from '../test/support/simulator';
import { finishCompiled } from './finishCompiled.cjs';

const SOURCES = ['nodes', 'credentials'];
/** What the build bundles (see gulpfile.js): the packed files stay. */
const BUNDLED = /[\\/]libraries[\\/]/;
/** What the build copies as it is. */
const ASSET = /\.(svg|node\.json)$/;
/** Shown first: it needs no other credential. */
const FIRST = 'scripts/demo/table.json';

/**
 * `npm run dev`: a real n8n with the package, in front of the simulator, logged in, with a credential and the example
 * workflows. What is saved under nodes/ or credentials/ is compiled into the installed package, and n8n and open editors
 * take it over. `--version 2.16` chooses the n8n. Ctrl-C ends all.
 */
export async function main(args: string[]): Promise<never> {
	const version = chosenVersion(args);
	const log: Log = (line) => console.log(line);
	const simulator = await startSimulator();
	const tarball = await step('Build and pack the package', log, packedPackage);
	await installN8n(version, log);
	const n8n = await step(`Start n8n ${version}`, log, async () => {
		const env = {
			N8N_DEV_RELOAD: 'true',
			// Older n8n (2.38 still) reloads in development only.
			...(!isAtLeast(version, '2.41') && { NODE_ENV: 'development' }),
		};
		const onOutput = (text: string) => {
			for (const line of text.match(/^.*Hot reload.*$/gm) ?? []) log(`n8n: ${line.trim()}`);
		};
		return await startN8n({ version, tarball, env, onOutput, editor: true });
	});
	const first = await furnish(n8n.api, simulator);
	await step('Compile', log, async () => {
		const installed = path.join(n8n.userFolder, '.n8n/nodes/node_modules', manifest.name, 'dist');
		compileOnChange(installed, log);
		copyOnChange(installed, log);
	});

	log(`\nEditor:    ${n8n.url}/workflow/${first}`);
	log(`Login:     ${OWNER.email} / ${OWNER.password}`);
	log(
		`Simulator: ${simulator.url} (what it was asked and charged: ${simulator.url}/__sim/charges)`,
	);
	log(`n8n's log: ${path.join(n8n.userFolder, 'n8n.log')}`);
	log('Waiting for changes in nodes/ and credentials/. Ctrl-C ends all.');
	return await new Promise<never>(() => {}); // until a signal
}

function chosenVersion(args: string[]): N8nVersion {
	const wanted = args.includes('--version') ? args[args.indexOf('--version') + 1] : N8N_VERSIONS[0];
	if (isN8nVersion(wanted)) return wanted;
	throw new Error(`--version is one of ${N8N_VERSIONS.join(', ')}, or exact, such as 2.16.1`);
}

/** Makes the credential and the example workflows; returns the id of the one that is shown first. */
async function furnish(api: N8nClient, simulator: Simulator): Promise<string> {
	const data = { apiKey: simulator.apiKey, baseUrl: simulator.url };
	const credential = await api.createCredential('speechGatewayApi', data, 'Simulator');
	const importFile = async (file: string) => {
		const text = await readFile(path.join(REPOSITORY, file), 'utf8');
		return await api.importWorkflow(JSON.parse(text) as WorkflowJson, [credential]);
	};
	const examples = await readdir(path.join(REPOSITORY, 'examples'));
	for (const name of examples.filter((file) => file.endsWith('.json')))
		await importFile(path.join('examples', name));
	return (await importFile(FIRST)).id;
}

/** Compiles the package into a folder, now and whenever a source changes. Files that stay as they are are not written. */
function compileOnChange(outDir: string, log: Log): void {
	const system: ts.System = {
		...ts.sys,
		writeFile(file, compiled) {
			if (BUNDLED.test(file)) return;
			const text = finishCompiled(compiled);
			if (ts.sys.readFile(file) === text) return;
			ts.sys.writeFile(file, text);
			log(`Changed: ${path.relative(outDir, file)}`);
		},
	};
	const show = (diagnostic: ts.Diagnostic) =>
		log(
			ts.formatDiagnostic(diagnostic, {
				getCanonicalFileName: (name) => name,
				getCurrentDirectory: () => REPOSITORY,
				getNewLine: () => '\n',
			}),
		);
	ts.createWatchProgram(
		ts.createWatchCompilerHost(
			path.join(REPOSITORY, 'tsconfig.json'),
			{ outDir },
			system,
			ts.createEmitAndSemanticDiagnosticsBuilderProgram,
			show,
			() => {}, // that it waits for changes
		),
	);
}

/** Copies icons and codex files when they change. */
function copyOnChange(outDir: string, log: Log): void {
	for (const folder of SOURCES)
		watch(path.join(REPOSITORY, folder), { recursive: true }, (_, name) => {
			if (!name || !ASSET.test(name)) return;
			const file = path.join(folder, name);
			cp(path.join(REPOSITORY, file), path.join(outDir, file)).then(
				() => log(`Changed: ${file}`),
				(error: Error) => log(`${file}: ${error.message}`), // deleted, say
			);
		});
}
