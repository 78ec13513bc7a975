import { checkGateway, type CheckOptions } from '../../scripts/checkGateway';
import { type DialectName, type Fault, type Simulator, startSimulator } from '../support/simulator';

let sim: Simulator;
beforeAll(async () => void (sim = await startSimulator({ latencyMs: 1 })));
beforeEach(() => {
	sim.options.dialect = 'document';
	sim.reset();
});
afterAll(async () => await sim.close());

async function check(options: Partial<CheckOptions> = {}) {
	const report = await checkGateway({
		apiKey: sim.apiKey,
		baseUrl: `${sim.url}/v1/`,
		model: 'fish-speech',
		tokens: 0,
		timeoutMs: 300_000,
		...options,
	});
	expect(JSON.stringify(report)).not.toContain(sim.apiKey);
	expect(report.length).toBeLessThan(24);
	return Object.fromEntries(report);
}
const posts = () => sim.requests.filter(({ method }) => method === 'POST');

const YES = expect.stringMatching(/^yes/) as string;

test.each<[DialectName, object]>([
	['document', { Gateway: "the API document's own", 'Speech jobs': YES, Voices: YES, Videos: YES }],
	['new-api', { Gateway: expect.stringContaining('new-api') as string, 'Price list': YES }],
	['one-api', { Gateway: expect.stringContaining('one-api') as string, 'Price list': 'no' }],
	['litellm', { Gateway: 'LiteLLM', 'Price list': 'no', 'Usage log': 'no' }],
])('%s: it is recognised, and told what it has, for nothing', async (dialect, expected) => {
	sim.options.dialect = dialect;
	const report = await check();
	const lacks = { 'Speech jobs': 'no', Voices: 'no', Videos: 'no' };
	expect(report).toMatchObject({ ...lacks, ...expected });
	expect(report.Speech).toMatch(/not asked/);
	expect(posts()).toEqual([]);
	expect(sim.charges).toEqual([]);
});

test('within a limit of tokens it speaks one word', async () => {
	expect((await check({ tokens: 100 })).Speech).toMatch(/bytes of mp3/);
	expect(sim.charges).toHaveLength(1);
	expect(sim.charges[0].tokens).toBeLessThan(100);
	sim.options.dialect = 'litellm';
	expect((await check({ tokens: 100 })).Speech).toMatch(/voice.*required/);
	expect((await check({ tokens: 100, voice: 'alloy' })).Speech).toMatch(/bytes of mp3/);
});

const MISBEHAVIOURS: Record<string, Fault> = {
	'answers nothing': { connection: 'stall' },
	'loses the connection': { connection: 'reset-after-work' },
	'answers with the page of a proxy': { status: 502, proxy: 'page' },
	'sends rubbish': { corrupt: true },
	'redirects to somewhere else': { redirect: 'http://127.0.0.1:9/' },
	'repeats the key': { status: 400, body: { error: { message: 'KEY' } } },
};

test.each(Object.entries(MISBEHAVIOURS))(
	'a gateway that %s: nothing is sent twice, and nothing taken for what it is not',
	async (_, fault) => {
		const body = JSON.parse(JSON.stringify(fault.body ?? null).replace('KEY', sim.apiKey)) as
			| object
			| null;
		sim.fault({ ...fault, ...(body && { body }), times: Infinity });
		const report = await check({ timeoutMs: 200, tokens: 100 });
		expect(Object.values(report).join()).not.toMatch(/yes|mp3/);
		expect(posts()).toHaveLength(1);
	},
);
