/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/* A text that was changed: only what has changed is spoken, the rest is cut out of the file made before. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IBinaryData, IDataObject, INodeExecutionData, OnError } from 'n8n-workflow';
import { decode, decoderMessages } from '../../support/listen';
import { fitting } from '../form';
import { heardIn, partsOf, pausesOf } from '../parts';
import {
	type EngineRun,
	readStored,
	runNode,
	speechNode,
	saved,
	storedFile,
	useSimulator,
} from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0.05 });

const paragraph = (name: string) =>
	`Paragraph ${name} begins here and is long. It has a second sentence. And the third one ends ${name}.`;
const NAMES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const PARAGRAPHS = NAMES.map(paragraph);
const asText = (paragraphs: string[]) => paragraphs.join('\n\n');

const OPTIONS = { maxSegmentCharacters: 110, timings: true };
const generate = (options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode({ ...OPTIONS, ...options }, { responseFormat: 'mp3', ...more });

const PREVIOUS = { previousBinaryPropertyName: 'previous' };
const run = async (parameters: IDataObject, text: string, previous?: IBinaryData, more = {}) =>
	await runNode({
		parameters,
		url: sim.url,
		apiKey: sim.apiKey,
		items: [{ json: { text }, ...(previous && { binary: { previous } }) }],
		...more,
	} as EngineRun);

/** The file of the first version, and nothing on the simulator's ledger. */
async function firstVersion(parameters: IDataObject, text: string): Promise<IBinaryData> {
	const { outputs, error } = await run(parameters, text);
	if (error) throw new Error(error.message);
	sim.reset();
	return outputs[0][0].binary!.data;
}

const peakOf = (samples: Float32Array) =>
	samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);

/** Each part sounds as its text does, where the item says that it is; nothing is louder than any tone; the length is true. */
async function expectSound(item: INodeExecutionData, loudest: number): Promise<void> {
	const { json, binary } = item;
	const audio = await readStored(binary!.data);
	expect(json.bytes).toBe(audio.length);
	expect(await decoderMessages(audio)).toBe('');
	const samples = await decode(audio);
	expect(Math.abs(samples.length / 24_000 - Number(json.durationSeconds))).toBeLessThan(0.03);
	expect(await heardIn(item)).toEqual(partsOf(item).map(({ text }) => text));
	expect(peakOf(samples)).toBeLessThan(1.05 * loudest);
}

const deleteFile = async ({ id }: Pick<IBinaryData, 'id'>) =>
	await Container.get(BinaryDataService).deleteManyByBinaryDataId([id!]);

/** What is done to the paragraphs, and what is spoken then. */
const EDITS: Array<[string, (paragraphs: string[]) => string[], string[]]> = [
	['nothing', (all) => all, []],
	['an inserted one', (all) => all.toSpliced(3, 0, paragraph('new')), [paragraph('new')]],
	['a removed one', (all) => all.toSpliced(2, 1), []],
	[
		'a typo',
		(all) => all.with(4, all[4].replace('long', 'lnog')),
		[PARAGRAPHS[4].replace('long', 'lnog')],
	],
	['two exchanged', (all) => all.with(1, all[5]).with(5, all[1]), []],
	['another first one', (all) => all.with(0, paragraph('zero')), [paragraph('zero')]],
	['one more at the end', (all) => [...all, paragraph('nine')], [paragraph('nine')]],
	['one twice', (all) => [...all, all[0]], []],
];

test.each(EDITS)('generate: %s', async (_, edit, spoken) => {
	const previous = await firstVersion(generate(), asText(PARAGRAPHS));
	const now = edit(PARAGRAPHS);
	const { outputs } = await run(generate(PREVIOUS), asText(now), previous);
	expect(sim.charged()).toEqual(spoken);
	const [result] = outputs[0];
	expect(result.json).toMatchObject({
		segments: now.length,
		reusedSegments: now.length - spoken.length,
		estimatedTokens: spoken.length === 0 ? 0 : expect.any(Number),
	});
	expect(partsOf(result).map(({ text }) => text)).toEqual(now);
	const { outputs: asNew } = await run(generate(), asText(now));
	expect(result.json.contentHash).toBe(asNew[0][0].json.contentHash);
	await expectSound(result, peakOf(await decode(await readStored(asNew[0][0].binary!.data))));
});

