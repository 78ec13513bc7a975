/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { SpeechGateway } from '../../../nodes/SpeechGateway/SpeechGateway.node';
import { REPOSITORY } from '../../support/n8n/install';
import {
	type EngineRun,
	item,
	jobNode,
	runnerOf,
	speechNode,
	texts,
	useSimulator,
} from '../support';

/** What the pages and forms tell people to copy, in n8n's own expressions, where people put it. */

const sim = useSimulator({ latencyMs: 1, jobSeconds: 1 });
const run = runnerOf(sim);

/** Expressions that a test below runs. */
const RUN = new Set<string>();
const isRun = (expression: string) => void RUN.add(expression);

const read = (file: string) => readFileSync(path.join(REPOSITORY, file), 'utf8');
const filesIn = (folder: string, end: string) =>
	readdirSync(path.join(REPOSITORY, folder))
		.filter((name) => name.endsWith(end))
		.map((name) => path.join(folder, name));
const expressionsIn = (text: string) => text.match(/\{\{[^]*?\}\}/g) ?? [];

for (const simple of ['{{ $json.id }}', '{{ $json.key }}', '{{ $now }}']) isRun(simple);

/** What stands between a trigger and this node. */
const PLACES: Record<string, NonNullable<EngineRun['before']>> = {
	'behind the trigger': [],
	'behind a model, whose answer replaced the JSON': [
		{ name: 'Answer', makes: () => ({ text: 'An answer.' }) },
	],
	'behind Edit Fields': [
		{ name: 'Edit Fields', makes: () => ({ text: 'A text.', more: { id: 1 } }) },
	],
	'behind both': [
		{ name: 'Edit Fields', makes: () => ({ chatInput: 'A text.' }) },
		{ name: 'Answer', makes: () => ({ text: 'An answer.', id: 'chatcmpl-1' }) },
	],
};

describe('Send Once Key', () => {
	const KEYS: Array<[trigger: string, key: string, brings: (id: string) => IDataObject]> = [
		[
			'Telegram Trigger',
			"{{ $('Telegram Trigger').item.json.update_id }}",
			(id) => ({ update_id: id, message: { text: 'Hello', chat: { id: 7 } } }),
		],
		[
			'WhatsApp Trigger',
			"{{ $('WhatsApp Trigger').item.json.messages[0].id }}",
			(id) => ({ messages: [{ id, text: { body: 'Hello' } }] }),
		],
		['Webhook', "{{ $('Webhook').item.json.body.id }}", (id) => ({ body: { id } })],
		['Rows', "{{ $('Rows').item.json.id }}", (id) => ({ id, row_number: 2 })],
	];
	for (const [, key] of KEYS) isRun(key);

	const table = KEYS.flatMap((row) => Object.keys(PLACES).map((place) => [...row, place] as const));
	test.each(table)('%s: %s', async (trigger, key, brings, place) => {
		const before = [{ name: trigger }, ...PLACES[place]];
		const speak = async (id: string) =>
			await run({
				nodeId: `${trigger} ${place}`,
				items: [item(brings(id))],
				before,
				parameters: speechNode(
					{ sendOnceKey: `=${key}`, whenSentBefore: 'again' },
					{ text: 'Hi.' },
				),
				readsBehind: `=${key}`,
			});
		const [first, same, other] = [await speak('a-1'), await speak('a-1'), await speak('a-2')];
		expect(first.read[0]).toEqual(['a-1']);
		expect(same.outputs[0][0].json.replayed).toBe(true);
		expect(other.read[0]).toEqual(['a-2']);
		expect(sim.charges).toHaveLength(2);
	});

	test('{{ $json.id }} of a row that comes straight from its table', async () => {
		const parameters = speechNode({ sendOnceKey: '={{ $json.id }}' });
		const speak = async () => await run({ nodeId: 'rows', items: texts(2), parameters });
		expect((await speak()).outputs[0]).toHaveLength(2);
		expect((await speak()).outputs[1]).toHaveLength(2);
		expect(sim.charges).toHaveLength(2);
	});
});

const WHY = '{{ $json.error?.message ?? $json.speech.message }}';
isRun(WHY);
describe(`one node behind Unknown and Error: ${WHY}`, () => {
	test.each([
		['unknown', { status: 504, charge: true }, 1],
		['refused', { status: 400 }, 2],
		['too many', { status: 429, retryAfter: 3600 }, 2],
	])('%s: words, whatever the row has', async (_, fault, output) => {
		// A text of its own in `message`, and what an earlier Speech Gateway said in `speech`.
		const rows = [{}, { message: { text: 'Hello' }, speech: { message: 'Of another node.' } }];
		for (const row of rows) {
			sim.fault({ ...fault, times: 9 });
			const { read: words } = await run({
				items: [item({ text: 'Hello there.', ...row })],
				onError: 'continueErrorOutput',
				readsBehind: `=${WHY}`,
			});
			expect(words.map(({ length }) => length)).toEqual([0, 1, 2, 3].map((at) => +(at === output)));
			expect(words[output]).toEqual([expect.stringMatching(/^(?!Of another)\w.{20}/)]);
			sim.reset();
		}
	});
});

const SORRY = "{{ $('Answer').item.json.text || 'Sorry, there is no answer' }}";
isRun(SORRY);
test.each([
	['the answer', 'The sea.', 'The sea.', 1],
	['words, where the model said nothing', '', 'Sorry, there is no answer', 2],
])('the text in place of the audio: %s', async (_, text, heard, output) => {
	sim.fault({ status: 504, charge: true });
	const { read: words } = await run({
		items: [item({ update_id: 1 })],
		before: [{ name: 'Answer', makes: () => ({ text }) }],
		onError: 'continueErrorOutput',
		readsBehind: `=${SORRY}`,
	});
	expect(words[output]).toEqual([heard]);
});

