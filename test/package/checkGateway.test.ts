import { checkGateway, type CheckOptions, type Finding } from '../../scripts/checkGateway';
import { type Fault, type Simulator, startSimulator } from '../support/simulator';

let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator({ latencyMs: 1, jobSeconds: Infinity });
	// A job is done once it has been looked at, however long that takes.
	sim.on('response', ({ path }) => {
		if (/\/jobs\/[^/]+$/.test(path)) sim.finish();
	});
});
beforeEach(() => sim.reset());
afterAll(async () => await sim.close());

const BUDGET = 2000;

async function check(options: Partial<CheckOptions> = {}) {
	return await checkGateway({
		apiKey: sim.apiKey,
		baseUrl: `${sim.url}/v1/`,
		tokens: BUDGET,
		multiplier: 1,
		speechModel: 'fish-speech',
		pollMs: 5,
		timeoutMs: 300_000,
		log: () => {},
		...options,
	});
}

const charged = () => sim.charges.reduce((sum, { tokens }) => sum + tokens, 0);
const posts = () => sim.requests.filter(({ method }) => method === 'POST');
const TAGS = 'Tone tags in round and in square brackets';
/** All that is not as assumed; the simulator reads tags out, as a gateway should not. */
const others = (findings: Finding[]) =>
	findings.filter(({ asAssumed, question }) => asAssumed !== true && question !== TAGS);

/** What must hold whatever the gateway does. */
function expectCareful(findings: Finding[], spent: number, tokens: number) {
	expect(charged()).toBeLessThanOrEqual(spent);
	expect(spent).toBeLessThanOrEqual(tokens);
	const bodies = posts().map(({ path, body }) => JSON.stringify([path, body]));
	expect(bodies).toEqual([...new Set(bodies)]);
	expect(JSON.stringify(findings)).not.toContain(sim.apiKey);
}

test('a gateway that is as assumed: every question is asked, and what was made is deleted', async () => {
	const { findings, spent } = await check();
	expect(others(findings)).toEqual([]);
	expect(findings.length).toBeGreaterThanOrEqual(25);
	expect(findings.find(({ question }) => question === TAGS)).toMatchObject({
		found: 'round: 3.1 × as long, square: 3.1 × as long',
		asAssumed: false,
	});
	expect(sim.charges.map(({ kind }) => kind)).toEqual(
		expect.arrayContaining(['speech', 'job', 'voice', 'chat']),
	);
	expect(sim.voices).toEqual([]);
	expectCareful(findings, spent, BUDGET);
});

test.each([0, 60, 500, 1500])(
	'with a budget of %s tokens, it asks what that allows',
	async (tokens) => {
		const { findings, spent } = await check({ tokens });
		const skipped = findings.filter(({ asAssumed }) => asAssumed === undefined);
		expect(skipped.length).toBeGreaterThan(0);
		expect(others(findings)).toEqual(others(skipped));
		expectCareful(findings, spent, tokens);
		expect(tokens === 0 ? posts() : sim.voices).toEqual([]);
	},
);

const MISBEHAVIOURS: Record<string, Fault> = {
	'answers nothing, and charges': { method: 'POST', connection: 'stall' },
	'loses the connection after the work': { method: 'POST', connection: 'reset-after-work' },
	'answers with the page of a proxy, and charges': { status: 502, proxy: 'page', charge: true },
	'is asked too much': { status: 429, retryAfter: 0 },
	'sends rubbish': { corrupt: true },
	'breaks off': { truncate: 'half' },
	'redirects to somewhere else': { redirect: 'http://127.0.0.1:9/' },
	'repeats the key': { status: 400, body: { error: { message: 'KEY' } } },
};

test.each(Object.entries(MISBEHAVIOURS))(
	'a gateway that %s: nothing billed is sent twice',
	async (_, fault) => {
		const body = JSON.parse(JSON.stringify(fault.body ?? null).replace('KEY', sim.apiKey)) as
			| object
			| null;
		sim.fault({ ...fault, ...(body && { body }), times: Infinity });
		const { findings, spent } = await check({ timeoutMs: 200 });
		expect(others(findings).length).toBeGreaterThan(10);
		expectCareful(findings, spent, BUDGET);
	},
);

test.each([
	['gave no answer', { method: 'POST', connection: 'reset-after-work' }],
	['was answered with rubbish', { method: 'POST', corrupt: true }],
	[
		'was not deleted at first',
		{ method: 'DELETE', connection: 'reset-before-work', nth: 2, times: 2 },
	],
] as Array<[string, Fault]>)('a voice whose clone %s is deleted', async (_, fault) => {
	sim.fault({ path: /voices/, ...fault });
	const { findings, spent } = await check();
	expect(sim.charges.map(({ kind }) => kind)).toContain('voice');
	expect(sim.voices).toEqual([]);
	expectCareful(findings, spent, BUDGET);
});

test('a voice that cannot be deleted is named', async () => {
	sim.fault({ method: 'DELETE', status: 500, times: Infinity });
	const { findings } = await check();
	const found = findings.map((finding) => finding.found).join('\n');
	expect(found).toContain(`delete it yourself: ${sim.voices[0]._id}`);
});
