/* While Waiting: Sleep. The execution is put away and goes on, as often as it takes; each job is submitted once. */
import type { IDataObject, IExecuteFunctions, IRunExecutionData } from 'n8n-workflow';
import { SpeechGateway } from '../../nodes/SpeechGateway/SpeechGateway.node';
import { wait } from '../support/clock';
import { partsOf } from './parts';
import {
	item,
	type EngineRun,
	NODE,
	readStored,
	runAsleep,
	runNode,
	saved,
	texts,
	useSimulator,
} from './support';

/** What jobs cost, for text in the Latin alphabet. */
const PRICE = expect.stringContaining('As a job, this costs');

const sim = useSimulator({ latencyMs: 1, jobSeconds: 400 });

type More = Partial<EngineRun>;

const parametersOf = (parameters: IDataObject, options: IDataObject): IDataObject => ({
	operation: 'createAndWait',
	model: 'fish-speech',
	text: '={{ $json.text }}',
	...parameters,
	options: { maxRetries: 0, whileWaiting: 'sleep', ...options },
});
const options = (parameters: IDataObject, given: IDataObject, more: More): EngineRun => ({
	parameters: parametersOf(parameters, given),
	url: sim.url,
	apiKey: sim.apiKey,
	items: texts(3),
	...more,
});
/** A batch of jobs with nothing else set. */
const batch = (more: More = {}) => options({ resource: 'speechJob' }, {}, more);
/** A text that is spoken as two jobs. */
const asJobs = (more: More = {}) =>
	options(
		{ resource: 'speech', operation: 'generate' },
		{ longText: 'job' },
		{ items: [item({ text: long })], ...more },
	);
const jobs = async (given: IDataObject = {}, more: More = {}) =>
	await runAsleep(options({ resource: 'speechJob' }, given, more));

const CREATE = { method: 'POST', path: '/v1/audio/speech/jobs' };
const submitted = () => sim.charges.map(({ input }) => input).sort();
const all = (count: number) => texts(count).map(({ json }) => json.text as string);
const long = `${'A sentence that is spoken. '.repeat(450)}`;

test('jobs: submitted once, looked at after each sleep, delivered in order; nothing stays behind', async () => {
	const { asleep, naps, last } = await jobs();
	expect(last.run.status).toBe('success');
	expect(last.outputs[0].map(({ json }) => json.id)).toEqual(sim.jobs.map(({ id }) => id));
	for (const { json, binary } of last.outputs[0]) {
		expect(json).toMatchObject({ status: 'completed', characters: expect.any(Number) });
		expect(binary?.data.mimeType).toBe('audio/mpeg');
	}
	expect(submitted()).toEqual(all(3));
	expect(last.rounds).toHaveLength(1);
	expect(last.sentOn).toEqual([3]);
	expect(last.context).toEqual({});
	expect(naps[0]).toBe(65);
	expect(Math.min(...naps)).toBeGreaterThanOrEqual(65);
	expect(naps.reduce((sum, nap) => sum + nap)).toBeLessThan(400 + 100);
	// While it sleeps, nothing is asked: one look a job at each wake-up, and one download.
	expect(sim.requests).toHaveLength(3 + 3 * naps.length + 3);
	expect(asleep[0].outputs[0].map(({ json }) => json)).toEqual(
		sim.jobs.map(({ id }) => expect.objectContaining({ id, status: 'pending' })),
	);
});

test('woken up while n8n starts, it looks at once, and ends when n8n has started', async () => {
	const asleep = await runNode(batch());
	sim.finish();
	jest.resetModules(); // what a start of n8n loads anew
	const woken = Date.now();
	const { run } = await runNode({
		...batch(),
		resumeOf: asleep,
	});
	expect(run.status).toBe('success');
	const looks = sim.requests.filter(({ method }) => method === 'GET');
	expect(looks).toHaveLength(3 + 3);
	for (const { at } of looks) expect(at - woken).toBeLessThan(10_000);
	expect(Date.now() - woken).toBeGreaterThanOrEqual(30_000);
});

