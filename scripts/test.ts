/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- runs outside n8n */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';
import {
	CACHE,
	CURRENT,
	installN8n,
	OLDEST,
	REPOSITORY,
	type N8nVersion,
} from '../test/support/n8n/install';
import { packPackage } from '../test/support/n8n/package';
import { run, secondsSince, toStdout, type Show } from '../test/support/n8n/steps';
import { runJest } from './jest';
import { scan } from './scan';
import { testVersions } from './versions';

interface Step {
	name: string;
	/** Resolves when the step passed; what it prints, it gives to `show`. */
	work: (show: Show) => Promise<void>;
}

/** Test results summed over the jest projects. */
const total = { passed: 0, failed: 0 };

/** Names of the steps that failed; after the first, none begins. */
const failedSteps: string[] = [];

const CORES = availableParallelism();
const MEMORY_GB = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 30;

/** A worker of jest, the n8n that it shares, and the one that some tests start besides. */
const WORKER_GB = 1.75;
/** With more, the longest file decides. */
const MOST_N8N_WORKERS = 4;

/** How many workers of jest run the tests of a real n8n, in a share of the memory: they mostly wait for it, or for its start. */
function n8nWorkers(memoryShare: number): number {
	const fitting = Math.min(CORES, (MEMORY_GB * memoryShare) / WORKER_GB, MOST_N8N_WORKERS);
	return Math.max(1, Math.floor(fitting));
}

/** How many n8n they share: of any four, one or two run a file that starts its own. */
const sharedN8ns = (workers: number) => Math.ceil(workers / 2);

const isRoot = process.getuid?.() === 0;

const isInstalled = (program: string) =>
	existsSync(program) || spawnSync('which', [program]).status === 0;

/** Installs programs (or absolute paths) that are missing from the Debian package named for each, or says what to install. */
function programs(packages: Record<string, string>): Step {
	const missing = () =>
		Object.entries(packages).flatMap(([program, name]) => (isInstalled(program) ? [] : [name]));
	return {
		name: 'programs',
		async work(show) {
			if (missing().length > 0 && isRoot && isInstalled('apt-get')) {
				const install = ['install', '-y', '-q', '--no-install-recommends', ...missing()];
				await call('apt-get', ['update', '-q'], show);
				await call('apt-get', install, show);
			}
			if (missing().length > 0)
				throw new Error(
					`Needed and not installed: ${missing().join(', ')} (Debian: apt-get install)`,
				);
		},
	};
}

/** n8n's own lint; it exits with 0 in spite of warnings, and we want none. */
const lint: Step = {
	name: 'lint',
	async work(show) {
		const output = await call(bin('n8n-node'), ['lint'], show);
		if (/\d+ warnings?/.test(output)) throw new Error('The lint has warnings');
	},
};

/** Of tests and scripts, which import the nodes; `pack` builds those alone. The next run checks only what has changed. */
const types: Step = {
	name: 'types',
	async work(show) {
		const checked = path.join(CACHE, 'types.tsbuildinfo');
		await call(bin('tsc'), ['-p', 'test', '--incremental', '--tsBuildInfoFile', checked], show);
	},
};

const pack: Step = {
	name: 'build and pack',
	async work() {
		process.env.PACKAGE_TARBALL = await packPackage();
	},
};

/** Several steps may wait for the same installation. */
function install(version: N8nVersion): Step {
	let installed: Promise<unknown> | undefined;
	return {
		name: `install n8n ${version}`,
		async work(show) {
			await (installed ??= installN8n(version, (line) => show(`${line}\n`)));
		},
	};
}

interface JestOptions {
	/** Of the n8n that the workers share. */
	version?: N8nVersion;
	/** The examples whose tests run; default: three of them. */
	examples?: 'three' | 'all';
	/** Part of the paths of the test files that run; default: all. */
	files?: string;
}

/** One jest project, or several at once, in a number of workers, which share some n8n of the version, if there is one. */
function jest(projects: string[], workers: number, more: JestOptions = {}): Step {
	const { version, examples = 'three', files } = more;
	const name = projects.join(' and ');
	return {
		name: version ? `${name} (n8n ${version})` : name,
		async work(show) {
			const env: NodeJS.ProcessEnv = {
				EXAMPLES: examples,
				...(version && { N8N_VERSION: version, N8N_INSTANCES: String(sharedN8ns(workers)) }),
			};
			const args = [`--maxWorkers=${workers}`, '--silent']; // n8n logs what tests bring about
			if (files) args.unshift(files);
			const { report, failure } = await runJest(projects, args, env, show);
			if (report) {
				total.passed += report.numPassedTests;
				total.failed += Math.max(report.numFailedTests, report.numFailedTestSuites);
			}
			if (failure) throw failure;
		},
	};
}

/** Rows of steps, each row step by step, beside the others. */
function beside(...rows: Step[][]): Step {
	return {
		name: 'side by side',
		async work() {
			await Promise.all(rows.map(async (steps) => await perform(steps, linesOf)));
			if (failedSteps.length > 0) throw new Error(`Failed: ${failedSteps.join(', ')}`);
		},
	};
}

