/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { CACHE, REPOSITORY } from '../test/support/n8n/install';
import { run, toStdout, type Show } from '../test/support/n8n/steps';

export interface JestReport {
	numPassedTests: number;
	numFailedTests: number;
	numFailedTestSuites: number;
	testResults: Array<{
		/** The test file. */
		name: string;
		/** Why a file could not be run at all. */
		message: string;
		assertionResults: Array<{ fullName: string; status: string }>;
	}>;
}

/** Runs jest projects with their output shown. Without a report, it did not get as far as running tests. */
export async function runJest(
	projects: string[],
	args: string[],
	env: NodeJS.ProcessEnv,
	show: Show = toStdout,
): Promise<{ report?: JestReport; failure?: Error }> {
	const file = path.join(CACHE, 'reports', `${projects.join('-')}.json`);
	await mkdir(path.dirname(file), { recursive: true });
	await rm(file, { force: true });
	const failure = await run(
		path.join(REPOSITORY, 'node_modules/.bin/jest'),
		[...args, '--json', `--outputFile=${file}`, '--selectProjects', ...projects],
		{ cwd: REPOSITORY, env: { ...process.env, ...env }, show },
	).then(
		() => undefined,
		(error: Error) => error,
	);
	const report = existsSync(file)
		? (JSON.parse(await readFile(file, 'utf8')) as JestReport)
		: undefined;
	return { report, failure };
}