test('why sending stopped before the sleep is still told after it', async () => {
	for (const input of all(4).slice(1)) sim.fault({ ...CREATE, input, status: 503, proxy: 'page' });
	const more: More = { items: texts(5), onError: 'continueErrorOutput' };
	const { last } = await jobs({ concurrency: 1 }, more);
	expect(last.outputs.map(({ length }) => length)).toEqual([1, 3, 1]);
	expect(last.hints.join()).toContain('Sending stopped: 3 unknown outcomes in a row');
});

test('naps grow to five minutes, and end when Max Wait does', async () => {
	const { naps, last } = await jobs({ maxWait: 4000 }, { items: texts(1) });
	expect(last.run.status).toBe('success');
	sim.reset();
	sim.fault({ ...CREATE, jobSeconds: Infinity });
	const ran = await jobs({ maxWait: 4000 }, { items: texts(1) });
	expect(Math.max(...ran.naps)).toBe(300);
	expect(ran.last.error?.message).toMatch(/is still "pending" after (39|40)\d\d(\.\d)? seconds/);
	expect(ran.last.error?.context?.jobId).toBe(sim.jobs[0].id);
	expect(naps.length).toBeGreaterThan(1);
});

test('what the jobs cost is said once, of all of them, whatever is finished before the others', async () => {
	sim.fault({ ...CREATE, input: all(3)[1], jobSeconds: 1 });
	const { last } = await jobs();
	expect(last.hints).toEqual([PRICE]);
});

test('what is finished before the others is fetched once, and shown while the others are waited for', async () => {
	sim.fault({ ...CREATE, input: all(3)[1], jobSeconds: 1 });
	const { asleep, last } = await jobs();
	expect(asleep[1].outputs[0].map(({ json }) => json.status)).toEqual([
		'pending',
		'completed',
		'pending',
	]);
	expect(last.outputs[0]).toHaveLength(3);
	expect(sim.requests.filter(({ path }) => path.endsWith('/content'))).toHaveLength(3);
	expect(submitted()).toEqual(all(3));
});

test('Generate with Long Text: Job, of several jobs of different lengths', async () => {
	sim.fault({ ...CREATE, nth: 1, jobSeconds: 10 });
	const { asleep, last } = await runAsleep(asJobs());
	expect(last.error).toBeUndefined();
	expect(last.outputs[0][0].json).toMatchObject({ segments: 2 });
	expect(sim.charges).toHaveLength(2);
	expect(asleep[0].outputs[0][0].json.jobs).toHaveLength(2);
	expect(sim.requests.filter(({ path }) => path.endsWith('/content'))).toHaveLength(2);
	expect(last.context).toEqual({});
});

test('Generate with Long Text: Job, asleep, cuts a text at its headings: each has a job, and its chapter begins with it', async () => {
	const text = '# One\n\nThe first.\n\n# Two\n\nThe second.';
	const { naps, last } = await runAsleep(
		options(
			{ resource: 'speech', operation: 'generate' },
			{ longText: 'job', textFormat: 'markdown', chapters: 'headings', timings: true },
			{ items: [item({ text })] },
		),
	);
	expect(naps.length).toBeGreaterThan(1);
	expect(submitted()).toEqual(['One.\n\nThe first.', 'Two.\n\nThe second.']);
	const [{ binary }] = last.outputs[0];
	const { chapters } = JSON.parse(String(await readStored(binary!.chapters)));
	expect(chapters).toMatchObject(
		partsOf(last.outputs[0][0]).map(({ startSeconds }, index) => ({
			title: ['One', 'Two'][index],
			startTime: expect.closeTo(Number(startSeconds), 2),
		})),
	);
});

