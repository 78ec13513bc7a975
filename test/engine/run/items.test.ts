import type { IDataObject } from 'n8n-workflow';
import { renderAudio } from '../../support/simulator/audio';
import type { Entry, ItemRecord, RunRecord } from '../../../nodes/SpeechGateway/requests/records';
import { fitting } from '../form';
import {
	type EngineRun,
	item,
	NODE,
	runnerOf,
	saved,
	speechNode,
	texts,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 1 });

const run = runnerOf(sim, () => ({ items: texts(3) }));

test('parameters are read for each item; only what was set is sent', async () => {
	const parameters = speechNode({
		speed: '={{ $json.id === 1 ? 1.5 : undefined }}',
		fileName: '={{ "row " + $json.id }}',
	});
	const { outputs } = await run({ parameters });
	const speeds = sim.requests.map(({ body }) => (body as IDataObject).speed);
	expect(speeds.sort()).toEqual([1.5, undefined, undefined]);
	for (const { body } of sim.requests) expect(body).not.toHaveProperty('voice');
	const names = outputs[0].map(({ json }) => json.fileName);
	expect(names).toEqual(['row 0.mp3', 'row 1.mp3', 'row 2.mp3']);
});

test('the same text in several items is sent and charged for each', async () => {
	const { outputs } = await run({ items: [1, 2, 3].map(() => item({ text: 'Again.' })) });
	expect([outputs[0].length, sim.charges.length]).toEqual([3, 3]);
});

test.each([
	[{ speed: 3 }, '"Speed" must be a number from 0.5 to 2, but is 3'],
	[{ timeout: 86_401 }, '"Timeout" must be a number from 1 to 86400, but is 86401'],
	[{ maxSegmentCharacters: 0 }, '"Max Segment Characters"'],
	[{ longText: 'sometimes' }, '"Long Text" must be one of auto, single'],
	[{ concurrency: 101 }, '"Concurrency" must be a whole number from 1 to 100, but is 101'],
	[{ maxRetries: -1 }, '"Max Retries" must be a whole number from 0 to 20, but is -1'],
])('the option %j gives a clear error and nothing is sent', async (options, message) => {
	const { error } = await run({ parameters: speechNode(options) });
	expect(error?.message).toContain(message);
	expect(sim.requests).toEqual([]);
});

test('a single request takes at most 10,000 characters, counted as code points', async () => {
	const single = speechNode({ longText: 'single' }, { text: '={{ "𝒂".repeat($json.count) }}' });
	const tooLong = await run({ parameters: single, items: [item({ count: 10_001 })] });
	expect(tooLong.error?.message).toContain('at most 10000 characters here, but has 10001');
	expect(sim.requests).toEqual([]);
	const longest = await run({ parameters: single, items: [item({ count: 10_000 })] });
	expect(longest.outputs[0][0].json.characters).toBe(10_000);
	expect(longest.hints.join()).toContain('1310 characters');
});

test('an empty cell of a table: how to skip such rows', async () => {
	const items = [...texts(7), item({ id: 7, text: '' }), ...texts(2)];
	const { error } = await run({ items });
	expect(error?.message).toBe('"Text" is required, but is empty (item 8 of 10)');
	const skip = 'or set "On Error" to "Continue (using error output)" to skip such rows';
	expect(error?.description).toContain(skip);
	expect((await run({ items: [item({ text: '' })] })).error?.description).not.toContain(skip);
	expect(sim.requests).toEqual([]);
	const { outputs } = await run({ items, onError: 'continueErrorOutput' });
	expect(outputs.map(({ length }) => length)).toEqual([9, 0, 1]);
	expect(JSON.stringify(outputs)).not.toContain('skip such rows');
});

