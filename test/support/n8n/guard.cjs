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
