const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { execFile } = require('node:child_process');
const { readdir, readFile, rm, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { escapeLookAlikes, finishCompiled } = require('./scripts/finishCompiled.cjs');

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

const LIBRARIES = 'nodes/SpeechGateway/libraries';

/** Puts each library into the file that exports it, since the package has no dependencies, and their licenses beside them. */
const bundle = async () => {
	const { metafile } = await esbuild.build({
		entryPoints: [`${LIBRARIES}/*.ts`],
		outdir: path.join('dist', LIBRARIES),
		bundle: true,
		platform: 'node',
		target: 'node20',
		metafile: true,
	});
	for (const file of Object.keys(metafile.outputs))
		await writeFile(file, escapeLookAlikes(await readFile(file, 'utf8')));
	const packages = new Set(
		Object.keys(metafile.inputs).flatMap(
			(file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [],
		),
	);
	const notices = [...packages].sort().map(async (folder) => {
		const { name, version, license } = JSON.parse(
			await readFile(path.join(folder, 'package.json'), 'utf8'),
		);
		const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
		const text = await readFile(path.join(folder, file), 'utf8');
		return `${name} ${version} (${license})\n\n${text.trim()}\n`;
	});
	const rule = `\n${'-'.repeat(80)}\n\n`;
	await writeFile(
		path.join('dist', LIBRARIES, 'THIRD_PARTY_NOTICES.txt'),
		(await Promise.all(notices)).join(rule),
	);
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
	parallel(series(compile, finish, bundle), assets('nodes'), assets('credentials')),
	addLinks,
);
exports.default = exports.build;
