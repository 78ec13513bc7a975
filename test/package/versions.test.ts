/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readFileSync } from 'node:fs';
import path from 'node:path';
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
