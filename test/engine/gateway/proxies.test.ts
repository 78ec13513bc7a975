import { type Proxy, type ProxyName, startProxy, type Wish } from '../../support/proxies';
import { renderAudio } from '../../support/simulator/audio';
import {
	item,
	readStored,
	runNode,
	speechNode,
	texts,
	useSimulator,
	type EngineRun,
} from '../support';

/** What real proxies in front of the gateway make of answers, and of those that do not come. Real time: they have their own. */
const sim = useSimulator({ latencyMs: 1, jobSeconds: 0, secondsPerCharacter: 1 }, 'real');

let proxy: Proxy | undefined;
afterEach(async () => {
	await proxy?.stop();
	proxy = undefined;
});

const speech = speechNode({ maxRetries: 2, longText: 'single' });
const posts = () => sim.requests.filter(({ method }) => method === 'POST').length;

describe.each(['nginx', 'haproxy'] as ProxyName[])('%s', (name) => {
	async function run(wishes: Wish[], more: Partial<EngineRun> = {}) {
		proxy = await startProxy(name, sim.url, wishes);
		const items = [item({ text: 'Good morning.' })];
		return await runNode({
			parameters: speech,
			items,
			url: proxy.url,
			apiKey: sim.apiKey,
			...more,
		});
	}

	test('a file that it has compressed is whole', async () => {
		const { outputs } = await run(['gzip'], { parameters: { ...speech, responseFormat: 'wav' } });
		const [{ json, binary }] = outputs[0];
		const audio = Buffer.concat([...renderAudio('Good morning.', 13, 'wav').chunks()]);
		expect((await readStored(binary!.data)).equals(audio)).toBe(true);
		expect(json.bytes).toBe(audio.length);
		const models = await fetch(`${proxy!.url}/v1/models`, {
			headers: { authorization: `Bearer ${sim.apiKey}` },
		});
		expect(models.headers.get('content-encoding')).toBe('gzip');
	});

	test.each<Wish[][]>([[['gzip']], [['buffers']], [['no buffers']], [['gzip', 'no buffers']]])(
		'a file that breaks off is no whole one: %j',
		async (wishes) => {
			sim.fault({ path: '/v1/audio/speech', truncate: 'half' });
			const { outputs } = await run(wishes, { retryOnFail: true });
			expect(outputs[1][0].json).toMatchObject({ reason: 'damaged_response' });
			expect([posts(), sim.charges.length]).toEqual([1, 1]);
		},
	);

	test('a file whose rest is too slow for it is cut, and paid for', async () => {
		sim.fault({ path: '/v1/audio/speech', dripMs: 1_500 });
		const { outputs } = await run(['short time-outs', 'no buffers'], { retryOnFail: true });
		expect(outputs[1][0].json).toMatchObject({ outcome: 'unknown' });
		expect([posts(), sim.charges.length]).toEqual([1, 1]);
	});

	test.each([
		['502: the gateway is gone', { connection: 'reset-after-work' }, '502'],
		['504: the gateway is slow', { connection: 'stall' }, '504'],
	] as const)('%s; it may have charged, and is not asked again', async (_, fault, httpCode) => {
		sim.fault({ path: '/v1/audio/speech', ...fault, times: Infinity });
		const { outputs, error } = await run(['short time-outs'], { retryOnFail: true });
		expect(error).toBeUndefined();
		expect(outputs[1][0].json).toMatchObject({ reason: 'upstream_outcome_unknown', httpCode });
		expect(outputs[1][0].json.message).toMatch(/not the gateway's own answer|proxy|timed out/);
		expect([posts(), sim.charges.length]).toEqual([1, 1]);
	});

	test('503: its own limit goes to Unknown, and is not sent again', async () => {
		sim.fault({ path: '/v1/models', connection: 'stall' });
		proxy = await startProxy(name, sim.url, ['one at a time']);
		const hangUp = new AbortController();
		const first = fetch(`${proxy.url}/v1/models`, { signal: hangUp.signal });
		await sim.waitFor((requests) => requests.length === 1);
		const parameters = speechNode({ maxRetries: 10 });
		const items = [item({ text: 'Good morning.' })];
		const running = runNode({ parameters, items, url: proxy.url, apiKey: sim.apiKey });
		await proxy.answered(503);
		hangUp.abort();
		await expect(first).rejects.toThrow();
		const { outputs } = await running;
		expect(outputs[1][0].json).toMatchObject({
			reason: 'upstream_outcome_unknown',
			httpCode: '503',
		});
		expect(posts()).toBe(0);
	});

	test('connections that it closes under the next request: every item comes out once, and none is charged twice', async () => {
		const { outputs } = await run(['short time-outs'], {
			parameters: speechNode({ maxRetries: 4, concurrency: 4 }),
			items: texts(40),
			onError: 'continueErrorOutput',
			retryOnFail: true,
		});
		expect(outputs.flat()).toHaveLength(40);
		const charged = sim.charged();
		expect(new Set(charged).size).toBe(charged.length);
		expect(outputs[0].length + outputs[1].length).toBeGreaterThanOrEqual(charged.length);
	});
});
