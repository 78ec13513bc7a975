/** The spending limit counts what the node was, or may have been, charged in the whole execution. */
import type { IExecuteFunctions, INodeType } from 'n8n-workflow';
import { SpeechGateway } from '../../../nodes/SpeechGateway/SpeechGateway.node';
import { item, runnerOf, saved, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 1, secondsPerCharacter: 0.1 });
const run = runnerOf(sim);

// A text like this one is estimated at 39 tokens, and charged that: two seconds, and five tokens of text.
const rounds = [texts(1), texts(1), texts(1), texts(1)];
const limited = (maxEstimatedTokens: string | number | object, more = {}) =>
	speechNode({ maxEstimatedTokens, maxRetries: 0 }, more);
const messageOf = (json: unknown) => (json as { error: { message: string } }).error.message;

test('over the rounds of a loop, with what is spent and left', async () => {
	const { rounds: ran } = await run({
		rounds,
		parameters: limited(100),
		onError: 'continueErrorOutput',
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
		rounds,
		parameters: limited(120),
		onError: 'continueErrorOutput',
	});
	expect(messageOf(ran[3][2][0].json)).toContain('has spent 117 before, so 3 are left');
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

test('a job that is on record is fetched, whatever is left of the limit', async () => {
	sim.fault({ path: /content$/, status: 403, body: { error: { message: 'Not now' } } });
	// Enough for one job.
	const parameters = limited(90, { resource: 'speechJob', operation: 'createAndWait' });
	const failed = await run({ parameters });
	expect(failed.error?.context?.jobId).toMatch(/^spj_/);
	const retryOf = saved(failed.run);
	const { outputs } = await run({ parameters, retryOf, mode: 'retry' });
	expect(outputs[0]).toHaveLength(1);
	expect(sim.charges).toHaveLength(1);
});

describe('a limit by an expression', () => {
	const rows = (budgets: Array<string | number | null | undefined>) =>
		budgets.map((budget) => item({ text: 'Some words.', budget }));

	test.each<[string, string | number | null]>([
		['={{ $json.budgets }}', 5],
		['={{ $json.budget }}', null],
		['={{ $json.budget }}', ''],
		['={{ $json.budget }}', ' '],
		['', 5],
	])('%j with %j is empty: an error, and nothing is sent', async (limit, budget) => {
		const { error } = await run({ parameters: limited(limit), items: rows([budget]) });
		expect(error?.message).toContain('"Spending Limit (Tokens)" is empty');
		expect(sim.requests).toEqual([]);
	});

	test('the lowest of all items holds', async () => {
		const { error } = await run({
			parameters: limited('={{ $json.budget }}'),
			items: rows([500, 5]),
		});
		expect(error?.message).toContain('is above "Spending Limit (Tokens)" (5)');
		expect(sim.requests).toEqual([]);
	});

	test('empty for one item: the others are spoken', async () => {
		const { outputs } = await run({
			parameters: limited('={{ $json.budget }}'),
			items: rows([500, undefined]),
			onError: 'continueErrorOutput',
		});
		expect(outputs.map(({ length }) => length)).toEqual([1, 0, 1]);
		expect(sim.charges).toHaveLength(1);
	});

	test.each(['={{ 500 - 500 }}', '={{ $json.budget }}', '=0'])(
		'0 by %s: nothing may be spent',
		async (limit) => {
			const { error } = await run({ parameters: limited(limit), items: rows([0]) });
			expect(error?.message).toContain('is above "Spending Limit (Tokens)" (0)');
			expect(sim.requests).toEqual([]);
		},
	);

	test.each([0, '0'])('%j as typed: no limit', async (limit) => {
		const { outputs } = await run({ parameters: limited(limit), items: rows([1]) });
		expect(outputs[0]).toHaveLength(1);
	});
});

/**
 * An agent that calls its tool with each of these texts at the same time, as agents do since version 2.2. `before`: what the calls
 * behind the first wait for.
 */
function callingAtOnce(words: string[], before?: Promise<unknown>): INodeType {
	const node = new SpeechGateway();
	const agent = Object.create(node) as INodeType;
	agent.execute = async function (this: IExecuteFunctions) {
		const answers = await Promise.all(
			words.map(async (text, index) => {
				if (index > 0) await before;
				const getNodeParameter = (...asked: [name: string, index: number]): unknown =>
					asked[0] === 'text' ? text : this.getNodeParameter(...asked);
				const parentNode = { ...this.getNode(), name: 'Agent' };
				const context = Object.assign(Object.create(this), { parentNode, getNodeParameter });
				return await node.execute.call(context as IExecuteFunctions);
			}),
		);
		return [answers.flatMap(([items]) => items)];
	};
	return agent;
}

describe('calls of an agent in one turn', () => {
	const call = async (limit: number, words: string[]) =>
		await run({
			parameters: limited(limit),
			asTool: true,
			onError: 'continueRegularOutput',
			nodeType: callingAtOnce(words),
		});
	const WORDS = [
		'The first call here.',
		'The other call here.',
		'A third call comes.',
		'The last call here.',
	];

	test('count what the others have set aside: of four, one passes', async () => {
		const { outputs } = await call(45, WORDS);
		expect(sim.requests).toHaveLength(1);
		const refused = outputs[0].filter(({ json }) => json.error !== undefined);
		expect(refused).toHaveLength(3);
		expect(messageOf(refused[0].json)).toMatch(
			/has set aside 39 for requests under way, so 6 are left$/,
		);
	});

	test('what is settled is set aside no longer', async () => {
		// When the second request is charged, the first is settled.
		const paid = new Promise((resolve) => sim.once('charge', () => sim.once('charge', resolve)));
		const texts = [`${WORDS[0]} ${WORDS[1]}`, WORDS[2]];
		const inTurn = { maxSegmentCharacters: 25, concurrency: 1 };
		const { outputs } = await run({
			parameters: speechNode({ maxEstimatedTokens: 120, ...inTurn }),
			asTool: true,
			onError: 'continueRegularOutput',
			nodeType: callingAtOnce(texts, paid),
		});
		expect(outputs[0].map(({ json }) => json.error)).toEqual([undefined, undefined]);
		expect(sim.charges).toHaveLength(3);
	});

	test('all pass within the limit', async () => {
		await call(156, WORDS);
		expect(sim.requests).toHaveLength(4);
	});

	test('nothing stays set aside for what was refused', async () => {
		sim.fault({ status: 403, times: 4 });
		const agent = callingAtOnce(WORDS.slice(0, 1));
		const { rounds: ran } = await run({
			parameters: limited(45),
			asTool: true,
			onError: 'continueRegularOutput',
			nodeType: agent,
			rounds: [texts(1), texts(1), texts(1), texts(1), texts(1)],
		});
		expect(sim.requests).toHaveLength(5);
		expect(ran[4][0][0].json.bytes).toBeGreaterThan(0);
	});
});