const chapter = (title: string, ...names: string[]) =>
	[`# ${title}`, ...names.map(paragraph)].join('\n\n');
const EPISODE = {
	chapters: 'headings',
	textFormat: 'markdown',
	pauseBetweenSegments: 300,
	tags: { values: { title: 'A book' } },
};

test.each(['mp3', 'opus', 'wav'])(
	'%s, Markdown with chapters and pauses: another heading, another paragraph, another pause',
	async (responseFormat) => {
		const text = [chapter('First', 'one', 'two'), chapter('Second', 'three', 'four')].join('\n\n');
		const previous = await firstVersion(generate(EPISODE, { responseFormat }), text);
		const now = [
			chapter('Beginning', 'one', 'two'),
			chapter('Second', 'three', 'new', 'four'),
		].join('\n\n');
		const { outputs } = await run(
			generate({ ...EPISODE, ...PREVIOUS, pauseBetweenSegments: 900 }, { responseFormat }),
			now,
			previous,
		);
		expect(sim.charged().length).toBeLessThanOrEqual(3);
		expect(sim.charged().join('\n')).toContain('Beginning');
		expect(sim.charged().join('\n')).not.toContain('two');
		expect(Math.min(...pausesOf(outputs[0][0]))).toBeGreaterThan(0.85);
	},
);

test.each(['mp3', 'opus', 'wav'])(
	'estimate takes a previous version of any format: %s',
	async (responseFormat) => {
		const previous = await firstVersion(generate({}, { responseFormat }), asText(PARAGRAPHS));
		const now = [...PARAGRAPHS, paragraph('nine')];
		for (const chosen of [{}, { responseFormat: 'pcm' }, { responseFormat: 'wav' }]) {
			const parameters = speechNode(
				{ maxSegmentCharacters: 110, ...PREVIOUS },
				{ operation: 'estimate', ...chosen },
			);
			const { outputs, hints } = await run(parameters, asText(now), previous);
			expect(outputs[0][0].json).toMatchObject({ segments: 9, reusedSegments: 8 });
			expect(hints).toEqual([]);
		}
		const twice = { maxSegmentCharacters: 110, previousBinaryPropertyName: 'previous, previous' };
		const { outputs } = await run(
			speechNode(twice, { operation: 'estimate' }),
			asText(now),
			previous,
		);
		expect(outputs[0][0].json).toMatchObject({ reusedSegments: 8 });
	},
);

test('estimate gives the price of the difference', async () => {
	const previous = await firstVersion(generate(), asText(PARAGRAPHS));
	const now = PARAGRAPHS.with(3, paragraph('changed'));
	const estimate = speechNode(
		{ maxSegmentCharacters: 110, ...PREVIOUS },
		{ operation: 'estimate', responseFormat: 'mp3' },
	);
	const { outputs } = await run(estimate, asText(now), previous);
	const alone = await run(
		speechNode({}, { operation: 'estimate', responseFormat: 'mp3' }),
		paragraph('changed'),
	);
	expect(sim.requests).toEqual([]);
	expect(outputs[0][0].json).toMatchObject({
		segments: 8,
		reusedSegments: 7,
		characters: asText(now).length,
		estimatedTokens: alone.outputs[0][0].json.estimatedTokens,
	});
	const limit = Number(alone.outputs[0][0].json.estimatedTokens);
	const over = await run(
		generate({ ...PREVIOUS, maxEstimatedTokens: limit - 1 }),
		asText(now),
		previous,
	);
	expect(over.error?.message).toContain(`The estimate of ${limit} tokens`);
	const within = await run(
		generate({ ...PREVIOUS, maxEstimatedTokens: limit }),
		asText(now),
		previous,
	);
	expect(within.error).toBeUndefined();
	expect(sim.charged()).toEqual([paragraph('changed')]);
});

test('parts of the previous version are not among the requests of which some were charged', async () => {
	const previous = await firstVersion(generate(), asText(PARAGRAPHS));
	const now = PARAGRAPHS.with(3, paragraph('changed')).with(5, paragraph('refused'));
	sim.fault({ input: 'refused', status: 422 });
	const { error } = await run(generate({ ...PREVIOUS, concurrency: 1 }), asText(now), previous);
	expect(error?.description).toContain('1 of 2 requests was charged.');
});

