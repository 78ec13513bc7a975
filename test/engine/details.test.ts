import type { IDataObject } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { startHttp } from '../support/hostileServers';
import {
	type EngineRun,
	item,
	NODE,
	runnerOf,
	saved,
	speechNode,
	texts,
	useSimulator,
} from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1 });

/** What goes along with an outcome: ids, codes, sizes. */
const run = runnerOf(() => sim);

test.each([
	['a 504', { status: 504, charge: true }, '504'],
	['a damaged result', { corrupt: true as const }, '200'],
])(
	'%s: the unknown item has the request id, the status, characters and the estimate',
	async (_, fault, httpCode) => {
		sim.fault(fault);
		const { json } = (await run()).outputs[1][0];
		expect(json).toMatchObject({ httpCode, requestId: sim.requests[0].requestId, characters: 18 });
		expect(json.estimatedTokens).toBeGreaterThan(18);
	},
);

test('an error has the request id, in its context and in its words', async () => {
	sim.fault({ status: 402 });
	const { error } = await run();
	expect(error?.context?.requestId).toBe(sim.requests[0].requestId);
	expect(error?.description).toContain(sim.requests[0].requestId);
});

test.each([
	['x-request-id', 'request-id'],
	['request-id', 'x-correlation-id'],
	['x-correlation-id', 'x-other-id'],
	['x-oneapi-request-id', 'x-correlation-id'],
])('the request id is found in %s', async (name, other) => {
	const headers = { 'content-type': 'application/json' };
	const server = await startHttp((_request, response) =>
		response.writeHead(402, { ...headers, [name]: 'this', [other]: 'that' }).end('{"error":{}}'),
	);
	const { error } = await run({ url: `http://127.0.0.1:${server.port}` });
	await server.close();
	expect(error?.context?.requestId).toBe('this');
});

test.each(['{"error":{},"request_id":"in the body"}', '{"error":{"request_id":"in the body"}}'])(
	'or in the body %s',
	async (body) => {
		const server = await startHttp((_request, response) => response.writeHead(402).end(body));
		const { error } = await run({ url: `http://127.0.0.1:${server.port}` });
		await server.close();
		expect(error?.context?.requestId).toBe('in the body');
	},
);

describe('what the editor shows when the node has finished', () => {
	const hintsOf = ({ run: { data } }: Awaited<ReturnType<typeof run>>) =>
		data.resultData.runData[NODE].at(-1)!.hints;
	test('nothing, when all went well', async () => {
		expect(hintsOf(await run({ items: texts(2) })) ?? []).toEqual([]);
	});

	test.each([
		[1, '1 of 1 item'],
		[3, '1 of 3 items'],
	])('of %d items, one is unknown', async (count, words) => {
		sim.fault({ input: 'number 0', status: 504, charge: true });
		const ran = await run({ items: texts(count) });
		expect(hintsOf(ran)).toEqual([
			{
				message: expect.stringMatching(
					`^Outcome unknown for ${words}: possibly charged\\. .* charge it again\\.`,
				),
				type: 'warning',
				location: 'outputPane',
			},
		]);
	});

	test('keys that were sent earlier: nothing to worry about, unless something else is unknown', async () => {
		const parameters = speechNode({ sendOnceKey: '={{ "hint " + $json.id }}' });
		await run({ items: texts(2), parameters });
		expect((await run({ items: texts(2), parameters })).hints).toEqual([
			expect.stringMatching('^2 of 2 items were sent earlier and skipped: nothing was charged'),
		]);
		sim.fault({ input: 'number 2', status: 504, charge: true });
		expect((await run({ items: texts(3), parameters })).hints).toEqual([
			expect.stringMatching('^Outcome unknown for 3 of 3 items: possibly .* charge them again\\.'),
		]);
	});

	test('a hint that is no warning', async () => {
		const text = 'Word '.repeat(400).trim();
		const ran = await run({ parameters: speechNode({ longText: 'single' }, { text }) });
		expect(hintsOf(ran)).toMatchObject([{ type: 'info', location: 'outputPane' }]);
	});
});

