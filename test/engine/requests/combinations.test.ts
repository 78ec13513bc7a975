/** Several faults at once, a retry of a retry, a setting edited in between: what the model test found, and what users did. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { wait } from '../../support/clock';
import {
	type EngineResult,
	type EngineRun,
	item,
	storedFile,
	useSimulator,
	retrierOf,
	runnerOf,
	speechNode,
	jobNode,
} from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const sentence = (index: number) => `The sentence number ${index}.`;
const texts = (count: number) =>
	Array.from({ length: count }, (_, index) => item({ text: sentence(index) }));
/** One item whose text is cut into so many segments. */
const long = (count: number) =>
	item({ text: Array.from({ length: count }, (_, index) => sentence(index)).join(' ') });
const generate = (options: IDataObject = {}) =>
	speechNode({ maxSegmentCharacters: 25, ...options });
const createAndWait = (options: IDataObject = {}) => jobNode({ pollInterval: 1, ...options });
let nodes = 0;
let nodeId = '';
/** Keys of one test are not those of another. */
beforeEach(() => void (nodeId = `combination-${++nodes}`));
const run = runnerOf(sim, () => ({ parameters: generate(), items: texts(4), nodeId }));
const retry = retrierOf(run);
const indexOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;
/** Indexes of the input items by output. */
const cameOut = ({ outputs }: EngineResult) => outputs.map((output) => output.map(indexOf));
const charged = () => sim.charges.map(({ input }) => input).sort();

/** Stops a run 2 s after the nth request has come. */
const stopAfter =
	(nth: number): EngineRun['started'] =>
	({ cancel }) =>
		void sim
			.waitFor(({ length }) => length >= nth)
			.then(() => wait(2000))
			.then(cancel);

describe('no item vanishes', () => {
	test.each([
		['a paid answer comes', {}],
		// What was not heard to its end may have been that nobody knows the outcome.
		['a refusal comes', { status: 400, body: { error: { code: 'upstream_outcome_unknown' } } }],
	])('Stop while %s in: the item is interrupted', async (_, fault) => {
		sim.fault({ input: sentence(0), dripMs: 5000, ...fault });
		const stopped = await run({
			items: texts(1),
			parameters: generate(),
			started: stopAfter(1),
		});
		expect(stopped.outputs[1].map(({ json }) => json.reason)).toEqual(['interrupted']);
		expect(stopped.outputs[1][0].json.httpCode).toBeUndefined();
	});

	test('Stop, and n8n runs the node again all the same: nothing is sent, and what may be paid for comes out', async () => {
		sim.fault({ input: sentence(0), status: 403 });
		sim.fault({ input: sentence(2), dripMs: 5000 });
		const stopped = await run({
			items: texts(4),
			parameters: generate({ concurrency: 1 }),
			onError: 'continueRegularOutput',
			retryOnFail: true,
			started: stopAfter(3),
		});
		expect(cameOut(stopped)).toEqual([[1], [2]]);
		expect(stopped.outputs[1][0].json).toMatchObject({ reason: 'interrupted', item: 3 });
		expect(sim.requests).toHaveLength(3);
	});

	test('Stop while items are read: nothing is sent, and what is paid for comes out', async () => {
		sim.fault({ input: sentence(0), status: 403 });
		let stop = () => {};
		const items = texts(4);
		Object.defineProperty(items[0].json, 'text', {
			enumerable: true,
			get() {
				if (sim.requests.length === 4) stop();
				return sentence(0);
			},
		});
		const stopped = await run({
			items,
			onError: 'continueRegularOutput',
			retryOnFail: true,
			started: ({ cancel }) => (stop = cancel),
		});
		expect(cameOut(stopped)).toEqual([[1, 2, 3], []]);
		expect(sim.requests).toHaveLength(4);
	});

	test('Stop after the operation was changed: what is paid for comes out all the same', async () => {
		const items = [item({ text: 'The first part is here. And the second is there.' }), ...texts(1)];
		sim.fault({ input: 'second', status: 402 });
		const failed = await run({ items, parameters: generate({ concurrency: 1 }) });
		sim.fault({ input: sentence(0), dripMs: 5000 });
		const stopped = await retry(failed, {
			parameters: speechNode(
				{},
				{
					operation: 'dialogue',
					script: '={{ "Anna: " + $json.text }}',
					speakers: { values: [{ name: 'Anna', voice: 'default' }] },
				},
			),
			onError: 'continueRegularOutput',
			retryOnFail: true,
			started: stopAfter(sim.requests.length + 1),
		});
		expect(cameOut(stopped)).toEqual([[], [0, 1]]);
		expect(Object.keys(stopped.outputs[1][0].binary!)).toEqual(['completed']);
	});

	test("an option of the first item that cannot be read is that item's error, not the others'", async () => {
		const parameters = createAndWait({ pollInterval: '={{ $json.bad ? "soon" : 1 }}' });
		const result = await run({
			items: [item({ text: 'Bad.', bad: true }), ...texts(2)],
			parameters,
			onError: 'continueErrorOutput',
		});
		expect(cameOut(result)).toEqual([[1, 2], [], [0]]);
	});
});

