/** Retries that come in other ways: whatever leads an item to the node again, nothing is paid for twice. */
import type { IDataObject, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import {
	type EngineResult,
	type EngineRun,
	item,
	jobNode,
	NODE,
	retrierOf,
	runnerOf,
	saved,
	speechNode,
	texts,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 10, jobSeconds: 0 });
const run = runnerOf(sim);
const retry = retrierOf(run);
const posts = () => sim.requests.filter(({ method }) => method === 'POST');
const lengths = ({ outputs }: EngineResult) => outputs.map(({ length }) => length);

describe('an execution that failed before this node', () => {
	/** The node has not run: n8n knows no such operation, as if the node before it had failed. */
	const failed = async (items: INodeExecutionData[]) =>
		saved((await run({ items, parameters: { resource: 'speech', operation: 'none' } })).run);

	test('what one of its retries has sent, the other does not', async () => {
		const items = texts(3);
		const [retryOf, again] = [await failed(items)].flatMap((data) => [data, structuredClone(data)]);
		const retried = { mode: 'retry' } as const;
		const first = await run({ ...retried, retryOf });
		expect(lengths(first)).toEqual([3, 0]);
		const second = await run({ ...retried, retryOf: again });
		expect(lengths(second)).toEqual([0, 3]);
		for (const { json } of second.outputs[1]) expect(json.reason).toBe('already_sent');
		expect(sim.charges).toHaveLength(3);
	});

	test('another such execution is retried on its own', async () => {
		for (let execution = 0; execution < 2; execution++)
			expect(lengths(await run({ mode: 'retry', retryOf: await failed(texts(2)) }))).toEqual([
				2, 0,
			]);
	});
});

describe('an item from the branch Unknown that is led back', () => {
	/** Round by round; from the second on, `brings` makes the items of what left on Unknown before. */
	const leadBack = async (
		brings: (unknown: INodeExecutionData) => INodeExecutionData,
		more: Partial<EngineRun> = {},
	) => {
		let data: IRunExecutionData | undefined;
		const isFailure = more.behind !== undefined;
		const left = () => data?.resultData.runData[NODE]?.at(-1)?.data?.main[isFailure ? 2 : 1] ?? [];
		return await run({
			onError: 'continueErrorOutput',
			rounds: [texts(1), [item({})]],
			brings: (items) => (left().length > 0 ? left().map(brings) : items),
			started: (execution) => (data = execution.data),
			...more,
		});
	};
	const once = { status: 504 } as const;
	const asItLeft = ({ json }: INodeExecutionData) => item(json);
	const isRefused = (result: EngineResult) => {
		expect(result.rounds.map((outputs) => outputs.map(({ length }) => length))).toEqual([
			[0, 1, 0],
			[0, 0, 1],
		]);
		expect(JSON.stringify(result.outputs[2])).toContain(
			'has left the node on \\"Unknown\\" before',
		);
		expect(posts()).toHaveLength(1);
	};

	test('is an error, and not sent', async () => {
		sim.fault(once);
		isRefused(await leadBack(asItLeft));
	});

	test('nor with the field as the text that a table makes of it', async () => {
		sim.fault(once);
		isRefused(await leadBack(({ json }) => item({ ...json, speech: JSON.stringify(json.speech) })));
	});

	test.each<[string, IDataObject]>([
		['looks as if it were settled', { charged: 'no', outcome: 'unknown', inputHash: 'its own' }],
		['has the fields of other nodes', { chat: { outcome: 'unknown', charged: 'no' }, speech: 1 }],
		['has done otherwise before', { speech: { outcome: 'unknown', charged: 'no' }, row: {} }],
	])('nor where its row %s', async (_, row) => {
		sim.fault(once);
		const [{ json }] = texts(1);
		isRefused(await leadBack(asItLeft, { rounds: [[item({ ...json, ...row })], [item({})]] }));
	});

	test('nor from the Error output, where nothing is connected to "Unknown"', async () => {
		sim.fault(once);
		const result = await leadBack((failed) => failed, { behind: ['runs', undefined, 'runs'] });
		expect(result.rounds.map((outputs) => outputs.map(({ length }) => length))).toEqual([
			[0, 0, 1],
			[0, 0, 1],
		]);
		expect(JSON.stringify(result.outputs[2])).toContain('has left the node');
		expect(posts()).toHaveLength(1);
	});

	test('goes, when it has only failed here, and an earlier node has said "unknown" of it', async () => {
		sim.fault(once);
		const earlier = (await run()).left[1].map(asItLeft);
		sim.fault({ status: 403 });
		const result = await leadBack(asItLeft, {
			rounds: [earlier, [item({})]],
			behind: ['runs', 'runs', 'runs'],
		});
		expect(result.rounds.map((outputs) => outputs.map(({ length }) => length))).toEqual([
			[0, 0, 1],
			[1, 0, 0],
		]);
	});

	test.each<[string, IDataObject, IDataObject]>([
		['Settle has found out that it was not charged', { charged: 'no' }, {}],
		['it asks for something else now', {}, { text: 'Quite another sentence.' }],
		[
			'this node has not handed it out in this execution',
			{ inputHash: 'of-another-execution' },
			{},
		],
	])('goes, when %s', async (_, change, row) => {
		sim.fault(once);
		const result = await leadBack(({ json }) => {
			return item({ ...json, ...row, speech: { ...(json.speech as IDataObject), ...change } });
		});
		expect(result.rounds.map((outputs) => outputs[0].length)).toEqual([0, 1]);
	});
});

