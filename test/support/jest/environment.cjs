const { ModuleMocker } = require('jest-mock');

/** What jest-circus keeps in the global object for one test file. */
const KEPT = ['EVENT_HANDLERS', 'RETRY_TIMES', 'TEST_TIMEOUT_SYMBOL'].map((name) =>
	Symbol.for(name),
);

/**
 * Runs test files in the worker's own context instead of one `vm` context each. In a `vm` context every look at a global
 * takes tens of times as long, which doubles the CPU time of tests, and each file would load n8n-core anew (runtime.cjs).
 * As in n8n, nodes and engine then share their classes, so `instanceof` holds.
 */
module.exports = class {
	global = globalThis;
	moduleMocker = new ModuleMocker(globalThis);
	fakeTimers = null;
	fakeTimersModern = null;
	variables = { ...process.env };

	getVmContext() {
		return this.global;
	}

	exportConditions() {
		return ['node', 'node-addons'];
	}

	async setup() {}

	async teardown() {
		this.moduleMocker.restoreAllMocks();
		for (const name of Object.keys(process.env))
			if (!(name in this.variables)) delete process.env[name];
		Object.assign(process.env, this.variables);
		for (const key of KEPT) delete globalThis[key];
		this.global = null;
	}
};
