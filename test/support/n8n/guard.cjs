/**
 * Loaded into n8n, its threads and its children before they load anything else (`node --require`).
 *
 * n8n lies below the repository, and would find modules in the repository's own node_modules (and so would our package,
 * by the NODE_PATH that n8n sets) that no user's n8n has. They are hidden.
 */
const Module = require('node:module');
const { isMainThread } = require('node:worker_threads');

const nodeModulePaths = Module._nodeModulePaths;
Module._nodeModulePaths = (from) =>
	nodeModulePaths(from).filter((folder) => folder !== process.env.GUARD_HIDDEN_MODULES);

/**
 * Standard input is a pipe from the process that started n8n: it ends when that process ends, however it ends, and then
 * n8n and its task runner, which share a process group, end too. So no crash or Ctrl-C leaves an n8n behind.
 */
if (isMainThread && String(process.ppid) === process.env.GUARD_PARENT_PID) {
	process.stdin.on('end', () => process.kill(-process.pid, 'SIGKILL'));
	process.stdin.resume();
	process.stdin.unref();
}
