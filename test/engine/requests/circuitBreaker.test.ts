/** An outage must not fill the review list, and a refusal of the whole account must not be repeated for every row. */
import type { IDataObject } from 'n8n-workflow';
import { stepClock } from '../../support/clock';
import type { Fault } from '../../support/simulator';
import {
	type EngineResult,
	type EngineRun,
	runnerOf,
	saved,
	speechNode,
	texts,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 20 });
const run = runnerOf(sim);

const ITEMS = 30;
const OUTAGE: Fault = { status: 503, proxy: 'page', times: Infinity, delayMs: 5 };
const posts = () => sim.requests.filter(({ method }) => method === 'POST');
const errorsOf = ({ outputs }: EngineResult) =>
	(outputs[2] ?? []).map(({ json }) => json.error as IDataObject & { message: string });
/** Billed requests at work at the same time, at the most. */
const mostAtOnce = (from: number, to: number) => {
	const some = posts().slice(from, to);
	return Math.max(
		...some.map(
			({ at }) => some.filter((one) => one.at <= at && (one.endedAt ?? Infinity) > at).length,
		),
	);
};

describe.each([1, 4])('an outage with a concurrency of %i', (concurrency) => {
	const parameters = speechNode({ concurrency, maxRetries: 4 });

	test('few items are unknown, the others were not sent', async () => {
		sim.fault(OUTAGE);
		const result = await run({ parameters, items: texts(ITEMS), onError: 'continueErrorOutput' });
		const unknown = result.outputs[1].length;
		expect(unknown).toBeLessThanOrEqual(concurrency + 2);
		expect(posts()).toHaveLength(unknown);
		expect(result.outputs[0]).toEqual([]);
		const errors = errorsOf(result);
		expect(errors).toHaveLength(ITEMS - unknown);
		for (const { message } of errors)
			expect(message).toContain(`was not sent: the outcome of ${unknown} items is unknown`);
		// The execution succeeds: there is nothing to retry.
		expect(JSON.stringify(errors)).not.toContain('retry this execution');
		expect(Object.keys(result.context)).toEqual(['speechGatewayExecution']);
	});

	test('in stop mode, retries probe with one request at a time until one succeeds', async () => {
		sim.fault(OUTAGE);
		const items = texts(ITEMS);
		const first = await run({ parameters, items });
		expect(first.error?.message).toContain('not sent');
		expect(first.error?.description).toContain('retry this execution');
		const unknown = posts().length;
		expect(unknown).toBeLessThanOrEqual(concurrency + 2);
		const done = `0 of ${ITEMS} items are done, paid and kept. Of ${unknown}, nobody knows yet`;
		expect(first.error?.description).toContain(done);

		// The outage goes on: one more.
		const again = { parameters, items, mode: 'retry' } as const;
		const second = await run({ ...again, retryOf: saved(first.run) });
		expect(second.error?.message).toContain('not sent');
		expect(posts()).toHaveLength(unknown + 1);

		sim.clearFaults();
		const third = await run({ ...again, retryOf: saved(second.run) });
		expect(third.error).toBeUndefined();
		expect(third.outputs.map(({ length }) => length)).toEqual([ITEMS - unknown - 1, unknown + 1]);
		const [probe, next] = posts().slice(unknown + 1);
		expect(next.at).toBeGreaterThanOrEqual(probe.endedAt!);
		expect(mostAtOnce(unknown + 1, ITEMS)).toBe(concurrency);
		expect(posts()).toHaveLength(ITEMS);
		expect(third.context).toEqual({});
	});

	test('tries of Retry On Fail send nothing more', async () => {
		sim.fault(OUTAGE);
		const more = { items: texts(ITEMS), retryOnFail: true, maxTries: 5 };
		const { error } = await run({ parameters, ...more });
		expect(error?.message).toMatch(/not sent: the outcome of \d (items|requests) is unknown/);
		expect(posts().length).toBeLessThanOrEqual(concurrency + 2);
	});

	test('a loop tries with one request after a minute, after two more …, until one succeeds', async () => {
		sim.fault(OUTAGE);
		let round = 0;
		const sent: number[] = [];
		const { rounds } = await run({
			parameters,
			rounds: Array(31).fill(texts(ITEMS)),
			onError: 'continueErrorOutput',
			brings(items) {
				sent.push(posts().length);
				stepClock(30_000);
				if (++round === 31) sim.clearFaults();
				return items;
			},
		});
		const [, first] = sent;
		expect(first).toBeLessThanOrEqual(concurrency + 2);
		// A round takes half a minute.
		const tries = sent.flatMap((count, index) => (count > sent[index - 1] ? [index - 1] : []));
		expect(tries).toEqual([0, 2, 6, 14]);
		expect(sent.at(-1)).toBe(first + 3);
		expect(rounds.at(-1)?.[0]).toHaveLength(ITEMS);
	});
});

