/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
	CACHE,
	installN8n,
	isAtLeast,
	isN8nVersion,
	N8N_VERSIONS,
	OLDEST,
	REPOSITORY,
	type N8nVersion,
} from '../test/support/n8n/install';
import { packPackage } from '../test/support/n8n/package';
import { npm, run, step } from '../test/support/n8n/steps';
import { type JestReport, runJest } from './jest';

const DOCUMENT = path.join(REPOSITORY, 'docs/compatibility.md');
const TABLE = /(<!-- tested versions -->\n)[^]*?(<!-- end -->)/;
const HEAD = [
	'| n8n | Speech Gateway | Chat Model | passed | failed | tested |',
	'| --- | --- | --- | --- | --- | --- |',
];

/** Files of tests that are about the chat model. */
const CHAT_MODEL = /chatModel|chatExamples/;
/**
 * `npm test -- --versions 1.100.1 2.16.1 latest`: installs each version of n8n, runs the tests in it, and removes it. What
 * came out is the table in docs/compatibility.md, in which the rows of other versions stay.
 */
export async function testVersions(args: string[]): Promise<number> {
	if (args.length === 0) throw new Error('Which versions of n8n? Such as: 1.100.1 2.16.1 latest');
	process.env.PACKAGE_TARBALL = await step('Build and pack the package', console.log, packPackage);
	const total = { passed: 0, failed: 0 };
	for (const wanted of args) {
		try {
			const { row, passed, failed } = await testOn(await exactVersion(wanted));
			await writeFile(DOCUMENT, withRow(await readFile(DOCUMENT, 'utf8'), row));
			await run(path.join(REPOSITORY, 'node_modules/.bin/prettier'), ['--write', DOCUMENT]);
			total.passed += passed;
			total.failed += failed;
		} catch (error) {
			console.error(`n8n ${wanted}: ${(error as Error).message}`);
			total.failed++;
		}
	}
	console.log(`\n${await readFile(DOCUMENT, 'utf8')}`);
	console.log(`${total.passed} passed, ${total.failed} failed`);
	return total.failed === 0 ? 0 : 1;
}

/** What the registry means by a tag such as `latest`. Throws when it has no such version. */
async function exactVersion(wanted: string): Promise<N8nVersion> {
	if (N8N_VERSIONS.some((locked) => locked === wanted)) return wanted as N8nVersion;
	const found = await npm(['view', `n8n@${wanted}`, 'version', '--json'], REPOSITORY);
	const version: unknown = found.trim() === '' ? undefined : JSON.parse(found);
	if (typeof version === 'string' && isN8nVersion(version)) return version;
	throw new Error('the registry has no such version');
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
		row: rowOf(exact, version, report, failed),
		passed: report.numPassedTests,
		failed: failed.length,
	};
}

function rowOf(exact: string, version: N8nVersion, report: JestReport, failed: string[]): string {
	const ofChatModel = failed.filter((name) => CHAT_MODEL.test(name)).length;
	const verdict = (failures: number) => (failures === 0 ? 'works' : `${failures} failed`);
	const cells = [
		exact,
		verdict(failed.length - ofChatModel),
		isAtLeast(version, OLDEST.chatModel) ? verdict(ofChatModel) : `needs ${OLDEST.chatModel}`,
		report.numPassedTests,
		failed.length,
		new Date().toISOString().slice(0, 10),
	];
	return `| ${cells.join(' | ')} |`;
}

/** The document with a row in its table, in place of the one of the same version; newest first. */
export function withRow(text: string, row: string): string {
	const old = (TABLE.exec(text)?.[0].match(/^\| \d.*$/gm) ?? []).map(String);
	const versionOf = (line: string) => line.split('|')[1].trim();
	const rows = [...old.filter((line) => versionOf(line) !== versionOf(row)), row];
	rows.sort((a, b) => versionOf(b).localeCompare(versionOf(a), 'en', { numeric: true }));
	const table = [...HEAD, ...rows].join('\n');
	return text.replace(TABLE, `$1\n${table}\n\n$2`);
}
