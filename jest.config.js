const project = (name, folder, more = {}) => ({
	displayName: name,
	roots: ['<rootDir>/test'],
	testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
	runtime: '<rootDir>/test/support/jest/runtime.cjs',
	testMatch: [`<rootDir>/test/${folder}/**/*.test.ts`],
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' } } }] },
	...more,
});

/** A real n8n with the packed package (or several: scripts/test.ts), shared by the test files of a run. */
const sharedN8n = {
	globalSetup: '<rootDir>/test/support/n8n/setup.ts',
	globalTeardown: '<rootDir>/test/support/n8n/teardown.ts',
};

/** Types are checked by tsc; jest only runs. One project a layer, so that each runs alone with `--selectProjects`. */
module.exports = {
	projects: [
		project('unit', '!(browser|engine|gateways|n8n|queue|services)', {
			setupFiles: ['<rootDir>/test/support/jest/properties.ts'],
		}),
		project('engine', '@(engine|services)'),
		project('n8n', 'n8n', sharedN8n),
		project('browser', 'browser'),
		project('queue', 'queue'),
		project('gateways', 'gateways'),
	],
	testSequencer: '<rootDir>/test/support/jest/sequencer.cjs',
	// Only ends what hangs: on a busy machine everything takes many times as long.
	testTimeout: 600_000,
};