test.each<[Partial<EngineRun>]>([
	[{ mode: 'integrated' }],
	[{ settings: { saveDataErrorExecution: 'none' } }],
])('where there is no retry (%j), none is advised', async (more) => {
	sim.fault(OUTAGE);
	const { error } = await run({ parameters: speechNode(), items: texts(ITEMS), ...more });
	expect(error?.description).toContain('in a new execution');
	expect(error?.description).not.toContain('retry this execution');
});

test.each<[Partial<EngineRun>, string]>([
	[{}, 'retry this execution, if it was saved: '],
	[{ settings: { saveDataErrorExecution: 'all' } }, 'retry this execution: '],
])('of an item alone (%j): %s', async (more, words) => {
	sim.fault(OUTAGE);
	const { error } = await run({ rounds: Array(4).fill(texts(1)), ...more });
	expect(error?.description).toContain(words);
});

/** The outcomes of the items one by one, and how many of ten items are sent. */
const row = async (faults: Array<Fault | undefined>): Promise<number> => {
	for (const [index, fault] of faults.entries())
		if (fault) sim.fault({ input: `number ${index}.`, ...fault });
	await run({
		parameters: speechNode({ concurrency: 1 }),
		items: texts(10),
		onError: 'continueErrorOutput',
	});
	return posts().length;
};
const lost: Fault = { connection: 'reset-after-work' };
const damaged: Fault = { truncate: 'half' };
const refused: Fault = { status: 422 };

test.each<[string, Array<Fault | undefined>, number]>([
	['three in a row', [lost, lost, lost], 3],
	['of different kinds', [{ status: 504 }, lost, { status: 502, proxy: 'empty' }], 3],
	['a success closes the row', [lost, lost, undefined, lost, lost], 10],
	['so does a refusal', [lost, lost, refused, lost, lost, { status: 500 }, lost, lost], 10],
	['damaged results do not count', [damaged, damaged, damaged, damaged], 10],
	['nor do they close the row', [lost, damaged, lost, damaged, lost], 5],
	['nor does a request that was cut', [lost, { status: 524 }, lost, lost], 4],
])('%s', async (_, faults, sent) => {
	expect(await row(faults)).toBe(sent);
});

test('what was not sent gives its Send Once Key back', async () => {
	const parameters = speechNode({ concurrency: 1, sendOnceKey: '={{ $json.id }}' });
	const more = { nodeId: 'given back', parameters, items: texts(6) };
	sim.fault(OUTAGE);
	await run({ ...more, onError: 'continueErrorOutput' });
	sim.clearFaults();
	const { outputs } = await run(more);
	expect(outputs.map(({ length }) => length)).toEqual([3, 3]);
});

describe.each([401, 402])('after a %i', (status) => {
	const all = { items: texts(40), parameters: speechNode({ concurrency: 4, maxRetries: 4 }) };

	test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'%s: no further row is sent',
		async (onError) => {
			sim.fault({ status, times: Infinity });
			const { outputs } = await run({ ...all, onError });
			expect(posts().length).toBeLessThanOrEqual(4);
			const errors = outputs
				.flat()
				.map(({ json }) => json.error as IDataObject & { message: string });
			expect(errors).toHaveLength(40);
			for (const { httpCode, message } of errors) {
				expect(httpCode).toBe(String(status));
				expect(message).toContain(`(${status})`);
			}
			expect(errors.filter(({ message }) => message.endsWith('not sent')).length).toBe(
				40 - posts().length,
			);
		},
	);

	test('no later round of a loop sends anything, each try of Retry On Fail one request', async () => {
		sim.fault({ status, times: Infinity });
		const { items, parameters } = all;
		const { rounds } = await run({
			parameters,
			rounds: Array(5).fill(items.slice(0, 3)),
			onError: 'continueErrorOutput',
		});
		expect(posts().length).toBeLessThanOrEqual(3);
		expect(JSON.stringify(rounds.at(-1))).toContain(`(${status}): not sent`);
		sim.requests.length = 0;
		await run({ ...all, retryOnFail: true, maxTries: 3 });
		expect(posts().length).toBeLessThanOrEqual(4 + 2);
	});

	test('a try of Retry On Fail asks anew, and goes on where that is answered', async () => {
		sim.fault({ status });
		const { error } = await run({ ...all, retryOnFail: true });
		expect(error).toBeUndefined();
		expect(sim.charges).toHaveLength(40);
	});

	test('stop: the error is that of the row that was refused', async () => {
		sim.fault({ input: 'number 2.', status, times: Infinity });
		const { error } = await run(all);
		expect(error?.message).toMatch(/\(item 3 of 40\)$/);
	});
});
