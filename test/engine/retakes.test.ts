/* Parts that are too short or fall silent are spoken again: charged, within the limit, and never after an unknown outcome. */
import type {
	IDataObject,
	INodeExecutionData,
	IRunExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import type { Sent } from '../../nodes/SpeechGateway/core/errors';
import type {
	Charge,
	ItemRecord,
	RunRecord,
	SentPart,
} from '../../nodes/SpeechGateway/requests/records';
import { heardIn, partsOf } from './parts';
import type { Fault } from '../support/simulator';
import { audioFile } from '../support/simulator/audio';
import { speak } from '../support/simulator/audio/speak';
import {
	type EngineRun,
	item,
	readStored,
	retrierOf,
	runnerOf,
	saved,
	speechNode,
	useSimulator,
} from './support';

const SECONDS_PER_CHARACTER = 0.06;
const secondsPerCharacter = SECONDS_PER_CHARACTER;
const sim = useSimulator({ latencyMs: 1, secondsPerCharacter, wavHeader: 'plain' });
const run = runnerOf(sim);
const retry = retrierOf(run);

const NAMES = ['one', 'two', 'three', 'four', 'five'];
const sentence = (name: string) =>
	`The sentence ${name} is a part of this text and has enough letters.`;
const WORDS = NAMES.map(sentence);
const TEXT = WORDS.join('\n\n');
const OPTIONS = { maxSegmentCharacters: 80, timings: true, charges: true, maxRetries: 0 };
const node = (options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode(
		{ ...OPTIONS, retakeOddSegments: 1, ...options },
		{ text: TEXT, responseFormat: 'wav', ...more },
	);
const usual = (words: string) => words.length * SECONDS_PER_CHARACTER;
const BYTES_PER_SECOND = 48_000;

/** The nth request for a sentence brings only so much of its sound. */
const isShort = (name: string, nth = 1, share = 0.4, more: Fault = {}) =>
	sim.fault({
		...{ input: sentence(name), nth, ...more },
		contentBytes: share * usual(sentence(name)) * BYTES_PER_SECOND,
	});

const charged = () => sim.charges.map(({ input }) => input).sort();
const sorted = (...words: string[]) => words.sort();

async function expectSound(item: INodeExecutionData, words: string[]): Promise<void> {
	expect(partsOf(item).map(({ text }) => text)).toEqual(words);
	for (const { text, startSeconds, endSeconds } of partsOf(item))
		expect(Math.abs(endSeconds - startSeconds - usual(text))).toBeLessThan(0.1);
	expect(await heardIn(item)).toEqual(words);
}

/** How long a part of the five plays, against what is usual. */
const shareOf = (item: INodeExecutionData, index: number): number => {
	const { startSeconds, endSeconds } = partsOf(item)[index];
	return (endSeconds - startSeconds) / usual(WORDS[index]);
};

test.each(['mp3', 'wav', 'opus'])(
	'%s: a part that is too short is spoken again',
	async (format) => {
		isShort('three', 1, format === 'wav' ? 0.4 : 0.05);
		const options = { chapters: 'none', retakeOddSegments: 2 };
		const { outputs } = await run({ parameters: node(options, { responseFormat: format }) });
		expect(charged()).toEqual(sorted(...WORDS, WORDS[2]));
		const [{ json, binary }] = outputs[0];
		expect(json).toMatchObject({ segments: 5, retakes: 1 });
		expect(json.warnings).toBeUndefined();
		await expectSound({ json, binary }, WORDS);
		const charges = json.charges as Array<{ request: string; charged: string; tokens: number }>;
		expect(charges).toHaveLength(6);
		const [{ request }] = charges.slice(-1);
		expect(request).toMatch(/^[0-9a-f]{64} take 2$/);
		expect(charges.map((charge) => charge.request)).toContain(request.slice(0, 64));
		// The kept take is what a later version finds on record; nothing of it is ever spoken again by itself.
		sim.charges.length = 0;
		const later = await run({
			parameters: node({ previousBinaryPropertyName: 'data' }, { responseFormat: format }),
			items: [{ json: {}, binary }],
		});
		expect(charged()).toEqual([]);
		await expectSound(later.outputs[0][0], WORDS);
	},
);

test('off by default, and not of parts of a previous version, nor of jobs', async () => {
	isShort('three', 1, 0.4, { times: Infinity });
	const made = await run({ parameters: node({ retakeOddSegments: 0 }) });
	expect(charged()).toEqual(sorted(...WORDS));
	expect(made.outputs[0][0].json.warnings).toHaveLength(1);
	expect(made.outputs[0][0].json).not.toHaveProperty('retakes');
	sim.charges.length = 0;
	const { binary } = made.outputs[0][0];
	const from = { previousBinaryPropertyName: 'data', retakeOddSegments: 2 };
	const later = await run({ parameters: node(from), items: [{ json: {}, binary }] });
	expect(later.outputs[0][0].json).toMatchObject({ retakes: 0, reusedSegments: 5 });
	sim.clearFaults();
	sim.fault({ path: '/v1/audio/speech', status: 524, times: 5 });
	isShort('four', 1, 0.4, { path: '/v1/audio/speech/jobs', times: Infinity });
	sim.charges.length = 0;
	const asJobs = await run({ parameters: node({ retakeOddSegments: 2 }) });
	expect(asJobs.outputs[0][0].json).toMatchObject({ retakes: 0, warnings: [expect.any(String)] });
	expect(charged()).toEqual(sorted(...WORDS));
});

test('of three takes, the one nearest to the pace of the others is kept', async () => {
	isShort('two', 1, 0.3);
	isShort('two', 1, 0.5);
	isShort('two', 1, 0.4);
	const { outputs, hints } = await run({ parameters: node({ retakeOddSegments: 2 }) });
	const [{ json }] = outputs[0];
	expect(json).toMatchObject({ retakes: 2, warnings: [expect.stringContaining('Segment 2 is')] });
	expect(hints.join()).toContain('Please listen');
	expect(shareOf(outputs[0][0], 1)).toBeCloseTo(0.5, 1);
	// All takes were paid for: 5.2 parts of sound, and the letters of seven.
	const paid = (WORDS.length + 0.2) * usual(WORDS[1]);
	expect(Number(json.estimatedTokens)).toBeGreaterThan((paid * 1000) / 60 + 7 * 15 - 10);
});

test('of two takes, a long one is nearer than one that is short by the same time', async () => {
	isShort('two', 1, 0.4);
	isShort('two', 1, 1.65);
	const { outputs } = await run({ parameters: node() });
	expect(shareOf(outputs[0][0], 1)).toBeGreaterThan(1.5);
});

test('a part that is far too long is never bought again', async () => {
	isShort('two', 1, 6);
	const { outputs } = await run({ parameters: node({ retakeOddSegments: 2 }) });
	const warnings = [expect.stringContaining('Segment 2 is')];
	expect(outputs[0][0].json).toMatchObject({ retakes: 0, warnings });
	expect(charged()).toEqual(sorted(...WORDS));
});

test('a take that cannot be joined with the others is paid for, and left out', async () => {
	isShort('two', 1, 0.4);
	const sound = await speak(WORDS[1], { speed: 1, format: 'wav' });
	const other = Buffer.concat([...audioFile(sound, 'wav', 'plain').chunks()]);
	other.writeUInt32LE(48_000, 24);
	other.writeUInt32LE(96_000, 28);
	sim.fault({ ...{ input: 'two', nth: 2, charge: true, status: 200 }, body: other });
	const { outputs, error } = await run({ parameters: node() });
	expect(error).toBeUndefined();
	expect(outputs[0][0].json).toMatchObject({ segments: 5, retakes: 1 });
	expect(charged()).toEqual(sorted(...WORDS, WORDS[1]));
});

test.each([422, 402, 429, 503, 524])(
	'a take that is refused (%s) costs nothing, not even the file',
	async (status) => {
		isShort('two');
		isShort('four');
		sim.fault({ input: /two|four/, nth: 3, times: Infinity, status });
		const parameters = node({ retakeOddSegments: 2, concurrency: 1 });
		const { outputs, hints, error } = await run({
			parameters,
			items: [item({}), item({})].slice(1),
		});
		expect(error).toBeUndefined();
		expect(outputs[0][0].json).toMatchObject({ segments: 5, retakes: 0 });
		expect(outputs[0][0].json.charges).toHaveLength(5);
		expect(charged()).toEqual(sorted(...WORDS));
		expect(hints.join()).toMatch(/Segment 2, take 2 of item 1 was not made: .* best take/);
		// After a refusal, no other take of the item is asked for.
		expect(sim.requests.filter(({ status: said }) => said === status)).toHaveLength(1);
	},
);

describe('a take whose outcome is unknown', () => {
	const unknown = async (fault: Fault, more: Partial<EngineRun> = {}) => {
		isShort('two');
		isShort('four');
		sim.fault({ input: 'two', nth: 2, ...fault });
		return await run({ parameters: node({ concurrency: 1, retakeOddSegments: 2 }), ...more });
	};

	test.each<[string, Fault, string]>([
		['504', { status: 504, charge: true }, 'upstream_outcome_unknown'],
		['a lost connection', { connection: 'reset-after-work' }, 'connection_lost'],
		['damaged audio', { truncate: 'half', truncateClean: true }, 'damaged_response'],
	])('%s: all parts come along, and nothing more is sent', async (_, fault, reason) => {
		const { outputs } = await unknown(fault, { retryOnFail: true, maxTries: 3 });
		expect(outputs[0]).toEqual([]);
		const [{ json, binary }] = outputs[1];
		expect(json).toMatchObject({
			...{ reason, remainingText: '' },
			message: expect.stringContaining('(segment 2, take 2;'),
			segments: { total: 5, completed: 5, unknown: 0 },
			parts: [{ from: 1, to: 5, status: 'done', binary: 'completed' }],
			failedPart: { number: 2, of: 5, take: 2 },
		});
		const charges = json.charges as Array<{ charged: string }>;
		expect(charges.filter((one) => one.charged === 'unknown')).toHaveLength(1);
		expect(charges).toHaveLength(6);
		expect(charged()).toEqual(sorted(...WORDS, WORDS[1]));
		expect(Object.keys(binary!).sort()).toEqual(
			reason === 'damaged_response' ? ['completed', 'received_2'] : ['completed'],
		);
		sim.charges.length = 0;
		const from = { previousBinaryPropertyName: 'completed' };
		const next = await run({ parameters: node(from), items: [{ json: {}, binary }] });
		expect(next.outputs[0][0].json).toMatchObject({ reusedSegments: 5 });
		expect(charged()).toEqual([]);
	});

	test('a text of one part is handed over, too', async () => {
		const silent = { input: /^Here/, path: '/v1/audio/speech', charge: true, status: 200 };
		sim.fault({ ...silent, body: await withSilence() });
		sim.fault({ input: /^Here/, status: 504, charge: true });
		const text = 'Here is one part that falls silent in the middle.';
		const { outputs } = await run({ parameters: node({}, { text }) });
		expect(Object.keys(outputs[1][0].binary!)).toEqual(['completed']);
		expect(sim.charges).toHaveLength(2);
	});
});

/** Two seconds of a tone, with a silence of two seconds between them. */
async function withSilence(): Promise<Buffer> {
	const { outputs } = await run({
		parameters: node({}, { text: 'A tone of nearly two seconds.' }),
	});
	const tone = await readStored(outputs[0][0].binary!.data);
	sim.reset();
	const sound = Buffer.concat([
		tone.subarray(44),
		Buffer.alloc(2 * BYTES_PER_SECOND),
		tone.subarray(44),
	]);
	const head = Buffer.from(tone.subarray(0, 44));
	head.writeUInt32LE(36 + sound.length, 4);
	head.writeUInt32LE(sound.length, 40);
	return Buffer.concat([head, sound]);
}

test('a part that falls silent is spoken again; a take without silence is kept, even a shorter one', async () => {
	const body = await withSilence();
	for (const share of [1, 0.6]) {
		sim.reset();
		sim.fault({ input: 'three', path: '/v1/audio/speech', status: 200, charge: true, body });
		isShort('three', 1, share);
		const { outputs } = await run({ parameters: node() });
		expect(outputs[0][0].json).toMatchObject({ retakes: 1 });
		expect(outputs[0][0].json.warnings).toBeUndefined();
		expect(shareOf(outputs[0][0], 2)).toBeCloseTo(share, 1);
	}
});

test('where every take falls silent, one of them is kept', async () => {
	const body = await withSilence();
	const silent = { input: 'three', path: '/v1/audio/speech', status: 200, charge: true };
	sim.fault({ ...silent, body, times: 2 });
	const { outputs } = await run({ parameters: node() });
	const warnings = [expect.stringContaining('Segment 3 is silent for')];
	expect(outputs[0][0].json).toMatchObject({ retakes: 1, warnings });
});

test('what would pass the spending limit is not spoken again', async () => {
	const estimate = await run({ parameters: node({}, { operation: 'estimate' }) });
	const whole = Number(estimate.outputs[0][0].json.estimatedTokens);
	const one = Math.ceil(whole / 5) + 1;
	// What is charged here: five parts of 4.1 s at most, each rounded up, and their letters.
	const most = async (maxEstimatedTokens: number) => {
		sim.reset();
		isShort('two');
		isShort('four');
		const { outputs, hints } = await run({
			parameters: node({ maxEstimatedTokens, concurrency: 1 }),
		});
		expect(outputs[0]).toHaveLength(1);
		const { retakes } = outputs[0][0].json;
		expect(sim.charges).toHaveLength(5 + Number(retakes));
		expect(hints.join().includes('It would pass "Spending Limit (Tokens)"')).toBe(retakes !== 2);
		return retakes;
	};
	expect(await most(whole)).toBe(0);
	expect(await most(whole + one)).toBe(1);
	expect(await most(whole + 2 * one)).toBe(2);
	expect(await most(whole + 2 * one - 20)).toBe(1);
});

test('what was charged counts, not only what was estimated', async () => {
	// At this pace, more is charged than was estimated.
	sim.options.secondsPerCharacter = 0.12;
	const all = { ...sim.options };
	const tokens = ({ json }: { json: IDataObject }) =>
		(json.charges as Array<{ tokens: number }>).map((charge) => charge.tokens);
	const odd = (...names: string[]) => {
		sim.reset();
		Object.assign(sim.options, all);
		for (const name of names) isShort(name, 1, 0.2);
	};
	const estimate = await run({ parameters: node({}, { operation: 'estimate', text: WORDS[1] }) });
	const one = Number(estimate.outputs[0][0].json.estimatedTokens);
	const limited = async (maxEstimatedTokens: number, retakeOddSegments = 1) => {
		const { outputs } = await run({ parameters: node({ maxEstimatedTokens, retakeOddSegments }) });
		return outputs[0][0].json.retakes;
	};
	odd('two', 'four');
	const made = await run({ parameters: node({ retakeOddSegments: 0 }) });
	const spent = tokens(made.outputs[0][0]).reduce((sum, some) => sum + some);
	odd('two', 'four');
	expect(await limited(spent + one - 1)).toBe(0);
	// The limit that any item sets holds for all.
	odd('two', 'four');
	const parameters = node(
		{ maxEstimatedTokens: '={{ $json.limit }}', concurrency: 1 },
		{ text: '={{ $json.text }}' },
	);
	const items = [item({ limit: 0, text: TEXT }), item({ limit: spent + one - 1, text: 'Hm.' })];
	expect((await run({ parameters, items })).outputs[0][0].json.retakes).toBe(0);
	odd('two', 'four');
	expect(await limited(spent + Math.ceil(1.5 * one))).toBe(1);
	// A second take of the same part: what the first was estimated at is no longer set aside.
	odd('two', 'two');
	const twice = await run({ parameters: node({ retakeOddSegments: 1 }) });
	const after = tokens(twice.outputs[0][0]).reduce((sum, some) => sum + some);
	odd('two', 'two');
	expect(await limited(after + one, 2)).toBe(2);
	sim.options.secondsPerCharacter = SECONDS_PER_CHARACTER;
});

test.each([1, 0, 2])('a retry sends no take twice, with the option at %s by then', async (now) => {
	isShort('two');
	sim.fault({ input: 'Other', status: 422, delayMs: 50 });
	const items = [item({ text: TEXT }), item({ text: 'Other words.' })];
	const text = '={{ $json.text }}';
	const first = await run({ parameters: node({}, { text }), items });
	expect(first.error).toBeDefined();
	expect(charged()).toEqual(sorted(...WORDS, WORDS[1]));
	const { outputs } = await retry(first, {
		parameters: node({ retakeOddSegments: now }, { text }),
	});
	expect(outputs[0]).toHaveLength(2);
	expect(charged()).toEqual(sorted(...WORDS, WORDS[1], 'Other words.'));
	await expectSound(outputs[0][0], WORDS);
});

/** The first item's requests on record, in the data of a failed execution. */
function recordIn(data: IRunExecutionData): ItemRecord['requests'] {
	const rounds = JSON.stringify(data.executionData?.contextData);
	expect(rounds).toContain('"requests"');
	for (const memory of Object.values(data.executionData!.contextData))
		for (const of of Object.values(memory as Record<string, Record<string, RunRecord>>))
			for (const round of Object.values(of)) if (round.items) return round.items['0'].requests;
	throw new Error('Nothing is on record');
}

/** A text whose part four was refused; the first part is on record as it was then, and as `more` says. */
async function killed(more: (name: string, part: SentPart, sent: Sent) => ItemRecord['requests']) {
	isShort('two', 1, 0.4, { times: Infinity });
	sim.fault({ input: 'four', status: 422 });
	const parameters = node({ concurrency: 1, maxEstimatedTokens: 10_000 });
	const { run: failed, error } = await run({ parameters });
	const data = saved(failed);
	const record = recordIn(data);
	const [name, entry] = Object.entries(record)[0];
	if (entry.state !== 'done') throw new Error(`It is ${entry.state}`);
	const { sentAt, inputHash, model, part } = entry;
	Object.assign(record, more(name, part!, { sentAt, inputHash, model }));
	const { charges } = (error as NodeOperationError).context as { charges: Charge[] };
	const spent = charges.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
	sim.charges.length = 0;
	return { data, spent };
}

test('a take was under way when n8n was killed: it is unknown, whatever the limit is', async () => {
	const { data, spent } = await killed((name, part, sent) => ({
		[`${name} take 2`]: { state: 'sending', ...sent, part: { ...part, take: 2 } },
	}));
	const rest = node({}, { operation: 'estimate', text: WORDS.slice(3).join('') });
	const { estimatedTokens } = (await run({ parameters: rest })).outputs[0][0].json;
	const maxEstimatedTokens = spent + Number(estimatedTokens);
	const { outputs, hints } = await run({
		...{ parameters: node({ maxEstimatedTokens, retakeOddSegments: 2 }) },
		...{ mode: 'retry', retryOf: data },
	});
	expect(charged()).toEqual(sorted(WORDS[3], WORDS[4]));
	expect(outputs[1][0].json).toMatchObject({ reason: 'interrupted', failedPart: { take: 2 } });
	expect(hints.join()).not.toContain('was changed');
});

test('a part that is not in the text any more was under way: no further take', async () => {
	const { data } = await killed((name, part, sent) => ({
		[name]: { state: 'sending', ...sent, part },
	}));
	const parameters = node({}, { text: WORDS.slice(1).join('\n\n') });
	const { outputs } = await run({ parameters, mode: 'retry', retryOf: data });
	expect(charged()).toEqual(sorted(WORDS[3], WORDS[4]));
	expect(outputs[0][0].json).toMatchObject({ retakes: 0, segments: 4 });
});

test('a voice that is gone by now: what there is is delivered, and nothing is sent', async () => {
	sim.addVoice('Anna');
	isShort('two');
	sim.fault({ input: 'five', status: 422 });
	const voice = { __rl: true, mode: 'title', value: 'Anna' };
	const first = await run({ parameters: node({ concurrency: 1 }, { voice }) });
	expect(charged()).toEqual(sorted(...WORDS.slice(0, 4)));
	sim.voices.length = 0;
	const { outputs } = await retry(first, {
		parameters: node({}, { voice, text: WORDS.slice(0, 4).join('\n\n') }),
	});
	expect(outputs[0][0].json).toMatchObject({ segments: 4, retakes: 0 });
	expect(sim.charges).toHaveLength(4);
});
