/** Who pays: n8n resolves expressions in the credential by item, so the rows of a run may be those of several accounts. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { accountName } from '../../../nodes/SpeechGateway/core/accountName';
import { useVirtualTime } from '../../support/clock';
import { type Simulator, startSimulator } from '../../support/simulator';
import {
	type EngineResult,
	type EngineRun,
	item,
	jobNode,
	runNode,
	saved,
	speechNode,
} from '../support';

useVirtualTime();

/** Two gateways; the second account of the first is another customer's. */
let sim: Simulator;
let other: Simulator;
let customer: Simulator['accounts'][number];
beforeEach(async () => {
	sim = await startSimulator({ latencyMs: 10, jobSeconds: 60 });
	other = await startSimulator({ latencyMs: 10, jobSeconds: 60 });
	customer = sim.addAccount();
});
afterEach(async () => {
	await sim.close();
	await other.close();
});

const BY_ROW = { apiKey: '={{ $json.key }}', baseUrl: '={{ $json.address }}/v1' };
const own = (text: string, more: IDataObject = {}) =>
	item({ text, key: sim.apiKey, address: sim.url, ...more });
const theirs = (text: string, more: IDataObject = {}) =>
	own(text, { key: customer.apiKey, ...more });
const elsewhere = (text: string) => own(text, { key: other.apiKey, address: other.url });

const run = async (items: INodeExecutionData[], more: Partial<EngineRun> = {}) =>
	await runNode({
		parameters: speechNode({ concurrency: 2 }),
		items,
		url: sim.url,
		apiKey: sim.apiKey,
		credential: () => BY_ROW,
		onError: 'continueErrorOutput',
		...more,
	});
const paidBy = ({ account }: { account: string }, gateway = sim) =>
	gateway.charges.filter((charge) => charge.account === account).map(({ input }) => input);
const posts = (gateway = sim) => gateway.requests.filter(({ method }) => method === 'POST');
const errorsOf = ({ outputs }: EngineResult) =>
	(outputs.at(-1) ?? []).map(({ json }) => json.error as IDataObject & { message: string });

test('each row pays with its own key, at its own gateway', async () => {
	const items = [own('One.'), theirs('Two.'), elsewhere('Three.'), theirs('Four.')];
	const { outputs } = await run(items);
	expect(outputs.map(({ length }) => length)).toEqual([4, 0, 0]);
	expect(paidBy(sim.accounts[0])).toEqual(['One.']);
	expect(paidBy(customer)).toEqual(['Two.', 'Four.']);
	expect(paidBy(other.accounts[0], other)).toEqual(['Three.']);
});

test('the credential is looked at once for the rows that share it, and for each row where it may differ', async () => {
	let readings = 0;
	const reading = (credential: { apiKey: string; baseUrl: string }) => () => {
		readings++;
		return credential;
	};
	const items = Array.from({ length: 20 }, (_, index) => own(`Sentence ${index}.`));
	const same = { apiKey: sim.apiKey, baseUrl: sim.url };
	await run(items, { credential: reading(same) });
	expect(readings).toBe(2);
	readings = 0;
	const credential = reading({ ...same, baseUrl: '=http://{{ $vars.host }}' });
	await run(items, { credential });
	expect(readings).toBe(2);
	readings = 0;
	await run(items, { credential: reading(BY_ROW) });
	expect(readings).toBe(21);
});

const rows = (make: typeof own, count: number) =>
	Array.from({ length: count }, (_, index) => make(`Sentence ${index} of ${make.name}.`));

