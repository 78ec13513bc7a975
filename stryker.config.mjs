/**
 * `npx stryker run`: changes the code in one small way at a time, and lists the changes that no test notices. It goes on from
 * what it found before. One file with its tests:
 * `npx stryker run --mutate nodes/SpeechGateway/text/segment.ts --testFiles test/text/segment.test.ts`.
 */
export default {
	mutate: ['core', 'requests', 'text', 'audio', 'usage'].map(
		(room) => `nodes/SpeechGateway/${room}/**/*.ts`,
	),
	testRunner: 'jest',
	jest: { configFile: 'test/support/jest/mutants.cjs', enableFindRelatedTests: true },
	coverageAnalysis: 'perTest',
	incremental: true,
	incrementalFile: '.cache/mutants.json',
	reporters: ['clear-text', 'progress-append-only', 'html'],
	clearTextReporter: { allowEmojis: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: 'reports/mutants.html' },
	ignorePatterns: ['.cache', 'dist', 'docs', 'bench', 'examples', 'reports', '/test/n8n/versions'],
	concurrency: 2,
	// The tests of the engine leave what n8n keeps in memory.
	maxTestRunnerReuse: 50,
	dryRunTimeoutMinutes: 60,
	// A busy machine takes many times as long as the first run did.
	timeoutMS: 60_000,
	timeoutFactor: 5,
};
