/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY } from '../support/n8n/install';

interface Job {
	permissions?: Record<string, string> | string;
	'timeout-minutes'?: number;
	steps: Array<{ uses?: string; run?: string; with?: Record<string, unknown> }>;
}

interface Workflow {
	permissions?: Record<string, string> | string;
	jobs: Record<string, Job>;
}

const FOLDER = path.join(REPOSITORY, '.github/workflows');
const files = readdirSync(FOLDER);
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');
const workflow = (file: string) => parse(read(file)) as Workflow;

/** Whether permissions let a job ask for a token in the name of this repository. */
const mayIdentify = (permissions: Job['permissions']) =>
	permissions === 'write-all' ||
	(typeof permissions === 'object' && permissions['id-token'] === 'write');

test.each(files)(
	'%s: every action is pinned to a commit, whose version stands beside it',
	(file) => {
		const used = Object.values(workflow(file).jobs).flatMap(({ steps }) =>
			steps.flatMap(({ uses }) => uses ?? []),
		);
		for (const uses of used) expect(uses).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
		const lines = read(file).match(/^.*\buses:.*$/gm) ?? [];
		expect(lines).toHaveLength(used.length);
		for (const line of lines) expect(line).toMatch(/ # v\d+\.\d+\.\d+$/);
	},
);

test.each(files)(
	'%s: states its permissions, and no job but publish may identify itself',
	(file) => {
		const { permissions, jobs } = workflow(file);
		expect(permissions).toBeDefined(); // or the repository's default holds, which may be to write all
		expect(mayIdentify(permissions)).toBe(false);
		const identified = Object.keys(jobs).filter((name) => mayIdentify(jobs[name].permissions));
		expect(identified).toEqual(file === 'publish.yml' ? ['publish'] : []);
	},
);

test.each(files)("%s: each job ends within GitHub's six hours, and keeps no token", (file) => {
	for (const job of Object.values(workflow(file).jobs)) {
		expect(job['timeout-minutes']).toBeLessThan(360);
		for (const { uses, with: options } of job.steps)
			if (uses?.startsWith('actions/checkout@'))
				expect(options).toMatchObject({ 'persist-credentials': false });
	}
});

test.each(files)('%s: what is installed is what the lock says', (file) => {
	const runs = Object.values(workflow(file).jobs).flatMap(({ steps }) =>
		steps.flatMap(({ run }) => run ?? []),
	);
	expect(runs).toContain('npm ci');
	for (const run of runs) expect(run).not.toMatch(/\b(npm (i|install|exec)|npx)\b/);
});

test('the publish job gets the packed package from the build, and runs nothing but npm publish', () => {
	const { steps, permissions } = workflow('publish.yml').jobs.publish;
	expect(permissions).toEqual({ 'id-token': 'write' });
	expect(steps.map(({ uses, run }) => uses?.split('@')[0] ?? run)).toEqual([
		'actions/download-artifact',
		'npm publish ./*.tgz --ignore-scripts --provenance --access public',
	]);
});

test('the lock names every package of every platform, or npm ci would refuse it', () => {
	const { packages } = JSON.parse(
		readFileSync(path.join(REPOSITORY, 'package-lock.json'), 'utf8'),
	) as { packages: Record<string, Record<string, Record<string, string> | undefined>> };
	const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
		Object.keys(optionalDependencies).filter((name) => {
			for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
				if (packages[path.posix.join(at, 'node_modules', name)]) return false;
				if (at === '') return true;
			}
		}),
	);
	expect(missing).toEqual([]);
});
