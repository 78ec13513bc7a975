/** What items say that they were charged, against the books of the gateway. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Charge } from '../../nodes/SpeechGateway/requests/records';
import { useVirtualTime } from '../support/clock';
import type { Fault } from '../support/simulator';
import { type EngineResult, runnerOf, saved, speechNode, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, jobSeconds: 1 });
const run = runnerOf(() => sim);

const chargesIn = ({ error, ...json }: IDataObject): Charge[] =>
	((error as IDataObject | undefined)?.charges ?? json.charges) as Charge[];
/** Of all items that have left the node in an execution. */
const chargesOf = ({ rounds }: EngineResult): Charge[] =>
	rounds.flat(2).flatMap(({ json }) => chargesIn(json));

/** Faults after which the gateway has charged, or has certainly not. */
const FAULTS: Fault[] = [
	{ status: 402 },
	{ status: 422 },
	{ status: 503, times: 2 },
	{ status: 504, charge: true },
	{ connection: 'reset-after-work' },
	{ truncate: 'half' },
	{ status: 524 },
];

/** Nodes that are charged, each with a text of its own for each item. */
const NODES: Record<string, (options: IDataObject) => IDataObject> = {
	generate: (options) => speechNode({ maxSegmentCharacters: 30, ...options }),
	generateAsJob: (options) => speechNode({ maxSegmentCharacters: 30, longText: 'job', ...options }),
	dialogue: (options) =>
		speechNode(options, {
			operation: 'dialogue',
			script: '={{ "Anna: " + $json.text }}',
			speakers: { values: [{ name: 'Anna', voice: 'default' }] },
		}),
	create: (options) => speechNode(options, { resource: 'speechJob', operation: 'create' }),
	createAndWait: (options) =>
		speechNode(options, { resource: 'speechJob', operation: 'createAndWait' }),
	chat: (options) => ({
		...speechNode(options),
		...{ resource: 'chat', operation: 'complete', model: 'sim-chat' },
		messages: { values: [{ role: 'user', content: '={{ $json.text }}' }] },
	}),
	video: (options) =>
		speechNode(options, {
			...{ resource: 'video', operation: 'create', model: 'sim-video' },
			prompt: '={{ $json.text }}',
		}),
	voice: (options) =>
		speechNode(options, { resource: 'voice', operation: 'create', title: '={{ $json.text }}' }),
};

const recording = {
	data: {
		data: Buffer.alloc(2000, 1).toString('base64'),
		mimeType: 'audio/mp4',
		fileName: 'a.m4a',
	},
};

const story = fc.record({
	node: fc.constantFrom(...Object.keys(NODES)),
	rounds: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
	faults: fc.array(
		fc.record({ fault: fc.constantFrom(...FAULTS), nth: fc.integer({ min: 1, max: 6 }) }),
		{ maxLength: 3 },
	),
	onError: fc.constantFrom(undefined, 'continueErrorOutput' as const),
	retryOnFail: fc.boolean(),
	concurrency: fc.constantFrom(1, 4),
	multiplier: fc.constantFrom(1, 2.5),
});

/** Each request that the gateway has booked so far is told once, by an item or by the error that ended the execution. */
function holds(last: EngineResult, node: string, multiplier: number): void {
	const told = chargesOf(last);
	if (last.run.status !== 'success') told.push(...(last.error!.context!.charges as Charge[]));
	const booked = new Map(
		sim.charges.map(({ requestIndex, tokens }) => [sim.requests[requestIndex].requestId, tokens]),
	);
	for (const { charged, requestId, tokens } of told) {
		// No answer, no ID.
		if (requestId === undefined) {
			expect(charged).toBe('unknown');
			continue;
		}
		const cost = booked.get(requestId)!;
		const isBooked = booked.delete(requestId);
		if (charged === 'unknown') continue;
		expect(isBooked).toBe(true);
		if (node === 'video') continue;
		// Whole seconds, and whole tokens.
		expect(tokens).toBeGreaterThanOrEqual(cost);
		expect(tokens).toBeLessThan(cost + (1 + 1000 / 60) * multiplier + 1);
	}
	expect(told.filter(({ requestId }) => requestId === undefined)).toHaveLength(booked.size);
}

