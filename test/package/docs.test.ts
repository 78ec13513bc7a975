/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { SpeechGatewayApi } from '../../credentials/SpeechGatewayApi.credentials';
import { LmChatSpeechGateway } from '../../nodes/LmChatSpeechGateway/LmChatSpeechGateway.node';
import { SERVICE } from '../../nodes/SpeechGateway/core/service';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node';
import { descriptions, resources } from '../../nodes/SpeechGateway/operations/forms';
import { responseFormatField } from '../../nodes/SpeechGateway/fields/files';
import { chargedChart } from '../../scripts/charts';
import { SERVICES_PAGE, servicesPage } from '../../scripts/servicesPage';
import { REPOSITORY } from '../support/n8n/install';

const read = (file: string) => readFileSync(path.join(REPOSITORY, file), 'utf8');
const markdown = ['.', 'docs', 'examples'].flatMap((folder) =>
	readdirSync(path.join(REPOSITORY, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => path.join(folder, name)),
);

test.each(markdown)('%s: every link and picture within the repository exists', (file) => {
	const targets = [...read(file).matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)]
		.map(([, link, picture]) => (link ?? picture).split('#')[0])
		.filter((target) => target !== '' && !/^[a-z]+:/.test(target));
	const missing = targets.filter(
		(target) => !existsSync(path.join(REPOSITORY, path.dirname(file), target)),
	);
	expect(missing).toEqual([]);
});

/** The anchors that GitHub gives to a document's headings. */
const anchors = (file: string) =>
	[...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading
			.toLowerCase()
			.replace(/[^\w\- ]/g, '')
			.replace(/ /g, '-'),
	);

test.each(markdown)('%s: every heading that a link points to exists', (file) => {
	const missing = [...read(file).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].filter(
		([, target, anchor]) => {
			const document = target === '' ? file : path.join(path.dirname(file), target);
			return !anchors(document).includes(anchor);
		},
	);
	expect(missing.map(([link]) => link)).toEqual([]);
});

test('docs/services.md is what its script makes of the table of the services', async () => {
	expect(read(SERVICES_PAGE)).toBe(await servicesPage());
});

test('the chart "Was I charged?" has every row of the table', () => {
	const page = read('docs/never-billed-twice.md');
	const shown = chargedChart(page).split('<section').slice(1);
	const rows = (charged: string) =>
		page.match(new RegExp(`^\\|[^|]*\\| ${charged} +\\|`, 'gm')) ?? [];
	expect(shown.map((column) => column.split('<p>').length - 1)).toEqual(
		['no', 'perhaps', 'yes'].map((charged) => rows(charged).length),
	);
	expect(rows('yes').length).toBeGreaterThan(0);
});

test('the service is named once: package and documents use its name, and its links work', () => {
	const { name, baseUrl, exampleUrl, documentationUrl, credentialUrl } = SERVICE;
	expect(manifest.homepage).toBe(documentationUrl);
	const [page, anchor] = credentialUrl.split('#');
	expect(manifest.repository.url).toBe(`git+${page}.git`);
	expect(anchors('README.md')).toContain(anchor);
	expect(read('README.md')).toContain(baseUrl || exampleUrl);
	for (const file of ['README.md', 'docs/compatibility.md']) expect(read(file)).toContain(name);
	const credential = new SpeechGatewayApi();
	expect(credential.displayName).toBe(`${name} API`);
	expect(new SpeechGateway().description.displayName).toBe(name);
	expect(new LmChatSpeechGateway().description.displayName).toBe(`${name} Chat Model`);
});

test.each(markdown)('%s: every npm script that it names exists', (file) => {
	const named = [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script);
	expect(named.filter((script) => !(script in manifest.scripts))).toEqual([]);
});

test('the tables of the documents name every resource, operation and option; examples/README.md links every example', () => {
	// The first two cells of each row; several names in one are apart by a comma or a dot.
	const named = new Set(
		[
			...`${read('docs/operations.md')}\n${read('docs/options.md')}`.matchAll(
				/^\|([^|]*)\|([^|]*)\|/gm,
			),
		]
			.flatMap(([, first, second]) => `${first}·${second}`.split(/[·,]/))
			.map((name) => name.replace(/[*_`]/g, '').trim()),
	);
	const labels = [
		...resources.map(({ name }) => name),
		...descriptions.map(({ name }) => name),
		...descriptions.flatMap(({ options }) => options.map(({ displayName }) => displayName)),
	];
	expect([...new Set(labels)].filter((label) => !named.has(label))).toEqual([]);
	const list = read('examples/README.md');
	const examples = readdirSync(path.join(REPOSITORY, 'examples')).filter((name) =>
		name.endsWith('.json'),
	);
	expect(examples.filter((name) => !list.includes(`(${name})`))).toEqual([]);
});

test.each(['README.md', 'docs/operations.md'])('%s names every audio format', (file) => {
	const [{ options = [] }] = responseFormatField('').panel;
	for (const option of options) expect(read(file)).toContain('name' in option && option.name);
});

test('the messages in docs/troubleshooting.md are messages of the code', () => {
	const rows = [...read('docs/troubleshooting.md').matchAll(/^\| ([^|]+?) +\|/gm)]
		.map(([, cell]) => cell)
		.slice(2);
	expect(rows.length).toBeGreaterThan(8);
	const folder = path.join(REPOSITORY, 'nodes');
	const code = (readdirSync(folder, { recursive: true }) as string[])
		.filter((name) => name.endsWith('.ts'))
		.map((name) => readFileSync(path.join(folder, name), 'utf8'))
		.join('\n')
		.replaceAll(/\$?\{kind\}/g, 'job');
	// What varies is "…" or a number in the README, and an expression in the code.
	const parts = (row: string) =>
		row
			.split(/"?…"?|\(?\b\d[\dx]*\b\)?|\(\dxx\)|"/)
			.map((part) => part.trim())
			.filter((part) => part.length > 3);
	expect(rows.flatMap(parts).filter((part) => !code.includes(part))).toEqual([]);
});

test('keys of chats and webhooks are read from the trigger by name: behind a model, $json is its answer', () => {
	const keys = [
		...read('docs/chats-and-webhooks.md').matchAll(/^\| (Telegram|WhatsApp|Webhook) .*/gm),
	];
	expect(keys).toHaveLength(3);
	for (const [row] of keys) expect(row).toMatch(/\{\{ \$\('[^']+'\)\.item\.json\./);
	for (const name of ['telegram-voice-bot', 'whatsapp-voice-reply'])
		for (const [, key] of read(`examples/${name}.json`).matchAll(/"sendOnceKey": "(.*)"/g))
			expect(key).toContain("$('Message').item.json.");
});
