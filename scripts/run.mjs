/**
 * `node scripts/run.mjs <script> [arguments]`: runs scripts/<script>.ts, after `npm install` when the
 * dependencies are missing or older than the lock. Plain JavaScript without imports from node_modules,
 * because on a fresh clone there are none.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MINIMUM_NODE = 20;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [script, ...args] = process.argv.slice(2);

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE) {
	console.error(`Node.js ${MINIMUM_NODE} or newer is needed; this is ${process.version}.`);
	process.exit(1);
}

const run = (program, programArgs) => {
	const { status, signal, error } = spawnSync(program, programArgs, {
		cwd: root,
		stdio: 'inherit',
	});
	if (error) console.error(`${program} did not start: ${error.message}`);
	return signal ? 130 : (status ?? 1);
};

const writtenAt = (file) =>
	statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// npm writes the hidden lock at the end of an installation.
if (writtenAt('node_modules/.package-lock.json') < writtenAt('package-lock.json')) {
	console.log('npm install …');
	const from = performance.now();
	const npm = process.env.npm_execpath;
	// --no-save: the lock stays as it is, whatever registry settings this machine has.
	const install = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
	const status = npm ? run(process.execPath, [npm, ...install]) : run('npm', install);
	if (status !== 0) process.exit(status);
	console.log(`npm install: ${((performance.now() - from) / 1000).toFixed(1)} s`);
}

// From here on this process is the script. What the script starts ends when this process exits, at whatever moment
// Ctrl-C comes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));
// TypeScript for require(), and for import(), with which the nodes load their operations.
await import('tsx');
const require = createRequire(import.meta.url);
require(`./${script}.ts`)
	.main(args)
	.then(
		(exitCode) => process.exit(exitCode ?? 0),
		(error) => {
			console.error(`\n${error.message}`);
			process.exit(1);
		},
	);