test('whatever happens, the charges of all items of an execution and its retries are those of the gateway', async () => {
	await fc.assert(
		fc.asyncProperty(story, async ({ node, rounds, faults, multiplier, ...more }) => {
			sim.reset();
			sim.options.multiplier = node === 'voice' || node === 'chat' ? 1 : multiplier;
			for (const { fault, nth } of faults) sim.fault({ method: 'POST', nth, ...fault });
			const { concurrency, onError, retryOnFail } = more;
			const speaks = !['chat', 'video', 'voice'].includes(node);
			const options = {
				...{ charges: true, concurrency, maxRetries: 1 },
				...(speaks && { modelMultiplier: multiplier }),
			};
			const all = {
				...{ onError, retryOnFail, maxTries: 2, parameters: NODES[node](options) },
				rounds: rounds.map((count, round) =>
					Array.from({ length: count }, (_, index) => ({
						json: { text: `Round ${round} and item ${index}. Here is its second part.` },
						binary: recording,
					})),
				),
			};
			let last = await run(all);
			holds(last, node, multiplier);
			for (let retry = 0; retry < 4 && last.run.status !== 'success'; retry++) {
				last = await run({ ...all, retryOf: saved(last.run), mode: 'retry' });
				holds(last, node, multiplier);
			}
		}),
		{ numRuns: 60 },
	);
});

test('two retries of one execution, and a retry of a retry, tell each charge once between them', async () => {
	const all = {
		items: ['One.', 'Two.', 'Three.'].map((text) => ({ json: { text } })),
		...{ parameters: speechNode({ charges: true, concurrency: 1 }), nodeId: 'siblings' },
	};
	sim.fault({ input: 'Two', status: 422 });
	const failed = await run(all);
	sim.fault({ input: 'Three', status: 422 });
	const again = { ...all, mode: 'retry' } as const;
	const first = await run({ ...again, retryOf: saved(failed.run) });
	expect([failed, first].map(({ run: { status } }) => status)).toEqual(['error', 'error']);
	const others = [
		await run({ ...again, retryOf: saved(first.run) }),
		await run({ ...again, retryOf: saved(failed.run) }),
		await run({ ...again, retryOf: saved(first.run) }),
	];
	expect(others.map((one) => chargesOf(one).length)).toEqual([3, 0, 0]);
	expect(sim.charges).toHaveLength(3);
});

test('an item that comes back from Waiting has told its charges before', async () => {
	sim.fault({ method: 'POST', jobSeconds: Infinity });
	const options = { charges: true, maxWait: 1, whenMaxWaitReached: 'stillProcessing' };
	const { rounds } = await run({
		parameters: NODES.createAndWait(options),
		rounds: [[{ json: { text: 'A job.' } }], [{ json: { text: 'A job.' } }]],
		brings(items) {
			const [job] = sim.jobs;
			if (job) sim.finish();
			return job ? [{ json: { id: job.id, text: 'A job.' } }] : items;
		},
	});
	expect(chargesIn(rounds[0][2][0].json)).toMatchObject([
		{ charged: 'yes', jobId: sim.jobs[0].id, tokens: expect.any(Number) },
	]);
	expect(chargesIn(rounds[1][0][0].json)).toEqual([]);
});

test('a call of an agent that is answered with an earlier result, or refused again, has no charges', async () => {
	sim.fault({ input: 'Unknown', status: 504, charge: true });
	const calls = ['Spoken.', 'Spoken.', 'Unknown.', 'Unknown.'];
	const { rounds } = await run({
		...{ parameters: speechNode({ charges: true }), asTool: true },
		rounds: calls.map((text) => [{ json: { text } }]),
	});
	expect(rounds.map(([[{ json }]]) => chargesIn(json).length)).toEqual([1, 0, 1, 0]);
	expect(sim.charges).toHaveLength(2);
});

test('what another execution has sent is no charge of this one', async () => {
	const parameters = speechNode({ charges: true, sendOnceKey: 'charged elsewhere' });
	expect(chargesOf(await run({ parameters }))).toHaveLength(1);
	const { outputs } = await run({ parameters });
	expect(outputs[1][0].json).toMatchObject({ reason: 'already_sent', charges: [] });
});

test('an expression says for each item whether it tells its charges', async () => {
	const items = [false, true].map((told) => ({ json: { text: 'Hello.', told } }));
	const parameters = speechNode({ charges: '={{ $json.told }}' });
	const { outputs } = await run({ parameters, items });
	expect(outputs[0].map(({ json }) => 'charges' in json)).toEqual([false, true]);
});

test('without the option, and on free operations, nothing is said of charges', async () => {
	const { outputs } = await run({ parameters: speechNode({ charges: false }) });
	expect(outputs[0][0].json).not.toHaveProperty('charges');
	const free = await run({ parameters: speechNode({ charges: true }, { operation: 'estimate' }) });
	expect(free.outputs[0][0].json).not.toHaveProperty('charges');
});
