const { dest, parallel, series, src } = require('gulp');
const { execFile } = require('node:child_process');
const { rm } = require('node:fs/promises');

const clean = () => rm('dist', { recursive: true, force: true });

const compile = (done) =>
	execFile(process.execPath, [require.resolve('typescript/bin/tsc')], (error, stdout) =>
		done(error && new Error(stdout || error.message)),
	);

/** What tsc does not build: icons and codex files, beside the compiled nodes and credentials. */
const assets = (folder) => () =>
	src(`${folder}/**/*.{svg,node.json}`, { encoding: false, base: '.' }).pipe(dest('dist'));

exports.build = series(clean, parallel(compile, assets('nodes'), assets('credentials')));
exports.default = exports.build;
