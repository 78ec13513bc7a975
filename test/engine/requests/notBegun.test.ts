/** What was not begun is sent again, patiently; what may have been is not; and when an outage is over with patience. */
import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../support/simulator';
import { type EngineRun, runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim);

const own = (message: string, more: object = {}) => ({ error: { message, ...more } });
const posts = () => sim.requests.filter(({ method }) => method === 'POST');
const OVERLOADED: Fault = { status: 503, body: own('overloaded', { code: 'overloaded' }) };

const speak = async (count: number, options: IDataObject = {}, more: Partial<EngineRun> = {}) =>
	await run({
		parameters: speechNode({ concurrency: 1, longText: 'single', maxRetries: 4, ...options }),
		items: texts(count),
		onError: 'continueErrorOutput',
		...more,
	});
const lengths = ({ outputs }: Awaited<ReturnType<typeof speak>>) =>
	outputs.map(({ length }) => length);

test.each<[string, Fault]>([
	['a code', { status: 503, body: own('Service Unavailable', { code: 'upstream_unavailable' }) }],
	['no upstream', { status: 503, body: own('no healthy upstream') }],
	['a connect', { status: 500, body: own('connect ECONNREFUSED 10.0.0.7:9000') }],
	['a model', { status: 500, body: own('Model not loaded', { type: 'model_error' }) }],
])('not begun, by %s: sent again', async (_, fault) => {
	sim.fault({ ...fault, times: 2 });
	expect(lengths(await speak(1))).toEqual([1, 0, 0]);
	expect([posts().length, sim.charges.length]).toEqual([3, 1]);
});

test.each<[string, Fault]>([
	['a connection that broke', { status: 500, body: own('OpenAIException - Connection error.') }],
	['a page', { status: 502, body: own('OpenAIException - Error code: 502\n\nNo fallback.') }],
	['a page of 524', { status: 524, body: own('OpenAIException - Error code: 524') }],
	['a time-out of a connect', { status: 503, body: own('dial tcp 10.0.0.7: i/o timeout') }],
	['gRPC', { status: 503, body: own('x', { code: 503, status: 'UNAVAILABLE' }) }],
])('behind the gateway, %s: unknown, one request', async (_, fault) => {
	sim.fault({ ...fault, path: '/v1/audio/speech', times: Infinity, charge: true });
	if (fault.status === 524)
		sim.fault({ method: 'GET', path: /jobs/, status: 404, body: { detail: 'Not Found' } });
	expect(lengths(await speak(1))).toEqual([0, 1, 0]);
	expect(posts().length).toBe(1);
});

test('the waits are about 1, 2, 4 and 8 s', async () => {
	sim.fault({ ...OVERLOADED, times: 5 });
	expect(lengths(await speak(1, { maxRetries: 5 }))).toEqual([1, 0, 0]);
	const waits = posts()
		.slice(1)
		.map(({ at }, index) => (at - posts()[index].endedAt!) / 1000);
	for (const [nth, most] of [1, 2, 4, 8, 8].entries()) {
		expect(waits[nth]).toBeGreaterThanOrEqual(most / 2 - 0.01);
		expect(waits[nth]).toBeLessThan(most + 0.1);
	}
});

test('429 in words: that wait', async () => {
	sim.fault({ status: 429, body: own('All in cooldown, Try again in 20 seconds. Passed') });
	await speak(1);
	const [first, second] = posts();
	expect(Math.round((second.at - first.endedAt!) / 1000)).toBe(20);
});

describe('an outage', () => {
	const triesOf = (count: number) =>
		Array.from(
			{ length: count },
			(_, index) => posts().filter(({ input }) => input?.includes(`number ${index}.`)).length,
		);

	test('after three items have used up their tries, each further one is tried once', async () => {
		sim.fault({ ...OVERLOADED, times: Infinity });
		expect(lengths(await speak(6))).toEqual([0, 0, 6]);
		expect(triesOf(6)).toEqual([5, 5, 5, 1, 1, 1]);
	});

	test('until one succeeds', async () => {
		sim.fault({ ...OVERLOADED, input: /number [0-4]\./, times: Infinity });
		sim.fault({ ...OVERLOADED, input: /number [67]\./, times: Infinity });
		expect(lengths(await speak(8))).toEqual([1, 0, 7]);
		expect(triesOf(8)).toEqual([5, 5, 5, 1, 1, 1, 5, 5]);
	});

	test('a refusal between them begins the row anew', async () => {
		sim.fault({ input: 'number 2', status: 422 });
		sim.fault({ ...OVERLOADED, times: Infinity });
		await speak(0, {}, { items: undefined, rounds: texts(7).map((one) => [one]) });
		expect(triesOf(7)).toEqual([5, 5, 1, 5, 5, 5, 1]);
	});

	test('segments of one item are one item', async () => {
		sim.fault({ ...OVERLOADED, times: Infinity });
		const rounds = ['One. [pause 1s] Two. [pause 1s] Three.', 'Next.'].map((text) => [
			{ json: { text } },
		]);
		const parameters = speechNode({ maxRetries: 1, concurrency: 4 }, { text: '={{ $json.text }}' });
		await speak(0, {}, { items: undefined, rounds, parameters });
		expect(posts().filter(({ input }) => input === 'Next.').length).toBe(2);
	});

	test('it holds in the next rounds of a loop', async () => {
		sim.fault({ ...OVERLOADED, times: Infinity });
		await run({
			parameters: speechNode({ concurrency: 1, longText: 'single', maxRetries: 4 }),
			rounds: [0, 1, 2, 3].map((index) => [texts(4)[index]]),
			onError: 'continueErrorOutput',
		});
		expect(triesOf(4)).toEqual([5, 5, 5, 1]);
	});

	test('429 keeps its patience', async () => {
		sim.fault({ status: 429, times: Infinity });
		await speak(5, { maxRetries: 2 });
		expect(triesOf(5)).toEqual([3, 3, 3, 3, 3]);
	});

	test('a server that cannot be reached', async () => {
		const before = performance.now();
		const { outputs } = await speak(6, {}, { url: 'http://127.0.0.1:9' });
		expect(outputs[2]).toHaveLength(6);
		// Three times 1, 2, 4 and 8 s at the most.
		expect(performance.now() - before).toBeLessThan(46_000);
	});
});

