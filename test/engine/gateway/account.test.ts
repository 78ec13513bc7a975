/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { readFile } from 'node:fs/promises';
import type { IDataObject } from 'n8n-workflow';
import { accountName } from '../../../nodes/SpeechGateway/core/accountName';
import * as clock from '../../support/clock';
import type { Fault } from '../../support/simulator';
import { fitting } from '../form';
import { type EngineRun, runNode, speechNode, told, useSimulator } from '../support';

clock.useVirtualTime();

const sim = useSimulator({ latencyMs: 1, multiplier: 3, timeScale: 1 }, 'real');
afterEach(
	() =>
		void Object.assign(sim.options, { pricing: undefined, usageLog: {}, latencyMs: 1, holdMs: 0 }),
);

const run = async (parameters: IDataObject, more: Partial<EngineRun> = {}) =>
	await runNode({ parameters, url: sim.url, apiKey: sim.apiKey, ...more });
const account = async (
	operation: string,
	more: Partial<EngineRun> = {},
	options: IDataObject = {},
) => await run({ resource: 'account', operation, options: { maxRetries: 0, ...options } }, more);
/** Speaks an item for each text, with a time-out of 5 s. */
const speak = async (words: string[], options: IDataObject = {}, more: Partial<EngineRun> = {}) =>
	await run(speechNode({ timeout: 5, ...options }), {
		items: words.map((text) => ({ json: { text } })),
		...more,
	});

describe('account.getPrices', () => {
	test('an item a model', async () => {
		sim.options.pricing = {
			data: [
				{ model_name: 'fish-speech', quota_type: 0, model_ratio: 7.5, enable_groups: ['default'] },
				{ model_name: 'video', quota_type: 1, model_ratio: 0, model_price: 5, owner_by: 'sim' },
			],
			group_ratio: { default: 2, vip: 0.5 },
		};
		const { outputs } = await account('getPrices', { url: `${sim.url}/v1/` });
		expect(outputs).toHaveLength(1);
		expect(outputs[0].map(({ json }) => json)).toEqual([
			{ model: 'fish-speech', multiplier: 7.5, groups: { default: 2 } },
			{
				model: 'video',
				multiplier: 0,
				perRequest: 5,
				ownedBy: 'sim',
				groups: { default: 2, vip: 0.5 },
			},
		]);
	});

	test.each<[string, IDataObject]>([
		['no such address', { status: 404 }],
		['a web page', { status: 200, body: '<html>Log in</html>' }],
		['another JSON', { status: 200, body: { data: [{ id: 'fish-speech' }] } }],
	])('%s: this gateway publishes no prices', async (_, fault) => {
		sim.fault({ path: '/api/pricing', times: 2, ...fault });
		const { error } = await account('getPrices');
		expect(error?.message).toBe(`This gateway publishes no prices at ${sim.url}/api/pricing`);
		expect(sim.requests).toHaveLength(1);
	});

	test('its words, without the key', async () => {
		const body = { success: false, message: `no prices for ${sim.apiKey}` };
		sim.fault({ path: '/api/pricing', status: 200, body });
		const { error } = await account('getPrices');
		expect(error?.description).toContain('It says: "no prices for ***"');
	});

	test('is asked for once, however many items there are', async () => {
		const { outputs } = await account('getPrices', { items: [{ json: {} }, { json: {} }] });
		expect(outputs[0].map(({ json }) => json.multiplier)).toEqual([3, 3, 3, 0, 3, 3, 3, 0]);
		expect(sim.requests).toHaveLength(1);
	});
});