test('a voice by its title is looked up once, before the sleep', async () => {
	sim.addVoice('Anna', 'a1');
	const voice = { __rl: true, mode: 'title', value: 'Anna' };
	const { last } = await runAsleep(
		options({ resource: 'speech', operation: 'generate', voice }, { longText: 'job' }, {}),
	);
	expect(last.outputs[0].map(({ json }) => json.voice)).toEqual(['a1', 'a1', 'a1']);
	expect(sim.requests.filter(({ path }) => path === '/v1/audio/voices')).toHaveLength(1);
	expect(sim.requests[1].body).toMatchObject({ voice: 'a1' });
});

test('a part of a long text fails: the other is waited for awake and handed over', async () => {
	sim.fault({ ...CREATE, nth: 2, status: 402 });
	const { naps, last } = await runAsleep(asJobs({ onError: 'continueRegularOutput' }));
	expect(naps).toEqual([]);
	expect(last.outputs[0][0].json.error).toMatchObject({ segments: { completed: 1 } });
	expect(last.outputs[0][0].binary).toHaveProperty('completed');
	expect(sim.charges).toHaveLength(1);
});

/** Items with the IDs of jobs that are waited for by another operation. */
async function madeElsewhere() {
	const create = { resource: 'speechJob', operation: 'create' };
	const made = await runNode(options(create, { whileWaiting: undefined }, {}));
	return made.outputs[0].map(({ json }) => item({ id: json.id }));
}
const waits = async (items: EngineRun['items']) =>
	await runAsleep(
		options({ resource: 'speechJob', operation: 'wait', jobId: '={{ $json.id }}' }, {}, { items }),
	);

test('Wait: free, asleep too', async () => {
	const { naps, last } = await waits(await madeElsewhere());
	expect(last.outputs[0]).toHaveLength(3);
	expect(naps.length).toBeGreaterThan(1);
	expect(sim.requests.filter(({ path }) => path.endsWith('/content'))).toHaveLength(3);
	expect(last.context).toEqual({});
});