describe('sendOnceKey', () => {
	const keyed = (prefix: string, concurrency = 4) =>
		speechNode({ sendOnceKey: `={{ "${prefix}" + $json.id }}`, concurrency });

	test('Retry On Fail and Retry execution go on with the keys of their own execution', async () => {
		sim.fault({ status: 402, input: 'number 1.', times: 2 });
		const first = await run({ parameters: keyed('c', 1), retryOnFail: true, maxTries: 2 });
		expect(first.error?.message).toContain('402');
		const second = await run({ parameters: keyed('c'), retryOf: saved(first.run), mode: 'retry' });
		expect(second.outputs[0]).toHaveLength(3);
		expect(sim.charges).toHaveLength(3);
	});

	test('the same key twice in one run: an error of the later item, and nothing is sent', async () => {
		const parameters = speechNode({ sendOnceKey: 'twin' });
		const { error } = await run({ parameters });
		expect(error?.message).toContain('"Send Once Key" is "twin", as it is for item 1');
		expect(sim.charges).toEqual([]);
		const { outputs } = await run({ parameters, onError: 'continueErrorOutput' });
		expect(outputs.map(({ length }) => length)).toEqual([1, 0, 2]);
		expect(sim.charges).toHaveLength(1);
	});

	test('an item that was paid for in part is finished, though another has its key by now', async () => {
		const [one, two] = ['One sentence stands in here.', 'Another one comes after it.'];
		const items = [item({ id: 0, text: 'Whole.' }), item({ id: 1, text: `${one} ${two}` })];
		const options = { concurrency: 1, maxSegmentCharacters: 30 };
		sim.fault({ status: 422, input: two });
		const first = await run({
			items,
			parameters: speechNode({ ...options, sendOnceKey: '={{ "p" + $json.id }}' }),
		});
		expect(first.error?.message).toContain('422');
		const parameters = speechNode({ ...options, sendOnceKey: 'parts' });
		const again = await run({ items, parameters, retryOf: saved(first.run), mode: 'retry' });
		expect(again.outputs[0]).toHaveLength(2);
		expect(sim.charges).toHaveLength(3);
	});

	test.each([
		['empty', '', 'empty'],
		['blank', '  ', 'empty'],
		['of a column that is not there', '={{ $json.rowid }}', 'empty'],
		['null', '={{ null }}', 'empty'],
		['an object', '={{ $json }}', '{"id":0,"text":"Sentence number 0."}'],
		['true', '={{ true }}', 'true'],
		['no number', '={{ 0 / 0 }}', 'null'],
	])(
		'a key that is %s protects nothing: an error, and nothing is sent',
		async (_, sendOnceKey, is) => {
			const { error } = await run({ parameters: speechNode({ sendOnceKey }), items: texts(1) });
			expect(error?.message).toBe(`"Send Once Key" must be a text or a number, but is ${is}`);
			expect(error?.description).toContain("{{ $('Telegram Trigger').item.json.update_id }}");
			expect(sim.requests).toEqual([]);
		},
	);
});

test('n8n is killed after a segment ended unknown: a retry sends neither it nor what was in flight', async () => {
	const [one, two] = ['One sentence stands in here.', 'Another one comes after it.'];
	sim.fault({ input: one, status: 504, charge: true });
	sim.fault({ input: two, delayMs: 1000 });
	sim.fault({ input: 'number 1.', status: 402 });
	const parameters = speechNode({ maxSegmentCharacters: 30, concurrency: 3 });
	const items = [item({ text: `${one} ${two}` }), item({ text: 'Sentence number 1.' })];
	let atDeath: object | undefined;
	const first = await run({
		parameters,
		items,
		started: ({ data }) =>
			void sim.waitFor(() => {
				const { contextData } = data.executionData!;
				const written = JSON.stringify(contextData);
				if (written.includes('"unknown"') && written.includes('"sending"'))
					atDeath ??= structuredClone(contextData);
				return atDeath !== undefined;
			}),
	});
	expect(atDeath).toBeDefined();
	const broken = saved(first.run);
	Object.assign(broken.executionData!, { contextData: atDeath });
	sim.requests.length = 0;
	const second = await run({ parameters, items, retryOf: broken, mode: 'retry' });
	expect(second.outputs[1][0].json).toMatchObject({
		reason: 'upstream_outcome_unknown',
		segments: { total: 2, completed: 0, unknown: 2 },
	});
	expect(sim.requests.map(({ input }) => input)).toEqual(['Sentence number 1.']);
});

/** The ledger as it lies in the execution data. */
interface Stored {
	speechGateway: Record<number, RunRecord & { items: Record<number, ItemRecord> }>;
}