describe('what Unknown items say of their neighbours', () => {
	test('those of the run that can be charged since it was sent, and what time it was there', async () => {
		sim.options.usageLog = { aheadSeconds: 7 };
		sim.options.latencyMs = ({ input }) => (input === 'Slow.' ? 21_000 : 1_000);
		sim.fault({ input: 'Given up.', connection: 'stall' });
		sim.fault({ input: 'Refused.', status: 400 });
		const { outputs } = await speak(
			['Slow.', 'Over.', 'Slow.', 'Slow.', 'Slow.', 'Given up.', 'Refused.', 'Said.', 'Late.'],
			{ concurrency: 1, timeout: 30 },
			{ onError: 'continueRegularOutput' },
		);
		const settle = outputs[1][0].json.settle as IDataObject;
		// The first two had ended more than a minute before.
		expect(settle.neighbours).toMatchObject({
			charged: 5,
			unknown: 0,
			sent: [...[63, 42, 21].map((before) => [-before, 21, 1]), [30, 1, 1], [31, 1, 1]],
		});
		// The header `Date` has whole seconds.
		const { clockAhead } = settle.neighbours as { clockAhead: number };
		expect(Math.abs(clockAhead - 7)).toBeLessThan(1);
		expect(settle.paidBy).toBe(accountName(sim.apiKey, sim.url));
	});

	test('with the IDs of those that were answered', async () => {
		sim.options.latencyMs = 1_000;
		sim.fault({ input: 'Lost.', connection: 'reset-after-work' });
		sim.fault({ input: 'Unsure.', status: 504, charge: true });
		const { outputs } = await speak(['Said.', 'Lost.', 'Again.', 'Unsure.']);
		const { neighbours } = outputs[1][0].json.settle as IDataObject;
		expect(neighbours).toMatchObject({ charged: 2, unknown: 1 });
		const ids = [0, 2, 3].map((index) => sim.requests[index].requestId);
		expect((neighbours as IDataObject).requestIds).toEqual(expect.arrayContaining(ids));
		expect(outputs[1].map(({ json }) => (json.settle as IDataObject).idHeader)).toEqual([
			undefined,
			'x-request-id',
		]);
	});

	test('over the tries of Retry On Fail', async () => {
		sim.options.latencyMs = 1_000;
		sim.fault({ input: 'Lost.', connection: 'reset-after-work' });
		sim.fault({ input: 'Later.', status: 403 });
		const again = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { outputs } = await speak(['Lost.', 'Later.'], {}, again);
		expect(outputs[1][0].json.settle).toMatchObject({
			neighbours: { charged: 1, sent: [[1, 1, 1]] },
		});
	});

	test('segments of one text are neighbours, and each that is unknown is named', async () => {
		sim.options.latencyMs = 1_000;
		sim.fault({ input: 'One', connection: 'reset-after-work' });
		sim.fault({ input: 'Two', connection: 'stall' });
		const text = 'One is here. Two is here. Three is here.';
		const { outputs } = await speak([text], { maxSegmentCharacters: 15 });
		const { neighbours, otherUnknown } = outputs[1][0].json.settle as IDataObject;
		expect(neighbours).toMatchObject({ charged: 1, unknown: 1 });
		expect(otherUnknown).toMatchObject([{ reason: 'client_timeout', neighbours: { charged: 1 } }]);
	});
});

