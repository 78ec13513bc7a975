/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { withRow } from '../../scripts/versions';
import { isAtLeast, REPOSITORY } from '../support/n8n/install';

const DOCUMENT = readFileSync(path.join(REPOSITORY, 'docs/compatibility.md'), 'utf8');
const rowsOf = (text: string) =>
	[...text.matchAll(/^\| (\d+\.\d+\.\d+) +\|/gm)].map(([, version]) => version);

test('a tested version is a row of the table, newest first, and takes the place of its old one', () => {
	const rows = ['2.9.0', '2.10.0', '1.100.1', '1.85.4'].map((version) => `| ${version} | works |`);
	const once = rows.reduce(withRow, DOCUMENT);
	const newer = withRow(once, '| 2.9.0 | 1 tests fail |');
	const mine = rowsOf(newer).filter((version) => rows.some((row) => row.includes(` ${version} `)));
	expect(mine).toEqual(['2.10.0', '2.9.0', '1.100.1', '1.85.4']);
	expect(newer).toContain('| 2.9.0 | 1 tests fail |');
	expect(newer).not.toContain('| 2.9.0 | works |');
	expect(newer.split('<!-- end -->')[1]).toBe(DOCUMENT.split('<!-- end -->')[1]);
});

test.each([
	['2.41', '2.41', true],
	['2.41.3', '2.16', true],
	['2.9.0', '2.16', false],
	['1.123', '2.0', false],
	['1.100.1', '1.99', true],
] as const)('n8n %s is at least %s: %s', (version, least, answer) => {
	expect(isAtLeast(version, least)).toBe(answer);
});
