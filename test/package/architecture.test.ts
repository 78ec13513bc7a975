/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { descriptions, resources } from '../../nodes/SpeechGateway/operations/forms';
import { operations } from '../../nodes/SpeechGateway/operations';
import type { OperationDescription } from '../../nodes/SpeechGateway/fields/form';
import manifest from '../../package.json';
import { REPOSITORY } from '../support/n8n/install';

interface Source {
	/** Path within the repository. */
	file: string;
	text: string;
	/** What it imports: paths within the repository for relative imports, else the name of the package. */
	imports: string[];
}

const IMPORT = /\b(?:from|import|require)\s*\(?\s*'([^']+)'/g;

/** All TypeScript files below a folder. */
function sources(folder: string): Source[] {
	const names = readdirSync(path.join(REPOSITORY, folder), { recursive: true }) as string[];
	return names
		.filter((name) => name.endsWith('.ts'))
		.map((name) => {
			const file = path.posix.join(folder, name.split(path.sep).join('/'));
			const text = readFileSync(path.join(REPOSITORY, file), 'utf8');
			const imports = [...text.matchAll(IMPORT)].map(([, target]) =>
				target.startsWith('.') ? path.posix.join(path.posix.dirname(file), target) : target,
			);
			return { file, text, imports };
		});
}

const ROOT = 'nodes/SpeechGateway/';
/** From the top down: a file may import from its own room and from those below. */
const ROOMS = [
	['run'],
	['operations'],
	['speech'],
	['tasks', 'chat'],
	['files'],
	['requests'],
	['fields'],
	['gateway'],
	['engine'],
	['text', 'audio', 'usage'],
	['core'],
	['libraries'],
];
const isIn = (file: string, room: string) => `${file}/`.startsWith(`${ROOT}${room}/`);
/** The floor of a file's room, from the top; other nodes and the node itself are above all rooms. */
const floorOf = (file: string) =>
	ROOMS.findIndex((rooms) => rooms.some((room) => isIn(file, room)));
const roomOf = (file: string) => ROOMS.flat().find((room) => isIn(file, room));

const nodes = sources('nodes');
const relative = ({ imports }: Source) => imports.filter((target) => target.startsWith('nodes/'));
const resourceOf = (file: string) => /operations\/([^/]+)\/[^/]+$/.exec(file)?.[1];

test('there is something to look at', () => {
	expect(nodes.length).toBeGreaterThan(40);
	for (const room of ROOMS.flat()) expect(nodes.some(({ file }) => isIn(file, room))).toBe(true);
	expect(nodes.flatMap(relative).length).toBeGreaterThan(100);
});

test('imports point one way, from room to room', () => {
	const wrong = nodes.flatMap((source) =>
		relative(source)
			.filter((target) => {
				const [from, to] = [floorOf(source.file), floorOf(target)];
				return to < from || (to === from && roomOf(target) !== roomOf(source.file));
			})
			.map((target) => `${source.file} → ${target}`),
	);
	expect(wrong).toEqual([]);
});

test('no files import each other in a circle', () => {
	const byPath = new Map(
		nodes.map(({ file, imports }) => [file.replace(/(\/index)?\.ts$/, ''), imports]),
	);
	const seen = new Set<string>();
	const circles: string[] = [];
	const visit = (file: string, way: string[]) => {
		if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
		if (seen.has(file)) return;
		seen.add(file);
		for (const target of byPath.get(file) ?? [])
			visit(target.replace(/\/index$/, ''), [...way, file]);
	};
	for (const file of byPath.keys()) visit(file, []);
	expect(circles).toEqual([]);
});

test('text, audio, usage and core know nothing of n8n, and import only each other, libraries and crypto', () => {
	const isPure = (file: string) =>
		['text', 'audio', 'usage', 'core', 'libraries'].some((room) => isIn(file, room));
	const foreign = nodes
		.filter(({ file }) => isPure(file) && !isIn(file, 'libraries'))
		.flatMap(({ file, imports }) =>
			imports
				.filter((target) => !isPure(target) && target !== 'crypto')
				.map((target) => `${file} → ${target}`),
		);
	expect(foreign).toEqual([]);
});

test('what a user can click is what is done', () => {
	const names = (all: Array<Pick<OperationDescription, 'resource' | 'operation'>>) =>
		all.map(({ resource, operation }) => `${resource}.${operation}`);
	expect(names(operations)).toEqual(names(descriptions));
	const used = new Set(descriptions.map(({ resource }) => resource));
	expect(resources.map(({ value }) => value).sort()).toEqual([...used].sort());
});

test('operations of different resources do not import each other', () => {
	const crossing = nodes
		.filter(({ file }) => resourceOf(file))
		.flatMap((source) =>
			relative(source)
				.filter((target) => resourceOf(target) && resourceOf(target) !== resourceOf(source.file))
				.map((target) => `${source.file} → ${target}`),
		);
	expect(crossing).toEqual([]);
});

const TOP_LEVEL =
	/^(?:export )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;