describe('account.settle', () => {
	/** Something that another client did an hour before. */
	const old = () => ({
		created_at: Math.floor(clock.now() / 1000) - 3600,
		type: 2,
		model_name: 'other',
		quota: 1,
		use_time: 1,
	});
	/** Four items, given up after 5 s: two were answered, one was charged, one was not. */
	const makeUnknown = async (aheadSeconds = 0) => {
		sim.options.usageLog = { aheadSeconds };
		sim.options.latencyMs = ({ input }) => (input === 'Charged.' ? 8_000 : 1_000);
		sim.fault({ input: 'Not charged.', connection: 'stall', charge: false });
		const words = ['Said.', 'Charged.', 'Said again.', 'Not charged.'];
		const { outputs } = await speak(words, { concurrency: 1 });
		sim.options.usageLog = { others: [old()] };
		return outputs[1].map(({ json, binary }) => ({ json, ...(binary && { binary }) }));
	};
	/** What is said of items, with what Settle says beside it, in the field of both. */
	const settle = async (
		items: Array<{ json: IDataObject }>,
		options: IDataObject = {},
		more: Partial<EngineRun> = {},
	) => {
		const inField = items.map(({ json, ...item }) => ({ ...item, json: { speech: json } }));
		const result = await account('settle', { items: inField, ...more }, options);
		const outputs = result.left.map((output) => output.map(told({ resource: 'speech' })));
		return { ...result, outputs };
	};
	const verdicts = ({ outputs }: Awaited<ReturnType<typeof settle>>) =>
		outputs[0]?.map(({ json }) => json.charged);
	const looks = () => sim.requests.filter(({ path }) => path === '/api/log/token');
	const logFault = (fault: Fault) => sim.fault({ path: '/api/log/token', ...fault });

	test.each([0, 300, -300])(
		'waits until it is certain, reads once, and tells; the gateway’s clock is %i s ahead',
		async (aheadSeconds) => {
			const items = await makeUnknown(aheadSeconds);
			sim.options.usageLog = {
				aheadSeconds,
				others: [{ ...old(), created_at: old().created_at + aheadSeconds }],
			};
			const result = await settle(items);
			expect(result.outputs).toHaveLength(1);
			const why = expect.stringContaining('may be for this request or another');
			expect(result.outputs[0]).toMatchObject([
				{ json: { ...items[0].json, charged: 'unknown', why } },
				{ json: { ...items[1].json, charged: 'no', why: expect.any(String) } },
			]);
			// What people look for comes first.
			expect(Object.keys(result.outputs[0][0].json).slice(0, 2)).toEqual(['charged', 'why']);
			expect(looks()).toHaveLength(1);
			const ended = Date.parse(String(items[1].json.endedAt));
			expect(looks()[0].at).toBeGreaterThanOrEqual(ended + 180_000);
			expect(sim.requests.filter(({ method }) => method !== 'GET')).toHaveLength(4);
		},
	);

	test('without the wait, it is too early for a no', async () => {
		const result = await settle(await makeUnknown(), { waitUntilCertain: false });
		expect(verdicts(result)).toEqual(['unknown', 'unknown']);
		expect(result.outputs[0][1].json.why).toMatch(/^Too early.*Ask again at \d{4}-/);
	});

	test('Max Wait ends the wait', async () => {
		const result = await settle(await makeUnknown(), { maxWait: 10 });
		expect(verdicts(result)).toEqual(['unknown', 'unknown']);
		expect(result.outputs[0][1].json.why).toMatch(/^Too early/);
	});

	test.each<[string, () => void, RegExp]>([
		[
			'no log',
			() => (sim.options.usageLog = { kept: false }),
			/has no usage log at http.*token\.$/,
		],
		['a page', () => logFault({ status: 200, body: '<html>' }), /has no usage log/],
		['refused', () => logFault({ status: 401 }), /could not be read: .*\(401\)\.$/],
		['an empty list', () => (sim.options.usageLog = { bearer: false }), /^The log is empty\.$/],
		[
			'no date',
			() => (sim.options.usageLog = { others: [old()], withoutDate: true }),
			/what time it is there/,
		],
	])('%s: all stay unknown, with a hint', async (_, make, why) => {
		const items = await makeUnknown();
		make();
		const result = await settle(items);
		expect(verdicts(result)).toEqual(['unknown', 'unknown']);
		expect(result.outputs[0][0].json.why).toMatch(why);
		if (!/time/.test(why.source)) expect(result.hints.join()).toMatch(/log/);
	});

	test('the newest 100 only: what came before is unknown', async () => {
		const items = await makeUnknown();
		const newest = Array.from({ length: 100 }, () => ({ ...old(), created_at: 4e9 }));
		sim.options.usageLog = { others: [old(), ...newest] };
		expect(verdicts(await settle(items))).toEqual(['unknown', 'unknown']);
	});

	test('Key in Address: for a gateway that needs it, and nowhere to be seen', async () => {
		const items = await makeUnknown();
		sim.options.usageLog = { others: [old()], bearer: false };
		const result = await settle(items, { keyInAddress: true });
		expect(verdicts(result)).toEqual(['unknown', 'no']);
		expect(looks()[0].query.key).toBe(sim.apiKey);
		logFault({ redirect: `${sim.url}/api/log/token?key=${sim.apiKey}` });
		const refused = await settle(items, { keyInAddress: true });
		expect(verdicts(refused)).toEqual(['unknown', 'unknown']);
		logFault({ connection: 'reset-before-work' });
		const lost = await settle(items, { keyInAddress: true });
		expect(looks()).toHaveLength(3);
		expect(JSON.stringify([result, refused, lost])).not.toContain(sim.apiKey);
	});

	test('a job that was accepted was charged', async () => {
		const [{ json }] = await makeUnknown();
		const result = await settle([{ json: { ...json, jobId: 'spj_1' } }]);
		expect(verdicts(result)).toEqual(['yes']);
	});

	/** A 504, which the gateway charges for, and whose request ID its log has. */
	const makeCharged = async () => {
		sim.fault({ input: 'Unsure.', status: 504, charge: true });
		const { outputs } = await speak(['Unsure.']);
		sim.options.usageLog = { others: [old()], ids: true };
		return { json: outputs[1][0].json };
	};

	test('a request whose ID is in the log was charged', async () => {
		const { json } = await makeCharged();
		const result = await settle([{ json }]);
		const logEntry = {
			at: expect.any(String),
			seconds: 0,
			quota: expect.any(Number),
			requestId: json.requestId,
		};
		expect(result.outputs[0][0].json).toMatchObject({ ...json, charged: 'yes', logEntry });
	});

	/** A lost connection, and nothing in the log that is not another's. */
	const makeLost = async () => {
		sim.fault({ input: 'Lost.', connection: 'reset-before-work' });
		const { outputs } = await speak(['Said.', 'Lost.'], { concurrency: 1 });
		return [{ json: outputs[1][0].json }];
	};

	test.each<[string, object, string]>([
		['the log has all that the key has used', {}, 'no'],
		['the gateway keeps what it had set aside', { keeps: 1 }, 'unknown'],
		['the gateway does not say what the key has used', { total: false }, 'unknown'],
	])('a lost connection: %s', async (_, usageLog, charged) => {
		const items = await makeLost();
		sim.options.usageLog = { others: [old()], ...usageLog };
		const result = await settle(items);
		expect(verdicts(result)).toEqual([charged]);
		if (charged === 'unknown')
			expect(result.outputs[0][0].json.why).toContain('may have been restarted');
	});

	test('what the key has used is asked for only where the log alone proves nothing', async () => {
		await settle(await makeUnknown());
		expect(sim.requests.map(({ path }) => path)).not.toContain('/api/usage/token/');
	});

	test('a log that is shown no more (429) is told at once, with the time', async () => {
		const items = await makeUnknown();
		logFault({ status: 429, times: 2 });
		const { outputs, hints } = await settle(items, { maxRetries: 4 });
		expect(outputs[0].map(({ json }) => json.charged)).toEqual(['unknown', 'unknown']);
		expect(outputs[0][0].json.why).toMatch(/too often \(429\)\. Ask again at \d{4}-.*Z\.$/);
		expect(hints.join()).toContain('Ask again at');
		expect(looks()).toHaveLength(1);
	});

	test('a request with an ID of its own, while others use the key', async () => {
		sim.fault({ input: 'Unsure.', status: 504, charge: false });
		const { outputs } = await speak(['Said.', 'Unsure.']);
		const other = { created_at: Math.floor(clock.now() / 1000), request_id: 'req_other' };
		sim.options.usageLog = { ids: true, others: [old(), { ...old(), ...other }] };
		const result = await settle([{ json: outputs[1][0].json }]);
		expect(verdicts(result)).toEqual(['no']);
		sim.options.usageLog.others![1].request_id = undefined;
		const unclear = await settle([{ json: result.outputs[0][0].json }]);
		const at = new Date(other.created_at * 1000).toISOString();
		expect(unclear.outputs[0][0].json).toMatchObject({
			charged: 'unknown',
			candidates: [{ at, seconds: 1, quota: 1 }],
		});
		const [, own] = sim.requests;
		sim.options.usageLog.others = [old(), { ...old(), type: 5, request_id: own.requestId }];
		const failed = await settle([{ json: unclear.outputs[0][0].json }]);
		expect(failed.outputs[0][0].json).toMatchObject({ charged: 'no' });
		expect(failed.outputs[0][0].json).not.toHaveProperty('candidates');
	});

	test('several unknown segments: charged if one was', async () => {
		const [, not] = await makeUnknown();
		const charged = await makeCharged();
		const both = (one: IDataObject, other: IDataObject) => ({
			json: { ...one, settle: { ...(one.settle as IDataObject), otherUnknown: [other] } },
		});
		const items = [both(not.json, charged.json), both(not.json, not.json)];
		expect(verdicts(await settle(items))).toEqual(['yes', 'unknown']);
	});

	test('an item from a table, and one whose neighbours are not known', async () => {
		const [charged, not] = await makeUnknown();
		const asText = ({ json }: typeof charged) => ({ json: { speech: JSON.stringify(json) } });
		const fromTable = await account('settle', { items: [asText(charged), asText(not)] });
		const [cells] = fromTable.outputs;
		expect(cells.map(({ json }) => (json.speech as IDataObject).charged)).toEqual([
			'unknown',
			'no',
		]);
		const alone = { json: { ...charged.json, settle: undefined } };
		expect(verdicts(await settle([alone]))).toEqual(['unknown']);
	});

	test('an item with several: the latest, in its own field', async () => {
		const [, { json }] = await makeUnknown();
		const earlier = { ...json, sentAt: '2020-01-01T00:00:00.000Z', jobId: 'job-1' };
		const items = [
			{ json: { chat: earlier, speech: json, text: 'A row.' } },
			{ json: { speech: earlier, chat: json } },
			{ json: { speech: earlier, error: json } },
			{ json: { error: { ...json, operation: 'chat.complete' }, speech: earlier } },
			{ json: { error: { message: 'Another node has failed.' }, speech: json } },
		];
		const { left } = await account('settle', { items });
		const charged = expect.objectContaining({ charged: 'no', why: expect.any(String) });
		expect(left[0].map((one) => one.json)).toEqual([
			{ chat: earlier, speech: charged, text: 'A row.' },
			{ speech: earlier, chat: charged },
			{ speech: charged },
			{ speech: earlier, chat: charged },
			{ speech: charged },
		]);
	});

	describe('a charge that is not where it is expected', () => {
		const LOST = ['Said.', 'Lost.', 'Said again.'];
		/** The answer of the second item is lost, though it was charged. */
		const lose = async (words = LOST) => {
			sim.options.latencyMs = 1_000;
			sim.fault({ input: 'Lost.', connection: 'reset-after-work' });
			const { outputs } = await speak(words, { concurrency: 1, timeout: 30 });
			sim.options.usageLog.others = [old()];
			return outputs[1].map(({ json }) => ({ json }));
		};

		const CIRCUMSTANCES: Array<[string, string[], () => void]> = [
			['held for 4 s', LOST, () => (sim.options.holdMs = 4_000)],
			['held for 20 s', LOST, () => (sim.options.holdMs = 20_000)],
			['held for 20 s, alone', ['Lost.'], () => (sim.options.holdMs = 20_000)],
			[
				'only this one was held',
				LOST,
				() => (sim.options.holdMs = ({ input }) => (input === 'Lost.' ? 9_000 : 0)),
			],
			['a log that is late', ['Lost.'], () => (sim.options.usageLog = { logAheadSeconds: -3 })],
			['a minute late', ['Lost.'], () => (sim.options.usageLog = { logAheadSeconds: -60 })],
			['early', ['Lost.'], () => (sim.options.usageLog = { logAheadSeconds: 45 })],
			['late, beside others', LOST, () => (sim.options.usageLog = { logAheadSeconds: -20 })],
			['another name', LOST, () => (sim.options.usageLog = { nameOf: () => 'FISH-SPEECH' })],
			['a mapped name', LOST, () => (sim.options.usageLog = { nameOf: () => 'tts-1' })],
			['missing, as others are', LOST, () => (sim.options.usageLog = { lacks: () => true })],
		];

		test.each(CIRCUMSTANCES)('is never a no: %s', async (_, words, make) => {
			make();
			expect(verdicts(await settle(await lose(words)))).not.toContain('no');
		});

		test.each(CIRCUMSTANCES)('the example pays for no row twice: %s', async (_, words, make) => {
			const { nodes } = JSON.parse(await readFile('examples/settle-unknown.json', 'utf8')) as {
				nodes: Array<{ name: string; parameters: IDataObject }>;
			};
			const parametersOf = (name: string) =>
				JSON.parse(
					JSON.stringify(nodes.find((node) => node.name === name)!.parameters).replaceAll(
						"$('Rows').item.json",
						'$json',
					),
				) as IDataObject;
			const rows = [...words, 'Not charged.'].map((text) => ({
				json: { text, id: crypto.randomUUID() },
			}));
			make();
			sim.fault({ input: /^Lost/, connection: 'reset-after-work' });
			sim.fault({ input: 'Not charged.', connection: 'reset-before-work' });
			const narrated = await run(parametersOf('Narrate'), { items: rows });
			sim.options.usageLog.others = [old()];
			const items = narrated.left[1].map(({ json }) => ({ json }));
			const settled = await run(parametersOf('Settle'), { items });
			const says = told({ resource: 'speech' });
			const notCharged = settled.left[0].map(says).filter(({ json }) => json.charged === 'no');
			const again = rows
				.filter(({ json: { text } }) => notCharged.some(({ json }) => json.input === text))
				// Another node has keys of its own.
				.map(({ json }) => ({ json: { ...json, id: crypto.randomUUID() } }));
			if (again.length > 0) await run(parametersOf('Narrate again'), { items: again });
			const paid = sim.charges.map(({ input }) => input);
			expect(new Set(paid).size).toBe(paid.length);
		});

		test('is never a no: a clock that was set since it was sent', async () => {
			const items = await lose();
			sim.options.usageLog.aheadSeconds = 90;
			expect(verdicts(await settle(items))).toEqual(['unknown']);
		});

		test('another account was charged', async () => {
			const items = await lose(['Lost.']);
			const { apiKey } = sim.addAccount();
			expect(verdicts(await settle(items, {}, { apiKey }))).toEqual(['unknown']);
			sim.charges.length = 0;
			expect(verdicts(await settle(items))).toEqual(['no']);
		});

		test('an answer with success is never a no', async () => {
			sim.fault({ input: 'Lost.', corrupt: true });
			const items = await lose(['Lost.']);
			sim.options.usageLog.lacks = () => true;
			const result = await settle(items);
			expect(result.outputs[0][0].json).toMatchObject({
				reason: 'damaged_response',
				charged: 'unknown',
				why: expect.stringContaining('answered with success'),
			});
		});

		test('an item of the form before: what is left to explain stays unknown', async () => {
			const [{ json }] = await lose();
			const before: IDataObject = { ...json, settle: { neighbours: { charged: 2, unknown: 0 } } };
			expect(verdicts(await settle([{ json: before }]))).toEqual(['unknown']);
			sim.charges.length = 0;
			expect(verdicts(await settle([{ json: before }]))).toEqual(['no']);
		});
	});

	test.each([
		[{}, '"outcome"'],
		[{ outcome: 'unknown' }, '"reason", "model", "sentAt", "endedAt"'],
	])('%j is no Unknown item', async (json, missing) => {
		const [{ json: good }] = await makeUnknown();
		const items = [{ json }, { json: good }];
		const result = await settle(items, {}, { onError: 'continueRegularOutput' });
		const message = `This is no item from the branch "Unknown": it has no ${missing}`;
		expect(result.outputs[0]).toMatchObject([
			{ json: { error: { message } } },
			{ json: { charged: 'unknown' } },
		]);
	});
});

test.each([
	['speech.generate', 0],
	['speech.dialogue', '0'],
	['speech.estimate', 0],
	['speechJob.create', '={{ 1 - 1 }}'],
])(
	'%s: a price factor of %j is an error before anything is sent',
	async (name, modelMultiplier) => {
		const [resource, operation] = name.split('.');
		const { error } = await run(
			speechNode(
				{ modelMultiplier },
				fitting(resource, operation, {
					text: 'Good morning!',
					script: 'Ben: Good morning!',
					speakers: { values: [{ name: 'Ben', voice: 'default' }] },
				}),
			),
		);
		expect(error?.message).toContain('"Price Factor" must be a number of at least 0.0001');
		expect(sim.requests).toEqual([]);
	},
);
