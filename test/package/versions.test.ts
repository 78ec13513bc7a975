/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { newestOfLines, withMissing, withRow } from '../../scripts/versions';
import { isAtLeast, N8N_VERSIONS, OLDEST, REPOSITORY } from '../support/n8n/install';

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

test('a tested version is a row of the table, newest first, and takes the place of its old one', () => {
	const added = ['2.9.0', '2.10.0', '1.10.1', '1.9.4'].map((version) => `| ${version} | works |`);
	const once = added.reduce(withRow, DOCUMENT);
	const newer = withRow(once, '| 2.9.0 | 1 failed |');
	const versions = rows(newer).map(([version]) => version);
	const mine = versions.filter((version) => added.some((row) => row.includes(` ${version} `)));
	expect(mine).toEqual(['2.10.0', '2.9.0', '1.10.1', '1.9.4']);
	expect(newer).toContain('| 2.9.0 | 1 failed |');
	expect(newer).not.toContain('| 2.9.0 | works |');
	expect(newer.split('<!-- end -->')[1]).toBe(DOCUMENT.split('<!-- end -->')[1]);
});

test('of each line, the newest versions that the registry has; what it lacks is named', () => {
	const registry = [
		'1.100.0',
		'1.100.1',
		'1.123.9',
		'1.123.81',
		'2.0.3',
		'2.16.1',
		'2.41.10',
		'2.41.9',
	];
	const rest = ['2.41.2', '2.41.1', '2.42.0-rc.1', '0.99.0'];
	expect(newestOfLines([...registry, ...rest])).toEqual({
		lines: [
			['1.100.1', '1.100.0'],
			['1.123.81', '1.123.9', '1.100.1'],
			['2.0.3'],
			['2.16.1'],
			['2.41.10', '2.41.9', '2.41.2'],
		],
		lacking: ["2.42 to 2.48: the registry's newest is 2.41.10"],
	});
	expect(newestOfLines(['2.50.0']).lacking).toEqual(
		['1.100', '1', '2.0', '2.16'].map((line) => `${line}: the registry has no such version`),
	);
	expect(withMissing(DOCUMENT, ['4.x: gone'])).toContain('\n- 4.x: gone\n');
	expect(DOCUMENT).toContain('- 3.x: ');
});

describe('what is said of versions of n8n is what was tested', () => {
	const tested = rows(DOCUMENT).map(([version, action, chatModel, passed, failed]) => ({
		version: version as `${number}.${number}.${number}`,
		...{ action, chatModel, passed: Number(passed), failed: Number(failed) },
	}));
	const { actionNode, chatModel } = OLDEST;

	test.each(tested)('n8n $version: every test passed', (row) => {
		expect(isAtLeast(row.version, actionNode)).toBe(true);
		const hasModel = isAtLeast(row.version, chatModel);
		expect(row).toMatchObject({
			...{ action: 'works', failed: 0 },
			chatModel: hasModel ? 'works' : `needs ${chatModel}`,
		});
		expect(row.passed).toBeGreaterThan(50);
	});

	test('the oldest versions, those of every run, and the newest one are among them', () => {
		const versions = tested.map(({ version }) => version);
		expect(versions).toEqual(expect.arrayContaining(exact));
		for (const oldest of [actionNode, chatModel])
			expect(versions.filter((version) => version.startsWith(`${oldest}.`))).not.toEqual([]);
		expect(isAtLeast(versions[0], '2.41')).toBe(true);
	});

	test('README, documents and the error of the chat model name the oldest versions', () => {
		expect(README).toContain(`n8n ${actionNode} or newer; the chat model needs ${chatModel}.`);
		expect(DOCUMENT).toContain(`**Speech Gateway**: n8n ${actionNode} or newer`);
		expect(DOCUMENT).toContain(`**Speech Gateway Chat Model**: n8n ${chatModel} or newer`);
		for (const file of ['docs/troubleshooting.md', 'nodes/LmChatSpeechGateway/supplyModel.ts'])
			expect(read(file)).toContain(`needs n8n ${chatModel} or newer`);
	});
});
