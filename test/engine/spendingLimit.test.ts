/** The spending limit counts what the node was, or may have been, charged in the whole execution. */
import { item, runnerOf, saved, speechNode, texts, useSimulator } from './support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 1, secondsPerCharacter: 0.1 });
const run = runnerOf(sim);

// A text like this one is estimated at 30 tokens, and charged 39: two seconds, and five tokens of text.
const rounds = [texts(1), texts(1), texts(1), texts(1)];
const limited = (maxEstimatedTokens: string | number | object, more = {}) =>
	speechNode({ maxEstimatedTokens, maxRetries: 0 }, more);
const messageOf = (json: unknown) => (json as { error: { message: string } }).error.message;

test('over the rounds of a loop, with what is spent and left', async () => {
	const { rounds: ran } = await run({
		...{ rounds, parameters: limited(100), onError: 'continueErrorOutput' },
	});
	expect(ran.map((outputs) => outputs.map(({ length }) => length))).toEqual([
		[1, 0, 0],
		[1, 0, 0],
		[0, 0, 1],
		[0, 0, 1],
	]);
	expect(messageOf(ran[2][2][0].json)).toMatch(
		/\(100\): this execution has spent 78 before, so 22 are left$/,
	);
	expect(sim.requests).toHaveLength(2);
});

test('what may have been charged counts by its estimate', async () => {
	sim.fault({ status: 504, charge: true });
	const { rounds: ran } = await run({
		...{ rounds, parameters: limited(100), onError: 'continueErrorOutput' },
	});
	expect(messageOf(ran[3][2][0].json)).toContain('has spent 108 before, so 0 are left');
	expect(sim.requests).toHaveLength(3);
});

test('in a retry, where the rest of a text that is paid for in part is within the limit', async () => {
	const text = `${'The first sentence stands here. '.repeat(2)}Another is the last.`;
	const options = { maxEstimatedTokens: 200, maxSegmentCharacters: 40, concurrency: 1 };
	const parameters = speechNode(options, { text });
	sim.fault({ input: 'Another', status: 402 });
	const first = await run({ parameters });
	expect(first.error?.message).toContain('402');
	const paid = sim.charges.length;
	expect(paid).toBeGreaterThan(0);
	const second = await run({ parameters, retryOf: saved(first.run), mode: 'retry' });
	expect(second.outputs[0]).toHaveLength(1);
	expect(sim.charges.length).toBe(paid + 1);
});

test('in the calls of an agent', async () => {
	const { rounds: ran } = await run({
		parameters: limited(60),
		asTool: true,
		onError: 'continueRegularOutput',
		rounds: [[item({ text: 'The first call here.' })], [item({ text: 'The other call here.' })]],
	});
	expect(ran[0][0][0].json.bytes).toBeGreaterThan(0);
	expect(messageOf(ran[1][0][0].json)).toContain('are left');
	expect(sim.requests).toHaveLength(1);
});

test('jobs by their characters', async () => {
	const parameters = limited(160, { resource: 'speechJob', operation: 'create' });
	const { rounds: ran } = await run({ rounds, parameters, onError: 'continueErrorOutput' });
	expect(ran.map(([success]) => success.length)).toEqual([1, 1, 0, 0]);
	expect(sim.charges).toHaveLength(2);
});