describe('what a gateway refuses one account', () => {
	test('too little money ends the rows of that account only', async () => {
		customer.balanceTokens = 0;
		const items = [...rows(theirs, 3), ...rows(own, 10), ...rows(elsewhere, 3)];
		const result = await run(items);
		expect(result.outputs.map(({ length }) => length)).toEqual([13, 0, 3]);
		for (const { message } of errorsOf(result)) expect(message).toContain('balance is too low');
		expect(paidBy(sim.accounts[0])).toHaveLength(10);
	});

	test('nor in the next round of a loop', async () => {
		customer.balanceTokens = 0;
		const rounds = [theirs('One.'), own('Two.'), theirs('Three.'), own('Four.')].map((row) => [
			row,
		]);
		const result = await run([], { rounds, items: undefined });
		const ends = result.rounds.map((outputs) => outputs.map(({ length }) => length));
		expect(ends).toEqual([
			[0, 0, 1],
			[1, 0, 0],
			[0, 0, 1],
			[1, 0, 0],
		]);
		// The refused account is not asked again.
		expect(posts()).toHaveLength(3);
	});

	test('nor after another account has met something else', async () => {
		customer.balanceTokens = 0;
		other.fault({ status: 504 });
		const rounds = [theirs('One.'), elsewhere('Two.'), theirs('Three.')].map((row) => [row]);
		const result = await run([], { rounds, items: undefined });
		const ends = result.rounds.map((outputs) => outputs.map(({ length }) => length));
		expect(ends).toEqual([
			[0, 0, 1],
			[0, 1, 0],
			[0, 0, 1],
		]);
		expect(posts()).toHaveLength(1);
	});

	test('a bad key ends its own row', async () => {
		const items = [own('One.'), own('Two.', { key: 'sk-mistyped-by-hand' }), own('Three.')];
		const result = await run(items);
		expect(result.outputs.map(({ length }) => length)).toEqual([2, 0, 1]);
		expect(errorsOf(result)[0].message).toContain('does not accept the API key (401)');
	});

	test('a 429 holds back its own rows only', async () => {
		other.fault({ status: 429, headers: { 'retry-after': '60' }, nth: 1 });
		const items = [...rows(elsewhere, 4), ...rows(own, 4)];
		const parameters = speechNode({ concurrency: 4, maxRetries: 1 });
		const { outputs } = await run(items, { parameters });
		expect(outputs[0]).toHaveLength(8);
		const [first] = posts(other);
		for (const { at } of posts()) expect(at - first.at).toBeLessThan(30_000);
	});
});

test('an outage at one gateway ends its rows only; what is unknown says which account may have paid', async () => {
	other.fault({ status: 504, times: Infinity });
	const items = [...rows(elsewhere, 10), ...rows(own, 10)];
	const result = await run(items);
	const [done, unknown, failed] = result.outputs;
	expect(done).toHaveLength(10);
	expect(unknown.length).toBeLessThanOrEqual(4);
	expect(unknown.length + failed.length).toBe(10);
	expect(posts(other)).toHaveLength(unknown.length);
	for (const { message } of errorsOf(result))
		expect(message).toContain(`the outcome of ${unknown.length} items is unknown`);
	const names = new Set(unknown.map(({ json }) => (json.settle as IDataObject).paidBy));
	expect([...names]).toEqual([accountName(other.apiKey, other.url)]);
	for (const { json } of [...done, ...failed]) expect(JSON.stringify(json)).not.toContain('paidBy');
});

test("a Send Once Key is its account's own where the credential differs by row", async () => {
	for (const whenSentBefore of ['again', 'unknown']) {
		const parameters = speechNode({ sendOnceKey: `a row ${whenSentBefore}`, whenSentBefore });
		for (const output of [0, whenSentBefore === 'again' ? 0 : 1]) {
			const { outputs } = await run([own('One.'), theirs('One.')], { parameters });
			expect(outputs.map(({ length }) => length)).toEqual(output === 0 ? [2, 0, 0] : [0, 2, 0]);
		}
	}
	expect(paidBy(sim.accounts[0])).toEqual(['One.', 'One.']);
	expect(paidBy(customer)).toEqual(['One.', 'One.']);
});

