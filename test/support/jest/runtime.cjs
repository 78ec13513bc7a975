const { createRequire } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/**
 * Loads packages as Node does, once per worker; what is in this repository, anew for each test file, as jest does. `executor` is
 * private to jest: nothing public runs a test file outside of a `vm` context, but a runner of one's own, which would have to do
 * all else that jest does. The version of jest is pinned.
 */
module.exports = class extends Runtime {
	constructor(...args) {
		super(...args);
		const { executor } = this;
		executor.compile = (source, filename) =>
			executor.environment.getVmContext() &&
			compileFunction(source, executor.injectedModuleParameters, { filename });
	}

	requireModuleOrMock(from, name) {
		return /^[./]/.test(name) ? super.requireModuleOrMock(from, name) : createRequire(from)(name);
	}
};
