/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync } from 'node:fs';
import { EXAMPLES, readExample } from '../support/n8n/examples';
import { REMOVED_NODES } from '../support/n8n/removedNodes';
import { n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';

const PACKAGE = 'n8n-nodes-speech-gateway';

const n8n = sharedN8n();

async function expectIcons({ iconUrl }: Record<string, unknown>) {
	const urls = [iconUrl].flatMap((url) => (typeof url === 'string' ? url : Object.values(url!)));
	expect(urls).not.toHaveLength(0);
	for (const url of urls) expect(await (await fetch(`${n8n.url}/${url}`)).text()).toContain('<svg');
}

test('n8n has loaded every node of the package, with icons, and the action as a tool too', async () => {
	const nodes = (await n8n.api.types('nodes')).filter(({ name }) =>
		String(name).startsWith(`${PACKAGE}.`),
	);
	const names = nodes.map(({ name }) => String(name).split('.')[1]);
	expect(names.sort()).toEqual(
		expect.arrayContaining(['lmChatSpeechGateway', 'speechGateway', 'speechGatewayTool']),
	);
	for (const node of nodes) await expectIcons(node);
});

test('n8n has loaded the credential, with icons, and HTTP Request offers it', async () => {
	const credentials = await n8n.api.types('credentials');
	const credential = credentials.find(({ name }) => name === 'speechGatewayApi');
	expect(credential).toMatchObject({ displayName: 'Speech Gateway API' });
	// What the editor looks for (`has:authenticate` in HTTP Request's description); n8n shows functions as `{}`.
	expect(credential).toHaveProperty('authenticate');
	await expectIcons(credential!);
});

test('n8n says nothing bad about the package while it loads', () => {
	const lines = n8n.log().split('Editor is now accessible')[0].split('\n');
	expect(lines.filter((line) => line.includes(PACKAGE) && /error|fail|warn/i.test(line))).toEqual(
		[],
	);
});

test('n8n knows every node of the examples, and knew those that 3.0 has removed', async () => {
	const known = new Set((await n8n.api.types('nodes')).map(({ name }) => name));
	const used = readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json'))
		.flatMap((file) => readExample(file).nodes.map(({ type }) => type));
	const unknown = used.filter((type) => !known.has(type));
	// Older versions lack some that only examples need.
	if (n8nIsAtLeast('2.41')) expect(unknown).toEqual([]);
	const removed = [...REMOVED_NODES].filter((type) => !known.has(type));
	if (n8nIsAtLeast('2.41')) expect(removed).toEqual(n8nIsAtLeast('3.0') ? [...REMOVED_NODES] : []);
});