test('what is unknown names neighbours of its own account alone', async () => {
	sim.fault({ input: 'Two.', status: 504, charge: true });
	const items = [own('One.'), theirs('Two.'), own('Three.'), theirs('Four.')];
	const { outputs } = await run(items, { parameters: speechNode({ concurrency: 1 }) });
	expect(outputs[1].map(({ json }) => json.settle)).toMatchObject([
		{ neighbours: { charged: 1, unknown: 0 } },
	]);
});

describe.each([undefined, '', ' '])('a row without a value for its key: %j', (key) => {
	const items = () => [own('One.'), own('Two.', { key }), own('Three.')];

	test('is an error of that row', async () => {
		const result = await run(items());
		expect(result.outputs.map(({ length }) => length)).toEqual([2, 0, 1]);
		expect(errorsOf(result)[0].message).toBe('The API key in the credential has no value');
		expect(posts()).toHaveLength(2);
	});

	test('in stop mode, nothing is sent', async () => {
		const { error } = await run(items(), { onError: undefined });
		expect(error?.message).toContain('has no value (item 2 of 3)');
		expect(posts()).toEqual([]);
	});
});

test('no key appears anywhere, whichever row its gateway names it to', async () => {
	const message = `Keys in use: ${sim.apiKey}, ${customer.apiKey}`;
	sim.fault({ status: 422, body: { error: { message } }, input: 'Two.' });
	const apiKey = `={{ $json.isTheirs ? "${customer.apiKey}" : "${sim.apiKey}" }}`;
	const items = [item({ text: 'One.', isTheirs: true }), item({ text: 'Two.' })];
	const result = await run(items, { credential: () => ({ apiKey, baseUrl: sim.url }) });
	expect(errorsOf(result)[0].message).toContain('422');
	expect(JSON.stringify(errorsOf(result))).toContain('Keys in use');
	expect(JSON.stringify(result.run)).not.toContain(customer.apiKey);
	expect(JSON.stringify(result.run)).not.toContain(sim.apiKey);
});

describe('what is looked up once a run, is looked up for each account', () => {
	test('the voice of a title', async () => {
		for (const { account } of [sim.accounts[0], customer])
			sim.voices.push({ account, _id: `of-${account}`, title: 'Anna', created_at: 0, size: 1 });
		const byTitle = { voice: { __rl: true, mode: 'title', value: 'Anna' } };
		const parameters = speechNode({ concurrency: 1 }, byTitle);
		const { outputs } = await run([own('One.'), theirs('Two.'), own('Three.')], { parameters });
		const voices = [sim.accounts[0], customer, sim.accounts[0]].map((one) => `of-${one.account}`);
		expect(outputs[0].map(({ json }) => json.voice)).toEqual(voices);
		expect(sim.requests.filter(({ method }) => method === 'GET')).toHaveLength(2);
	});

	test('prices', async () => {
		const parameters = { resource: 'account', operation: 'getPrices', options: {} };
		await run([own(''), elsewhere(''), own('')], { parameters });
		expect([sim, other].map(({ requests }) => requests.length)).toEqual([1, 1]);
	});

	test('the usage log', async () => {
		sim.fault({ input: 'One.', status: 504, charge: false });
		sim.fault({ input: 'Two.', status: 504, charge: true });
		const { left } = await run([own('One.'), theirs('Two.')]);
		const hourAgo = Math.floor(Date.now() / 1000) - 3600;
		const old = { type: 2, model_name: 'other', quota: 1, use_time: 1, created_at: hourAgo };
		sim.options.usageLog = { others: [old], ids: true };
		const parameters = { resource: 'account', operation: 'settle', options: {} };
		const settled = await run(left[1], { parameters });
		const verdicts = settled.left[0].map(({ json }) => (json.speech as IDataObject).charged);
		expect(verdicts).toEqual(['no', 'yes']);
	});
});

