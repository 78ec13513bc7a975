const project = (name, roots) => ({
	displayName: name,
	roots: roots.map((root) => `<rootDir>/test/${root}`),
	testEnvironment: 'node',
	testMatch: ['**/*.test.ts'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/test/tsconfig.json', diagnostics: false }] },
});

/** Types are checked by tsc; jest only runs. One project a layer, so that each runs alone with `--selectProjects`. */
module.exports = {
	projects: [
		project('unit', ['core', 'gateway', 'operations', 'run', 'support', 'package']),
		project('engine', ['engine']),
		project('n8n', ['n8n']),
		project('browser', ['browser']),
	],
	testTimeout: 120_000,
};