const id = (value: string) => ({ __rl: true, mode: 'id', value });

test.each<[string, IDataObject, IDataObject]>([
	['another model', {}, { model: id('fish-speech-2') }],
	['another speed', { speed: 1.5 }, {}],
	['other voices', {}, { voice: id('unknown-voice') }],
])('%s: a hint says why nothing can be used', async (why, options, more) => {
	const previous = await firstVersion(generate(), asText(PARAGRAPHS));
	const estimate = speechNode(
		{ maxSegmentCharacters: 110, ...PREVIOUS, ...options },
		{ operation: 'estimate', responseFormat: 'mp3', ...more },
	);
	const { hints, outputs } = await run(estimate, asText(PARAGRAPHS), previous);
	expect(outputs[0][0].json.reusedSegments).toBe(0);
	expect(hints.join()).toContain(why);
});

describe('a previous version that cannot be used is an error before anything is sent', () => {
	const text = asText(PARAGRAPHS);
	const refused = async (file: IBinaryData | undefined, more: IDataObject = {}) => {
		const { error } = await run(generate(PREVIOUS, more), text, file);
		expect(sim.requests.filter(({ method }) => method === 'POST')).toEqual([]);
		return error?.message;
	};

	test('no such field, a file of one segment, no audio, another format, and pcm', async () => {
		expect(await refused(undefined)).toContain('no file in the binary field "previous"');
		const one = await firstVersion(generate(), 'Hello.');
		expect(await refused(one)).toContain('has no record of its segments');
		const letter = await storedFile(Buffer.from('Dear reader'), 'letter.txt', 'text/plain');
		expect(await refused(letter)).toContain('"letter.txt"');
		const previous = await firstVersion(generate(), text);
		expect(await refused(previous, { responseFormat: 'opus' })).toContain('is mp3 audio');
		expect(await refused(previous, { responseFormat: 'pcm' })).toContain('no room for a record');
	});

	test('a damaged record, a shorter file, one of a later version', async () => {
		const bytes = await readStored(
			await firstVersion(generate({}, { responseFormat: 'wav' }), text),
		);
		const changed = async (edit: (bytes: Buffer) => void) => {
			const copy = Buffer.from(bytes);
			edit(copy);
			const file = await storedFile(copy, 'old.wav', 'audio/wav');
			return await refused(file, { responseFormat: 'wav' });
		};
		const at = bytes.indexOf('"version":1');
		expect(at).toBeGreaterThan(0);
		expect(await changed((copy) => void copy.write('"version":2', at))).toContain(
			'a later version',
		);
		expect(await changed((copy) => void copy.write('}', at))).toContain('damaged');
		const length = bytes.indexOf('"length":') + 9;
		expect(await changed((copy) => void copy.write('9', length))).toContain('damaged');
		expect(await changed((copy) => copy.writeUInt32LE(100, 40))).toMatch(/cannot be read|damaged/);
	});
});

test('with the option added, a file of one segment can be the previous version, too', async () => {
	const empty = { previousBinaryPropertyName: '' };
	const previous = await firstVersion(generate(empty), 'Hello there.');
	const { outputs } = await run(generate(PREVIOUS), 'Hello there.\n\nGood bye.', previous);
	expect(sim.charged()).toEqual(['Good bye.']);
	expect(outputs[0][0].json).toMatchObject({ segments: 2, reusedSegments: 1 });
});