describe('what one account has begun', () => {
	const waiting = { parameters: jobNode({ maxWait: 1 }), onError: undefined };
	const begun = async () => {
		const failed = await run([own('A job.')], waiting);
		expect(failed.error?.message).toContain('is still');
		return saved(failed.run);
	};
	const asNow = (credential: { apiKey: string; baseUrl: string }) => ({
		parameters: jobNode(),
		onError: undefined,
		mode: 'retry' as const,
		credential: () => credential,
	});

	test("is never asked for at another address: there, the same ID is somebody else's", async () => {
		const retryOf = await begun();
		other.jobs.push({ ...sim.jobs[0], account: other.accounts[0].account, readyAt: 0 });
		const credential = { apiKey: other.apiKey, baseUrl: other.url };
		const { error } = await run([own('A job.')], { ...asNow(credential), retryOf });
		expect(error?.message).toContain(
			`Another credential, for another base URL, made "${sim.jobs[0].id}"`,
		);
		expect(error?.context).toMatchObject({ jobId: sim.jobs[0].id });
		expect(other.requests).toEqual([]);
		expect(sim.charges).toHaveLength(1);
	});

	test('is told from what another gateway has given the same ID', async () => {
		const body = { id: 7, object: 'speech.job', status: 'queued' };
		for (const gateway of [sim, other])
			gateway.fault({ method: 'POST', status: 200, charge: true, body });
		const parameters = { ...jobNode(), operation: 'create' };
		const { outputs } = await run([own('One.'), elsewhere('Two.')], { parameters });
		expect(outputs[0].map(({ json }) => json.id)).toEqual(['7', '7']);
	});

	test.each([403, 404])(
		'is asked for with another key of the same gateway, whose %i says so',
		async (status) => {
			const retryOf = await begun();
			const replaced = { apiKey: customer.apiKey, baseUrl: sim.url };
			sim.fault({ method: 'GET', apiKey: customer.apiKey, status });
			const refused = await run([own('A job.')], {
				...asNow(replaced),
				retryOf: structuredClone(retryOf),
			});
			expect(refused.error?.message).toContain(`(${status}): another API key made it`);
			expect(refused.error?.context).toMatchObject({ jobId: sim.jobs[0].id });
			sim.jobs[0].account = customer.account;
			const { outputs } = await run([own('A job.')], { ...asNow(replaced), retryOf });
			expect(outputs[0]).toHaveLength(1);
			expect(sim.charges).toHaveLength(1);
		},
	);
});

test('a key that was rotated: a retry with the new one sends only what is left, and the keys of rows hold', async () => {
	const parameters = speechNode({ concurrency: 1, sendOnceKey: '={{ $json.text }}' });
	const plain = (apiKey: string) => ({
		parameters,
		onError: undefined,
		credential: () => ({ apiKey, baseUrl: sim.url }),
	});
	const rows = [own('One.'), own('Two.')];
	sim.fault({ input: 'Two.', status: 401 });
	const failed = await run(rows, plain(sim.apiKey));
	expect(failed.error).toBeDefined();
	const retry = { ...plain(customer.apiKey), mode: 'retry' as const, retryOf: saved(failed.run) };
	expect((await run(rows, retry)).outputs[0]).toHaveLength(2);
	expect(sim.charged()).toEqual(['One.', 'Two.']);
	expect((await run(rows, plain(customer.apiKey))).outputs[1]).toHaveLength(2);
	expect(sim.charges).toHaveLength(2);
});

test("an agent's tool call is another one with another account", async () => {
	const call = { asTool: true, onError: undefined } as const;
	const rounds = [[own('The same.')], [theirs('The same.')], [own('The same.')]];
	const { rounds: answers } = await run([], { ...call, rounds, items: undefined });
	expect(answers.map(([items]) => items.length)).toEqual([1, 1, 1]);
	expect(sim.charges.map(({ account }) => account)).toEqual(['account-1', customer.account]);
});
