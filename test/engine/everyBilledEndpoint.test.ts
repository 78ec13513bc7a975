import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { endpoints } from '../../nodes/SpeechGateway/gateway/endpoints';
import { useVirtualTime } from '../support/clock';
import type { Fault } from '../support/simulator';
import { renderAudio } from '../support/simulator/audio';
import { type EngineRun, runNode, saved, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

interface Row {
	/** The name in gateway/endpoints.ts. */
	endpoint: keyof typeof endpoints;
	path: string;
	/** What makes the node send it, for the text of the item. */
	parameters: IDataObject;
	/** A job or video, whose id must be in whatever comes of it. */
	isTask?: boolean;
}

const speech = { model: 'fish-speech', text: '={{ $json.text }}', responseFormat: 'mp3' };
const messages = { values: [{ role: 'user', content: '={{ $json.text }}' }] };
const video = { model: 'sim-video', prompt: '={{ $json.text }}' };

/** Every way in which the node can spend money. An endpoint that is billed and has no row fails below. */
const TABLE: Row[] = [
	{
		endpoint: 'speech',
		path: '/v1/audio/speech',
		parameters: { resource: 'speech', operation: 'generate', ...speech },
	},
	{
		endpoint: 'createJob',
		path: '/v1/audio/speech/jobs',
		parameters: { resource: 'speechJob', operation: 'create', ...speech },
		isTask: true,
	},
	{
		endpoint: 'createJob',
		path: '/v1/audio/speech/jobs',
		parameters: { resource: 'speechJob', operation: 'createAndWait', ...speech },
		isTask: true,
	},
	{
		endpoint: 'createVoice',
		path: '/v1/audio/voices',
		parameters: {
			resource: 'voice',
			operation: 'create',
			model: 'fish-speech',
			title: '={{ $json.text }}',
			binaryPropertyName: 'data',
		},
	},
	{
		endpoint: 'chat',
		path: '/v1/chat/completions',
		parameters: { resource: 'chat', operation: 'complete', model: 'sim-chat', messages },
	},
	{
		endpoint: 'createVideo',
		path: '/v1/videos',
		parameters: { resource: 'video', operation: 'create', ...video },
		isTask: true,
	},
	{
		endpoint: 'createVideo',
		path: '/v1/videos',
		parameters: { resource: 'video', operation: 'createAndWait', ...video },
		isTask: true,
	},
];

const recording = Buffer.concat([...renderAudio('A recording.', 1, 'wav').chunks()]);
const items: INodeExecutionData[] = ['one', 'two', 'three'].map((text) => ({
	json: { text: `This is text ${text}.` },
	binary: {
		data: { data: recording.toString('base64'), mimeType: 'audio/wav', fileName: 'me.wav' },
	},
}));
/** The item that has bad luck. */
const UNLUCKY = 'This is text two.';
/** Of virtual time, many steps of the node's clock: one moment in which a busy machine seems to rest ends no request. */
const TIMEOUT_SECONDS = 60;

const run = async ({ parameters }: Row, more: Partial<EngineRun> = {}, options: IDataObject = {}) =>
	await runNode({
		parameters: { ...parameters, options: { maxRetries: 0, timeout: TIMEOUT_SECONDS, ...options } },
		url: sim.url,
		apiKey: sim.apiKey,
		items,
		...more,
	});
/** How often each text was sent, and charged, in the order of the items. */
const times = (all: Array<{ input?: string }>) =>
	items.map(({ json }) => all.filter(({ input }) => input === json.text).length);
const sent = () => times(sim.requests.filter(({ method }) => method === 'POST'));
const charged = () => times(sim.charges);
const counts = ({ outputs }: { outputs: unknown[][] }) => outputs.map(({ length }) => length);

const PROXY_PAGE = '<html><body><h1>Bad Gateway</h1></body></html>';

/** Outcomes after which nobody may send the request again, and the reason that is told. */
const UNKNOWN: Array<[name: string, fault: Fault, reason: string]> = [
	['504 of the gateway', { status: 504, charge: true }, 'upstream_outcome_unknown'],
	['504 without a body', { status: 504, charge: true, body: '' }, 'upstream_outcome_unknown'],
	['502 of a proxy', { status: 502, charge: true, body: PROXY_PAGE }, 'upstream_outcome_unknown'],
	['500 without a body', { status: 500, charge: true, body: '' }, 'upstream_outcome_unknown'],
	['503 of Kong', { status: 503, charge: true, proxy: 'json' }, 'upstream_outcome_unknown'],
	['503 of Spring', { status: 503, charge: true, proxy: 'spring' }, 'upstream_outcome_unknown'],
	['408', { status: 408, charge: true }, 'upstream_outcome_unknown'],
	['lost before the work', { connection: 'reset-before-work' }, 'connection_lost'],
	['lost after the work', { connection: 'reset-after-work' }, 'connection_lost'],
	['no answer in time', { connection: 'stall' }, 'client_timeout'],
	['cut short', { truncate: 'half' }, 'damaged_response'],
	['cut short, cleanly', { truncate: 'half', truncateClean: true }, 'damaged_response'],
	['empty', { truncate: 0, truncateClean: true }, 'damaged_response'],
	['rubbish', { corrupt: true }, 'damaged_response'],
];
/** Outcomes that cost nothing. */
const NOT_CHARGED: Array<[name: string, fault: Fault]> = [
	['402', { status: 402 }],
	['422', { status: 422 }],
	['429', { status: 429 }],
	['503', { status: 503 }],
	['500', { status: 500 }],
];
/** Of these, those after which the same request may go again within one attempt. */
const PASSING = NOT_CHARGED.filter(([name]) => ['429', '500', '503'].includes(name));

const MODES: Array<[name: string, more: Partial<EngineRun>]> = [
	['stop', {}],
	['continue', { onError: 'continueRegularOutput' }],
	['error output', { onError: 'continueErrorOutput' }],
];

test('every billed endpoint has a row', () => {
	const billed = Object.entries(endpoints).flatMap(([name, endpoint]) => {
		const made = typeof endpoint === 'function' ? endpoint('id', 'model') : endpoint;
		return made.billed ? [name] : [];
	});
	expect(new Set(TABLE.map(({ endpoint }) => endpoint))).toEqual(new Set(billed));
	for (const { endpoint, path } of TABLE) expect(endpoints[endpoint]).toMatchObject({ path });
});

describe.each(TABLE)('$path by $parameters.resource: $parameters.operation', (row) => {
	const fault = (what: Fault, hits = Infinity) =>
		sim.fault({ path: row.path, method: 'POST', input: UNLUCKY, times: hits, ...what });

	test('all is well: each item sent and charged once', async () => {
		const result = await run(row);
		expect(counts(result)).toEqual([3, 0]);
		expect(charged()).toEqual([1, 1, 1]);
		expect(result.context).toEqual({});
	});

	describe.each(MODES)('%s', (_, mode) => {
		test.each(UNKNOWN)(
			'%s: sent once, with retries and Retry On Fail',
			async (__, what, reason) => {
				fault(what);
				const result = await run(row, { ...mode, retryOnFail: true }, { maxRetries: 3 });
				expect(result.error).toBeUndefined();
				expect(counts(result).slice(0, 2)).toEqual([2, 1]);
				expect(result.outputs[1][0]).toMatchObject({
					json: { outcome: 'unknown', reason },
					pairedItem: { item: 1 },
				});
				expect(sent()).toEqual([1, 1, 1]);
				expect(result.context).toEqual({});
			},
		);

		test.each(NOT_CHARGED)(
			'%s: an error of that item, which was not charged',
			async (name, what) => {
				fault(what);
				const result = await run(row, mode);
				const { outputs, error } = result;
				const errors = outputs.flat().filter(({ json }) => json.error);
				if (mode.onError) {
					expect(errors.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual([
						[expect.objectContaining({ httpCode: name }), { item: 1 }],
					]);
					expect(charged()).toEqual([1, 0, 1]);
				} else {
					expect(error?.message).toContain(name);
					expect(error?.message).toContain('item 2 of 3');
					expect(charged()[1]).toBe(0);
				}
				expect(sent()[1]).toBe(1);
			},
		);
	});

	test.each(PASSING)(
		'%s that passes: the same attempt sends it again, charged once',
		async (_, what) => {
			fault(what, 2);
			const result = await run(row, {}, { maxRetries: 2 });
			expect(counts(result)).toEqual([3, 0]);
			expect(sent()).toEqual([1, 3, 1]);
			expect(charged()).toEqual([1, 1, 1]);
		},
	);

	test.each(NOT_CHARGED)('%s: Retry On Fail sends only what was not charged', async (_, what) => {
		fault(what, 1);
		const result = await run(row, { retryOnFail: true });
		expect(counts(result)).toEqual([3, 0]);
		expect(charged()).toEqual([1, 1, 1]);
		expect(sent()[1]).toBe(2);
		expect(result.context).toEqual({});
	});

	test.each(NOT_CHARGED)('%s: Retry execution sends only what was not charged', async (_, what) => {
		fault(what, 1);
		const first = await run(row);
		expect(first.error).toBeDefined();
		const second = await run(row, { retryOf: saved(first.run), mode: 'retry' });
		expect(counts(second)).toEqual([3, 0]);
		expect(charged()).toEqual([1, 1, 1]);
		expect(second.context).toEqual({});
	});

	test.each(UNKNOWN)(
		'%s, and another item refused: Retry execution sends neither it nor what is done again',
		async (_, what, reason) => {
			fault(what);
			sim.fault({ path: row.path, method: 'POST', input: 'three', status: 402, delayMs: 1_000 });
			const first = await run(row);
			expect(first.error?.message).toContain('402');
			const second = await run(row, { retryOf: saved(first.run), mode: 'retry' });
			expect(counts(second)).toEqual([2, 1]);
			expect(second.outputs[1][0].json.reason).toBe(reason);
			expect(sent()).toEqual([1, 1, 2]);
		},
	);

	test('n8n dies while two are under way: Retry execution sends neither again', async () => {
		fault({ connection: 'stall' });
		sim.fault({ path: row.path, method: 'POST', input: 'three', status: 402, delayMs: 1_000 });
		const two = { items: items.slice(1) };
		let atDeath: object | undefined;
		const first = await run(row, {
			...two,
			started: ({ data }) =>
				void sim.waitFor((all) => {
					if (all.length === 2) atDeath ??= structuredClone(data.executionData!.contextData);
					return atDeath !== undefined;
				}),
		});
		const broken = saved(first.run);
		Object.assign(broken.executionData!, { contextData: atDeath });
		const second = await run(row, { ...two, retryOf: broken, mode: 'retry' });
		expect(counts(second)).toEqual([0, 2]);
		for (const { json } of second.outputs[1])
			expect(json).toMatchObject({ outcome: 'unknown', reason: 'interrupted' });
		expect(sent()).toEqual([0, 1, 1]);
	});

	if (row.isTask)
		test('the id is in what comes out, and the file is not a second charge', async () => {
			const { outputs } = await run(row);
			for (const { json } of outputs[0]) expect(json.id).toMatch(/^(spj|video)_/);
			expect(new Set(outputs[0].map(({ json }) => json.id)).size).toBe(3);
		});
});
