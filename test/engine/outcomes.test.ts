import type { IDataObject, OnError } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { type Fault, startSimulator } from '../support/simulator';
import { item, runNode, saved, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1 });

const texts = (count: number) =>
	Array.from({ length: count }, (_, index) => item({ text: `Sentence number ${index}.` }));
const generate = (options: IDataObject = {}): IDataObject => ({
	resource: 'speech',
	operation: 'generate',
	model: { __rl: true, mode: 'id', value: 'fish-speech' },
	text: '={{ $json.text }}',
	voice: { __rl: true, mode: 'list', value: 'default' },
	responseFormat: 'mp3',
	options: { maxRetries: 0, ...options },
});
const run = async (more: Partial<Parameters<typeof runNode>[0]> = {}) =>
	await runNode({
		parameters: generate(),
		url: sim.url,
		apiKey: sim.apiKey,
		items: texts(1),
		...more,
	});
const speech = (fault: Omit<Fault, 'path'>): void =>
	sim.fault({ path: '/v1/audio/speech', ...fault });
const sent = () => sim.requests.filter(({ method }) => method === 'POST').length;

describe('what counts as what, for one billed request', () => {
	const unknown: Array<[string, Omit<Fault, 'path'>, string]> = [
		[
			'504 charged',
			{ status: 504, charge: true, body: { error: { code: 'upstream_outcome_unknown' } } },
			'upstream_outcome_unknown',
		],
		[
			'502 of a proxy that lost the answer',
			{ status: 502, charge: true, body: '<html><h1>502 Bad Gateway</h1></html>' },
			'upstream_outcome_unknown',
		],
		['500 with an empty body', { status: 500, charge: true, body: '' }, 'upstream_outcome_unknown'],
		['520 of a proxy', { status: 520, charge: true, body: 'oops' }, 'upstream_outcome_unknown'],
		['522 of a proxy', { status: 522, body: '<html></html>' }, 'upstream_outcome_unknown'],
		['408', { status: 408, charge: true }, 'upstream_outcome_unknown'],
		[
			'502 of the gateway that does not know either',
			{ status: 502, charge: true, body: { error: { code: 'upstream_outcome_unknown' } } },
			'upstream_outcome_unknown',
		],
		['504 with an empty body', { status: 504, body: '' }, 'upstream_outcome_unknown'],
		['connection lost before the work', { connection: 'reset-before-work' }, 'connection_lost'],
		['connection lost after the work', { connection: 'reset-after-work' }, 'connection_lost'],
		['no answer within the time-out', { connection: 'stall' }, 'client_timeout'],
		['2xx cut short', { truncate: 'half' }, 'damaged_response'],
		['2xx cut short, cleanly', { truncate: 'half', truncateClean: true }, 'damaged_response'],
		['2xx empty', { truncate: 0, truncateClean: true }, 'damaged_response'],
		['2xx that is not audio', { corrupt: true }, 'damaged_response'],
		[
			'2xx with JSON instead of audio',
			{ status: 200, body: { error: { message: 'no' } }, charge: true },
			'damaged_response',
		],
	];
	test.each(unknown)('%s is unknown and never sent again', async (_, fault, reason) => {
		speech({ ...fault, times: Infinity });
		const { outputs, error } = await run({
			parameters: generate({ maxRetries: 4, timeout: 60 }),
			retryOnFail: true,
		});
		expect(error).toBeUndefined();
		expect(outputs[0]).toEqual([]);
		expect(outputs[1]).toHaveLength(1);
		expect(outputs[1][0].json).toMatchObject({
			outcome: 'unknown',
			reason,
			operation: 'speech.generate',
		});
		expect(outputs[1][0].json).not.toHaveProperty('error');
		expect(sent()).toBe(1);
	});

	test.each([
		['cut short', { truncate: 'half' }],
		['cut short, cleanly', { truncate: 'half', truncateClean: true }],
	] as Array<[string, Omit<Fault, 'path'>]>)(
		'what came of a result that is %s goes along: it was paid for',
		async (_, fault) => {
			speech(fault);
			const { outputs } = await run();
			expect(outputs[1][0].binary).toMatchObject({
				received: { mimeType: 'audio/mpeg', fileExtension: 'mp3' },
			});
		},
	);

	test("an unknown item keeps the proxy's words and claims nothing about the charge", async () => {
		speech({ status: 502, charge: true, body: '<html><h1>502 Bad Gateway</h1><hr>nginx</html>' });
		const { json } = (await run()).outputs[1][0];
		expect(json).toMatchObject({ httpCode: '502' });
		expect(json.message).toContain("not the gateway's own answer (502)");
		expect(json.message).toContain('502 Bad Gateway nginx');
		expect(json.message).not.toMatch(/not charged|The gateway says/);
	});

	const retried: Array<[string, Omit<Fault, 'path'>]> = [
		['429', { status: 429 }],
		['429 with Retry-After', { status: 429, retryAfter: 0 }],
		['500', { status: 500 }],
		['502', { status: 502 }],
		['503', { status: 503 }],
		['520', { status: 520 }],
		['521 of a proxy', { status: 521, body: '<html>Web server is down</html>' }],
		['525 of a proxy', { status: 525, body: '' }],
	];
	test.each(retried)('%s is sent again', async (_, fault) => {
		speech({ ...fault, times: 2 });
		const { outputs } = await run({ parameters: generate({ maxRetries: 4 }) });
		expect(outputs[0]).toHaveLength(1);
		expect(sent()).toBe(3);
		expect(sim.charges).toHaveLength(1);
	});

	test.each([429, 503])('%s used up is an error, not charged', async (status) => {
		speech({ status, times: Infinity });
		const { error } = await run({ parameters: generate({ maxRetries: 1 }) });
		expect(error?.message).toContain(String(status));
		expect(sent()).toBe(2);
	});

	test.each([400, 401, 402, 403, 404, 409, 413, 418, 422])(
		'%s is refused at once',
		async (status) => {
			speech({ status, times: Infinity, body: { error: { message: 'the gateway says no' } } });
			const { error } = await run({ parameters: generate({ maxRetries: 4 }) });
			expect(error?.message).toContain(`(${status})`);
			expect(error?.description).toContain('the gateway says no');
			expect(sent()).toBe(1);
		},
	);

	test('524 is not sent again, not even by Retry On Fail', async () => {
		speech({ status: 524, times: Infinity });
		const { error } = await run({
			parameters: generate({ maxRetries: 4, longText: 'single' }),
			retryOnFail: true,
		});
		expect(error?.message).toContain('524');
		expect(sent()).toBe(1);
	});

	test('524 goes on as a job when long text is automatic', async () => {
		speech({ status: 524 });
		sim.options.jobSeconds = 0;
		const { outputs } = await run();
		expect(outputs[0]).toHaveLength(1);
		expect(sim.charges.map(({ kind }) => kind)).toEqual(['job']);
	});

	test('a gateway that cannot be reached: nothing left, an error', async () => {
		const closed = await startSimulator();
		await closed.close();
		const { error, outputs } = await run({
			url: closed.url,
			parameters: generate({ maxRetries: 1 }),
		});
		expect(error?.message).toContain('cannot be reached');
		expect(outputs).toEqual([]);
	});

	test('a redirect of a billed request is not followed: its outcome is unknown, and the item says where it leads', async () => {
		speech({ redirect: '/v1/models' });
		const { outputs } = await run();
		expect(outputs[1][0].json).toMatchObject({
			reason: 'upstream_outcome_unknown',
			httpCode: '307',
			location: '/v1/models',
		});
		expect(sent()).toBe(1);
	});

	test('the same address elsewhere is a wrong base URL', async () => {
		speech({ status: 308, redirect: 'https://elsewhere.example/v1/audio/speech' });
		const { error } = await run();
		expect(error?.message).toContain('redirects to another address (308)');
		expect(sent()).toBe(1);
	});
});