describe('the ledger', () => {
	const now = PARAGRAPHS.with(1, paragraph('new A')).with(5, paragraph('new B'));
	const fault = (text: string, what: object) =>
		sim.fault({ ...what, input: text, times: 1 } as never);

	test.each(['Retry On Fail', 'Retry execution', 'Retry execution without the option'])(
		'%s uses the same parts, although the file is gone',
		async (how) => {
			const previous = await firstVersion(generate(), asText(PARAGRAPHS));
			fault('new B', { status: 403 });
			sim.once('charge', () => void deleteFile(previous));
			const options = generate({ ...PREVIOUS, concurrency: 1 });
			const more = { retryOnFail: how === 'Retry On Fail', maxTries: 2 };
			let result = await run(options, asText(now), previous, more);
			await expect(readStored(previous)).rejects.toThrow();
			if (how !== 'Retry On Fail') {
				expect(result.error).toBeDefined();
				// Whatever the item holds now: n8n retries with the data of then, and the file may have been replaced.
				const data = saved(result.run);
				for (const entry of data.executionData!.nodeExecutionStack)
					for (const one of entry.data.main[0] ?? []) delete one.binary;
				const retried = how === 'Retry execution' ? options : generate({ concurrency: 1 });
				result = await run(retried, '', undefined, { items: undefined, retryOf: data });
			}
			expect(result.error).toBeUndefined();
			expect(sim.charged()).toEqual([paragraph('new A'), paragraph('new B')]);
			expect(result.outputs[0][0].json).toMatchObject({ segments: 8, reusedSegments: 6 });
			expect(result.context).toEqual({});
		},
	);

	test('what was cut out for an execution that was deleted since is cut out anew', async () => {
		const previous = await firstVersion(generate(), asText(PARAGRAPHS));
		fault('new A', { status: 403 });
		const options = generate({ ...PREVIOUS, concurrency: 1 });
		const failed = await run(options, asText(now), previous);
		const onRecord = JSON.stringify(failed.context).match(/(?<="id":")filesystem[^"]+/g)!;
		expect(onRecord).toHaveLength(6);
		for (const id of onRecord) await deleteFile({ id });
		const { outputs } = await run(options, asText(now), previous, { retryOf: saved(failed.run) });
		expect(outputs[0][0].json).toMatchObject({ segments: 8, reusedSegments: 6 });
	});

	test('an unknown outcome in the middle: what is used again comes along like what was spoken', async () => {
		const previous = await firstVersion(generate(), asText(PARAGRAPHS));
		fault('new B', { status: 504, charge: true });
		const { outputs } = await run(generate({ ...PREVIOUS, concurrency: 1 }), asText(now), previous);
		const [{ json, binary }] = outputs[1];
		expect(json.segments).toMatchObject({ total: 8, completed: 7, unknown: 1 });
		expect(json.runs).toMatchObject([
			{ from: 1, to: 5, status: 'done', binary: 'completed' },
			{ from: 6, to: 6, status: 'unknown' },
			{ from: 7, to: 8, status: 'done', binary: 'completed_7' },
		]);
		expect(json.remainingText).toBe(paragraph('new B'));
		expect(Object.keys(binary!).sort()).toEqual(['completed', 'completed_7', 'previous']);
	});
});

describe('what the gateway sends now does not fit the previous version', () => {
	const now = PARAGRAPHS.map((text, index) => (index % 2 ? paragraph(`new ${index}`) : text));
	const other = readFileSync(join(__dirname, '../../audio/fixtures/wav-44100-stereo-s16.wav'));
	const parameters = generate({ ...PREVIOUS, concurrency: 1 }, { responseFormat: 'wav' });

	test.each<OnError>(['stopWorkflow', 'continueErrorOutput'])(
		'%s: found out by the first part, which is kept; nothing more is sent, by no retry either',
		async (onError) => {
			const previous = await firstVersion(
				generate({}, { responseFormat: 'wav' }),
				asText(PARAGRAPHS),
			);
			sim.fault({ method: 'POST', status: 200, body: other, charge: true, times: Infinity });
			const more = { onError, retryOnFail: true, maxTries: 2 };
			const result = await run(parameters, asText(now), previous, more);
			expect(sim.charged()).toEqual([now[1]]);
			const failure = (result.outputs[2]?.[0]?.json.error ?? result.error) as IDataObject;
			expect(failure.message).toContain('The segments cannot be joined: ');
			expect(failure.description).toContain('Leave "Previous Version" empty');
			if (onError === 'stopWorkflow') {
				const again = await run(parameters, asText(now), previous, { retryOf: saved(result.run) });
				expect(again.error?.message).toContain('The segments cannot be joined: ');
				expect(sim.charged()).toHaveLength(1);
				return;
			}
			expect(failure.segments).toEqual({ total: 8, completed: 5, unknown: 0 });
			expect(failure.remainingText).toBe([now[3], now[5], now[7]].join('\n'));
			const kept = await readStored(result.outputs[2][0].binary!.completed_2);
			expect(kept.includes(other.subarray(44))).toBe(true);
		},
	);
});

