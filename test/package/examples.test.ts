/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EXAMPLES as FOLDER } from '../support/n8n/examples';
import type { WorkflowJson } from '../support/n8n/client';
import { REPOSITORY } from '../support/n8n/install';
import { REMOVED_NODES } from '../support/n8n/removedNodes';

const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

type Node = WorkflowJson['nodes'][number];

/** On n8n's canvas; agents are wider. */
const NODE_SIZE = 96;
const AGENT_WIDTH = 256;
/** What stands below a node: its name and its operation; of one that is deactivated, "(Deactivated)" in between. */
const LABEL_HEIGHT = 48;
const DEACTIVATED_LABEL_HEIGHT = 72;

/** What a node or note covers on the canvas. */
function areaOf({ type, position: [left, top], parameters, disabled }: Node) {
	const { width, height } = type.endsWith('.stickyNote')
		? (parameters as { width: number; height: number })
		: {
				width: type.endsWith('.agent') ? AGENT_WIDTH : NODE_SIZE,
				height: NODE_SIZE + (disabled ? DEACTIVATED_LABEL_HEIGHT : LABEL_HEIGHT),
			};
	return { left, top, right: left + width, bottom: top + height };
}

function overlap(one: Node, other: Node): boolean {
	const [a, b] = [areaOf(one), areaOf(other)];
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

test.each(files)('%s: nothing covers anything else on the canvas', (file) => {
	const { nodes } = JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as WorkflowJson;
	const covered = nodes.flatMap((node, index) =>
		nodes
			.slice(index + 1)
			.filter((other) => overlap(node, other))
			.map((other) => `${node.name} and ${other.name}`),
	);
	expect(covered).toEqual([]);
});

const NODE = 'n8n-nodes-speech-gateway.speechGateway';
const FREE = ['account', 'audio'];
/** Triggers by which a person starts it once; any other may deliver a thing twice. */
const BY_HAND = /\.(manualTrigger|formTrigger|chatTrigger)$/;

describe.each(files)('%s', (file) => {
	const { nodes, connections, pinData } = JSON.parse(
		readFileSync(path.join(FOLDER, file), 'utf8'),
	) as WorkflowJson;
	const charged = nodes.filter(
		({ type, parameters }) =>
			type === NODE && !FREE.includes((parameters as { resource: string }).resource),
	);

	test('holds no credential and no pinned data', () => {
		for (const { credentials = {} } of nodes)
			for (const { id } of Object.values(credentials)) expect(id ?? '').toBe('');
		expect(pinData ?? {}).toEqual({});
	});

	test('opens with one sticky note', () => {
		expect(nodes.filter(({ type }) => type.endsWith('.stickyNote'))).toHaveLength(1);
	});

	test('every node is in use', () => {
		expect(nodes.filter(({ disabled }) => disabled)).toEqual([]);
	});

	test('Success, Unknown and Error of all that is charged lead on', () => {
		for (const { name, onError } of charged) {
			expect([name, onError]).toEqual([name, 'continueErrorOutput']);
			const { main } = connections[name] as { main: unknown[][] };
			expect([name, ...main.map(({ length }) => length > 0)]).toEqual([name, true, true, true]);
		}
	});

	test('what a trigger brings twice is charged once', () => {
		const triggers = nodes.filter(({ type }) => /trigger$|\.webhook$|\.rssFeedRead$/i.test(type));
		expect(triggers.length).toBeGreaterThan(0);
		if (triggers.every(({ type }) => BY_HAND.test(type))) return;
		for (const { parameters } of charged)
			expect((parameters as { options: object }).options).toHaveProperty('sendOnceKey');
	});

	test('a Send Once Key is read from a node by name, so that it holds behind any other', () => {
		const keys = charged.flatMap(
			({ parameters }) =>
				(parameters as { options: { sendOnceKey?: string } }).options.sendOnceKey ?? [],
		);
		// The words themselves are a key, too.
		for (const key of keys) expect(key.replace('$json.html.hash()', '')).not.toContain('$json');
	});

	test('a batch says what to check before it is published', () => {
		const isBatch = nodes.some(({ type }) => /\.(googleSheets|wordpress)$/.test(type));
		const [note] = nodes.filter(({ type }) => type.endsWith('.stickyNote'));
		expect(JSON.stringify(note.parameters).includes('`speech.missing`')).toBe(isBatch);
	});

	test('runs in the tests', () => {
		const tests = readFileSync(path.join(REPOSITORY, 'test/n8n/people.test.ts'), 'utf8');
		expect(tests).toContain(`('${path.parse(file).name}', () => {`);
	});
});

test('no example, document, test or script names a node that n8n 3.0 has removed', () => {
	const texts = ['docs', 'examples', 'scripts', 'test'].flatMap((folder) =>
		readdirSync(path.join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => /\.(json|md|ts)$/.test(name))
			.map((name) => path.posix.join(folder, name)),
	);
	const named = texts.flatMap((file) => {
		const text = readFileSync(path.join(REPOSITORY, file), 'utf8');
		const types = text.match(/(?:n8n-nodes-base|@n8n\/n8n-nodes-langchain)\.[a-zA-Z0-9]+/g) ?? [];
		return types.map((type): [file: string, type: string] => [file, type]);
	});
	expect(named.length).toBeGreaterThan(100);
	expect(named.filter(([, type]) => REMOVED_NODES.has(type))).toEqual([]);
});