describe('stop mode', () => {
	test('one error that names the item and what is kept; a retry sends only what was never charged', async () => {
		speech({ status: 402, input: 'number 3', times: 1 });
		const first = await run({ items: texts(6), parameters: generate({ concurrency: 2 }) });
		expect(first.error?.message).toContain('item 4 of 6');
		const charged = sim.charges.length;
		expect(first.error?.description).toContain(`${charged} of 6 items are done and kept`);
		const second = await run({ items: texts(6), retryOf: saved(first.run), mode: 'retry' });
		expect(second.outputs[0].map(({ json }) => json.characters)).toHaveLength(6);
		expect(second.outputs[0].map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3, 4, 5].map((index) => ({ item: index })),
		);
		expect(sim.charges).toHaveLength(6);
		expect(new Set(sim.charges.map(({ input }) => input)).size).toBe(6);
		expect(second.context).toEqual({});
	});

	test('a bad item: nothing is sent', async () => {
		const { error } = await run({ items: [...texts(3), item({ text: '  ' })] });
		expect(error?.message).toContain('"Text" is required');
		expect(error?.message).toContain('item 4 of 4');
		expect(sim.requests).toEqual([]);
	});

	test('Retry On Fail after a 503 that passes: every item billed once', async () => {
		speech({ status: 503, input: 'number 1' });
		const { outputs } = await run({ items: texts(10), retryOnFail: true });
		expect(outputs[0]).toHaveLength(10);
		expect(sim.charges).toHaveLength(10);
	});
});

