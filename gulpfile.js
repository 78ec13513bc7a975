const { dest, parallel, series, src } = require('gulp');
const { execFile } = require('node:child_process');
const { readdir, readFile, rm, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { finishCompiled } = require('./scripts/finishCompiled.cjs');

const clean = () => rm('dist', { recursive: true, force: true });

const compile = (done) =>
	execFile(process.execPath, [require.resolve('typescript/bin/tsc')], (error, stdout) =>
		done(error && new Error(stdout || error.message)),
	);

const finish = async () => {
	for (const name of await readdir('dist', { recursive: true })) {
		if (!name.endsWith('.js')) continue;
		const file = path.join('dist', name);
		await writeFile(file, finishCompiled(await readFile(file, 'utf8')));
	}
};

/** What tsc does not build: icons and codex files, beside the compiled nodes and credentials. */
const assets = (folder) => () =>
	src(`${folder}/**/*.{svg,node.json}`, { encoding: false, base: '.' }).pipe(dest('dist'));

/** Puts the service's pages into the codex files. */
const addLinks = async () => {
	const { SERVICE } = require('./dist/nodes/SpeechGateway/core/service.js');
	const resources = {
		credentialDocumentation: [{ url: SERVICE.credentialUrl }],
		primaryDocumentation: [{ url: SERVICE.documentationUrl }],
	};
	for (const name of await readdir('dist', { recursive: true })) {
		if (!name.endsWith('.node.json')) continue;
		const file = path.join('dist', name);
		const codex = JSON.parse(await readFile(file, 'utf8'));
		await writeFile(file, JSON.stringify({ ...codex, resources }, null, '\t'));
	}
};

exports.build = series(
	clean,
	parallel(series(compile, finish), assets('nodes'), assets('credentials')),
	addLinks,
);
exports.default = exports.build;
