/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
	adoptN8n,
	CACHE,
	installN8n,
	isN8nVersion,
	lockedN8n,
	N8N_VERSIONS,
	OLDEST,
	REPOSITORY,
	type N8nVersion,
} from '../test/support/n8n/install';
import { packPackage } from '../test/support/n8n/package';
import { npm, run, step } from '../test/support/n8n/steps';
import { runJest } from './jest';

const DOCUMENT = path.join(REPOSITORY, 'docs/compatibility.md');
const TABLE = /(<!-- tested versions -->\n)[^]*?(<!-- end -->)/;
const MISSING = /(<!-- not tested -->\n)[^]*?(<!-- end -->)/;
const HEAD = ['| n8n | passed | failed | tested |', '| --- | --- | --- | --- |'];

/** The lines of n8n whose newest version is tested: the oldest that works, and each major version. */
const LINES = [OLDEST, '2'];
/** Newer versions that were seen elsewhere: the newest minor version of 2.x, and where 3.x is. */
const NEWEST_SEEN = 48;
const NOT_ON_NPM = ['3.x: n8n only publishes it as a Docker image'];
/** The newest version of a line may need a package that the registry does not have. */
const TRIES = 3;

/**
 * `npm test -- --versions`: for each line of n8n, installs the newest version that the registry has and can install, runs the
 * tests in it, and removes it. `--versions 2.16.1 latest` takes these versions, `--versions --installed FOLDER` the n8n in a
 * folder. What came out is the table in docs/compatibility.md, in which the rows of other versions stay.
 */
export async function testVersions(args: string[]): Promise<number> {
	process.env.PACKAGE_TARBALL = await step('Build and pack the package', console.log, packPackage);
	const total = { passed: 0, failed: 0 };
	const missing = [...NOT_ON_NPM];
	for (const candidates of await wantedVersions(args, missing)) {
		const reasons: string[] = [];
		for (const version of candidates) {
			try {
				const { row, passed, failed } = await testOn(version);
				await writeFile(DOCUMENT, withRow(await readFile(DOCUMENT, 'utf8'), row));
				total.passed += passed;
				total.failed += failed;
				break;
			} catch (error) {
				reasons.push(`${version}: ${(error as Error).message.split('\n')[0]}`);
			}
		}
		missing.push(...reasons);
		if (reasons.length === candidates.length) total.failed++;
	}
	if (args.length === 0)
		await writeFile(DOCUMENT, withMissing(await readFile(DOCUMENT, 'utf8'), missing));
	await run(path.join(REPOSITORY, 'node_modules/.bin/prettier'), ['--write', DOCUMENT]);
	console.log(`\n${await readFile(DOCUMENT, 'utf8')}`);
	for (const one of missing) console.log(`Not tested: ${one}`);
	console.log(`${total.passed} passed, ${total.failed} failed`);
	return total.failed === 0 ? 0 : 1;
}

/** For each test run, the versions that it may take, best first. Adds to `missing` what the registry does not have. */
async function wantedVersions(args: string[], missing: string[]): Promise<N8nVersion[][]> {
	if (args[0] === '--installed') return [[await adoptN8n(path.resolve(args[1]))]];
	const lookUp = async (wanted: string) =>
		await exactVersion(wanted).catch((error: Error) => {
			missing.push(`${wanted}: ${error.message}`);
			return [];
		});
	if (args.length > 0) return await Promise.all(args.map(lookUp));
	const found = JSON.parse(
		await npm(['view', 'n8n', 'versions', '--json'], REPOSITORY),
	) as string[];
	const { lines, lacking } = newestOfLines(found);
	missing.push(...lacking);
	return await Promise.all(lines.map(async (line) => await Promise.all(line.map(asLocked))));
}