/** What stands at the top of several files, since it is the same in each. */
const ALIKE = new Set([
	// Types and numbers of a format that two files read.
	'Element',
	'FRONT_COVER',
	'LETTER_OR_DIGIT',
	// The same step in each format of audio.
	'layOut',
	'soundOf',
	'coverOf',
	// The fields of a form, and an operation that several resources have.
	'fields',
	'getMany',
	// n8n's methods, loaded on first use.
	'searchModels',
	'searchOwnVoices',
	'searchVoicesWithDefault',
]);

test('a name at the top of a file means one thing in all files', () => {
	const places = new Map<string, string[]>();
	for (const { file, text } of nodes)
		for (const [, name] of text.matchAll(TOP_LEVEL))
			places.set(name, [...(places.get(name) ?? []), file]);
	expect(places.size).toBeGreaterThan(1000);
	const several = [...places].filter(([, files]) => new Set(files).size > 1);
	expect(several.filter(([name]) => !ALIKE.has(name))).toEqual([]);
	expect(several.map(([name]) => name).sort()).toEqual([...ALIKE].sort());
});

const EXPORT = /^export (?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/;

test('every export says what it is', () => {
	const silent = nodes.flatMap(({ file, text }) => {
		const lines = text.split('\n');
		return lines.flatMap((line, index) => {
			const [, name] = EXPORT.exec(line) ?? [];
			const hasComment = /^\/\/|\*\/$/.test(lines[index - 1]?.trim() ?? '');
			return name === undefined || hasComment ? [] : [`${file}: ${name}`];
		});
	});
	expect(silent).toEqual([]);
});

/** The files whose text matches, within the node. */
const users = (pattern: RegExp) =>
	nodes
		.filter(({ text }) => pattern.test(text))
		.map(({ file }) => file.replace(ROOT, ''))
		.sort();

const CHAT_MODEL = 'nodes/LmChatSpeechGateway/';
test.each<[what: string, pattern: RegExp, where: string[]]>([
	[
		"n8n's engine is known from inside",
		/runExecutionData|nodeExecutionStack|closeFunctions|setMetadata|getContext\b|putExecutionToWait/,
		[],
	],
	[
		'the context of a run is taken',
		/\b(IExecuteFunctions|ISupplyDataFunctions)\b/,
		[
			'SpeechGateway.node.ts',
			'gateway/account.ts',
			'gateway/transport.ts',
			`${CHAT_MODEL}LmChatSpeechGateway.node.ts`,
			`${CHAT_MODEL}supplyModel.ts`,
		],
	],
	[
		"n8n's HTTP helpers are called",
		/helpers\s*\.\s*(httpRequest|request)|\.httpRequest\w*\s*[.(]/,
		['gateway/transport.ts', 'operations/testCredential.ts'],
	],
	['something else that sends is called', /\bfetch\(|XMLHttpRequest|\baxios\b/, []],
	// There, no error can end an execution as canceled.
	["n8n's errors are made", /new Node(Api|Operation)Error/, ['run/errors.ts']],
	['an error is kept from canceling', /\.replace\(.*canceled/i, ['requests/errorText.ts']],
	['the transport is called', /transport\s*\.\s*send\(/, ['requests/exchange.ts']],
	[
		'requests are begun and ended in the ledger',
		/ledger\.(begin|done|unknown|wasRefused|clear)\(/,
		['requests/itemRequests.ts'],
	],
	['a rule of the lint is disabled', /eslint-disable/, []],
	[
		'a variable has a name that says nothing',
		/\b(?:const|let|function) (?:given|thing|kept|why|known|shown)\b|[({] ?(?:given|thing|kept|known|shown)[,:)]/,
		[],
	],
])('%s only where it belongs, or in the engine room', (_, pattern, where) => {
	expect(users(pattern).filter((file) => !file.startsWith('engine/'))).toEqual(where.sort());
});

test('the nodes import nothing that a verified package may not import, and libraries in one place, to be bundled', () => {
	const [bundled, others] = [true, false].map((isBundled) =>
		nodes.filter(({ file }) => isIn(file, 'libraries') === isBundled),
	);
	const names = bundled.flatMap(({ imports }) => imports);
	expect(names).toHaveLength(bundled.length);
	expect(Object.keys(manifest.devDependencies)).toEqual(expect.arrayContaining(names));
	const packages = new Set(
		others.flatMap(({ imports }) => imports.filter((target) => !target.startsWith('nodes/'))),
	);
	// The SDK is n8n's own, and only loaded when the chat model runs.
	expect([...packages].sort()).toEqual(['@n8n/ai-node-sdk', 'crypto', 'n8n-workflow']);
});

test('the simulator shares no code with the nodes, or both would share one mistake', () => {
	const shared = sources('test/support/simulator').flatMap(({ file, imports }) =>
		imports
			.filter((target) => /^(nodes|credentials)\//.test(target))
			.map((target) => `${file} → ${target}`),
	);
	expect(shared).toEqual([]);
});
