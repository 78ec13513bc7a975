import type { IDataObject } from 'n8n-workflow';
import { startHttp } from '../../support/hostileServers';
import {
	type EngineRun,
	item,
	NODE,
	runnerOf,
	saved,
	speechNode,
	texts,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 1 });

/** What goes along with an outcome: ids, codes, sizes. */
const run = runnerOf(sim);

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

test.each<[string, Record<string, string>, string]>([
	['x-request-id', { 'x-request-id': 'this', 'request-id': 'that' }, '{"error":{}}'],
	['request-id', { 'request-id': 'this', 'x-correlation-id': 'that' }, '{"error":{}}'],
	['x-correlation-id', { 'x-correlation-id': 'this', 'x-other-id': 'that' }, '{"error":{}}'],
	['x-oneapi-request-id', { 'x-oneapi-request-id': 'this', 'x-other-id': 'that' }, '{"error":{}}'],
	['x-litellm-call-id', { 'x-litellm-call-id': 'this', 'x-a-trace-id': 'that' }, '{}'],
	['x-generation-id', { 'x-generation-id': 'this', 'x-a-trace-id': 'that' }, '{}'],
	['a trace', { 'x-b3-trace-id': 'this', 'cf-ray': 'that' }, '{}'],
	['the body', {}, '{"error":{},"request_id":"this"}'],
	['the error in the body', {}, '{"error":{"request_id":"this"}}'],
])(
	'an error has the request id, in its context and its words: found in %s',
	async (_, ids, body) => {
		const headers = { 'content-type': 'application/json', ...ids };
		const server = await startHttp((_request, response) =>
			response.writeHead(402, headers).end(body),
		);
		const { error } = await run({ url: `http://127.0.0.1:${server.port}` });
		await server.close();
		expect(error?.context?.requestId).toBe('this');
		expect(error?.description).toMatch(/ Request ID: this\.$/);
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
					`^Outcome unknown for ${words}: possibly charged\\. Another click on Execute sends .* again, and charges \\w+\\.`,
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
			expect.stringMatching('^Outcome unknown for 3 of 3 items: possibly charged\\. See'),
		]);
	});

	test('a hint that is no warning', async () => {
		const text = 'Word '.repeat(400).trim();
		const ran = await run({ parameters: speechNode({ longText: 'single' }, { text }) });
		const [hint] = hintsOf(ran) ?? [];
		expect(hint).toMatchObject({ type: 'info', location: 'outputPane' });
	});
});

describe('the one error of a run', () => {
	/** Three items, one after the other, of which one is refused. */
	const refused = async (index: number, more: Partial<EngineRun> = {}) => {
		sim.fault({ input: `number ${index}.`, status: 402 });
		const { error } = await run({
			items: texts(3),
			parameters: speechNode({ concurrency: 1 }),
			...more,
		});
		return { message: error!.message, description: error!.description! };
	};
	test.each([
		[0, '(item 1 of 3)', '0 of 3 items are done and kept. Top up'],
		[
			1,
			'(item 2 of 3)',
			'1 of 3 items is done, paid and kept. Another click on Execute sends all 3 again',
		],
		[
			2,
			'(item 3 of 3)',
			'2 of 3 items are done, paid and kept. Another click on Execute sends all 3 again',
		],
	])('item %d of three: names it, and says what is kept', async (index, which, kept) => {
		const { message, description } = await refused(index);
		expect(message).toBe(`The account balance is too low (402) ${which}`);
		expect(description).toContain(kept);
		expect(description).toMatch(/ Request ID: req_\w+\.$/);
	});

	test.each<Partial<EngineRun>>([
		{ mode: 'trigger', settings: { saveDataErrorExecution: 'none' } },
		{ mode: 'manual', settings: { saveManualExecutions: false } },
	])('of an execution that is not saved (%j): it does not say to retry it', async (more) => {
		const { description } = await refused(1, more);
		expect(description).toMatch(/1 of 3 items is done, but lost: .*"On Error"/);
		expect(description).not.toContain('Open "Executions"');
		expect((await refused(0, more)).description).toContain('0 of 3 items are done and kept.');
	});

	test('of a free operation says nothing of paying', async () => {
		const get = { resource: 'speechJob', operation: 'get', jobId: '={{ $json.text }}' };
		const parameters = speechNode({}, get);
		const { error } = await run({ items: texts(2), parameters });
		expect(error?.message).toContain('(item 1 of 2)');
		expect(error?.description).not.toMatch(/kept|pay/);
	});

	test('of a sub-workflow names its own execution only where something is paid for', async () => {
		const { message } = await refused(0, { mode: 'integrated' });
		expect(message).toBe('The account balance is too low (402) (item 1 of 3)');
	});

	test.each<[Partial<EngineRun>, string]>([
		[{}, 'retry this execution, if it was saved: '],
		[{ settings: { saveDataErrorExecution: 'DEFAULT' } }, 'execution, if it was saved: '],
		[{ settings: { saveDataErrorExecution: 'all' } }, 'retry this execution: '],
		[{ mode: 'manual' }, 'retry this execution, if it was saved: '],
		[
			{
				settings: { saveDataErrorExecution: 'none', saveManualExecutions: true },
				mode: 'manual',
			},
			'open "Executions" and retry this execution: ',
		],
		[{ mode: 'integrated' }, "retry the sub-workflow's own execution, if it was saved: "],
	])('of one that is saved, or may be (%j): %s', async (more, words) => {
		expect((await refused(1, more)).description).toContain(words);
	});

	const options = { concurrency: 1, maxSegmentCharacters: 25 };
	test.each<[Partial<EngineRun>, IDataObject, RegExp]>([
		[{ onError: 'continueErrorOutput' }, { status: 422 }, / 1 of 2 requests was charged\./],
		[{}, { status: 524 }, / 1 of 2 requests was charged\./],
		[{ onError: 'continueErrorOutput' }, { nth: 1, status: 422 }, /^(?!.*requests? w\w+ charged)/],
	])(
		'of a text that was paid for in part: how many requests (%j, %j)',
		async (more, fault, says) => {
			sim.fault({ method: 'POST', nth: 2, ...fault });
			const items = [item({ text: 'The first part is here. And the second is there.' })];
			const { error, outputs } = await run({ items, parameters: speechNode(options), ...more });
			const { description } = error ?? (outputs[2][0].json.error as { description: string });
			expect(description).toMatch(says);
			expect(description!.match(/requests? w\w+ charged/g) ?? []).not.toHaveLength(2);
		},
	);

	test('of a text whose first part was paid for twice, because it was changed before the retry', async () => {
		const of = (text: string) => ({ parameters: speechNode(options, { text }) });
		sim.fault({ input: 'second', status: 402, times: 2 });
		const failed = await run(of('The first part is here. And the second is there.'));
		const changed = of('The first part was here. And the second is there.');
		const { error } = await run({ ...changed, retryOf: saved(failed.run), mode: 'retry' });
		expect(error?.description).toContain('2 of 3 requests were charged.');
		expect(sim.charges).toHaveLength(2);
	});
});
