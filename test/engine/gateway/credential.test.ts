/* The credential is read once for many requests, and again in a long run: a key may be replaced in between. */
import { useVirtualTime } from '../../support/clock';
import { type Simulator, startSimulator } from '../../support/simulator';
import { item, jobNode, runNode, saved, speechNode, texts } from '../support';

useVirtualTime();

const NEW_KEY = 'replaced-while-the-run-was-on-its-way';

let sim: Simulator;
beforeEach(async () => {
	sim = await startSimulator({ latencyMs: 10, jobSeconds: 60 });
});
afterEach(async () => await sim.close());

/** Runs the node; `read` is asked for the credential each time, and is told how often it was read before. */
async function runReading(
	parameters: Parameters<typeof runNode>[0]['parameters'],
	read: (before: number) => { apiKey: string; baseUrl: string },
	items = [item({ text: 'Hello.' })],
) {
	let readings = 0;
	const result = await runNode({
		parameters,
		items,
		url: sim.url,
		apiKey: sim.apiKey,
		credential: () => read(readings++),
	});
	return { ...result, readings };
}

const asItIs = () => ({ apiKey: sim.apiKey, baseUrl: sim.url });

/** The account gets another key, the old one is revoked. */
function replaceKey() {
	sim.accounts[0].apiKey = NEW_KEY;
}

test('it is read once for many requests', async () => {
	const { outputs, readings } = await runReading(speechNode(), asItIs, texts(20));
	expect(outputs[0]).toHaveLength(20);
	// Once as it is stored: it has no expressions.
	expect(readings).toBe(2);
});

test('a key that is replaced while a job is being waited for is used from then on, and appears nowhere', async () => {
	const { error, run, readings } = await runReading(jobNode(), (before) => {
		if (before === 1) {
			replaceKey();
			const body = { error: { message: `The key ${NEW_KEY} may not do this` } };
			sim.fault({ method: 'GET', status: 403, body, times: Infinity });
		}
		return asItIs();
	});
	expect(readings).toBeGreaterThan(1);
	expect(sim.requests.at(-1)?.headers.authorization).toBe(`Bearer ${NEW_KEY}`);
	expect(JSON.stringify(error)).toContain('may not access the job');
	expect(JSON.stringify(run)).not.toContain(NEW_KEY);
});

test.each([
	[
		'cannot be read',
		() => {
			throw new Error('the database is busy');
		},
	],
	['belongs to another gateway now', () => ({ apiKey: NEW_KEY, baseUrl: 'http://127.0.0.1:1' })],
])('a run goes on with the key that it has when the credential %s', async (_what, later) => {
	const { outputs, readings } = await runReading(jobNode(), (before) =>
		before === 0 ? asItIs() : later(),
	);
	expect(outputs[0]).toHaveLength(1);
	expect(readings).toBeGreaterThan(1);
	expect(sim.requests.every(({ status }) => status !== 401)).toBe(true);
});

test('a retry that has lost its credential names all jobs that are paid for', async () => {
	sim.fault({ method: 'GET', status: 401, times: 20 });
	const items = texts(2);
	const options = { parameters: jobNode(), items, url: sim.url, apiKey: sim.apiKey };
	const failed = await runNode(options);
	expect(failed.error?.message).toContain('401');
	const retryOf = saved(failed.run);
	const { error } = await runNode({ ...options, retryOf, mode: 'retry', noCredential: true });
	expect(error?.message).toMatch(/credentials$/);
	expect(error?.context?.jobIds).toEqual(sim.jobs.map(({ id }) => id));
	expect(sim.jobs).toHaveLength(2);
});

test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
	'%s: a node without a credential says where to choose one',
	async (onError) => {
		const parameters = speechNode();
		const items = [item({ text: 'Hello.' })];
		const options = { parameters, items, url: sim.url, apiKey: sim.apiKey, onError };
		const { error, outputs } = await runNode({ ...options, noCredential: true });
		expect(error ?? outputs[0][0].json.error).toMatchObject({
			message: expect.stringContaining('credentials'),
			description: expect.stringMatching(/^Choose or create .* Nothing was sent/),
		});
	},
);