describe('nothing paid for is lost', () => {
	test('Execute Once, switched on before the retry, would keep what is paid for away: an error; off again, all is handed over', async () => {
		sim.fault({ input: sentence(0), status: 402 });
		const failed = await run();
		const once = await retry(failed, { executeOnce: true });
		expect(once.error?.message).toMatch(/has paid for 3 more .* "Execute Once"/);
		expect(charged()).toHaveLength(3);
		expect(cameOut(await retry(once))).toEqual([[0, 1, 2, 3], []]);
		expect(charged()).toHaveLength(4);
	});

	test.each<Partial<EngineRun>>([
		{ onError: 'continueRegularOutput' },
		{ onError: 'continueErrorOutput' },
		{ onError: 'continueErrorOutput', binaryMode: 'combined' },
	])(
		'Execute Once and %j, both set before the retry: errors, with what is paid for',
		async (more) => {
			sim.fault({ input: sentence(0), status: 402 });
			const once = await retry(await run(), { executeOnce: true, ...more });
			const errors = once.outputs.flat();
			expect(errors.map(indexOf)).toEqual([0, 1, 2, 3]);
			for (const { json } of errors)
				expect((json.error as IDataObject).message).toContain('has paid for 3 more');
			expect(errors.map((error) => /filesystem/.test(JSON.stringify(error)))).toEqual([
				false,
				...Array(3).fill(true),
			]);
			expect(charged()).toHaveLength(3);
		},
	);

	test('Execute Once, switched on before the retry of items that cost nothing: only the first is sent', async () => {
		sim.fault({ path: '/v1/audio/speech', status: 402, times: 4 });
		const failed = await run();
		expect(cameOut(await retry(failed, { executeOnce: true }))).toEqual([[0], []]);
	});

	test('an operation that makes one result of all items, chosen before the retry: an error of each, with what is paid for', async () => {
		const data = await storedFile(Buffer.from('no audio'), 'speech.mp3', 'audio/mpeg');
		const items = texts(2).map(({ json }) => ({ json, binary: { data } }));
		sim.fault({ input: sentence(0), status: 402 });
		const failed = await run({ items, parameters: createAndWait() });
		const join = { resource: 'audio', operation: 'join', combine: 'allItems' };
		const joins = await retry(failed, { parameters: join, onError: 'continueErrorOutput' });
		const [first, second] = joins.outputs[1].map(({ json }) => json.error as IDataObject);
		expect(first.message).toContain('has paid for "speechJob.createAndWait"');
		expect(second).toMatchObject({ message: first.message, jobId: sim.jobs[0].id });
		expect(charged()).toEqual([sentence(1)]);
	});

	test('… and of what cost nothing, it makes its result', async () => {
		const { outputs } = await run({ items: texts(1) });
		const items = [{ json: { text: sentence(1) }, binary: outputs[0][0].binary }];
		sim.fault({ input: sentence(1), status: 402 });
		const failed = await run({ items });
		const join = { resource: 'audio', operation: 'join', combine: 'allItems' };
		expect((await retry(failed, { parameters: join })).outputs[0]).toHaveLength(1);
	});

	test('an operation that was switched and switched back, with a text made anew each time: the first text is finished', async () => {
		const text = '={{ $json.text.replaceAll("number", "number " + Math.random()) }}';
		const parameters = speechNode({ maxSegmentCharacters: 60 }, { text });
		const items = [long(2)];
		sim.fault({ input: 'number', status: 402 });
		const failed = await run({ items, parameters });
		const switched = await retry(failed, { items, parameters: createAndWait() });
		expect(switched.error?.message).toContain('has paid for "speech.generate"');
		const { outputs } = await retry(switched, { items, parameters });
		expect(outputs[0]).toHaveLength(1);
		expect(charged()).toHaveLength(2);
	});

	test('a retry waits for its job, and names the file, as the node says now: nothing else has changed', async () => {
		sim.fault({ method: 'POST', jobSeconds: Infinity });
		const first = await run({ items: texts(1), parameters: createAndWait({ maxWait: 1 }) });
		sim.finish();
		const parameters = createAndWait({ maxWait: 9, fileName: 'new' });
		const { outputs, hints } = await retry(first, { items: texts(1), parameters });
		expect(outputs[0][0].binary?.data.fileName).toBe('new.mp3');
		expect(hints.join()).not.toContain('other settings');
		expect(charged()).toHaveLength(1);
	});

	test('a credential that cannot be used any more is told at once, with the id of the job', async () => {
		sim.fault({ method: 'POST', jobSeconds: Infinity });
		const first = await run({ items: texts(1), parameters: createAndWait({ maxWait: 1 }) });
		const from = Date.now();
		const { outputs } = await retry(first, {
			url: 'no address',
			parameters: createAndWait(),
			onError: 'continueErrorOutput',
		});
		expect(Date.now() - from).toBeLessThan(60_000);
		expect(outputs[2][0].json.error).toMatchObject({
			message: expect.stringContaining('base URL'),
			jobId: sim.jobs[0].id,
		});
	});

	test('the same in stop mode: the one error has the ids of all jobs', async () => {
		sim.fault({ method: 'POST', jobSeconds: Infinity, times: 2 });
		const parameters = createAndWait({ maxWait: 1, concurrency: 1 });
		const first = await run({ items: texts(2), parameters });
		const second = await retry(first, { url: 'no address', items: texts(2), parameters });
		expect(second.error?.message).toContain('base URL');
		const [jobId, other] = sim.jobs.map(({ id }) => id);
		expect(second.error?.context).toMatchObject({ jobId, jobIds: [jobId, other] });
		sim.finish();
		expect(cameOut(await retry(second, { items: texts(2), parameters }))).toEqual([[0, 1], []]);
		expect(charged()).toHaveLength(2);
	});

	test('an item that has no json at all is an item like any other', async () => {
		const parameters = { ...createAndWait(), text: sentence(0) };
		const { outputs } = await run({ items: [{} as INodeExecutionData], parameters });
		expect(outputs[0][0].json.status).toBe('completed');
		expect(charged()).toEqual([sentence(0)]);
	});

	test('an item with an id that is no task of this node is an item like any other', async () => {
		sim.fault({ input: sentence(0), jobSeconds: 60 });
		const { outputs } = await run({
			items: [...texts(1), item({ text: sentence(1), id: 'row-7' })],
			parameters: createAndWait({ maxWait: 1, whenMaxWaitReached: 'stillProcessing' }),
		});
		expect(outputs.map((output) => output.map(indexOf))).toEqual([[1], [], [0]]);
	});
});

