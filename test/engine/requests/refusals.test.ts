import type { IDataObject } from 'n8n-workflow';
import { runNode, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 50 });

const run = async (options: IDataObject = {}, more: Partial<Parameters<typeof runNode>[0]> = {}) =>
	await runNode({
		parameters: speechNode(options),
		url: sim.url,
		apiKey: sim.apiKey,
		onError: 'continueErrorOutput',
		items: texts(1),
		...more,
	});
const error = (message: string, more: object = {}) => ({ error: { message, ...more } });
const HELD = {
	status: 403,
	body: error('quota of the user: 1 left, 2 needed', { code: 'insufficient_user_quota' }),
};
const sent = () => sim.requests.filter(({ method }) => method === 'POST');

describe('too little money', () => {
	test('while others are in flight: they are awaited, fewer go at once, and nothing is lost', async () => {
		// What is set aside for one request leaves nothing for the other three.
		sim.fault({ ...HELD, nth: 2, times: 3 });
		const { outputs } = await run({ concurrency: 4, maxRetries: 0 }, { items: texts(10) });
		expect(outputs.map(({ length }) => length)).toEqual([10, 0, 0]);
		expect(sim.charges).toHaveLength(10);
		expect(sent()).toHaveLength(13);
		// None starts before the first is over, and from then on one at a time.
		const later = sent().slice(4);
		later.reduce((before, request) => {
			expect(request.at).toBeGreaterThanOrEqual(before.endedAt ?? Infinity);
			return request;
		}, sent()[0]);
		// A moment later, when what was set aside has been given back.
		expect(Math.floor((later[0].at - sent()[0].endedAt!) / 1000)).toBe(1);
	});

	test('all that is in flight is awaited, not only the next to end', async () => {
		sim.fault({ ...HELD, nth: 2 });
		sim.fault({ nth: 3, delayMs: 5_000 });
		const { outputs } = await run({ concurrency: 3 }, { items: texts(6) });
		expect(outputs[0]).toHaveLength(6);
		const [, , slow, ...later] = sent();
		for (const { at } of later) expect(at).toBeGreaterThanOrEqual(slow.endedAt ?? Infinity);
	});

	test('what was in flight beside it may be over just before the refusal arrives', async () => {
		sim.fault({ nth: 1, delayMs: 5_000 });
		sim.fault({ ...HELD, nth: 2, delayMs: 5_100 });
		const { outputs } = await run({ concurrency: 2 }, { items: texts(2) });
		expect(outputs.map(({ length }) => length)).toEqual([2, 0, 0]);
		expect(sent()).toHaveLength(3);
	});

	test('as many go at once from then on as there was money for, a 429 or not', async () => {
		sim.fault({ ...HELD, nth: 4 });
		sim.fault({ status: 429, input: 'number 12' });
		const { outputs } = await run({ concurrency: 4, maxRetries: 1 }, { items: texts(40) });
		expect(outputs[0]).toHaveLength(40);
		const mostAtOnce = (requests: typeof sim.requests) => {
			const atOnce = ({ at }: (typeof requests)[number]) =>
				requests.filter((other) => other.at <= at && other.endedAt! > at).length;
			return Math.max(...requests.map(atOnce));
		};
		const slowed = sent().findIndex(({ status }) => status === 429);
		expect(mostAtOnce(sent().slice(4, slowed))).toBe(3);
		expect(mostAtOnce(sent().slice(slowed + 1))).toBe(3);
	});

	test('a free request in flight holds no money', async () => {
		sim.fault({ method: 'GET', delayMs: 60_000 });
		sim.fault({ ...HELD, input: 'number 1', delayMs: 30_000, times: Infinity });
		const job = { resource: 'speechJob', operation: 'createAndWait' };
		const { outputs } = await run({}, { parameters: speechNode({}, job), items: texts(2) });
		expect(outputs.map(({ length }) => length)).toEqual([1, 0, 1]);
		expect(sent()).toHaveLength(2);
	});

	test('what waits for money does not wait for a poll', async () => {
		sim.fault({ method: 'GET', delayMs: 60_000 });
		for (const input of ['number 1', 'number 3']) sim.fault({ input, delayMs: 20_000 });
		sim.fault({ ...HELD, input: 'number 2', delayMs: 10_000 });
		const job = { resource: 'speechJob', operation: 'createAndWait' };
		const parameters = speechNode({ concurrency: 4 }, job);
		const { outputs } = await run({}, { parameters, items: texts(4) });
		expect(outputs[0]).toHaveLength(4);
		const poll = sim.requests.find(({ method }) => method === 'GET');
		expect(sent().at(-1)!.at).toBeLessThan(poll!.endedAt!);
	});

	test('with nothing else in flight, or never enough: no further request', async () => {
		sim.fault({ ...HELD, times: Infinity });
		const { outputs } = await run({ concurrency: 4 }, { items: texts(20) });
		expect(outputs[2]).toHaveLength(20);
		expect(sent().length).toBeLessThanOrEqual(5);
		for (const { json } of outputs[2])
			expect(json.error).toMatchObject({
				message: expect.stringMatching(/^The account balance is too low \(403\)/),
				description: expect.stringContaining("or the key's own quota"),
			});
	});

	test.each([
		['402', 402, error('No money')],
		["the operator's account", 429, error('x', { type: 'insufficient_quota' })],
		['another key', 401, error('The key sk-zzz***yyy is wrong')],
	])('%s: final at once', async (_, status, body) => {
		sim.fault({ status, body, nth: 2, times: 1 });
		const { outputs } = await run({ concurrency: 2 }, { items: texts(10) });
		expect(sent().length).toBeLessThanOrEqual(3);
		expect(outputs[2].length).toBe(10 - outputs[0].length);
	});
});

test('429 without Retry-After: the default retries outlive a window of a minute', async () => {
	sim.fault({ status: 429, body: '', times: 4 });
	const { outputs } = await run({ maxRetries: 4 });
	expect(outputs[0]).toHaveLength(1);
	const [first, ...others] = sent().map(({ at }) => at);
	expect(others.at(-1)! - first).toBeGreaterThan(60_000);
	expect(others[0] - first).toBeLessThan(2_500);
});

test('a Retry-After of more than ten minutes is told, not waited for', async () => {
	sim.fault({ status: 429, headers: { 'retry-after': '601' }, times: Infinity });
	const { outputs } = await run({ maxRetries: 4 });
	expect(outputs[2][0].json.error).toMatchObject({
		description: expect.stringContaining('it asks to wait 601 seconds'),
	});
	expect(sent()).toHaveLength(1);
});

test.each(['x-litellm-call-id', 'x-portkey-trace-id', 'cf-ray'])(
	'%s is a request ID where there is no better one',
	async (name) => {
		sim.fault({ status: 504, headers: { [name]: 'abc', 'x-request-id': '' } });
		expect((await run()).outputs[1][0].json).toMatchObject({ requestId: 'abc' });
		sim.fault({ status: 504, headers: { [name]: 'abc', 'x-oneapi-request-id': 'best' } });
		const [best] = (await run()).outputs[1];
		expect(best.json.requestId).not.toBe('abc');
	},
);