/** The newest versions of each line among all of a registry, newest first, and which lines it does not have. */
function newestOfLines(versions: string[]): { lines: N8nVersion[][]; lacking: string[] } {
	const released = versions
		.filter(isN8nVersion)
		.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
	const lines = LINES.map((line) =>
		released.filter((version) => version.startsWith(`${line}.`)).slice(0, TRIES),
	);
	const lacking = LINES.filter((_, index) => lines[index].length === 0).map(
		(line) => `${line}: the registry has no such version`,
	);
	const [newest] = lines[LINES.indexOf('2')];
	const minor = Number(newest?.split('.')[1] ?? NEWEST_SEEN);
	if (minor < NEWEST_SEEN)
		lacking.push(`2.${minor + 1} to 2.${NEWEST_SEEN}: the registry's newest is ${newest}`);
	return { lines: lines.filter(({ length }) => length > 0), lacking };
}

/** What the registry means by a tag such as `latest`. Throws when it has no such version. */
async function exactVersion(wanted: string): Promise<N8nVersion[]> {
	if (N8N_VERSIONS.some((locked) => locked === wanted)) return [wanted as N8nVersion];
	const found = await npm(['view', `n8n@${wanted}`, 'version', '--json'], REPOSITORY);
	const version: unknown = found.trim() === '' ? undefined : JSON.parse(found);
	if (typeof version === 'string' && isN8nVersion(version)) return [version];
	throw new Error('the registry has no such version');
}

/** The name of the locked version that a version is, if it is one: it is installed already, and by its lock. */
async function asLocked(version: N8nVersion): Promise<N8nVersion> {
	for (const locked of N8N_VERSIONS) if ((await lockedN8n(locked)) === version) return locked;
	return version;
}

/** Installs a version, tests on it, and removes it, whatever came of it: 2 GB each. Those with a lock are what all other tests run on. */
async function testOn(version: N8nVersion) {
	try {
		return await testInstalled(version, (await installN8n(version)).folder);
	} finally {
		if (!N8N_VERSIONS.some((locked) => locked === version))
			await rm(path.join(CACHE, `n8n-${version}`), { recursive: true, force: true });
	}
}

async function testInstalled(version: N8nVersion, folder: string) {
	const { version: exact } = JSON.parse(
		await readFile(path.join(folder, 'node_modules/n8n/package.json'), 'utf8'),
	) as { version: string };
	const { report, failure } = await runJest(['n8n'], ['--runInBand'], { N8N_VERSION: version });
	if (!report) throw failure ?? new Error('jest gave no report');
	const failed = report.testResults.flatMap(({ name, message, assertionResults }) => {
		const tests = assertionResults.filter(({ status }) => status === 'failed');
		const names = tests.map(({ fullName }) => `${path.basename(name)}: ${fullName}`);
		return names.length === 0 && message !== '' ? [`${path.basename(name)}: ${message}`] : names;
	});
	for (const name of failed) console.log(`n8n ${exact} failed ${name}`);
	return {
		row: rowOf(exact, report.numPassedTests, failed.length),
		passed: report.numPassedTests,
		failed: failed.length,
	};
}

const rowOf = (exact: string, passed: number, failed: number): string =>
	`| ${[exact, passed, failed, new Date().toISOString().slice(0, 10)].join(' | ')} |`;

/** The document with a row in its table, in place of the one of the same version; newest first. */
function withRow(text: string, row: string): string {
	const old = (TABLE.exec(text)?.[0].match(/^\| \d.*$/gm) ?? []).map(String);
	const versionOf = (line: string) => line.split('|')[1].trim();
	const rows = [...old.filter((line) => versionOf(line) !== versionOf(row)), row];
	rows.sort((a, b) => versionOf(b).localeCompare(versionOf(a), 'en', { numeric: true }));
	const table = [...HEAD, ...rows].join('\n');
	return text.replace(TABLE, `$1\n${table}\n\n$2`);
}

/** The document with what was not tested, and why, below its table. */
function withMissing(text: string, missing: string[]): string {
	const list = missing.map((one) => `- ${one}`).join('\n');
	return text.replace(MISSING, `$1\n${list}\n\n$2`);
}
