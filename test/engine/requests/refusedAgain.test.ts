/** What n8n's Retry On Fail may send again after a refusal, and what it may not: the table of outcomes in front of n8n. */
import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../support/simulator';
import {
	type EngineRun,
	item,
	jobNode,
	retrierOf,
	runnerOf,
	speechNode,
	texts,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim);
const retry = retrierOf(run);

const own = (message: string, more: object = {}) => ({ error: { message, ...more } });
const posts = () => sim.requests.filter(({ method }) => method === 'POST');
const THREE = { retryOnFail: true, maxTries: 3 };
const node = (options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode({ maxRetries: 0, longText: 'single', ...options }, more);

/** For ever, until `sim` is reset. */
async function refusedFor(fault: Fault, more: Partial<EngineRun> = {}) {
	sim.fault({ times: Infinity, ...fault });
	return await run({ parameters: node(), items: texts(1), ...THREE, ...more });
}

const MENDED: Array<[what: string, Fault, more?: Partial<EngineRun>]> = [
	['a bad request', { status: 400, body: own('no') }],
	['an unknown model', { status: 404, body: own('x', { code: 'model_not_found' }) }],
	['no such address', { status: 404, body: { detail: 'Not Found' } }],
	['no jobs', { status: 404, body: { detail: 'Not Found' } }, { parameters: jobNode({}) }],
	['too large', { status: 413, body: own('no') }],
	['a parameter', { status: 422, body: own('no') }],
	['a law', { status: 451, body: own('no') }],
	['words', { status: 500, body: own('x', { code: 'sensitive_words_detected' }) }],
	['a 524', { status: 524, body: own('cut') }],
	['a page of 524', { status: 524, path: '/v1/audio/speech' }],
	['a fee', { status: 403, body: own('no', { code: 'violation_fee.csam' }) }],
];

test.each(MENDED)('%s: one request, and the same error in each try', async (...row) => {
	const [, fault, more] = row;
	const id = { headers: { 'x-request-id': 'req_1' } };
	const once = await refusedFor({ ...fault, ...id }, { ...more, retryOnFail: false });
	const { error } = await refusedFor({ ...fault, ...id }, more);
	expect(posts().length).toBe(2);
	expect(error?.message).toBe(once.error?.message);
	expect(error?.description).toBe(once.error?.description);
});

test.each<[string, Fault]>([
	['a wrong key', { status: 401, body: own('no') }],
	['no money', { status: 402, body: own('no') }],
	['a right', { status: 403, body: own('no') }],
	['429, used up', { status: 429, body: own('no') }],
	['503, used up', { status: 503, body: own('no', { code: 'overloaded' }) }],
	['another provider', { status: 503, body: own('x', { code: 'model_not_found' }) }],
])('%s: others may have put it right by the next try', async (_, fault) => {
	await refusedFor(fault);
	expect(posts().length).toBe(3);
});

test('a text that is made anew in each try is not sent either', async () => {
	const { error } = await refusedFor(
		{ status: 422 },
		{
			parameters: node({}, { text: '={{ "It is " + $now.toMillis() + Math.random() }}' }),
		},
	);
	expect(posts().length).toBe(1);
	expect(error?.httpCode).toBe('422');
});

test('the rest of a text is not sent behind a segment that was refused; its error has what is done', async () => {
	sim.fault({ input: 'Two', status: 422, times: Infinity });
	const { outputs } = await run({
		parameters: node({ concurrency: 1, longText: 'auto' }, { text: '={{ $json.text }}' }),
		items: [item({ text: 'One. [pause 1s] Two. [pause 1s] Three.' })],
		...THREE,
		onError: 'continueErrorOutput',
	});
	const [failed] = outputs.at(-1)!;
	expect(failed.binary).toHaveProperty('completed');
	expect(failed.json.error).toMatchObject({ segments: { total: 3, completed: 1 } });
	expect(posts().length).toBe(2);
});

test('other items are tried again', async () => {
	sim.fault({ input: 'number 0', status: 422, times: Infinity });
	sim.fault({ input: 'number 1', status: 503, body: own('no') });
	const { outputs } = await run({
		parameters: node({ concurrency: 1 }),
		items: texts(3),
		...THREE,
		onError: 'continueRegularOutput',
	});
	expect(outputs[0].map(({ json }) => 'error' in json)).toEqual([true, false, false]);
	expect(posts().length).toBe(4);
});

test('a retry by hand asks again what may be over by now, once in all of its tries', async () => {
	const first = await refusedFor({ status: 404, body: own('x', { code: 'model_not_found' }) });
	expect(posts().length).toBe(1);
	const second = await retry(first, { items: texts(1), parameters: node(), ...THREE });
	expect(posts().length).toBe(2);
	sim.clearFaults();
	const third = await retry(second, { items: texts(1), parameters: node(), ...THREE });
	expect(third.error?.message).toBeUndefined();
	expect(third.outputs[0]).toHaveLength(1);
});

describe('a fee', () => {
	const FEE = { status: 403, body: own('no', { code: 'violation_fee.csam' }), charge: true };

	test('is an error with a charge, and its words', async () => {
		const { outputs } = await refusedFor(FEE, {
			parameters: node({ charges: true }),
			onError: 'continueErrorOutput',
		});
		const [{ json }] = outputs.at(-1)!;
		expect(json.error).toMatchObject({
			charges: [{ charged: 'yes', sentAt: expect.any(String) }],
			httpCode: '403',
		});
		const { message, description } = json.error as { message: string; description: string };
		expect(message).toContain('has charged a fee');
		expect(description).toContain('A fee was charged, and would be again');
		expect(description).not.toContain('not charged');
		expect(posts().length).toBe(1);
	});

	test('a retry by hand does not send it, but another text', async () => {
		const first = await refusedFor(FEE);
		await retry(first, { items: texts(1), parameters: node() });
		expect(posts().length).toBe(1);
		sim.clearFaults();
		const parameters = node({}, { text: 'Other words.' });
		const { outputs } = await retry(first, { items: texts(1), parameters });
		expect([outputs[0].length, posts().length]).toEqual([1, 2]);
	});

	test('its key counts as sent', async () => {
		const all = { parameters: node({ sendOnceKey: 'fined' }), workflowId: 'fined' };
		await refusedFor(FEE, { ...all, retryOnFail: false });
		const { outputs } = await run({ ...all, items: texts(1) });
		expect(outputs[1]).toHaveLength(1);
		expect(posts().length).toBe(1);
	});
});

test('a 524 that is on record keeps its code and its ID', async () => {
	const fault: Fault = {
		status: 524,
		times: Infinity,
		body: own('cut', { code: 'too_slow' }),
		headers: { 'x-request-id': 'req_524' },
	};
	const first = await refusedFor(fault, { retryOnFail: false });
	const { error } = await retry(first, { items: texts(1), parameters: node() });
	expect(posts().length).toBe(1);
	expect(error?.context).toMatchObject({ code: 'too_slow', requestId: 'req_524' });
});
