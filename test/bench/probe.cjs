/**
 * Loaded into n8n (`NODE_OPTIONS=--expose-gc --require probe.cjs`) where its memory is measured: for a line on SIGUSR2,
 * garbage is collected and what is left is written, as JSON, to the file named in PROBE_FILE.
 */
const { writeFileSync, renameSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread && process.env.PROBE_FILE) {
	process.on('SIGUSR2', () => {
		for (let i = 0; i < 3; i++) globalThis.gc();
		writeFileSync(`${process.env.PROBE_FILE}.new`, JSON.stringify(process.memoryUsage()));
		renameSync(`${process.env.PROBE_FILE}.new`, process.env.PROBE_FILE);
	});
}