describe('a 2xx without any audio', () => {
	const HEADER = Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1');
	const wav = Buffer.concat([
		HEADER,
		Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 0xc0, 0x5d, 0, 0, 0x80, 0xbb, 0, 0, 2, 0, 16, 0]),
		Buffer.from('data\0\0\0\0', 'latin1'),
	]);
	const id3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x23', 'latin1'), Buffer.alloc(35)]);
	const NOTHING: Array<[string, Buffer | string, string?]> = [
		['a page', '<!DOCTYPE html><html><body>Console</body></html>'],
		['JSON', '{"audio":"aGVsbG8="}'],
		['text', 'Hello, this is a service.'],
		['nothing', ''],
		['a WAV header', wav, 'wav'],
		['an ID3 tag', id3],
	];

	test.each(NOTHING.map(([what, body, format = 'mp3']) => [what, body, format] as const))(
		'%s: three and no more',
		async (_, body, responseFormat) => {
			sim.fault({ status: 200, body, times: Infinity });
			const parameters = speechNode({ concurrency: 1 }, { responseFormat });
			const { outputs } = await speak(8, {}, { parameters });
			expect(outputs.map(({ length }) => length)).toEqual([0, 3, 5]);
			expect(posts().length).toBe(3);
			const { message } = outputs[2][0].json.error as { message: string };
			expect(message).toContain('This item was not sent');
		},
	);

	test('nothing, then a broken connection', async () => {
		sim.fault({ truncate: 0, times: Infinity });
		expect(lengths(await speak(8))).toEqual([0, 3, 5]);
	});

	test.each<[string, Fault]>([
		['bytes that nobody knows', { status: 200, body: Buffer.from([0x80, 0x81, 0x82, 0x83, 0x84]) }],
		['half of it', { truncate: 'half' }],
	])('%s: all are sent', async (_, fault) => {
		sim.fault({ ...fault, times: Infinity });
		expect(lengths(await speak(6))).toEqual([0, 6, 0]);
	});

	test('a success in between begins the row anew', async () => {
		for (const nth of [1, 2, 4, 5]) sim.fault({ status: 200, body: '', nth });
		expect(lengths(await speak(6))).toEqual([2, 4, 0]);
	});

	test.each([
		[
			'chat',
			{
				resource: 'chat',
				operation: 'complete',
				messages: { values: [{ role: 'user', content: 'Hi' }] },
			},
		],
		['a job', { resource: 'speechJob', operation: 'create' }],
		['a video', { resource: 'video', operation: 'create', model: 'sim-video', prompt: 'Sea' }],
	])('%s: a page counts, JSON without what was asked for does not', async (_, operation) => {
		const parameters = speechNode({ concurrency: 1 }, operation);
		sim.fault({
			method: 'POST',
			status: 200,
			body: '<html><body>Login</body></html>',
			times: Infinity,
		});
		expect(lengths(await speak(5, {}, { parameters }))).toEqual([0, 3, 2]);
		sim.clearFaults();
		sim.fault({ method: 'POST', status: 200, body: { ok: true }, times: Infinity });
		expect(lengths(await speak(5, {}, { parameters }))).toEqual([0, 5, 0]);
	});
});

test.each([
	['a disabled key', own('This token status is unavailable', { code: 'access_denied' })],
	['a banned user', own('User has been banned')],
	['an address', own('Your IP is not in the list', { code: 'access_denied' })],
])('403 of %s: nobody else is sent', async (_, body) => {
	sim.fault({ status: 403, body, times: Infinity });
	const { outputs } = await speak(5);
	expect(outputs[2]).toHaveLength(5);
	expect(posts().length).toBe(1);
});

test('a video that was refused in the words of its task route is sent again', async () => {
	const body = { code: 'fail_to_fetch_task', message: 'connection reset by peer', data: null };
	sim.fault({ path: '/v1/videos', method: 'POST', status: 500, body, times: 2 });
	const video = { resource: 'video', operation: 'create', model: 'sim-video', prompt: 'Sea' };
	const { outputs } = await speak(1, {}, { parameters: speechNode({ maxRetries: 4 }, video) });
	expect(outputs.flat()[0].json).not.toHaveProperty('error');
	expect(posts().length).toBe(3);
});