test('every branch: an unknown, a failed and a good job, with the error output', async () => {
	const [good, unknown, failed] = all(3);
	sim.fault({ ...CREATE, input: unknown, status: 504, charge: true });
	sim.fault({ ...CREATE, input: failed, jobFails: true });
	sim.fault({ ...CREATE, input: good, jobSeconds: 600 });
	const { asleep, last } = await jobs({}, { onError: 'continueErrorOutput' });
	expect(last.run.status).toBe('success');
	expect(last.outputs[0].map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	expect(last.outputs[1].map(({ json }) => json.outcome)).toEqual(['unknown']);
	expect(last.outputs[2]).toHaveLength(1);
	expect(asleep.at(-1)!.outputs[0]).toHaveLength(3);
	expect(last.hints.join()).toContain('Outcome unknown for 1 of 3 items');
	expect(sim.charges).toHaveLength(3);
});

test('one is Still Processing before another is done: it stays so over the sleeps, with its file-less item', async () => {
	sim.fault({ ...CREATE, input: all(1)[0], jobSeconds: 900 });
	const { naps, last } = await jobs(
		{ maxWait: '={{ $json.id === 0 ? 70 : 3600 }}', whenMaxWaitReached: 'stillProcessing' },
		{ items: texts(2) },
	);
	expect(naps.length).toBeGreaterThan(2);
	expect(last.outputs.map(({ length }) => length)).toEqual([1, 0, 1]);
	const { json } = last.outputs[2][0];
	expect(json).toMatchObject({ id: sim.jobs[0].id, status: 'pending' });
	// Looked at for the last time when its own Max Wait was over.
	expect(json.waitedSeconds).toBeLessThan(200);
	expect(submitted()).toEqual(all(2));
});

test('what was refused is not tried again by a wake-up', async () => {
	sim.fault({ ...CREATE, input: all(1)[0], status: 402 });
	const { naps, last } = await jobs({}, { onError: 'continueRegularOutput' });
	expect(naps.length).toBeGreaterThan(2);
	expect(last.outputs[0][0].json.error).toMatchObject({ httpCode: '402' });
	expect(sim.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
});

test('where n8n counts a sleep as a run of the node (1.100), retries send what was refused, and nothing else', async () => {
	sim.fault({ ...CREATE, input: all(3)[1], status: 402, times: 3 });
	const tries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const more: More = { countsRunsAnew: true, ...tries };
	const { last } = await jobs({}, more);
	expect(last.run.status).toBe('error');
	expect(submitted()).toEqual([all(3)[0], all(3)[2]]);
	sim.clearFaults();
	const retried = await jobs({}, { ...more, mode: 'retry', retryOf: saved(last.run) });
	expect(retried.last.outputs[0]).toHaveLength(3);
	expect(submitted()).toEqual(all(3));
});

test('Retry On Fail: its tries are not used up by waking up, and Max Wait ends in the end', async () => {
	sim.fault({ ...CREATE, jobSeconds: Infinity });
	const more = { items: texts(1), retryOnFail: true, maxTries: 2 };
	const from = Date.now();
	const { last } = await jobs({ maxWait: 200 }, more);
	expect(last.run.status).toBe('error');
	expect(last.error?.context?.jobId).toBe(sim.jobs[0].id);
	// Max Wait counts anew for each of the two tries that n8n makes, and for no further one.
	expect(Date.now() - from).toBeGreaterThanOrEqual(400_000);
	expect(Date.now() - from).toBeLessThan(600_000);
	expect(sim.charges).toHaveLength(1);
});

test("a proxy's 404 is an answer at the first look at a job made elsewhere, and no news after a sleep", async () => {
	const [made] = await madeElsewhere();
	const page = { status: 404, body: '<html>No such page</html>' };
	sim.fault({ method: 'GET', path: /jobs\/[^/]+$/, ...page });
	const { naps, last } = await waits([made]);
	expect(naps).toEqual([]);
	expect(last.error?.context?.jobId).toBe(made.json.id);
	sim.fault({ method: 'GET', path: /jobs\/[^/]+$/, nth: 2, ...page });
	expect((await waits([made])).last.outputs[0]).toHaveLength(1);
});

test('Retry On Fail after a sleep tries again what was refused before it', async () => {
	sim.fault({ ...CREATE, input: all(3)[0], status: 402, times: 1 });
	const more: More = { retryOnFail: true, maxTries: 3, onError: 'continueRegularOutput' };
	const { asleep, last } = await jobs({}, more);
	const [shown] = asleep[0].outputs[0];
	expect(shown.json).toMatchObject({ failed: expect.stringContaining('(402)'), httpCode: '402' });
	expect(last.outputs[0].filter(({ binary }) => binary)).toHaveLength(3);
	expect(submitted()).toEqual(all(3));
	expect(last.context).toEqual({});
});

test('a Max Wait that is too short to sleep is waited for awake', async () => {
	sim.options.jobSeconds = 30;
	const { naps, last } = await jobs({ maxWait: 60 });
	sim.options.jobSeconds = 400;
	expect(naps).toEqual([]);
	expect(last.hints).toEqual([PRICE]);
	expect(last.outputs[0]).toHaveLength(3);
});

test('Always Output Data: no empty item goes on for what is skipped', async () => {
	const { last } = await jobs({}, { alwaysOutputData: true });
	expect(last.rounds).toHaveLength(1);
	expect(last.outputs[0]).toHaveLength(3);
	expect(last.sentOn).toEqual([3]);
});

// An n8n that was killed while it was awake has of an execution what its last sleep has saved.
test('killed: "Retry with currently saved workflow" would skip the node for good, so n8n refuses it, and says what to do', async () => {
	const { run } = await runNode(batch());
	await expect(jobs({}, { mode: 'retry', retryOf: saved(run) })).rejects.toThrow(
		`Could not find the node "${NODE}, which was asleep: use Retry with original workflow" in workflow.`,
	);
});

// n8n saves the execution before it has put the node back on its stack.
test('Stop while it waits for n8n to start, to sleep on: a retry goes on with the jobs', async () => {
	const asleep = await runNode(batch());
	sim.requests.length = 0;
	jest.resetModules(); // what a start of n8n loads anew
	let newest: IRunExecutionData;
	let atStop: IRunExecutionData | undefined;
	const looked = async () => {
		await sim.waitFor((looks) => looks.length === 3);
		await wait(1000);
	};
	const stopped = await runNode(
		batch({
			resumeOf: asleep,
			onSaved: (data) => void (newest = data),
			started: ({ cancel }) =>
				void looked().then(() => {
					cancel();
					atStop = newest;
				}),
		}),
	);
	expect(stopped.run.status).toBe('canceled');
	const asItWas = { ...asleep, run: { ...asleep.run, data: atStop! } };
	const { last } = await jobs({}, { mode: 'retry', asItWas });
	expect(last.run.status).toBe('success');
	expect(last.sentOn).toEqual([3]);
	expect(last.outputs[0].filter(({ binary }) => binary)).toHaveLength(3);
	expect(submitted()).toEqual(all(3));
});

describe("the workflow's timeout counts the time asleep, and ends what wakes up later without a word", () => {
	describe.each(['workflow', 'n8n'] as const)('set in the %s', (of) => {
		const timeout = { seconds: 600, of };

		test('Max Wait ends before it: the error names the job, and a retry goes on with all of them', async () => {
			sim.fault({ ...CREATE, jobSeconds: Infinity, times: Infinity });
			const { naps, last } = await jobs({ maxWait: 3600 }, { timeout });
			expect(naps.length).toBeGreaterThan(2);
			expect(last.run.status).toBe('error');
			expect(last.error?.context).toMatchObject({ jobId: sim.jobs[0].id, status: 'pending' });
			sim.finish();
			const retry = await jobs({}, { mode: 'retry', retryOf: saved(last.run), timeout });
			expect(retry.last.outputs[0]).toHaveLength(3);
			expect(submitted()).toEqual(all(3));
		});

		test('it stays awake if that is too soon to sleep', async () => {
			sim.fault({ ...CREATE, jobSeconds: 60, times: Infinity });
			const { naps, last } = await jobs({}, { timeout: { seconds: 120, of } });
			expect(naps).toEqual([]);
			expect(last.run.status).toBe('success');
			expect(last.outputs[0]).toHaveLength(3);
		});
	});

	test('a retry has all of its time again', async () => {
		sim.fault({ ...CREATE, jobSeconds: 1500, times: Infinity });
		const timeout = { seconds: 600, of: 'workflow' } as const;
		const failed = await jobs({ maxWait: 200 }, { timeout });
		expect(failed.last.run.status).toBe('error');
		await wait(1_000_000);
		const more: More = { mode: 'retry', retryOf: saved(failed.last.run), timeout };
		const { naps, last } = await jobs({}, more);
		expect(naps.length).toBeGreaterThan(0);
		expect(last.outputs[0]).toHaveLength(3);
		expect(submitted()).toEqual(all(3));
	});
});

test.each<[string, More]>([
	['in the retry of a sub-workflow that nobody waited for', { mode: 'retry' }],
	['in an error workflow', { mode: 'error' }],
])('%s, it sleeps', async (_, more) => {
	const { naps, last } = await jobs({}, { ...more, caller: { shouldResume: false } });
	expect(naps.length).toBeGreaterThan(0);
	expect(last.outputs[0]).toHaveLength(3);
});

describe('stays awake, and says why', () => {
	/** A node whose context in n8n is changed. */
	const changed = (change: (context: IExecuteFunctions) => object): SpeechGateway =>
		Object.assign(new SpeechGateway(), {
			async execute(this: IExecuteFunctions) {
				Object.assign(this, change(this));
				return await SpeechGateway.prototype.execute.call(this);
			},
		});
	const without = (stack: unknown) =>
		changed((context) => {
			const { runExecutionData } = context as unknown as { runExecutionData: object };
			const executionData = { contextData: {}, nodeExecutionStack: stack };
			return { runExecutionData: { ...runExecutionData, executionData } };
		});
	const between = changed((context) => {
		const parents = context.getParentNodes.bind(context);
		const set = { name: 'Edit Fields', type: 'n8n-nodes-base.set', typeVersion: 3 };
		const getParentNodes: typeof parents = (...asked) => [
			{ ...set, disabled: false },
			...parents(...asked),
		];
		return { getParentNodes };
	});
	test('not because n8n, as in 2.0, has no method that tells the settings of the workflow', async () => {
		const nodeType = changed(() => ({ getWorkflowSettings: undefined }));
		const { naps, last } = await jobs({}, { nodeType });
		expect(naps.length).toBeGreaterThan(0);
		expect(last.outputs[0]).toHaveLength(3);
	});

	test.each<[string, More, RegExp]>([
		['as a tool', { asTool: true, items: texts(1) }, /used as a tool/],
		['in a sub-workflow', { mode: 'integrated' }, /sub-workflow/],
		// n8n 1 would run the caller, too, from where it has failed: it would start, and pay for, the sub-workflow anew.
		['in the retry of a sub-workflow', { mode: 'retry', caller: {} }, /caller/],
		['… whose caller waited', { mode: 'retry', caller: { shouldResume: true } }, /caller/],
		['started by an agent', { mode: 'agent' }, /agent/],
		['in an evaluation', { mode: 'evaluation' }, /evaluation/],
		['from the command line', { mode: 'cli' }, /command line/],
		['no stack', { nodeType: without(undefined) }, /version of n8n/],
		['a stack of something else', { nodeType: without(['Speech Gateway']) }, /version of n8n/],
		['the old order of execution', { executionOrder: 'v0' }, /Execution Order/],
		[
			'a trigger that answers at the end',
			{ startParameters: { responseMode: 'lastNode' } },
			/trigger/,
		],
		['a trigger that streams', { startParameters: { responseMode: 'streaming' } }, /trigger/],
		[
			'such a trigger, and a node in between',
			{ startParameters: { responseMode: 'lastNode' }, nodeType: between },
			/trigger/,
		],
	])('%s', async (_, more, reason) => {
		const { naps, last } = await jobs({}, more);
		const count = more.items?.length ?? 3;
		expect(naps).toEqual([]);
		expect(last.run.status).toBe('success');
		expect(last.outputs[0]).toHaveLength(count);
		expect(last.hints).toEqual([PRICE, expect.stringMatching(reason)]);
		expect(submitted()).toEqual(all(count));
	});
});

test("the workflow's time-out while some jobs are done: their files, and the ids of all, are handed over", async () => {
	sim.fault({ ...CREATE, nth: 1, jobSeconds: 10 });
	const generate = asJobs();
	const first = await runNode(generate);
	await wait(70_000);
	const second = await runNode({ ...generate, resumeOf: first });
	expect(second.run.status).toBe('waiting');
	await wait(100_000);
	sim.requests.length = 0;
	sim.fault({ method: 'GET', connection: 'stall', times: Infinity });
	const third = await runNode({
		...{ ...generate, resumeOf: second },
		started: ({ cancel }) => void sim.waitFor(([look]) => look !== undefined).then(cancel),
	});
	const [{ json, binary }] = third.outputs[1];
	expect(json).toMatchObject({ reason: 'interrupted', jobIds: sim.jobs.map(({ id }) => id) });
	// The one whose submission came first.
	expect(Object.keys(binary!).join()).toMatch(/^completed(_2)?$/);
});

test('Stop while one look is under way, and the others have shown that it may sleep on: all are named', async () => {
	const first = await runNode(batch());
	sim.requests.length = 0;
	sim.fault({ method: 'GET', connection: 'stall', nth: 3 });
	const second = await runNode(
		batch({
			resumeOf: first,
			started: ({ cancel }) =>
				void sim
					.waitFor((looks) => looks.length === 3)
					.then(() => wait(1000))
					.then(cancel),
		}),
	);
	expect(second.outputs[1].map(({ json }) => [json.reason, json.jobId])).toEqual(
		sim.jobs.map(({ id }) => ['interrupted', id]),
	);
});