describe('the one error of a run', () => {
	test.each([
		[0, '(item 1 of 3)', '0 of 3 items are done and kept. Request ID'],
		[1, '(item 2 of 3)', '1 of 3 items is done and kept. Do not click Execute again'],
		[2, '(item 3 of 3)', '2 of 3 items are done and kept. Do not click Execute again'],
	])('item %d of three: names it, and says what is kept', async (index, which, kept) => {
		sim.fault({ input: `number ${index}.`, status: 402 });
		const { error } = await run({ items: texts(3), parameters: speechNode({ concurrency: 1 }) });
		expect(error?.message).toBe(`The account balance is too low (402) ${which}`);
		expect(error?.description).toContain(kept);
		expect(error?.description).toMatch(/ Request ID: req_\w+\.$/);
		expect(error?.description).not.toContain('undefined');
	});

	test.each<Partial<EngineRun>>([
		{ mode: 'trigger', settings: { saveDataErrorExecution: 'none' } },
		{ mode: 'manual', settings: { saveManualExecutions: false } },
	])('of an execution that is not saved (%j): it does not say to retry it', async (more) => {
		sim.fault({ input: 'number 1.', status: 402 });
		const parameters = speechNode({ concurrency: 1 });
		const { error } = await run({ items: texts(3), parameters, ...more });
		expect(error?.description).toMatch(/1 of 3 items is done, but lost: .*"On Error"/);
		expect(error?.description).not.toContain('Open "Executions"');
		sim.fault({ input: 'number 0.', status: 402 });
		const nothing = await run({ items: texts(3), parameters, ...more });
		expect(nothing.error?.description).toContain('0 of 3 items are done and kept.');
	});

	test('of a free operation says nothing of paying', async () => {
		const parameters = {
			...speechNode(),
			...{ resource: 'speechJob', operation: 'get', jobId: '={{ $json.text }}' },
		};
		const { error } = await run({ items: texts(2), parameters });
		expect(error?.message).toContain('(item 1 of 2)');
		expect(error?.description).not.toMatch(/kept|pay/);
	});

	test('of a sub-workflow names its own execution only where something is paid for', async () => {
		const parameters = speechNode({ concurrency: 1 });
		sim.fault({ input: 'number 0.', status: 402 });
		const { error } = await run({ items: texts(3), parameters, mode: 'integrated' });
		expect(error?.message).toBe('The account balance is too low (402) (item 1 of 3)');
	});

	test('of one that is saved, whatever is done with those of the other kind', async () => {
		sim.fault({ input: 'number 1.', status: 402 });
		const settings = { saveDataErrorExecution: 'none', saveManualExecutions: true } as const;
		const parameters = speechNode({ concurrency: 1 });
		const { error } = await run({ items: texts(3), parameters, settings, mode: 'manual' });
		expect(error?.description).toContain('Open "Executions" and retry this execution instead: ');
	});

	test.each<[Partial<EngineRun>, string]>([
		[{}, 'retry this execution instead, if it was saved: '],
		[{ settings: { saveDataErrorExecution: 'DEFAULT' } }, 'instead, if it was saved: '],
		[{ settings: { saveDataErrorExecution: 'all' } }, 'retry this execution instead: '],
		[{ mode: 'manual' }, 'retry this execution instead, if it was saved: '],
		[{ mode: 'integrated' }, "retry the sub-workflow's own execution instead, if it was saved: "],
	])('where n8n itself decides whether it is saved (%j): %s', async (more, words) => {
		sim.fault({ input: 'number 1.', status: 402 });
		const parameters = speechNode({ concurrency: 1 });
		const { error } = await run({ items: texts(3), parameters, ...more });
		expect(error?.description).toContain(words);
	});

	test.each<[Partial<EngineRun>, IDataObject, string | undefined]>([
		[{ onError: 'continueErrorOutput' }, { status: 422 }, '1 of 2 requests was charged.'],
		[{}, { status: 402 }, '1 of 2 requests was charged.'],
		[{}, { status: 524 }, '1 of 2 requests was charged.'],
		[{ onError: 'continueErrorOutput' }, { nth: 1, status: 422 }, undefined],
	])(
		'of a text that was paid for in part: how many requests (%j, %j)',
		async (more, fault, says) => {
			sim.fault({ method: 'POST', nth: 2, ...fault });
			const options = { concurrency: 1, maxSegmentCharacters: 25, longText: 'split' };
			const parameters = speechNode(options);
			const items = [item({ text: 'The first part is here. And the second is there.' })];
			const { error, outputs } = await run({ items, parameters, ...more });
			const { description } = error ?? (outputs[2][0].json.error as { description: string });
			if (says) expect(description!.split(says)).toHaveLength(2);
			else expect(description).not.toMatch(/requests? w\w+ charged/);
		},
	);

	test('of a text whose first part was paid for twice, because it was changed before the retry', async () => {
		const options = { concurrency: 1, maxSegmentCharacters: 25, longText: 'split' };
		const of = (text: string) => ({ parameters: speechNode(options, { text }) });
		sim.fault({ input: 'second', status: 402, times: 2 });
		const failed = await run(of('The first part is here. And the second is there.'));
		const changed = of('The first part was here. And the second is there.');
		const { error } = await run({ ...changed, retryOf: saved(failed.run), mode: 'retry' });
		expect(error?.description).toContain('2 of 3 requests were charged.');
		expect(sim.charges).toHaveLength(2);
	});
});