test('a key that is switched on for a retry is taken by what is delivered from the record', async () => {
	sim.fault({ status: 403, input: 'number 2' });
	const long = item({ id: 'long', text: 'One part of it. Another part of it.' });
	const items = [...texts(2), long, texts(3)[2]];
	const options = { maxSegmentCharacters: 20, concurrency: 1 };
	const failed = await run({ items, parameters: speechNode(options) });
	expect(failed.error?.message).toContain('403');
	const parameters = speechNode({ ...options, sendOnceKey: '={{ $json.id }}' });
	expect(lengths(await retry(failed, { items, parameters }))).toEqual([4, 0]);
	const charged = sim.charges.length;
	const nextNight = await run({ items, parameters });
	expect(lengths(nextNight)).toEqual([0, 4]);
	expect(sim.charges).toHaveLength(charged);
});

test.each([
	['in one run', {}],
	['in a loop', { loop: true }],
])(
	'a gateway that gives one job id to two rows, %s: the second is an error, and charged',
	async (_, { loop }: { loop?: boolean }) => {
		const created = { status: 200, charge: true, body: { id: 'job-1', status: 'completed' } };
		sim.fault({ method: 'POST', path: '/v1/audio/speech/jobs', ...created, times: 2 });
		sim.fault({ path: /jobs\/job-1$/, status: 200, body: created.body, times: Infinity });
		const audio = { status: 200, body: 'ID3 no audio at all' };
		sim.fault({ path: /content$/, ...audio, times: Infinity });
		const items = texts(2);
		const parameters = jobNode({ charges: true, concurrency: 1 });
		const rounds = loop ? items.map((one) => [one]) : [items];
		const result = await run({
			parameters,
			rounds,
			items: undefined,
			onError: 'continueRegularOutput',
		});
		const last = result.outputs[0].at(-1)!.json.error as {
			message: string;
			jobId: string;
			charges: object[];
		};
		expect(last.message).toContain('gave the job "job-1" to two items');
		expect(last).toMatchObject({ jobId: 'job-1', charges: [{ charged: 'yes', jobId: 'job-1' }] });
		expect(sim.charges).toHaveLength(2);
	},
);

describe('a text that an expression makes anew each time', () => {
	const QUOTES =
		'={{ "One " + Math.random() + ". Two " + Math.random() + ". Three " + Math.random() + ". It fails." }}';
	const parameters = speechNode({ maxSegmentCharacters: 30 }, { text: QUOTES });
	const refusals = { status: 403, input: 'It fails.' };

	test('Retry On Fail finishes the first', async () => {
		sim.fault({ ...refusals, times: 2 });
		const { outputs } = await run({ parameters, retryOnFail: true, maxTries: 3 });
		expect(outputs[0]).toHaveLength(1);
		expect(sim.charges).toHaveLength(4);
	});

	test('so does a retry, unless somebody has changed the node', async () => {
		sim.fault(refusals);
		const failed = await run({ parameters });
		expect((await retry(failed, { parameters })).outputs[0]).toHaveLength(1);
		expect(sim.charges).toHaveLength(4);
		sim.fault(refusals);
		const other = await run({ parameters });
		const corrected = speechNode({ maxSegmentCharacters: 30 }, { text: 'One word. Two words.' });
		const { outputs } = await retry(other, { parameters: corrected });
		expect(outputs[0]).toHaveLength(1);
		expect(sim.charged().at(-1)).not.toContain('It fails');
	});

	test('what a retry by hand has corrected holds for its own tries', async () => {
		sim.fault(refusals);
		const failed = await run({ parameters });
		sim.fault({ status: 403, input: 'still bad', times: 1 });
		const text = '={{ "Corrected " + Math.random() + ". It is still bad." }}';
		const corrected = speechNode({ maxSegmentCharacters: 30 }, { text });
		const before = sim.charges.length;
		const { outputs } = await retry(failed, {
			parameters: corrected,
			retryOnFail: true,
			maxTries: 2,
		});
		expect(outputs[0]).toHaveLength(1);
		expect(sim.charged().slice(before)).toEqual([
			expect.stringContaining('Corrected'),
			'It is still bad.',
		]);
	});
});
