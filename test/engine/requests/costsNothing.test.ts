/* A server of one's own ("Requests Cost Nothing"): what fails is sent again, and nothing is said of charges. */
import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../support/simulator';
import {
	type EngineResult,
	type EngineRun,
	item,
	jobNode,
	retrierOf,
	runnerOf,
	speechNode,
	texts,
	useSimulator,
} from '../support';

const sim = useSimulator();
const run = runnerOf(sim, () => ({
	credential: () => ({ apiKey: sim.apiKey, baseUrl: sim.url, costsNothing: true }),
	onError: 'continueErrorOutput',
}));
const retry = retrierOf(run);

const posts = () => sim.requests.filter(({ method }) => method === 'POST');
const errorOf = ({ outputs }: EngineResult, index = 0) =>
	outputs[2][index].json.error as IDataObject & { message: string; description: string };
const node = (options: IDataObject = {}, more?: IDataObject) =>
	speechNode({ maxRetries: 2, ...options }, more);
const chatNode = (options: IDataObject = {}): IDataObject => ({
	resource: 'chat',
	operation: 'complete',
	model: { __rl: true, mode: 'id', value: 'sim-chat' },
	messages: { values: [{ role: 'user', content: 'Hello' }] },
	options: { maxRetries: 2, ...options },
});

const EMPTY_WAV = Buffer.concat([
	Buffer.from('RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1'),
	Buffer.from([0xc0, 0x5d, 0, 0, 0x80, 0xbb, 0, 0, 2, 0, 16, 0]),
	Buffer.from('data\0\0\0\0', 'latin1'),
]);

