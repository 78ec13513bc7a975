/* Segments that the gateway cuts (524): their words go again as shorter ones, and nothing is charged for it. */
import type { IDataObject } from 'n8n-workflow';
import { partsOf } from '../parts';
import type { SimRequest } from '../../support/simulator';
import { WORK_SECONDS_PER_CHARACTER } from '../../support/simulator/speech';
import { item, retrierOf, runnerOf, speechNode, useSimulator } from '../support';

const sim = useSimulator({ secondsPerCharacter: 0.002, wavHeader: 'plain', jobSeconds: 1 });
const run = runnerOf(sim);
const retry = retrierOf(run);

const NAMES = ['Anna', 'Bert', 'Carl', 'Dora', 'Emil', 'Fred', 'Gina', 'Hugo', 'Ida', 'Jan'];
/** About a hundred characters. */
const sentence = (nth: number) =>
	`Sentence ${nth}: ${NAMES[nth % 10]} walked along the river, and nobody was surprised that it rained once more.`;
const sentences = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => sentence(from + index));
const textOf = (count: number, from = 0) => sentences(count, from).join(' ');

/** So many times slower than the document says: it cuts what takes longer than 100 s. */
const slow = (times: number) => {
	sim.options.latencyMs = ({ input = '' }: SimRequest) =>
		times * [...input].length * WORK_SECONDS_PER_CHARACTER * 1000 * sim.options.timeScale;
};
/** Cuts everything that is longer. */
const cutAbove = (characters: number) => slow(100 / (characters * WORK_SECONDS_PER_CHARACTER));
afterEach(() => (sim.options.latencyMs = undefined));

