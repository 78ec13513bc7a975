/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CURRENT, isAtLeast, N8N_VERSIONS, OLDEST, REPOSITORY } from '../support/n8n/install';

const read = (file: string) => readFileSync(path.join(REPOSITORY, file), 'utf8');
const README = read('README.md');
const DOCUMENT = read('docs/compatibility.md');
/** The rows of the table of tested versions, as its cells. */
const rows = (text: string) =>
	[...text.matchAll(/^\| \d+\.\d+\.\d+ .*$/gm)].map(([row]) =>
		row
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
const exact = N8N_VERSIONS.map((version) => {
	const manifest = read(`test/n8n/versions/${version}/package.json`);
	return (JSON.parse(manifest) as { dependencies: { n8n: `${number}.${number}.${number}` } })
		.dependencies.n8n;
});

describe('what is said of versions of n8n is what was tested', () => {
	const tested = rows(DOCUMENT).map(([version, passed, failed]) => ({
		version: version as `${number}.${number}.${number}`,
		passed: Number(passed),
		failed: Number(failed),
	}));

	test.each(tested)('n8n $version: every test passed', ({ version, passed, failed }) => {
		expect(isAtLeast(version, OLDEST)).toBe(true);
		expect(failed).toBe(0);
		expect(passed).toBeGreaterThan(50);
	});

	test('those of every run and the newest one are among them', () => {
		const versions = tested.map(({ version }) => version);
		expect(versions).toEqual(expect.arrayContaining(exact));
		expect(isAtLeast(versions[0], CURRENT)).toBe(true);
	});

	test('README and documents name the oldest version', () => {
		expect(README).toContain(`n8n ${OLDEST} or newer.`);
		expect(DOCUMENT).toContain(`n8n ${OLDEST} or newer.`);
	});
});