const FAULTS: Array<[what: string, fault: Fault, says: RegExp, received?: boolean]> = [
	['a 504', { status: 504 }, /lost track of the request \(504\)$/],
	['a page of 502', { status: 502, proxy: 'page' }, /not the gateway's own answer/],
	['408', { status: 408 }, /timed out/],
	['a lost connection', { connection: 'reset-after-work' }, /connection to the gateway was lost/],
	['no answer in time', { connection: 'stall' }, /did not answer in time/],
	['nothing', { status: 200, body: '' }, /damaged: the file is empty/],
	['half the audio', { truncate: 'half' }, /damaged/, true],
	['no audio', { corrupt: true }, /damaged/, true],
	['an empty WAV', { status: 200, body: EMPTY_WAV, contentType: 'audio/wav' }, /damaged/, true],
];

describe.each(FAULTS)('%s', (_, fault, says, received = false) => {
	test('that passes: success', async () => {
		sim.fault({ ...fault, times: 2 });
		const { outputs, hints } = await run({ parameters: node() });
		expect(outputs.map(({ length }) => length)).toEqual([1, 0, 0]);
		expect(posts()).toHaveLength(3);
		expect(hints).toEqual([]);
	});

	test('that stays: an error, and the execution keeps nothing', async () => {
		sim.fault({ ...fault, times: Infinity });
		const result = await run({ parameters: node() });
		expect(result.outputs.map(({ length }) => length)).toEqual([0, 0, 1]);
		expect(errorOf(result).message).toMatch(says);
		expect(result.outputs[2][0].binary?.received !== undefined).toBe(received);
		expect(posts()).toHaveLength(3);
		expect(result.context).toEqual({});
	});
});

test.each([
	['a chat', chatNode(), '/v1/chat/completions'],
	['a job', jobNode({ maxRetries: 2 }), '/v1/audio/speech/jobs'],
])('%s is sent again, too', async (_, parameters, path) => {
	sim.fault({ path, status: 504, times: 2 });
	const { outputs } = await run({ parameters });
	expect(outputs[0]).toHaveLength(1);
	expect(posts()).toHaveLength(3);
});

test('a page of 524 is sent in smaller segments, and asks for no job', async () => {
	sim.fault({ status: 524, proxy: 'page' });
	const text = 'This is one of many sentences of the same length. '.repeat(12);
	const { outputs, hints } = await run({ parameters: node(), items: [item({ text })] });
	expect(outputs[0][0].json.segments).toBe(2);
	expect(sim.requests.every(({ path }) => path === '/v1/audio/speech')).toBe(true);
	// The simulator speaks faster than people do, which another hint says.
	expect(hints[0]).toContain('Shorter ones of up to');
});

test('a page of 524 for a chat is an error that may pass', async () => {
	sim.fault({ status: 524, proxy: 'page' });
	const { outputs } = await run({ parameters: chatNode() });
	expect(outputs[0]).toHaveLength(1);
});

test('nothing counts for the circuit breaker', async () => {
	sim.fault({ status: 503, proxy: 'page', times: Infinity });
	const result = await run({ parameters: node({ maxRetries: 0 }), items: texts(12) });
	expect(result.outputs.map(({ length }) => length)).toEqual([0, 0, 12]);
	expect(posts()).toHaveLength(12);
	expect(result.hints).toEqual([]);
	expect(result.context).toEqual({});
});

test('a wrong key still stops the others', async () => {
	sim.fault({ status: 401, times: Infinity });
	const result = await run({ parameters: node({ concurrency: 1 }), items: texts(5) });
	expect(posts()).toHaveLength(1);
	expect(result.outputs[2]).toHaveLength(5);
});

describe('no word of charges, tokens or prices', () => {
	const WORDS = /charg|\bpa(?:y|id)\b|token|price|refund|usage log/i;
	const silent = ({ outputs, hints, error }: EngineResult) =>
		expect(
			JSON.stringify([outputs, hints, error?.message, error?.description, error?.context]),
		).not.toMatch(WORDS);
	const LONG = 'This is one of many sentences of the same length. '.repeat(30);
	const charges = { charges: true, maxEstimatedTokens: 1, concurrency: 1 };

	test.each<[string, Fault | undefined, Partial<EngineRun>]>([
		['success', undefined, {}],
		['a job', undefined, { parameters: jobNode(charges) }],
		['a job that fails', { jobFails: true }, { parameters: jobNode(charges) }],
		['a cut', { status: 524, proxy: 'page' }, { items: [item({ text: LONG })] }],
		['a cut of little', { status: 524, times: 9 }, {}],
		['an error', { status: 500, times: 9 }, {}],
		['a refusal', { status: 400 }, {}],
		['a refusal in stop mode', { status: 400, nth: 2 }, { items: texts(3), onError: undefined }],
		['no money', { status: 402 }, { items: texts(3) }],
		['damage', { truncate: 'half', nth: 2, times: 9 }, { items: [item({ text: LONG })] }],
		['bad input', undefined, { items: [item({ text: '' }), item({ text: 'Good.' })] }],
	])('%s', async (_, fault, more) => {
		if (fault) sim.fault(fault);
		const result = await run({ parameters: node(charges), items: texts(1), ...more });
		silent(result);
		expect(JSON.stringify([result.outputs, result.error])).toMatch(/seconds|rror/i);
	});

	test('words of the service stay as they are', async () => {
		sim.fault({ status: 400, body: { error: { message: 'No tokens left. Pay!' } } });
		const result = await run({ parameters: node(charges) });
		expect(errorOf(result).description).toContain('"No tokens left. Pay!"');
	});
});

describe('Send Once Key', () => {
	const once = (options: IDataObject = {}) => node({ sendOnceKey: '={{ $json.id }}', ...options });
	test('a success is not made again', async () => {
		const nodeId = 'success';
		await run({ parameters: once(), nodeId });
		const { outputs } = await run({ parameters: once(), nodeId });
		expect(outputs[1][0].json.reason).toBe('already_sent');
		expect(JSON.stringify(outputs)).not.toMatch(/charg/);
		expect(posts()).toHaveLength(1);
	});

	test.each([
		['of one request', 'Hello.', 1],
		['of which a part is done', 'Words that are spoken. '.repeat(100), 2],
	])('an error frees it: %s', async (nodeId, text, nth) => {
		const items = [item({ id: 1, text })];
		sim.fault({ status: 504, nth, times: Infinity });
		const parameters = once({ concurrency: 1 });
		const failed = await run({ parameters, items, nodeId });
		expect(failed.outputs[2]).toHaveLength(1);
		sim.clearFaults();
		const { outputs } = await run({ parameters, items, nodeId });
		expect(outputs[0]).toHaveLength(1);
	});
});

test('what is done of a text is kept for a retry', async () => {
	sim.fault({ status: 504, nth: 2, times: Infinity });
	const items = [item({ text: 'Words that are spoken. '.repeat(60) })];
	const parameters = node({ concurrency: 1 });
	const failed = await run({ parameters, items, onError: undefined });
	expect(failed.error?.message).toContain('(segment 2 of 2)');
	sim.clearFaults();
	const before = posts().length;
	const { outputs } = await retry(failed, { parameters, items, onError: undefined });
	expect(outputs[0]).toHaveLength(1);
	expect(posts()).toHaveLength(before + 1);
});

test('the same account without the switch is another one', async () => {
	sim.fault({ status: 504, times: Infinity });
	const result = await run({ parameters: node(), credential: undefined });
	expect(result.outputs.map(({ length }) => length)).toEqual([0, 1, 0]);
	expect(posts()).toHaveLength(1);
});

test('an attempt of Retry On Fail that sends nothing says nothing of charges, either', async () => {
	sim.fault({ method: 'POST', status: 422, times: Infinity });
	const result = await run({ parameters: node({ charges: true }), retryOnFail: true });
	expect(posts()).toHaveLength(1);
	expect(errorOf(result)).toMatchObject({ httpCode: '422' });
	expect(errorOf(result)).not.toHaveProperty('charges');
});
