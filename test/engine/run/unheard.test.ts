/* An unknown outcome is a failure that somebody must hear of: what happens where nothing is connected to "Unknown". */
import type { INodeExecutionData, IRunExecutionData, OnError } from 'n8n-workflow';
import type { Fault } from '../../support/simulator';
import {
	type EngineResult,
	type EngineRun,
	item,
	jobNode,
	keeping,
	retrierOf,
	runnerOf,
	speechNode,
	texts,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

const run = runnerOf(sim, () => ({ behind: ['runs'] }));
const retry = retrierOf(run);

const LOST: Fault = { input: 'number 0.', status: 504, charge: true };
const UNHEARD = /nobody knows yet whether .* charged.*, and nothing is connected to "Unknown"/;
const lengths = (outputs: INodeExecutionData[][]) => outputs.map(({ length }) => length);

type Behind = EngineRun['behind'];
const NOTHING = undefined;

/** What becomes of one item of unknown outcome: the message of an error, or the items of each output. */
const red = 'error';
test.each<[string, OnError | undefined, Behind, typeof red | number[]]>([
	['nothing at all', undefined, [], red],
	['Success alone', undefined, ['runs'], red],
	['Success alone, at the end of the list', undefined, ['runs', NOTHING], red],
	['Unknown', undefined, ['runs', 'runs'], [0, 1]],
	['Unknown alone', undefined, [NOTHING, 'runs'], [0, 1]],
	['a node on Unknown that is switched off', undefined, ['runs', 'off'], red],
	['one on Unknown with another behind it', undefined, ['runs', 'off, then runs'], [0, 1]],
	['Success alone', 'continueErrorOutput', ['runs'], red],
	['nothing at all', 'continueErrorOutput', [], red],
	['Success and Error', 'continueErrorOutput', ['runs', NOTHING, 'runs'], [0, 0, 1]],
	['Error alone', 'continueErrorOutput', [NOTHING, NOTHING, 'runs'], [0, 0, 1]],
	['all of them', 'continueErrorOutput', ['runs', 'runs', 'runs'], [0, 1, 0]],
	['Unknown, not Error', 'continueErrorOutput', ['runs', 'runs'], [0, 1, 0]],
	['an Error that is switched off', 'continueErrorOutput', ['runs', NOTHING, 'off'], red],
	['Success alone', 'continueRegularOutput', ['runs'], [1, 0]],
	['nothing at all', 'continueRegularOutput', [], [1, 0]],
	['Unknown', 'continueRegularOutput', ['runs', 'runs'], [0, 1]],
])('connected: %s; On Error: %s', async (_, onError, behind, expected) => {
	for (const retryOnFail of [false, true]) {
		sim.reset();
		sim.fault(LOST);
		const result = await run({ behind, retryOnFail, ...(onError && { onError }) });
		expect(sim.charges).toHaveLength(1);
		expect(sim.requests).toHaveLength(1);
		if (expected === red) {
			expect(result.run.status).toBe('error');
			expect(result.error?.message).toMatch(UNHEARD);
			expect(result.error?.description).toMatch(
				/Connect "Unknown".* It is not known .*\(504\).*"\.$/,
			);
			expect(result.error?.context).toMatchObject({ reason: expect.any(String), item: 1 });
			continue;
		}
		expect(result.run.status).toBe('success');
		expect(lengths(result.outputs)).toEqual(expected);
		expect(result.context).not.toHaveProperty('speechGateway');
	}
});

test.each<[string, OnError | undefined, Behind, number | undefined]>([
	['Success alone', undefined, ['runs'], 2],
	['Unknown', undefined, ['runs', 'runs'], undefined],
	['Success alone', 'continueErrorOutput', ['runs'], 2],
	['Success and Error', 'continueErrorOutput', ['runs', NOTHING, 'runs'], undefined],
	['Success alone', 'continueRegularOutput', ['runs'], undefined],
])(
	'a batch that lost rows says so; connected: %s; On Error: %s',
	async (_, onError, behind, missing) => {
		sim.fault(LOST);
		sim.fault({ ...LOST, input: 'number 2.' });
		const { outputs, hints } = await run({
			behind,
			items: texts(4),
			...(onError && { onError }),
		});
		const done = outputs[0].filter(({ json }) => json.bytes !== undefined);
		expect(done.map(({ json }) => json.missing)).toEqual([missing, missing]);
		expect(hints.join()).toContain('Outcome unknown for 2 of 4 items');
	},
);

describe('on the Error output', () => {
	const connected = { behind: ['runs', NOTHING, 'runs'] } satisfies Partial<EngineRun>;

	test.each([undefined, 'combined'] as const)(
		'are the facts, the files and the fields of the row, binary mode %s',
		async (binaryMode) => {
			sim.fault({ corrupt: true });
			const { outputs } = await run({
				...connected,
				binaryMode,
				onError: 'continueErrorOutput',
				items: [item({ text: 'Hello.', title: 'News' })],
				parameters: speechNode({ charges: true }),
			});
			const [{ json, binary }] = outputs[2];
			expect(json.title).toBe('News');
			expect(json.error).toMatchObject({
				outcome: 'unknown',
				message: expect.stringContaining('damaged'),
				reason: 'damaged_response',
				charges: [{ charged: 'unknown' }],
				...(binaryMode && { _files: { received: {} } }),
			});
			if (!binaryMode) expect(binary).toHaveProperty('received');
		},
	);

	test('Settle takes them', async () => {
		sim.fault(LOST);
		const { outputs } = await run({ ...connected, onError: 'continueErrorOutput' });
		const settled = await run({
			parameters: { resource: 'account', operation: 'settle', options: {} },
			items: outputs[2],
		});
		const [{ json }] = settled.outputs[0];
		expect(json.speech).toMatchObject({ outcome: 'unknown', charged: expect.any(String) });
		expect(json).not.toHaveProperty('error');
	});

	test('beside refused ones, which a try of Retry On Fail sends again', async () => {
		sim.fault(LOST);
		sim.fault({ input: 'number 1.', status: 403 });
		const { outputs } = await run({
			...connected,
			items: texts(3),
			retryOnFail: true,
			onError: 'continueErrorOutput',
		});
		expect(lengths(outputs)).toEqual([2, 0, 1]);
		expect(sim.charges).toHaveLength(3);
	});

	test('they are no cause for a try of Retry On Fail', async () => {
		sim.fault(LOST);
		let calls = 0;
		const { outputs } = await run({
			...connected,
			items: texts(2),
			retryOnFail: true,
			onError: 'continueErrorOutput',
			nodeType: keeping(() => calls++),
		});
		expect(lengths(outputs)).toEqual([1, 0, 1]);
		expect(calls).toBe(1);
	});
});

test('a batch is not held back by one unknown row', async () => {
	sim.fault(LOST);
	const { outputs, hints, run: done } = await run({ items: texts(3) });
	expect(done.status).toBe('success');
	expect(lengths(outputs)).toEqual([2, 1]);
	expect(hints.join()).toContain('Outcome unknown for 1 of 3 items');
});

test('what leaves on an output that leads nowhere has not left', async () => {
	sim.fault(LOST);
	const { error } = await run({ items: texts(3), behind: [] });
	expect(error?.message).toContain('Item 1 of 3 has no audio; nobody knows yet');
	expect(sim.charges).toHaveLength(3);
});

test('a job on Waiting leaves', async () => {
	Object.assign(sim.options, { jobSeconds: 60 });
	sim.fault(LOST);
	const parameters = jobNode({ maxWait: 1, whenMaxWaitReached: 'stillProcessing' });
	const { outputs } = await run({
		parameters,
		items: texts(2),
		behind: ['runs', NOTHING, 'runs'],
	});
	Object.assign(sim.options, { jobSeconds: 0 });
	expect(lengths(outputs)).toEqual([0, 1, 1]);
});

test('what another execution has sent was skipped on purpose', async () => {
	const keyed = { parameters: speechNode({ sendOnceKey: 'k' }), nodeId: 'keyed' };
	await run(keyed);
	for (const onError of [undefined, 'continueErrorOutput', 'continueRegularOutput'] as const) {
		const { outputs, run: done } = await run({ ...keyed, ...(onError && { onError }) });
		expect(done.status).toBe('success');
		expect(outputs[1][0].json.reason).toBe('already_sent');
	}
});

test('Execute step: red where nothing else came, else on its branch', async () => {
	const step = (nodeName: string): Partial<EngineRun> => ({
		mode: 'manual',
		started: ({ data }) =>
			void Object.assign(data, { startData: { destinationNode: { nodeName, mode: 'inclusive' } } }),
	});
	sim.fault(LOST);
	const alone = await run({ ...step('Speech Gateway'), behind: ['runs', 'runs'] });
	expect(alone.error?.message).toMatch(
		/^This item has no audio; nobody knows yet whether it was charged \(504\)$/,
	);
	sim.fault(LOST);
	const { outputs, hints } = await run({ ...step('Speech Gateway'), behind: [], items: texts(2) });
	expect(lengths(outputs)).toEqual([1, 1]);
	expect(hints.join()).toContain('Outcome unknown for 1 of 2 items');
	sim.fault(LOST);
	const { error } = await run(step('Next'));
	expect(error?.message).toMatch(UNHEARD);
});

test('a tool answers its agent', async () => {
	sim.fault(LOST);
	const { outputs } = await run({ asTool: true, behind: [] });
	expect(outputs[0][0].json.outcome).toBe('unknown');
});

test.each<[string, Partial<EngineRun>]>([
	['the execution of a sub-workflow', { mode: 'integrated' }],
	['a workflow that answers with its last node', { startParameters: { responseMode: 'lastNode' } }],
	['a workflow that streams its answer', { startParameters: { responseMode: 'streaming' } }],
])('at the end of %s: Success goes back to the caller, Unknown does not', async (_, more) => {
	sim.fault({ ...LOST, times: 2 });
	const some = await run({ ...more, behind: [], items: texts(2) });
	expect(some.run.status).toBe('success');
	const none = await run({ ...more, behind: [] });
	expect(none.error?.message).toMatch(UNHEARD);
	expect((none.error?.message ?? '').includes('a retry of the parent pays again')).toBe(
		more.mode === 'integrated',
	);
});

test('in a loop: its next round is not begun', async () => {
	sim.fault({ ...LOST, input: 'Second' });
	const rounds = ['First.', 'Second.', 'Third.'].map((text) => [item({ text })]);
	const { error, run: done } = await run({ rounds });
	expect(done.status).toBe('error');
	expect(error?.message).toMatch(UNHEARD);
	expect(sim.charged()).toEqual(['First.', 'Second.']);
});

test("n8n's engine 2.0 does not tell what is connected: as if all were", async () => {
	sim.fault(LOST);
	const { outputs } = await run({ settings: { engineType: 'v2' } as never });
	expect(lengths(outputs)).toEqual([0, 1]);
});

test('after a Stop, what is known is handed over', async () => {
	sim.fault({ ...LOST, status: undefined, connection: 'stall' });
	const { run: done, outputs } = await run({
		started: ({ cancel }) => void sim.waitFor(() => sim.requests.length > 0 && (cancel(), true)),
	});
	expect(done.status).toBe('canceled');
	expect(outputs.flat().length).toBeLessThanOrEqual(1);
});

describe('Retry execution', () => {
	const handsOver = async (failed: EngineResult, more: Partial<EngineRun> = {}) => {
		const again = await retry(failed, more);
		expect(again.run.status).toBe('success');
		expect(sim.requests).toHaveLength(1);
		return again.outputs;
	};

	test.each([undefined, 'continueErrorOutput'] as const)(
		'hands the item over on Unknown, with its files; On Error: %s',
		async (onError) => {
			sim.fault({ corrupt: true });
			const failed = await run({ ...(onError && { onError }) });
			expect(failed.error?.message).toMatch(UNHEARD);
			expect(failed.error?.description).toContain('retry this execution');
			const outputs = await handsOver(failed, { ...(onError && { onError }) });
			expect(lengths(outputs).slice(0, 2)).toEqual([0, 1]);
			expect(outputs[1][0].binary).toHaveProperty('received');
		},
	);

	test('with the original workflow, the node is set as it was', async () => {
		sim.fault(LOST);
		sim.fault({ input: 'number 1.', status: 403, times: Infinity });
		const onError = 'continueErrorOutput';
		const failed = await run({ onError, items: texts(2) });
		expect(failed.error?.message).toMatch(UNHEARD);
		const data = structuredClone(failed.run.data) as IRunExecutionData;
		delete data.resultData.error;
		data.resultData.runData['Speech Gateway']?.pop();
		const again = await run({
			onError,
			mode: 'retry',
			asItWas: { ...failed, run: { ...failed.run, data } },
		});
		expect(again.run.status).toBe('success');
		expect(lengths(again.outputs)).toEqual([0, 1, 1]);
		expect(sim.charges).toHaveLength(1);
	});
});
