const project = (name, testMatch, more = {}) => ({
	displayName: name,
	roots: ['<rootDir>/test'],
	testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
	runtime: '<rootDir>/test/support/jest/runtime.cjs',
	testMatch: testMatch.map((files) => `<rootDir>/test/${files}.test.ts`),
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' } } }] },
	...more,
});

/** A real n8n with the packed package (or several: scripts/test.ts), shared by the test files of a run. */
const sharedN8n = {
	globalSetup: '<rootDir>/test/support/n8n/setup.ts',
	globalTeardown: '<rootDir>/test/support/n8n/teardown.ts',
};

/** Units that need ffmpeg, the simulator or the packed package, or whole seconds: all others are the layer that is fast. */
const LONG = [
	'audio/{exact,inspector,join,lame,ownTags,seams,slices,stereo,tags,timed,trailing,wholeEnds}',
	'package/{ciRun,tarball}',
	'run/takeNames',
	'speech/{billing,cues}',
	'support/*',
	'text/{corpus,dialogue,hostile,markup,rendered,script,subtitles,tidy}',
];

/** Of programs that make a release, pictures or sounds, or help whoever works here: each week, not at each push. */
const TOOLS = ['package/{checkGateway,demo,release}', 'n8n/{demo,dev}'];

const not = (...lists) => lists.flat().map((files) => `!**/test/${files}.test.ts`);

/** The same made-up cases in every run. */
const made = { setupFiles: ['<rootDir>/test/support/jest/properties.ts'] };

const unit = project('unit', ['!(browser|engine|gateways|n8n|queue|services)/**/*'], made);
unit.testMatch.push(...not(LONG, TOOLS));
const n8n = project('n8n', ['n8n/**/*'], sharedN8n);
n8n.testMatch.push(...not(TOOLS));

/** Types are checked by tsc; jest only runs. One project a layer, so that each runs alone with `--selectProjects`. */
module.exports = {
	projects: [
		unit,
		project('long', LONG, made),
		project('engine', ['@(engine|services)/**/*'], {
			setupFiles: ['<rootDir>/test/support/jest/quiet.cjs'],
		}),
		n8n,
		project('browser', ['browser/**/*']),
		project('queue', ['queue/**/*']),
		project('gateways', ['gateways/**/*']),
		project('tools', TOOLS, sharedN8n),
	],
	testSequencer: '<rootDir>/test/support/jest/sequencer.cjs',
	// Only ends what hangs: on a busy machine everything takes many times as long.
	testTimeout: 600_000,
};