const node = (options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode(
		{ timings: true, charges: true, maxRetries: 0, timeout: 600, ...options },
		{ responseFormat: 'wav', ...more },
	);

const posts = () => sim.requests.filter(({ method }) => method === 'POST');
const wordsOf = (texts: string[]) => texts.join(' ').split(/\s+/);
const sentCut = () => posts().filter(({ status }) => status === 524);
const paid = () => sim.charges.reduce((sum, { tokens }) => sum + tokens, 0);

async function estimateOf(text: string): Promise<number> {
	const { outputs } = await run({
		parameters: speechNode({}, { operation: 'estimate', text }),
		items: [item({})],
	});
	return Number(outputs[0][0].json.estimatedTokens);
}

test('half as long, until it passes; each word once, in order, for the estimate', async () => {
	cutAbove(300);
	const text = textOf(30);
	const { outputs, hints } = await run({ parameters: node(), items: [item({ text })] });
	const [success] = outputs[0];
	const heard = partsOf(success).map((part) => part.text);
	expect(wordsOf(heard)).toEqual(wordsOf([text]));
	expect(wordsOf(sim.charges.map(({ input }) => input)).sort()).toEqual(wordsOf([text]).sort());
	// All end with a sentence.
	for (const words of heard) expect(words).toMatch(/more\.$/);
	expect(posts().every(({ path }) => path === '/v1/audio/speech')).toBe(true);
	expect(sentCut().length).toBeLessThanOrEqual(8);
	expect(hints.filter((hint) => hint.includes('"Max Segment Characters" to'))).toHaveLength(1);
	expect(hints.join()).not.toContain('was changed');
	expect(success.json.charges).toHaveLength(sim.charges.length);
	expect(paid()).toBeLessThan((await estimateOf(text)) + (sim.charges.length * 1000) / 60);
});

test('what is done before the cut stays, also where the same words come again', async () => {
	const same = `${sentence(1)} `.repeat(9).trim();
	const text = [same, same, same, same].join('\n\n');
	sim.fault({ path: '/v1/audio/speech', nth: 3, status: 524 });
	const parameters = node({ concurrency: 1 });
	const { outputs } = await run({ parameters, items: [item({ text })] });
	const lengths = partsOf(outputs[0][0]).map((part) => part.text.length);
	expect(lengths.slice(0, 2)).toEqual([same.length, same.length]);
	expect(Math.max(...lengths.slice(2))).toBeLessThanOrEqual(same.length / 2);
	expect(wordsOf(sim.charges.map(({ input }) => input))).toEqual(wordsOf([text]));
	expect(wordsOf(partsOf(outputs[0][0]).map((part) => part.text))).toEqual(wordsOf([text]));
});

test('a dialogue: each line is split, and keeps its speaker', async () => {
	cutAbove(250);
	const lines = [textOf(6), textOf(7, 6), textOf(1, 13)];
	const script = lines.map((line, index) => `${index % 2 ? 'Ben' : 'Anna'}: ${line}`).join('\n');
	const { outputs } = await run({
		parameters: node(
			{},
			{
				operation: 'dialogue',
				script: '={{ $json.script }}',
				speakers: {
					values: [
						{ name: 'Anna', voice: 'default' },
						{ name: 'Ben', voice: 'default' },
					],
				},
			},
		),
		items: [item({ script })],
	});
	const parts = partsOf(outputs[0][0]);
	expect(wordsOf(parts.map((part) => part.text))).toEqual(wordsOf(lines));
	expect(
		['Anna', 'Ben'].map((name) =>
			wordsOf(parts.filter(({ speaker }) => speaker === name).map((part) => part.text)),
		),
	).toEqual([wordsOf([lines[0], lines[2]]), wordsOf([lines[1]])]);
	expect(sim.charges).toHaveLength(parts.length);
});

test('other items of the run begin with the length that was learned', async () => {
	cutAbove(400);
	const items = [0, 1, 2, 3, 4, 5].map((nth) => item({ text: textOf(9, 9 * nth) }));
	const { outputs } = await run({ parameters: node({ concurrency: 1 }), items });
	expect(outputs[0]).toHaveLength(6);
	// The first one learns: 870 characters, then 435.
	expect(sentCut().length).toBeLessThanOrEqual(2);
	for (const { json } of outputs[0]) expect(json.charges).toHaveLength(3);
});

test('it is the length that was learned, and no shorter one', async () => {
	cutAbove(1000);
	const items = [textOf(19), textOf(17, 19)].map((text) => item({ text }));
	const parameters = node({ concurrency: 1, maxSegmentCharacters: 2500 });
	const { outputs } = await run({ parameters, items });
	expect(sentCut()).toHaveLength(1);
	// Half of the first is more than half of the second.
	expect(outputs[0].map(({ json }) => json.segments)).toEqual([3, 2]);
});

test.each(['Retry On Fail', 'Retry execution'])('%s goes on with what was learned', async (how) => {
	cutAbove(450);
	const text = textOf(18);
	sim.fault({ input: 'Sentence 9:', path: '/v1/audio/speech', nth: 3, status: 422 });
	const parameters = node({ concurrency: 1 });
	const onFail = how === 'Retry On Fail' && { retryOnFail: true, maxTries: 2 };
	const first = await run({ parameters, items: [item({ text })], ...onFail });
	const cut = sentCut().length;
	const { outputs, hints } = onFail ? first : await retry(first, { parameters });
	expect(outputs[0]).toHaveLength(1);
	expect(cut).toBeLessThanOrEqual(3);
	expect(sentCut()).toHaveLength(cut);
	expect(hints.join()).not.toContain('was changed');
	expect(wordsOf(partsOf(outputs[0][0]).map((part) => part.text))).toEqual(wordsOf([text]));
	expect(wordsOf(sim.charges.map(({ input }) => input)).sort()).toEqual(wordsOf([text]).sort());
});

test('a dialogue that was cut goes on in a retry by hand: each word once, each line with its speaker', async () => {
	cutAbove(250);
	const lines = [textOf(4), textOf(5, 4), textOf(3, 9)];
	const script = lines.map((line, index) => `${index % 2 ? 'Ben' : 'Anna'}: ${line}`).join('\n');
	const values = ['Anna', 'Ben'].map((name) => ({ name, voice: 'default' }));
	const dialogue = { operation: 'dialogue', script: '={{ $json.script }}', speakers: { values } };
	const parameters = node({ concurrency: 2 }, dialogue);
	const items = [item({ script })];
	sim.fault({ input: 'Sentence 7:', nth: 2, path: '/v1/audio/speech', status: 422 });
	const failed = await run({ parameters, items });
	expect(failed.error?.message).toContain('422');
	const before = sentCut().length;
	expect(before).toBeGreaterThan(0);
	const { outputs } = await retry(failed, { parameters, items });
	expect(sentCut()).toHaveLength(before);
	const heard = partsOf(outputs[0][0]);
	const of = (name: string) =>
		wordsOf(heard.flatMap(({ speaker, text }) => (speaker === name ? text : [])));
	expect([of('Anna'), of('Ben')]).toEqual([wordsOf([lines[0], lines[2]]), wordsOf([lines[1]])]);
	expect(wordsOf(sim.charged()).sort()).toEqual(wordsOf(lines).sort());
});

test('in a try of Retry On Fail, what was cut and learned holds', async () => {
	cutAbove(250);
	const text = textOf(12);
	sim.fault({ input: 'Sentence 9:', path: '/v1/audio/speech', nth: 3, status: 422 });
	const { outputs } = await run({
		parameters: node({ concurrency: 1 }),
		items: [item({ text })],
		retryOnFail: true,
		maxTries: 2,
	});
	expect(outputs.map(({ length }) => length)).toEqual([1, 0]);
	expect(wordsOf(partsOf(outputs[0][0]).map((part) => part.text))).toEqual(wordsOf([text]));
	expect(wordsOf(sim.charged()).sort()).toEqual(wordsOf([text]).sort());
	// Of 870 characters, then of 435: nothing more is learned in the second try.
	expect(sentCut().map(({ input = '' }) => input.length)).toEqual([
		expect.any(Number),
		expect.any(Number),
	]);
});

test.each([1, 2])(
	'a gateway that cuts 150 characters is down: the item fails, not charged, and a retry sends nothing (%i try)',
	async (maxTries) => {
		sim.fault({ path: '/v1/audio/speech', input: 'Sentence 2:', status: 524, times: Infinity });
		const parameters = node({ concurrency: 1 });
		const items = [item({ text: textOf(5) })];
		const { error } = await run({ parameters, items, retryOnFail: maxTries > 1, maxTries });
		expect(new Set(posts().map(({ path }) => path))).toEqual(new Set(['/v1/audio/speech']));
		const short = sentCut().at(-1)!.input!;
		expect(short.length).toBeLessThanOrEqual(150);
		expect(sentCut().filter(({ input }) => input === short)).toHaveLength(1);
		expect(error?.message).toContain('The gateway cut the request');
		expect(error?.description).toContain("It was not charged, by the gateway's API document.");
		expect(error?.description).toContain('Where even short texts are cut, the gateway is down');
		expect(sim.charged().join()).not.toContain('Sentence 2:');
	},
);

test.each([
	[150, 1],
	[151, 3],
])('the shortest text that is split: of %i characters, %i are sent', async (characters, count) => {
	sim.fault({ path: '/v1/audio/speech', status: 524 });
	const opening = 'One sentence stands here. ';
	const text = `${opening}${'o'.repeat(characters - opening.length - 1)}.`;
	await run({ parameters: node(), items: [item({ text })] });
	expect(posts()).toHaveLength(count);
});

test('Single Request: a text that is cut is never split', async () => {
	sim.fault({ path: '/v1/audio/speech', status: 524, times: Infinity });
	const { error } = await run({
		parameters: node({ longText: 'single' }),
		items: [item({ text: textOf(5) })],
	});
	expect(error?.message).toContain('The gateway cut the request');
	expect(posts()).toHaveLength(1);
});

test('what was only cut is not paid for: a retry may send something else', async () => {
	sim.fault({ path: '/v1/audio/speech', status: 524 });
	const parameters = node({ longText: 'single' }, { text: textOf(5) });
	const failed = await run({ parameters, items: [item({})] });
	expect(failed.error?.message).toContain('The gateway cut the request');
	const dialogue = {
		operation: 'dialogue',
		script: 'Anna: Hello.',
		speakers: { values: [{ name: 'Anna', voice: 'default' }] },
	};
	const { outputs } = await retry(failed, { parameters: node({}, dialogue), items: [item({})] });
	expect(outputs[0]).toHaveLength(1);
	expect(sim.charged()).toEqual(['Hello.']);
});

test('after a cut, an unknown outcome ends the item: what remains is named, by the new segments', async () => {
	cutAbove(450);
	sim.fault({ path: '/v1/audio/speech', input: 'Sentence 4:', nth: 2, status: 504, charge: true });
	const text = textOf(8);
	const { outputs } = await run({ parameters: node({ concurrency: 1 }), items: [item({ text })] });
	const [{ json, binary }] = outputs[1];
	const { total, completed, unknown } = json.segments as Record<string, number>;
	expect([total, completed, unknown]).toEqual([2, 1, 1]);
	expect(Object.keys(binary!)).toEqual(['completed']);
	const spoken = wordsOf(sim.charges.slice(0, 1).map(({ input }) => input));
	expect([...spoken, ...wordsOf([String(json.remainingText)])]).toEqual(wordsOf([text]));
});

test.each([
	['an unknown outcome', { status: 504, charge: true }],
	['a refusal', { status: 422 }],
])('a cut beside %s: nothing more is sent', async (_, fault) => {
	sim.fault({ path: '/v1/audio/speech', input: 'Sentence 0:', ...fault });
	sim.fault({ path: '/v1/audio/speech', input: 'Sentence 17:', status: 524 });
	await run({ parameters: node({ concurrency: 2 }), items: [item({ text: textOf(18) })] });
	expect(posts().map(({ status }) => status)).toEqual([fault.status, 524]);
});

test('a file of such segments is a previous version like any other', async () => {
	cutAbove(300);
	const text = textOf(12);
	const first = await run({ parameters: node(), items: [item({ text })] });
	sim.charges.length = 0;
	const { binary } = first.outputs[0][0];
	const now = text.replace('Sentence 5:', 'Sentence five:');
	const { outputs } = await run({
		parameters: node({ previousBinaryPropertyName: 'data' }),
		items: [{ json: { text: now }, binary }],
	});
	expect(outputs[0][0].json.reusedSegments).toBeGreaterThan(2);
	expect(wordsOf(partsOf(outputs[0][0]).map((part) => part.text))).toEqual(wordsOf([now]));
	expect(sim.charges.map(({ input }) => input).join()).not.toContain('Sentence 9:');
});

test('Stop after a cut: nothing more is sent, and what is done is handed over', async () => {
	cutAbove(450);
	let cancel = () => {};
	sim.once('charge', () => cancel());
	const { outputs } = await run({
		parameters: node({ concurrency: 1 }),
		items: [item({ text: textOf(18) })],
		started: (execution) => ({ cancel } = execution),
	});
	expect(sim.charges).toHaveLength(1);
	expect(outputs[1][0].json.outcome).toBe('unknown');
});
