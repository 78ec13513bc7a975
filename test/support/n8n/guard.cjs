/**
 * Loaded into n8n before n8n itself (`node --require`). Its standard input is a pipe from the process that
 * started it: the pipe ends when that process ends, however it ends, and then n8n and its task runner,
 * which share a process group, end too. So no crash or Ctrl-C leaves an n8n behind.
 * Threads and children of n8n load this file as well, by inheritance, and must not act on their own input.
 */
const { isMainThread } = require('node:worker_threads');

if (isMainThread && String(process.ppid) === process.env.GUARD_PARENT_PID) {
	process.stdin.on('end', () => process.kill(-process.pid, 'SIGKILL'));
	process.stdin.resume();
	process.stdin.unref();
}

/**
 * n8n is installed below the repository, so Node would look for modules in the repository's `node_modules`, too: no
 * real installation has that, and a package that n8n lacks (n8n 1 has no SDK for AI nodes) must be missing here as well.
 */
const Module = require('node:module');
const path = require('node:path');

const foreign = path.join(__dirname, '../../../node_modules') + path.sep;
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
	const file = resolve.call(this, request, ...rest);
	if (!file.startsWith(foreign)) return file;
	throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
};