describe('a retry reads what another version of the node has kept', () => {
	/** The retry of an execution of three items, of which the second was paid for, whose record was changed. */
	async function retryAfter(change: (record: RunRecord) => void, more: Partial<EngineRun> = {}) {
		sim.fault({ status: 422, input: 'number 2.' });
		const first = await run({ parameters: speechNode({ concurrency: 1 }) });
		const broken = saved(first.run);
		const stored = broken.executionData!.contextData[`node:${NODE}`] as unknown as Stored;
		change(stored.speechGateway[0]);
		sim.requests.length = 0;
		return await run({ retryOf: broken, mode: 'retry', ...more });
	}

	test.each<[string, (record: RunRecord) => void, RegExp]>([
		['of a newer version', (record) => (record.version = 99), /newer version/],
		['that is damaged', (record) => (record.items[1] = {} as ItemRecord), /cannot be read/],
		[
			'with a request in an unknown state',
			(record) => (record.items[2].requests.any = { state: 'gone' } as unknown as Entry),
			/cannot be read/,
		],
	])('%s: an error says so, and nothing is sent', async (_, change, message) => {
		const { error } = await retryAfter(change);
		expect(error?.message).toMatch(message);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			description: expect.stringMatching(/nothing was/i),
		});
		expect(sim.requests).toEqual([]);
	});

	test.each<Partial<EngineRun>>([
		{ onError: 'continueErrorOutput' },
		{ onError: 'continueErrorOutput', binaryMode: 'combined' },
	])('%j: the same as an error of each item', async (more) => {
		const { outputs, error } = await retryAfter((record) => (record.version = 99), more);
		expect(error).toBeUndefined();
		expect(outputs.map(({ length }) => length)).toEqual([0, 0, 3]);
		expect(outputs[2].map(({ pairedItem }) => pairedItem)).toMatchObject([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(sim.requests).toEqual([]);
	});
});