describe.each(['continueRegularOutput', 'continueErrorOutput'] as OnError[])('%s', (onError) => {
	test.each([0, 4, 9])(
		'the failing item %s becomes an error item, the others are delivered and billed once',
		async (failing) => {
			speech({ status: 422, input: `number ${failing}.`, times: Infinity });
			const { outputs, error, context } = await run({
				items: texts(10),
				onError,
				retryOnFail: true,
			});
			expect(error).toBeUndefined();
			const errors =
				onError === 'continueErrorOutput'
					? outputs[2]
					: outputs[0].filter(({ json }) => json.error);
			expect(errors).toHaveLength(1);
			expect(errors[0].json.error).toMatchObject({
				httpCode: '422',
				message: expect.any(String),
				description: expect.any(String),
			});
			expect(errors[0].pairedItem).toEqual({ item: failing });
			expect(outputs[0].filter(({ json }) => !json.error)).toHaveLength(9);
			expect(sim.charges).toHaveLength(9);
			expect(context).toEqual({});
		},
	);

	test('a bad item is an error item, the others are sent', async () => {
		const { outputs } = await run({
			items: [item({ text: '' }), ...texts(2)],
			onError,
			retryOnFail: true,
		});
		expect(outputs.flat().filter(({ json }) => json.error)).toHaveLength(1);
		expect(sim.charges).toHaveLength(2);
	});
});

test('the same text in several items is sent and charged for each', async () => {
	const { outputs } = await run({ items: [1, 2, 3].map(() => item({ text: 'Again.' })) });
	expect(outputs[0]).toHaveLength(3);
	expect(sim.charges).toHaveLength(3);
});

test('after Stop nothing billed is sent, not even by Retry On Fail', async () => {
	sim.options.latencyMs = 200;
	const running = run({
		items: texts(20),
		parameters: generate({ concurrency: 2 }),
		retryOnFail: true,
		started: ({ cancel }) =>
			void sim.waitFor((requests) => requests.length >= 2).then(cancel, () => {}),
	});
	await running;
	const seen = sim.requests.length;
	expect(seen).toBeLessThanOrEqual(3);
	sim.options.latencyMs = 1;
});

test('the execution data of a success holds nothing of the ledger', async () => {
	const small = await run({ items: texts(1) });
	const large = await run({ items: texts(50) });
	expect(small.context).toEqual({});
	expect(large.context).toEqual({});
});