describe('what stands beside a file', () => {
	isRun('{{ $json.speech.fileName }}');
	isRun('{{ $json.speech.durationSeconds }}');
	isRun('{{ $json.id }}-{{ $json.title }}');
	isRun('{{ $json.title }}');
	const parameters = speechNode({ fileName: '={{ $json.id }}-{{ $json.title }}' });
	const items = [item({ id: 4, title: 'The sea', text: 'The sea is calm.' })];

	test.each<[string, unknown]>([
		['{{ $json.speech.fileName }}', '4-The sea.mp3'],
		['{{ $json.speech.durationSeconds }}', expect.any(Number)],
		['{{ $json.title }}', 'The sea'],
	])('%s', async (expression, value) => {
		const { read: values } = await run({ items, parameters, readsBehind: `=${expression}` });
		expect(values[0]).toEqual([value]);
	});
});

const AGAIN =
	'{{ $json.speech.warnings.filter((one) => !one.lateSeconds).map((one) => one.startSeconds) }}';
isRun(AGAIN);
test('Speak Again At takes the seconds of the warnings, but those that are late', async () => {
	const sentences = ['Anna', 'Bert', 'Carl'].map(
		(name) => `${name} came, and nobody was surprised that the vote was put off once more.`,
	);
	const options = { maxSegmentCharacters: 90, previousBinaryPropertyName: 'data', timings: true };
	const text = sentences.join('\n\n');
	const first = await run({
		items: [item({ text })],
		parameters: speechNode({ ...options, previousBinaryPropertyName: '' }),
	});
	const [{ json, binary }] = first.left[0];
	const speech = json.speech as IDataObject;
	const [, second, third] = speech.parts as Array<{ startSeconds: number }>;
	speech.warnings = [
		{ ...second, message: 'falls silent' },
		{ ...third, message: 'late', lateSeconds: 2 },
	];
	sim.reset();
	await run({
		items: [{ json, binary }],
		parameters: speechNode({ ...options, speakAgainAt: `=${AGAIN}` }),
	});
	expect(sim.charged()).toEqual([sentences[1]]);
});

const ID = '{{ $json.speech?.id ?? $json.id }}';
isRun(ID);
describe(`the job: ${ID}`, () => {
	const LONG = { maxWait: 1, whenMaxWaitReached: 'stillProcessing' };
	test.each<[string, IDataObject, number]>([
		['behind Create', { ...jobNode(), operation: 'create' }, 0],
		['behind Waiting', jobNode(LONG), 2],
	])('%s', async (_, parameters, output) => {
		sim.fault({ method: 'POST', jobSeconds: Infinity });
		const { read: ids } = await run({ items: texts(1), parameters, readsBehind: `=${ID}` });
		expect(ids[output]).toEqual([sim.jobs[0].id]);
	});
});

test("each row's own key in the credential", async () => {
	const rows = [sim.apiKey, 'sk-of-nobody-at-all'].map((key, i) =>
		item({ text: `Row ${i}.`, key }),
	);
	const { outputs } = await run({
		items: rows,
		onError: 'continueErrorOutput',
		credential: () => ({ apiKey: '={{ $json.key }}', baseUrl: sim.url }),
	});
	expect(outputs.map(({ length }) => length)).toEqual([1, 0, 1]);
});

test('a text with the time is begun once: a retry reads nothing anew', async () => {
	const parameters = speechNode({}, { text: "=It is {{ $now.toFormat('DDDD') }}." });
	const { outputs } = await run({ parameters });
	expect(outputs[0]).toHaveLength(1);
	expect(sim.charged()[0]).toMatch(/^It is \w+, \w+ \d+, \d{4}\.$/);
});

const CHARGED = '{{ $json.speech.charged }}';
isRun(CHARGED);
test(`behind Settle: ${CHARGED}`, async () => {
	const at = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString();
	const speech = {
		outcome: 'unknown',
		reason: 'client_timeout',
		model: 'fish-speech',
		sentAt: at(1800),
		endedAt: at(1780),
		settle: { neighbours: { charged: 0, unknown: 0, sent: [] } },
	};
	const { read: charged } = await run({
		items: [item({ id: 1, speech })],
		parameters: { resource: 'account', operation: 'settle', options: {} },
		readsBehind: `=${CHARGED}`,
	});
	expect(charged[0]).toEqual([expect.stringMatching(/^(yes|no|unknown)$/)]);
});

test('every expression of the pages and forms is run here, or stands in an example, which real n8n runs', () => {
	const examples = filesIn('examples', '.json').map(read).join('\n').replaceAll('\\"', '"');
	const pages = ['README.md', 'examples/README.md', ...filesIn('docs', '.md')].map(read).join('\n');
	const form = JSON.stringify(new SpeechGateway().description.properties, (_, value: unknown) =>
		// What n8n evaluates itself is no advice.
		typeof value === 'string' && value.startsWith('=') ? undefined : value,
	).replaceAll('\\"', '"');
	const told = [...expressionsIn(pages), ...expressionsIn(form)];
	expect(told.length).toBeGreaterThan(12);
	expect(told.filter((one) => !RUN.has(one) && !examples.includes(one))).toEqual([]);
});