describe('voices', () => {
	const file = (data: Buffer, mimeType = 'audio/wav') => ({
		json: {},
		binary: { data: { data: data.toString('base64'), mimeType, fileName: 'me' } },
	});
	const recording = (seconds: number) =>
		file(Buffer.concat([...renderAudio('A recording.', seconds, 'wav').chunks()]));
	const bag = { model: 'fish-speech', title: 'Anna', binaryPropertyName: 'data' };
	const voice = (operation: string, more: IDataObject = {}, options: IDataObject = {}) =>
		fitting('voice', operation, bag, { ...more, options });

	test.each([
		[{ _id: 77 }, '77'],
		[{ voice: { voice_id: 'v77' } }, 'v77'],
	])('create: the id is found in %j', async (body, id) => {
		sim.fault({ path: '/v1/audio/voices', status: 201, charge: true, body });
		const { outputs } = await run({ parameters: voice('create'), items: [recording(31)] });
		expect(outputs[0][0]?.json).toMatchObject({ _id: id, title: 'Anna' });
	});

	test.each([
		[3, 'only 3 seconds'],
		[29.7, 'only 29 seconds'],
	])('create: a short recording (%d s) is sent, with a hint', async (seconds, words) => {
		const items = [recording(seconds)];
		const { hints, outputs } = await run({ parameters: voice('create'), items });
		expect(outputs[0]).toHaveLength(1);
		expect(hints.join()).toContain(words);
	});

	test('create: a recording without a type is known by its first bytes', async () => {
		const flac = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(4000, 1)]);
		const items = [file(flac, 'application/octet-stream')];
		const { outputs } = await run({ parameters: voice('create'), items });
		expect(outputs[0]).toHaveLength(1);
		expect(sim.charges).toHaveLength(1);
	});

	const large = Buffer.alloc(20 * 1024 * 1024 + 50_000);
	test.each([
		['no file', item({}), 'has no file in the binary field "data"'],
		['an empty file', file(Buffer.alloc(0), 'audio/wav'), 'is empty'],
		['a text', file(Buffer.from('hello'), 'text/plain'), 'is not audio but "text/plain"'],
		['more than 20 MB', file(large, 'audio/mp4'), 'is larger than 20 MB: it has 20.1 MB'],
	])('create with %s: a clear error, nothing sent', async (_, input, message) => {
		const { error } = await run({ parameters: voice('create'), items: [input] });
		expect(error?.message).toContain(message);
		expect(sim.requests).toEqual([]);
	});

	test('reuse existing: a title that is there is returned, two items with one title clone once', async () => {
		const parameters = voice('create', {}, { reuseExisting: true });
		const { outputs } = await run({ parameters, items: [recording(31), recording(31)] });
		expect(outputs[0]).toHaveLength(2);
		const again = await run({ parameters, items: [recording(31)] });
		expect(again.outputs[0][0].json._id).toBe(outputs[0][1].json._id);
		expect(sim.charges).toHaveLength(1);
	});

	test('reuse existing: white space around a title that another program gave does not count', async () => {
		sim.addVoice(' Anna ', 'anna');
		const parameters = voice('create', { title: 'Anna' }, { reuseExisting: true });
		const { outputs } = await run({ parameters, items: [recording(31)] });
		expect(outputs[0][0].json._id).toBe('anna');
		expect(sim.charges).toEqual([]);
	});

	test('reuse existing: TRUE of a spreadsheet pays for nothing, and the ID has one name, whatever a list calls it', async () => {
		const parameters = voice('create', {}, { reuseExisting: '={{ $json.reuse }}' });
		sim.fault({ path: '/v1/audio/voices', body: [{ id: 'v7', title: 'Anna' }], status: 200 });
		const { json, binary } = recording(31);
		const items = [{ json: { ...json, reuse: 'TRUE' }, binary }];
		const { outputs } = await run({ parameters, items });
		expect(outputs[0][0].json).toMatchObject({ _id: 'v7', title: 'Anna' });
		expect(sim.charges).toEqual([]);
	});

	test('get many and delete; what is gone after a lost answer counts as deleted', async () => {
		const created = await run({ parameters: voice('create'), items: [recording(31)] });
		const id = created.outputs[0][0].json._id as string;
		const parameters = voice('getMany', { returnAll: true });
		const listed = await run({ parameters, items: [item({})] });
		expect(listed.outputs[0].map(({ json }) => json._id)).toEqual([id]);
		sim.fault({ method: 'DELETE', connection: 'reset-after-work' });
		const deleted = await run({
			parameters: voice('delete', { voice: id }, { maxRetries: 2 }),
			items: [item({})],
		});
		expect(deleted.outputs).toMatchObject([[{ json: { _id: id, deleted: true } }]]);
		expect(sim.voices).toHaveLength(0);
	});

	test.each(['id', 'title'])(
		'delete by %s: what one try has deleted, the next one does not miss',
		async (mode) => {
			sim.addVoice('Anna', 'a7');
			sim.addVoice('Ben', 'b7');
			sim.fault({ method: 'DELETE', path: '/v1/audio/voices/b7', status: 503 });
			const value = `={{ $json.${mode} }}`;
			const { outputs, error } = await run({
				parameters: voice('delete', { voice: { __rl: true, mode, value } }, { maxRetries: 0 }),
				items: [item({ id: 'a7', title: 'Anna' }), item({ id: 'b7', title: 'Ben' })],
				retryOnFail: true,
			});
			expect(error).toBeUndefined();
			expect(outputs[0].map(({ json }) => json._id)).toEqual(['a7', 'b7']);
			expect(sim.voices).toEqual([]);
		},
	);

	test('delete: a retry by hand goes on behind what is deleted', async () => {
		for (const id of ['a7', 'b7']) sim.addVoice(id, id);
		sim.fault({ method: 'DELETE', path: '/v1/audio/voices/b7', status: 503 });
		const parameters = voice(
			'delete',
			{ voice: { __rl: true, mode: 'id', value: '={{ $json.id }}' } },
			{ maxRetries: 0 },
		);
		const items = ['a7', 'b7'].map((id) => item({ id }));
		const failed = await run({ parameters, items });
		expect(failed.error?.message).toContain('503');
		const { outputs } = await run({
			parameters,
			items,
			mode: 'retry',
			retryOf: saved(failed.run),
		});
		expect(outputs[0].map(({ json }) => json._id)).toEqual(['a7', 'b7']);
		expect(sim.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(3);
	});

	test('delete: a voice that was never there is an error', async () => {
		const parameters = voice('delete', { voice: 'nobody' });
		const { error } = await run({ parameters, items: [item({})] });
		expect(error?.message).toContain('"nobody"');
		expect(error?.message).toContain('404');
	});

	test('a voice of another account: 403 says so', async () => {
		const { apiKey } = sim.addAccount();
		const created = await run({ parameters: voice('create'), items: [recording(31)], apiKey });
		const foreign = created.outputs[0][0].json._id as string;
		const { error } = await run({
			parameters: speechNode({}, { voice: { __rl: true, mode: 'id', value: foreign } }),
		});
		expect(error?.message).toContain(
			`The voice "${foreign}" does not belong to this account (403)`,
		);
	});
});