describe('nothing is charged twice', () => {
	test('further retries that cut the text otherwise send nothing of what the first has sent', async () => {
		sim.fault({ input: sentence(0), status: 402 });
		const first = await run({ items: [long(4)], parameters: generate({ concurrency: 1 }) });
		sim.fault({ input: sentence(2), status: 402 });
		await retry(first, { parameters: generate({ concurrency: 1 }) });
		await retry(first, { parameters: generate({ maxSegmentCharacters: 1000 }) });
		await retry(first, { parameters: generate({ maxSegmentCharacters: 1000 }) });
		expect(charged()).toEqual([0, 1].map(sentence));
	});
});

describe('Send Once Key', () => {
	const keyed = generate({ sendOnceKey: '={{ $json.text }}', maxRetries: 1 });

	test.each(['refused', 'stopped'])(
		'an item that pauses when the run ends (%s) keeps no key: it can be sent later',
		async (how) => {
			sim.fault({ input: sentence(0), status: 429, retryAfter: 100 });
			if (how === 'refused') sim.fault({ input: sentence(1), status: 402, delayMs: 5 });
			await run({
				items: texts(how === 'refused' ? 2 : 1),
				parameters: keyed,
				started: ({ cancel }) => {
					if (how === 'stopped') sim.once('response', () => void wait(20_000).then(cancel));
				},
			});
			const later = await run({ items: texts(2), parameters: keyed });
			expect(cameOut(later)).toEqual([[0, 1], []]);
			expect(charged()).toEqual([0, 1].map(sentence));
		},
	);

	test('the database does not take a key back: a hint says that the item counts as sent', async () => {
		sim.fault({ input: sentence(0), status: 402 });
		const result = await run({
			items: texts(1),
			parameters: keyed,
			keyFault: failing(2, 'before'),
			onError: 'continueRegularOutput',
		});
		expect(result.outputs[0][0].json.error).toMatchObject({ httpCode: '402' });
		expect(result.hints.join()).toContain('did not take back a "Send Once Key"');
		const later = await run({ items: texts(1), parameters: keyed });
		expect(later.outputs[1][0].json.reason).toBe('already_sent');
	});
});

test("after a 402 the run ends at once; it does not wait out another item's Retry-After", async () => {
	sim.fault({ input: sentence(0), status: 429, retryAfter: 300 });
	sim.fault({ input: sentence(1), status: 402, delayMs: 5 });
	const from = Date.now();
	const result = await run({ items: texts(2), parameters: generate({ maxRetries: 1 }) });
	expect(result.error?.message).toContain('402');
	expect(Date.now() - from).toBeLessThan(300_000);
});

/** The n-th use of the key store fails. */
function failing(nth: number, when: 'before' | 'after') {
	let uses = 0;
	return () => (++uses === nth ? when : undefined);
}