test('ten changes in a row: only what has changed is sent, and the length is that of a file spoken anew', async () => {
	for (const responseFormat of ['mp3', 'opus', 'wav']) {
		let paragraphs = PARAGRAPHS;
		let previous = await firstVersion(generate({}, { responseFormat }), asText(paragraphs));
		for (let round = 0; round < 10; round++) {
			const changed = paragraph(`round ${round}`);
			const at = (round * 5) % paragraphs.length;
			paragraphs = [...paragraphs.slice(1), paragraphs[0]].with(at, changed);
			sim.reset();
			const { outputs } = await run(
				generate(PREVIOUS, { responseFormat }),
				asText(paragraphs),
				previous,
			);
			expect(sim.charged()).toEqual([changed]);
			previous = outputs[0][0].binary!.data;
		}
		const again = await run(generate({}, { responseFormat }), asText(paragraphs));
		const [now, anew] = await Promise.all(
			[previous, again.outputs[0][0].binary!.data].map(
				async (file) => await decode(await readStored(file)),
			),
		);
		expect(Math.abs(now.length - anew.length) / 24_000).toBeLessThan(0.05);
		expect(peakOf(now)).toBeLessThan(1.05 * peakOf(anew));
	}
});

test.each([
	['mp3', 'mp3-44100-mono-vbr.mp3'],
	['opus', 'opus-mono-60ms-silk.opus'],
])('%s of uneven bitrate or packets: the part is taken again that sounds then', async (...row) => {
	const [responseFormat, name] = row;
	const body = readFileSync(join(__dirname, '../../audio/fixtures', name));
	sim.fault({ method: 'POST', status: 200, body, charge: true, times: Infinity });
	const options = { pauseBetweenSegments: 3000 };
	const more = { responseFormat };
	const text = asText(PARAGRAPHS);
	const [made] = (await run(generate(options, more), text)).outputs[0];
	const starts = partsOf(made).map(({ startSeconds }) => startSeconds);
	for (const [index, start] of starts.entries()) {
		sim.charges.length = 0;
		// All files sound for longer than half a second.
		const again = { ...options, ...PREVIOUS, speakAgainAt: String(start + 0.4) };
		await run(generate(again, more), text, made.binary!.data);
		expect(sim.charged()).toEqual([PARAGRAPHS[index]]);
	}
});

test('a file names no voice; Estimate, which asks nobody, knows one by the hash of its title', async () => {
	sim.addVoice('Grandmother Anna', 'voice-of-anna');
	const byTitle = { voice: { __rl: true, mode: 'title', value: 'Grandmother Anna' } };
	const previous = await firstVersion(generate({}, byTitle), asText(PARAGRAPHS));
	const bytes = String(await readStored(previous));
	expect(bytes).toContain('"manners"');
	expect(bytes).not.toMatch(/anna/i);
	const changed = asText([paragraph('nine'), ...PARAGRAPHS]);
	const estimate = (more: IDataObject) => fitting('speech', 'estimate', generate(PREVIOUS, more));
	const { outputs, hints } = await run(estimate(byTitle), changed, previous);
	const [[{ json }]] = outputs;
	expect(sim.requests).toEqual([]);
	expect(json).toMatchObject({ segments: 9, reusedSegments: 8 });
	expect(json).not.toHaveProperty('contentHash');
	expect(hints.join()).not.toContain('other voices');
	const other = { voice: { ...byTitle.voice, value: 'Somebody else' } };
	const another = await run(estimate(other), changed, previous);
	expect(another.outputs[0][0].json.reusedSegments ?? 0).toBe(0);
	sim.addVoice('Grandmother Anna', 'voice-of-anna');
	const made = await run(generate(PREVIOUS, byTitle), changed, previous);
	expect(made.outputs[0][0].json.speech ?? made.outputs[0][0].json).toMatchObject({
		reusedSegments: 8,
	});
	expect(sim.charged()).toEqual([paragraph('nine')]);
});