/** Shows whole lines, each behind the name of its step. */
function linesOf(name: string): Show {
	let begun = '';
	return (text) => {
		const lines = (begun + text).split('\n');
		begun = lines.pop()!;
		for (const line of lines) console.log(`${name} | ${line}`);
	};
}

const bin = (name: string) => path.join(REPOSITORY, 'node_modules/.bin', name);

/** Runs a program in the repository, with its output shown; returns the output. */
const call = async (program: string, args: string[], show: Show) =>
	(await run(program, args, { cwd: REPOSITORY, show })).output;

/** Its answers are recorded in the simulator's answers.jsonl: raise both together. */
const LITELLM = 'litellm[proxy]==1.106.2';

const litellm: Step = {
	name: `install ${LITELLM}`,
	async work(show) {
		const venv = path.join(CACHE, 'litellm');
		if (existsSync(path.join(venv, 'bin/litellm'))) return;
		await call('python3', ['-m', 'venv', venv], show);
		const install = ['install', '--retries', '1', '--timeout', '20', LITELLM];
		await call(path.join(venv, 'bin/pip'), install, show).catch((error: Error) => {
			throw new Error(`LiteLLM could not be fetched: is PyPI reachable? ${error.message}`);
		});
	},
};

const current = install(CURRENT);

const SUITES: Record<string, Step[]> = {
	'--unit': [jest(['unit'], CORES)],
	'--all': [
		programs({
			ffmpeg: 'ffmpeg',
			chromium: 'chromium',
			'/usr/sbin/nginx': 'nginx-light',
			'/usr/sbin/haproxy': 'haproxy',
		}),
		beside(
			[lint, types],
			[
				pack,
				beside(
					[jest(['unit', 'long', 'engine'], CORES)],
					[current, jest(['n8n', 'browser'], n8nWorkers(0.5), { version: CURRENT })],
				),
			],
		),
	],
	'--compat': [
		programs({ ffmpeg: 'ffmpeg' }),
		pack,
		install(OLDEST),
		jest(['n8n'], n8nWorkers(0.75), { version: OLDEST }),
	],
	'--examples': [
		programs({ ffmpeg: 'ffmpeg' }),
		pack,
		current,
		jest(['n8n'], 1, { version: CURRENT, examples: 'all', files: 'n8n/people' }),
	],
	'--tools': [
		programs({ ffmpeg: 'ffmpeg' }),
		pack,
		current,
		jest(['tools'], n8nWorkers(0.75), { version: CURRENT }),
	],
	'--gateways': [programs({ python3: 'python3-venv' }), litellm, jest(['gateways'], 1)],
	'--queue': [
		programs({
			ffmpeg: 'ffmpeg',
			'redis-server': 'redis-server',
			'/usr/lib/postgresql': 'postgresql',
		}),
		pack,
		current,
		jest(['queue'], 1, { version: CURRENT }),
	],
};

/** Step by step, until one fails here or beside. */
async function perform(steps: Step[], shower: (name: string) => Show): Promise<void> {
	for (const { name, work } of steps) {
		if (failedSteps.length > 0) return;
		const show = shower(name);
		console.log(`\n=== ${name}`);
		const began = performance.now();
		try {
			await work(show);
			console.log(`=== ${name}: ok, ${secondsSince(began)} s`);
		} catch (error) {
			failedSteps.push(name);
			console.error((error as Error).message);
			console.error(`=== ${name}: FAILED after ${secondsSince(began)} s`);
		}
	}
}

/**
 * `npm test`: everything on n8n 2.41 but what has a flag of its own; after the first step that fails, none begins.
 * `--unit`: the layer that is fast.
 * `--examples`: all examples, of which `npm test` runs three.
 * `--tools`: the programs for releases, the demo and development.
 * `--compat`: the tests in a real n8n, on 2.16.
 * `--queue`: those with PostgreSQL, Redis and workers.
 * `--gateways`: those behind LiteLLM's proxy, which comes from PyPI.
 * `--versions`: those in a real n8n, on the newest version of each line (or on those named); writes docs/compatibility.md.
 * `--scan`: n8n's scanner of community packages; nothing is published.
 * The last line of tests is always `N passed, M failed`; a step other than jest that fails counts as one.
 */
export async function main(args: string[]): Promise<number> {
	if (args[0] === '--versions') return await testVersions(args.slice(1));
	if (args[0] === '--scan') return await scan();
	const steps = SUITES[args[0] ?? '--all'];
	if (!steps) throw new Error(`Unknown argument ${args[0]}`);
	const from = performance.now();
	await perform(steps, () => toStdout);
	if (failedSteps.length > 0 && total.failed === 0) total.failed = 1;
	const [first] = failedSteps;
	console.log(
		`\n${first ? `Stopped at "${first}"` : 'All steps passed'} after ${secondsSince(from)} s`,
	);
	console.log(`${total.passed} passed, ${total.failed} failed`);
	return total.failed === 0 ? 0 : 1;
}
