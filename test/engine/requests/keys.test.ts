import type { IDataObject } from 'n8n-workflow';
import { SentKeys } from '../../../nodes/SpeechGateway/requests/claims';
import { LastingMemory } from '../../../nodes/SpeechGateway/requests/lasting';
import { wait } from '../../support/clock';
import {
	item,
	keyStore,
	NODE,
	retrierOf,
	runnerOf,
	speechNode,
	texts,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 1 });
afterEach(() => {
	keyStore.failure = undefined;
	keyStore.slow = undefined;
});

const run = runnerOf(sim);
const retry = retrierOf(run);
const keyed = (sendOnceKey: string, options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode({ sendOnceKey, ...options }, more);
const THREE = [
	'One sentence stands in here.',
	'Another one comes after it.',
	'And a third one ends it all.',
];

test('the key of a text that is paid for in part stays taken, when the rest is refused', async () => {
	sim.fault({ input: 'third', status: 402 });
	const options = { maxSegmentCharacters: 30, concurrency: 1 };
	const parameters = keyed('in part', options, { text: THREE.join(' ') });
	expect((await run({ parameters })).error?.message).toContain('402');
	const second = await run({ parameters });
	expect(second.outputs[1]?.[0]?.json.reason).toBe('already_sent');
	expect(sim.charged()).toEqual(THREE.slice(0, 2));
});

test('the key of an item that is done is its own in every try: a later item with it stays an error', async () => {
	sim.fault({ input: 'number 0', status: 402, times: Infinity });
	const { outputs } = await run({
		items: texts(3),
		parameters: keyed('={{ $json.id === 0 ? "its own" : "of two" }}'),
		retryOnFail: true,
		onError: 'continueErrorOutput',
	});
	expect(outputs.map(({ length }) => length)).toEqual([1, 0, 2]);
	expect(JSON.stringify(outputs[2][1].json.error)).toContain('as it is for item 2');
});

test('an item without a key whose options cannot be read any more is finished without one', async () => {
	const options = { maxSegmentCharacters: 30, concurrency: 1 };
	const text = THREE.join(' ');
	sim.fault({ input: 'Another', status: 402 });
	const first = await run({ parameters: speechNode(options, { text }) });
	const { outputs } = await retry(first, {
		parameters: speechNode({ ...options, maxSegmentCharacters: 'many' }, { text }),
	});
	expect(outputs.map(({ length }) => length)).toEqual([1, 0]);
});

test('a key that cannot be recorded: nothing is sent', async () => {
	keyStore.failure = new Error('database is locked');
	const { error } = await run({ parameters: keyed('locked') });
	expect(error?.message).toContain('could not be recorded');
	expect(sim.requests).toEqual([]);
	keyStore.failure = undefined;
	const later = await run({ parameters: keyed('locked') });
	expect(later.outputs[0]).toHaveLength(1);
});

test.each([402, 422, 429, 503, 524])(
	'a request that ended with %s gives its key back',
	async (status) => {
		sim.fault({ path: '/v1/audio/speech', status });
		const parameters = keyed(`back ${status}`, { longText: 'single' });
		expect((await run({ parameters })).error?.message).toContain(String(status));
		expect((await run({ parameters })).outputs[0]).toHaveLength(1);
		expect((await run({ parameters })).outputs[1][0].json.reason).toBe('already_sent');
	},
);

/** The node under test, for the store of keys. */
const context = { workflow: { id: 'workflow-under-test' }, node: { id: 'node-under-test' } };
const LIST = { mode: 'entries', maxEntries: 40_000 } as const;
const nightly = { workflow: { id: 'nightly' }, node: { id: 'nightly' } } as never;
const recordOthers = async (count: number, name: string) =>
	await keyStore.checkProcessedAndRecord(
		Array.from({ length: count }, (_, index) => `${name} ${index}`),
		'node',
		context as never,
		LIST,
	);
const reasonOf = async (key: string) =>
	(await run({ parameters: keyed(key) })).outputs[1][0]?.json.reason;

test('keys belong to the node, each under one name', async () => {
	const before = keyStore.keys('node').length;
	await run({ items: texts(60), parameters: keyed('={{ "row " + $json.id }}') });
	expect(keyStore.keys('workflow')).toEqual([]);
	expect(keyStore.keys('node')).toHaveLength(before + 60);
});

test('a key is forgotten only when 20,000 others were seen after it, however often it is seen itself', async () => {
	await run({ parameters: keyed('every night') });
	for (let night = 0; night < 4; night++) {
		await recordOthers(20_000, `night ${night}`);
		expect(await reasonOf('every night')).toBe('already_sent');
	}
	expect(keyStore.keys()).toHaveLength(40_000 - 1);
	expect(sim.charges).toHaveLength(1);
});

test('night after night with 20,000 keys, most of them the same, in another order each time: none is sent twice', async () => {
	const helpers = {
		checkProcessedAndRecord: async (names: string[]) =>
			await keyStore.checkProcessedAndRecord(names, 'node', nightly, LIST),
		removeProcessed: async (names: string[]) =>
			await keyStore.removeProcessed(names, 'node', nightly, LIST),
	};
	for (let night = 0; night < 5; night++) {
		const keys = Array.from({ length: 20_000 }, (_, row) =>
			row < 12_000 ? `every night ${row}` : `night ${night}, ${row}`,
		);
		if (night % 2 > 0) keys.reverse();
		const sent = new SentKeys(helpers as never);
		let fresh = 0;
		for (let at = 0; at < keys.length; at += 500) {
			const some = keys.slice(at, at + 500);
			const are = await Promise.all(some.map(async (key) => await sent.add(key, 'renew')));
			fresh += are.filter(Boolean).length;
		}
		await sent.makeSure();
		expect(fresh).toBe(night === 0 ? 20_000 : 8_000);
	}
});

test.each([0, 1, 2, 3, 4])(
	'a crash after %i of the writes that renew a key forgets it at no moment',
	async (writes) => {
		const key = `crash after ${writes}`;
		for (const seen of [0, 1, 2]) {
			await run({ parameters: keyed(key) });
			let done = 0;
			const keyFault = () => (done++ < writes ? undefined : ('before' as const));
			await run({ parameters: keyed(key), keyFault, onError: 'continueErrorOutput' });
			expect(await reasonOf(key)).toBe('already_sent');
			// Whatever the crash has left, the key counts as new.
			await recordOthers(39_000, `after ${key} ${seen}`);
			expect(await reasonOf(key)).toBe('already_sent');
		}
		expect(sim.charges).toHaveLength(1);
	},
);

test.each([
	[15_996, [3, 0, 0], undefined],
	[15_997, [3, 0, 0], 'has brought 16,000 different values'],
	[19_998, [2, 0, 1], 'has brought 20,000 different values'],
])('after %i keys of earlier rounds, three more rows end as %j', async (keys, ends, hint) => {
	const executionId = String(Number((await run()).executionId) + 1);
	const { outputs, hints } = await run({
		items: texts(3),
		parameters: keyed(`={{ "after ${keys} " + $json.id }}`),
		onError: 'continueErrorOutput',
		started({ data: { executionData } }) {
			executionData!.contextData[`node:${NODE}`] = {
				speechGatewayExecution: { executionId, keys },
			};
		},
	});
	expect(outputs.map(({ length }) => length)).toEqual(ends);
	expect(hints.join().includes('different values')).toBe(hint !== undefined);
	expect(hints.join()).toContain(hint ?? '');
	expect(sim.charges).toHaveLength(1 + ends[0]);
});

test('a key that comes back in a later round counts once', () => {
	const memory: IDataObject = {};
	for (let round = 0; round < 3; round++) {
		const record = new LastingMemory(memory, 'this');
		for (let id = 0; id < 20_000; id++) expect(record.bring(`row ${id}`)).toBe(true);
		expect(record.bring('one more')).toBe(false);
	}
	expect(memory).toEqual({ speechGatewayExecution: { executionId: 'this', keys: 20_000 } });
});

test('keys that another execution has erased are recorded again after the last item, twice if need be', async () => {
	sim.fault({ input: 'number 0.', delayMs: 1000, times: 2 });
	const erase = async () => await keyStore.clearAllProcessedItems('node', context as never);
	const parameters = keyed('={{ "erased " + $json.id }}');
	const keys = ['erased 0', 'erased 1', 'erased 2'];
	const first = run({ items: texts(3), parameters });
	await sim.waitFor((requests) => requests.length === 3);
	await erase();
	await sim.waitFor((requests) => requests.every(({ endedAt }) => endedAt !== undefined));
	await wait(1000);
	expect(keyStore.keys()).toEqual(keys);
	await erase();
	await first;
	expect(keyStore.keys()).toEqual(keys);
	expect(await reasonOf('erased 1')).toBe('already_sent');
});

test('white space around a key does not matter', async () => {
	await run({ parameters: keyed('trimmed') });
	expect((await run({ parameters: keyed(' trimmed\n') })).outputs[1]).toHaveLength(1);
});

test('keys of several executions at once: none is lost, though n8n has no lock', async () => {
	const keys = ['a', 'b', 'c', 'd', 'e'].map((letter) => `at once ${letter}`);
	await Promise.all(keys.map(async (key) => await run({ parameters: keyed(key) })));
	expect(keyStore.keys()).toEqual(expect.arrayContaining(keys));
	expect(sim.charges).toHaveLength(5);
});

test.each([
	'SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.workflowId',
	'duplicate key value violates unique constraint "PK_ca04b9d8dc72de268fe07a65773"',
	"Duplicate entry 'made-n:made' for key 'processed_data.PRIMARY'",
])(
	'two workers make the list at the same moment: one is refused ("%s"), and adds to it',
	async (taken) => {
		keyStore.taken = taken;
		const id = taken.slice(0, 5);
		const made = { workflow: { id }, node: { id } } as never;
		const recordIn = async (names: string[]) =>
			await keyStore.checkProcessedAndRecord(names, 'node', made, LIST);
		const other = recordIn(['other']);
		const keys = new SentKeys({ checkProcessedAndRecord: recordIn } as never);
		expect(await keys.add('mine')).toBe(true);
		await other;
		expect(keyStore.keys('node', id, id)).toEqual(['other', 'mine']);
	},
);

test('no other error of the list is tried again: what it has done by then is not known', async () => {
	let asked = 0;
	const lost = async () => {
		asked++;
		throw new Error('The connection to the database was lost');
	};
	const keys = new SentKeys({ checkProcessedAndRecord: lost } as never);
	await expect(keys.add('mine')).rejects.toThrow('was lost');
	expect(asked).toBe(1);
});

describe('retries of a failed execution', () => {
	test('the first was cut (524), the second is refused: the key is free again, for nothing was charged', async () => {
		const parameters = keyed('cut before', { longText: 'single', maxRetries: 0 });
		sim.fault({ status: 429, retryAfter: 0 });
		const failed = await run({ parameters });
		sim.fault({ path: '/v1/audio/speech', status: 524 });
		const first = await retry(failed, { parameters });
		expect(first.error?.message).toContain('524');
		const second = await retry(failed, { parameters });
		expect(second.outputs[1][0].json.reason).toBe('already_sent');
		expect(sim.charges).toEqual([]);
		expect((await run({ parameters })).outputs[0]).toHaveLength(1);
		expect(sim.charges).toHaveLength(1);
	});

	test('what another execution was sending, and was refused, does not take its key in a retry', async () => {
		const parameters = keyed('={{ "tried at once " + $json.id }}', { concurrency: 1 });
		sim.fault({ input: 'number 0', status: 422, delayMs: 1_000 });
		sim.fault({ input: 'number 1', status: 422 });
		const refused = run({ items: texts(1), parameters });
		await sim.waitFor(({ length }) => length === 1);
		const failed = await run({ items: texts(2), parameters });
		expect((await refused).error?.message).toContain('422');
		const { outputs } = await retry(failed, { items: texts(2), parameters });
		expect(outputs.map(([{ json }]) => json.reason)).toEqual([undefined, 'already_sent']);
		const later = await run({ items: texts(1), parameters });
		expect(later.outputs[0]).toHaveLength(1);
		expect(sim.charges).toHaveLength(2);
	});

	test('one item is refused while another waits for the database: the other does not leave', async () => {
		sim.fault({ input: 'number 0', status: 422 });
		const parameters = speechNode({ concurrency: 2, maxRetries: 0 });
		const first = await run({ items: texts(3), parameters: speechNode({ concurrency: 1 }) });
		expect(first.error?.message).toContain('422');
		sim.requests.length = 0;
		sim.fault({ input: 'number 1', status: 402, delayMs: 500 });
		keyStore.slow = async () => await wait(1000);
		const second = await retry(first, { parameters, items: texts(3) });
		expect(second.error?.message).toContain('402');
		expect(sim.requests.map(({ input }) => input)).toEqual([
			'Sentence number 0.',
			'Sentence number 1.',
		]);
		// What never left may be sent by the next retry.
		keyStore.slow = undefined;
		const third = await retry(first, {
			parameters,
			items: texts(3),
			onError: 'continueErrorOutput',
		});
		expect(third.outputs[0].map(({ json }) => json.characters)).toEqual([18, 18]);
		expect(third.outputs[1].map(({ json }) => json.reason)).toEqual(['already_sent']);
		expect(sim.requests.slice(2).map(({ input }) => input)).toEqual([
			'Sentence number 1.',
			'Sentence number 2.',
		]);
	});

	test('held back while its claim is recorded, an item queues again', async () => {
		const items = [`${THREE[0]} ${THREE[1]}`, THREE[2], 'The last one.'].map((text) => ({
			json: { text },
		}));
		const parameters = speechNode({ maxSegmentCharacters: 30, concurrency: 3, maxRetries: 0 });
		sim.fault({ status: 422, times: 3 });
		const first = await run({ items, parameters });
		sim.requests.length = 0;
		keyStore.slow = async () => await wait(1000);
		// Once the second item is done, the claim of the last is on its way to the database, and a segment of the first is refused.
		sim.fault({ input: THREE[0], status: 422, delayMs: 500 });
		sim.fault({ input: THREE[1], status: 504, charge: true, delayMs: 6000 });
		const second = await retry(first, { items, parameters });
		expect(second.outputs.map(({ length }) => length)).toEqual([2, 1]);
		const [lost, last] = [THREE[1], 'The last one.'].map((text) =>
			sim.requests.filter(({ input }) => input === text),
		);
		expect(last.map(({ at }) => at >= lost[0].at + 6000)).toEqual([true]);
	});

	test.each([1, 2])(
		'of the same execution, the second sends nothing that the first has sent, nor other words in their place, when n8n’s answer to the write %i is lost',
		async (lost) => {
			sim.fault({ status: 402 });
			const first = await run();
			await retry(first);
			let writes = 0;
			const { run: second } = await retry(first, {
				retryOnFail: true,
				maxTries: 3,
				parameters: speechNode({}, { text: 'Other words.' }),
				keyFault: () => (++writes === lost ? 'after' : undefined),
			});
			expect(second.status).toBe('success');
			expect(sim.charged()).toHaveLength(1);
		},
	);
});

describe('a key of which the item has nothing', () => {
	const model = { output: 'Hello.', nothing: null };
	test.each([
		['={{ $json.update_id }}-answer', '-answer'],
		['=chat {{ $json.message?.chat.id }} {{ $json.update_id }}', 'chat'],
		['={{ $json.nothing }}-answer', '-answer'],
		['={{ $json.update_id + "-answer" }}', 'undefined-answer'],
		['={{ `answer to ${$json.update_id}` }}', 'answer to undefined'],
	])('%s behind a model is an error that names the trigger', async (sendOnceKey, comesTo) => {
		const { error } = await run({
			parameters: { ...keyed(sendOnceKey), text: '={{ $json.output }}' },
			items: [item(model)],
		});
		expect(error?.message).toBe(
			`"Send Once Key" is "${comesTo}": its expression has no value for this item`,
		);
		expect(error?.description).toContain("{{ $('Telegram Trigger').item.json.update_id }}");
		expect(sim.requests).toEqual([]);
	});

	test.each([
		'weekly',
		'={{ "fixed" }}',
		'={{ $json.output }}-answer',
		'=is undefined: {{ $json.output }}',
		'={{ $json.nothing ?? "nobody" }}-{{ $json.output }}',
		'={{ $json.count }}',
	])('%s is a key', async (sendOnceKey) => {
		const { error } = await run({
			parameters: { ...keyed(sendOnceKey), text: '={{ $json.output }}' },
			items: [item({ ...model, count: 0 })],
		});
		expect(error).toBeUndefined();
		expect(sim.charges).toHaveLength(1);
	});
});