describe('an expression pasted into a fixed field', () => {
	const literal = '{{ $json.text }}';
	const title = { resource: 'voice', operation: 'create', title: literal };
	const values = [{ name: 'Anna', voice: { __rl: true, mode: 'title', value: literal } }];
	const script = { operation: 'dialogue', script: 'Anna: Hello.', speakers: { values } };
	const messages = { values: [{ role: 'user', content: ` ${literal}\n` }] };
	test.each<[string, IDataObject]>([
		['Text', speechNode({}, { text: literal })],
		['Voice', speechNode({}, { voice: { __rl: true, mode: 'id', value: literal } })],
		['Send Once Key', speechNode({ sendOnceKey: '{{ $json.id }}' })],
		['Tags', speechNode({ tags: { values: { title: '{{ $json.title }}' } } })],
		['Script', speechNode({}, { ...script, script: literal })],
		['Speakers', speechNode({}, script)],
		['Prompt', { resource: 'video', operation: 'create', model: 'sim-video', prompt: literal }],
		['Title', { ...title, binaryPropertyName: 'data' }],
		['Voice', { resource: 'voice', operation: 'delete', voice: literal }],
		['Messages', { resource: 'chat', operation: 'complete', model: 'sim-chat', messages }],
	])('in "%s" is an error before anything is sent', async (label, parameters) => {
		const { error } = await run({ parameters });
		expect(error?.message).toContain(`"${label}" contains an expression, but is set to "Fixed"`);
		expect(error?.description).toContain('Switch the field to "Expression"');
		expect(sim.requests).toEqual([]);
	});

	const models = { model: { __rl: true, mode: 'id', value: 'x-{{ $json.model }}' } };
	const pronunciations = { values: [{ find: 'SQL', say: '{{ $json.say }}' }] };
	test.each<[string, IDataObject]>([
		['Text', { text: 'Hello {{ $json.name }}, it rains.' }],
		['Text', { text: "Hello {{ $('Edit Fields').item.json.name }}!" }],
		['Text', { text: 'Today is {{ $now.toFormat("DDDD") }}.' }],
		['Text', { text: '{{ text }} and {{ $input.first().json.text }}' }],
		['Model', models],
		['File Name', { options: { fileName: 'episode-{{ $json.number }}' } }],
		['Pronunciations', { options: { pronunciations } }],
		['Voices by Name', { options: { voicesByName: '{"Anna": "{{ $json.voice }}"}' } }],
		['Send Once Key', { options: { sendOnceKey: '{{ $json.id }}-answer' } }],
	])('in "%s", within other words, too (%j)', async (label, more) => {
		const isDialogue = JSON.stringify(more).includes('voicesByName');
		const dialogue = speechNode({}, { operation: 'dialogue', script: 'Anna: Hello.' });
		const parameters = { ...(isDialogue ? dialogue : speechNode()), ...more };
		const { error } = await run({ parameters, items: [item({ text: 'Hello.' })] });
		expect(error?.message).toContain(`"${label}" contains an expression, but is set to "Fixed"`);
		expect(error?.message).not.toContain('it rains');
		expect(error?.description).toContain('to have it filled in');
		expect(sim.requests).toEqual([]);
	});

	test.each([
		'{{ text }}',
		'Dear {{ name }}, {{#if x}}hello{{/if}}.',
		'It costs {{ $5 }} a month.',
		'Blade writes {{ $item->name }} and {{ $node->title }}.',
		'Two braces {{ alone, and $json.text later on.',
	])('%s is a text like any other', async (text) => {
		const parameters = speechNode({ textFormat: 'plain' }, { text });
		const { outputs, hints } = await run({ parameters, items: [item({})] });
		expect(outputs[0]).toHaveLength(1);
		expect(hints).toEqual([]);
	});

	test('fields of another operation do not matter', async () => {
		// n8n keeps what was typed before another operation was chosen.
		const parameters = speechNode({}, { text: 'Hello.', script: '{{ $json.script }}' });
		const { outputs } = await run({ parameters, items: [item({})], editedByHand: true });
		expect(outputs[0]).toHaveLength(1);
	});

	test('what an expression comes to is a text like any other', async () => {
		const { outputs } = await run({ items: [item({ text: literal })] });
		expect(outputs[0]).toHaveLength(1);
		expect(sim.charged()).toEqual([literal]);
	});
});
