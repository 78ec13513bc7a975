const path = require('node:path');
const [unit] = require('../../../jest.config.js').projects;

const rootDir = path.resolve(__dirname, '../../..');
const absolute = (file) => file.replace('<rootDir>', rootDir);

/** jest as Stryker runs it: one project of the tests that concern the rooms in stryker.config.mjs. */
module.exports = {
	...unit,
	rootDir,
	// Both, so that jest finds the tests that a file concerns.
	roots: ['<rootDir>/nodes', '<rootDir>/test'],
	testEnvironment: absolute(unit.testEnvironment),
	testMatch: [
		'<rootDir>/test/(audio|gateway|requests|run|speech|text|usage)/**/*.test.ts',
		'<rootDir>/test/engine/(requests|run)/(circuitBreaker|everyBilledEndpoint|items|keys|ledger|unanswered).test.ts',
	],
	testTimeout: 600_000,
};
