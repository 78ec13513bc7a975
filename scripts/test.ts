/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- runs outside n8n */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { installN8n, N8N_VERSIONS, REPOSITORY, type N8nVersion } from '../test/support/n8n/install';
import { packPackage } from '../test/support/n8n/package';
import { run, secondsSince } from '../test/support/n8n/steps';
import { runJest } from './jest';

const [CURRENT, COMPATIBLE] = N8N_VERSIONS;

interface Step {
	name: string;
	/** Resolves when the step passed. */
	work: () => Promise<void>;
}

/** Test results summed over the jest projects. */
const total = { passed: 0, failed: 0 };

const isRoot = process.getuid?.() === 0;

const isInstalled = (program: string) =>
	existsSync(program) || spawnSync('which', [program]).status === 0;

/** Installs programs (or absolute paths) that are missing from the Debian package named for each, or says what to install. */
function programs(packages: Record<string, string>): Step {
	const missing = () =>
		Object.entries(packages).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));
	return {
		name: 'programs',
		async work() {
			if (missing().length > 0 && isRoot && isInstalled('apt-get')) {
				await call('apt-get', ['update', '-q']);
				await call('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing()]);
			}
			if (missing().length > 0)
				throw new Error(
					`Needed and not installed: ${missing().join(', ')} (Debian: apt-get install)`,
				);
		},
	};
}

/** n8n's own lint; it exits with 0 in spite of warnings, and we want none. */
async function lint(): Promise<void> {
	const output = await call(bin('n8n-node'), ['lint']);
	if (/\d+ warnings?/.test(output)) throw new Error('The lint has warnings');
}

async function types(): Promise<void> {
	await call(bin('tsc'), ['--noEmit']);
	await call(bin('tsc'), ['-p', 'test']);
	await call(bin('tsc'), ['-p', 'scripts']);
}

const pack: Step = {
	name: 'build and pack',
	async work() {
		process.env.PACKAGE_TARBALL = await packPackage();
	},
};

const install = (version: N8nVersion): Step => ({
	name: `install n8n ${version}`,
	work: async () => void (await installN8n(version)),
});

/** Of each of the model test's four shares: more than 1,000 in all. Plain jest tells a few. */
const MODEL_STORIES = 256;

/**
 * One jest project, or several at once. Those with a real n8n run file by file: n8n and the tests share the machine's
 * cores. The others take all cores.
 */
function jest(projects: string[], version?: N8nVersion): Step {
	const name = projects.join(' and ');
	return {
		name: version ? `${name} (n8n ${version})` : name,
		async work() {
			const env = {
				...(version && { N8N_VERSION: version }),
				MODEL_STORIES: process.env.MODEL_STORIES ?? String(MODEL_STORIES),
			};
			const { report, failure } = await runJest(
				projects,
				[version ? '--runInBand' : '--maxWorkers=100%'],
				env,
			);
			if (report) {
				total.passed += report.numPassedTests;
				total.failed += Math.max(report.numFailedTests, report.numFailedTestSuites);
			}
			if (failure) throw failure;
		},
	};
}

const bin = (name: string) => path.join(REPOSITORY, 'node_modules/.bin', name);

/** Runs a program in the repository, with its output shown; returns the output. */
const call = async (program: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
	(await run(program, args, { cwd: REPOSITORY, env: { ...process.env, ...env }, show: true }))
		.output;

const SUITES: Record<string, Step[]> = {
	'--all': [
		programs({ ffmpeg: 'ffmpeg', chromium: 'chromium', '/usr/sbin/nginx': 'nginx-light' }),
		{ name: 'lint', work: lint },
		{ name: 'types', work: types },
		pack,
		jest(['unit', 'engine']),
		install(CURRENT),
		jest(['n8n'], CURRENT),
		jest(['browser'], CURRENT),
	],
	'--compat': [
		programs({ ffmpeg: 'ffmpeg' }),
		pack,
		install(COMPATIBLE),
		jest(['n8n'], COMPATIBLE),
	],
	'--queue': [
		programs({
			ffmpeg: 'ffmpeg',
			'redis-server': 'redis-server',
			'/usr/lib/postgresql': 'postgresql',
		}),
		pack,
		install(CURRENT),
		jest(['queue'], CURRENT),
	],
};

/**
 * `npm test`: everything on n8n 2.41, step by step, up to the first step that fails.
 * `npm run test:compat` (`--compat`): the tests in a real n8n, on 1.123.
 * `npm run test:queue` (`--queue`): those with PostgreSQL, Redis and workers.
 * The last line is always `N passed, M failed`; a step other than jest that fails counts as one.
 */
export async function main(args: string[]): Promise<number> {
	const steps = SUITES[args[0] ?? '--all'];
	if (!steps) throw new Error(`Unknown argument ${args[0]}`);
	const from = performance.now();
	let failedStep: string | undefined;
	for (const { name, work } of steps) {
		console.log(`\n=== ${name}`);
		const began = performance.now();
		try {
			await work();
			console.log(`=== ${name}: ok, ${secondsSince(began)} s`);
		} catch (error) {
			console.error((error as Error).message);
			console.error(`=== ${name}: FAILED after ${secondsSince(began)} s`);
			failedStep = name;
			break;
		}
	}
	if (failedStep !== undefined && total.failed === 0) total.failed = 1;
	console.log(
		`\n${failedStep ? `Stopped at "${failedStep}"` : 'All steps passed'} after ${secondsSince(from)} s`,
	);
	console.log(`${total.passed} passed, ${total.failed} failed`);
	return total.failed === 0 ? 0 : 1;
}
