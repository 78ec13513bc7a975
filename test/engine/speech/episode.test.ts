/* Speech that is published: chapters, tags and a cover in what Generate and Dialogue make. */
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { heardIn, partsOf } from '../parts';
import { PNG } from '../../support/png';
import { probe, secondReader } from '../../support/readers';
import { fitting } from '../form';
import {
	type EngineRun,
	item,
	retrierOf,
	runnerOf,
	saved,
	speechNode,
	useSimulator,
	readStored,
} from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0.05 });

const cover = (data: Buffer = PNG): IBinaryData => ({
	data: data.toString('base64'),
	mimeType: 'image/png',
	fileName: 'cover.png',
});
const VALUES = {
	title: 'Эпизод 1',
	artist: 'Anna',
	album: 'The Show',
	year: 2026,
	coverBinaryPropertyName: 'cover',
};
const TEXT = `# The night train

It was late. [pause 500ms] It rained.

## 第二章 & the rest

Nobody came. (whispering) Nobody at all.

## The end

Good night.`;
const TITLES = ['The night train', '第二章 & the rest', 'The end'];
const SAID = [
	'The night train.\n\nIt was late.',
	'It rained.',
	'第二章 & the rest.\n\nNobody came. (whispering) Nobody at all.',
	'The end.\n\nGood night.',
];
const STARTS = [0, 2, 3];

const episode = (options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode(
		{ chapters: 'headings', tags: { values: VALUES }, textFormat: 'markdown', ...options },
		{ responseFormat: 'mp3', ...more },
	);
const withCover = (json: IDataObject, picture = cover()): INodeExecutionData => ({
	json,
	binary: { cover: picture },
});
const run = runnerOf(sim, () => ({ parameters: episode(), items: [withCover({ text: TEXT })] }));

interface ChaptersFile {
	title?: string;
	chapters: Array<{ title: string; startTime: number; endTime: number }>;
}
const chaptersFile = async (from: INodeExecutionData) =>
	JSON.parse(String(await readStored(from.binary!.chapters))) as ChaptersFile;
const titlesOf = (chapters: Array<{ title: string }>) => chapters.map(({ title }) => title);

describe.each(['mp3', 'wav', 'opus'] as const)('%s', (format) => {
	test('chapters begin where their headings are spoken; tags and cover are read by others', async () => {
		const { outputs } = await run({
			parameters: episode({ timings: true }, { responseFormat: format }),
		});
		const [{ json, binary }] = outputs[0];
		expect(sim.charged().sort()).toEqual([...SAID].sort());
		const starts = STARTS.map((part) => partsOf(outputs[0][0])[part].startSeconds);

		const audio = await readStored(binary!.data);
		expect(json).toMatchObject({ segments: 4, bytes: audio.length });
		expect(await heardIn(outputs[0][0], SAID)).toEqual(SAID);

		const seen = probe(audio);
		expect(seen.complaints).toBe('');
		expect(seen.tags).toMatchObject({ title: 'Эпизод 1', artist: 'Anna', album: 'The Show' });
		expect(titlesOf(seen.chapters)).toEqual(TITLES);
		seen.chapters.forEach(({ start }, index) => expect(start).toBeCloseTo(starts[index], 2));
		expect(seen.cover).toEqual(PNG);
		expect(secondReader(audio).common).toMatchObject({ title: 'Эпизод 1', year: 2026 });

		expect(binary!.chapters).toMatchObject({
			mimeType: 'application/json+chapters',
			fileName: expect.stringMatching(/^speech-1-[0-9a-f]{8}\.chapters\.json$/),
		});
		const listed = await chaptersFile(outputs[0][0]);
		expect(listed).toMatchObject({ version: '1.2.0', title: 'Эпизод 1', author: 'Anna' });
		expect(titlesOf(listed.chapters)).toEqual(TITLES);
		listed.chapters.forEach(({ startTime }, index) =>
			expect(startTime).toBeCloseTo(starts[index], 2),
		);
		expect(listed.chapters[2].endTime).toBeCloseTo(Number(json.durationSeconds), 2);
	});
});

test.each([
	['plain', 'Welcome\n\nHello.\n\nThe weather\n\nIt rains.', ['Welcome', 'The weather']],
	['plain', '# One\nHello.\n# Two\nBye.', ['One', 'Two']],
	['plain', 'Chapter 1: Home\nHello.\nChapter 2\nBye.', ['Chapter 1: Home', 'Chapter 2']],
	['html', '<h1>One</h1><p>Hello.</p><h2>T<b>w</b>o &amp; 3</h2><p>Bye.</p>', ['One', 'Two & 3']],
	['markdown', 'One\n===\n\nHello.\n\nTwo\n---\n\nBye.', ['One', 'Two']],
])('chapters of %s text: %j', async (textFormat, text, titles) => {
	const { outputs } = await run({
		parameters: episode({ textFormat }),
		items: [withCover({ text })],
	});
	expect(titlesOf((await chaptersFile(outputs[0][0])).chapters)).toEqual(titles);
	expect(outputs[0][0].json.segments).toBe(2);
});

test('one segment alone has its tags and its chapter', async () => {
	const { outputs } = await run({ items: [withCover({ text: '# Alone\n\nHello.' })] });
	const seen = probe(await readStored(outputs[0][0].binary!.data));
	expect(titlesOf(seen.chapters)).toEqual(['Alone']);
	expect(seen.cover).toEqual(PNG);
	expect(sim.charged()).toEqual(['Alone.\n\nHello.']);
});

test('without headings the list of chapters is empty, and a hint says so; the tags are written', async () => {
	const { outputs, hints } = await run({ items: [withCover({ text: 'Hello.' })] });
	expect((await chaptersFile(outputs[0][0])).chapters).toEqual([]);
	expect(hints.join()).toContain('No headings were found');
	expect(probe(await readStored(outputs[0][0].binary!.data)).tags).toMatchObject({
		artist: 'Anna',
	});
});

test('a single request is not cut: only its first heading is a chapter, and a hint says so', async () => {
	const { outputs, hints } = await run({ parameters: episode({ longText: 'single' }) });
	expect(sim.charged()).toHaveLength(1);
	expect(titlesOf((await chaptersFile(outputs[0][0])).chapters)).toEqual(TITLES.slice(0, 1));
	expect(hints.join()).toContain('Chapters were left out');
});

test('the estimate counts the same segments, and has the same content hash', async () => {
	const estimated = await run({ parameters: fitting('speech', 'estimate', episode()) });
	const [{ json: estimate }] = estimated.outputs[0];
	expect(sim.requests).toEqual([]);
	const [{ json }] = (await run()).outputs[0];
	expect(estimate).toMatchObject({ segments: 4, contentHash: json.contentHash });
	expect(estimate.characters).toBe(json.characters);
	const other = await run({ parameters: episode({ tags: {}, chapters: 'none' }) });
	expect(other.outputs[0][0].json.contentHash).not.toBe(json.contentHash); // cut elsewhere
});

describe('what cannot be made costs nothing', () => {
	const failure = async (more: Partial<EngineRun>) => {
		const { error, outputs } = await run(more);
		expect(sim.requests).toEqual([]);
		expect(outputs.flat()).toEqual([]);
		return `${error?.message} / ${error?.description}`;
	};
	const dialogue = (options: IDataObject = {}, more: IDataObject = {}) =>
		episode(options, {
			operation: 'dialogue',
			script: `${TEXT}\nNarrator: Bye.`,
			speakers: {},
			...more,
		});
	const picture = (bytes: Buffer) => ({ items: [withCover({ text: TEXT }, cover(bytes))] });
	const SUBTITLES = { binaryPropertyName: 'subtitles', subtitles: 'srt' };
	type Bad = [words: string, more: Partial<EngineRun>, options?: IDataObject, more?: IDataObject];
	const BAD: Bad[] = [
		['no file in the binary field "cover"', { items: [item({ text: TEXT })] }],
		['neither a JPEG nor a PNG', picture(Buffer.from('GIF89a'))],
		['larger than 16 MB', picture(Buffer.concat([PNG, Buffer.alloc(17 << 20)]))],
		['A pcm file has no room for chapters or tags', {}, {}, { responseFormat: 'pcm' }],
		['"Output Binary Field" is "chapters"', {}, { binaryPropertyName: 'chapters' }],
		['"Output Binary Field" is "subtitles"', {}, SUBTITLES],
		['"Year" must have four digits', {}, { tags: { values: { year: 'MMXXVI' } } }],
	];
	test.each(BAD)('%s', async (words, more, options = {}, given = {}) => {
		for (const parametersOf of [episode, dialogue])
			expect(await failure({ parameters: parametersOf(options, given), ...more })).toContain(words);
	});

	test('more chapters than a format has numbers for', async () => {
		const text = Array.from({ length: 1000 }, (_, n) => `# Chapter ${n}\n\nText.`).join('\n\n');
		const items = [withCover({ text })];
		expect(await failure({ items, parameters: episode({}, { responseFormat: 'opus' }) })).toContain(
			'1000 chapters, but opus files have room for 999',
		);
	});
});

describe('retries', () => {
	const broken = { input: '第二章', status: 402 };
	const retry = retrierOf(run);

	test('chapters asked for only now: nothing that is paid for is spoken again', async () => {
		sim.fault({ input: 'It rained', status: 402 });
		const first = await run({ parameters: episode({ concurrency: 1, chapters: 'none' }) });
		const second = await retry(first, { parameters: episode({ concurrency: 1 }) });
		const [paid, ...others] = sim.charged();
		expect(others.join()).not.toContain(paid);
		const seen = probe(await readStored(second.outputs[0][0].binary!.data));
		expect(titlesOf(seen.chapters)).toEqual(TITLES);
		expect(seen.tags).toMatchObject({ artist: 'Anna' });
	});

	test('a cover that is gone by then costs the cover, not what is paid for', async () => {
		sim.fault(broken);
		const first = await run({ parameters: episode({ concurrency: 1 }) });
		const data = saved(first.run);
		for (const { data: input } of data.executionData!.nodeExecutionStack)
			for (const one of input.main.flat()) delete one!.binary;
		const second = await run({
			retryOf: data,
			mode: 'retry',
			parameters: episode({ concurrency: 1 }),
		});
		expect(sim.charged()).toEqual(SAID);
		expect(second.hints.join()).toContain('has no cover');
		const seen = probe(await readStored(second.outputs[0][0].binary!.data));
		expect(titlesOf(seen.chapters)).toEqual(TITLES);
		expect(seen.tags).toMatchObject({ artist: 'Anna' });
	});

	test('an unknown segment: what is done comes along, what remains keeps its headings', async () => {
		sim.fault({ input: '第二章', status: 504, charge: true });
		const { outputs } = await run({ parameters: episode({ concurrency: 1 }), retryOnFail: true });
		expect(outputs[0]).toEqual([]);
		const [{ json, binary }] = outputs[1];
		expect(json).toMatchObject({ segments: { total: 4, completed: 2, unknown: 1 } });
		expect(json.remainingText).toContain('# 第二章 & the rest');
		expect(json.remainingText).toContain('# The end');
		expect(Object.keys(binary!)).toEqual(['cover', 'completed']);
		expect(sim.charged()).toEqual(SAID.slice(0, 3));
		// It can be spoken as it is, with its chapters.
		const rest = await run({ items: [withCover({ text: json.remainingText! })] });
		expect(titlesOf((await chaptersFile(rest.outputs[0][0])).chapters)).toEqual(TITLES.slice(1));
		expect(sim.charged().slice(3).sort()).toEqual(SAID.slice(2).sort());
	});
});

describe('dialogue', () => {
	const SCRIPT = `# Welcome
Anna: Hello, Ben. It is 10:30.

## The weather: rain
Anna: (sad) It rains.
Ben: Oh no.

## Bye
Good night.
Anna: Good night.`;
	const WORDS = [
		'Hello, Ben. It is 10:30.',
		'(sad) It rains.',
		'Oh no.',
		'Good night.',
		'Good night.',
	];
	const dialogue = (options: IDataObject = {}, more: IDataObject = {}) =>
		episode(
			{ concurrency: 1, textFormat: 'plain', ...options },
			{
				operation: 'dialogue',
				script: '={{ $json.text }}',
				speakers: {
					values: [
						{ name: 'Anna', voice: '' },
						{ name: 'Ben', voice: '' },
					],
				},
				...more,
			},
		);
	const speak = async (more: Partial<EngineRun> = {}) =>
		await run({ parameters: dialogue(), items: [withCover({ text: SCRIPT })], ...more });

	test.each(['plain', 'markdown'])(
		'two speakers, three chapters, a cover; headings are not read out (%s)',
		async (textFormat) => {
			const { outputs } = await speak({ parameters: dialogue({ timings: true, textFormat }) });
			const [{ json, binary }] = outputs[0];
			expect(json.speakers).toEqual(['Anna', 'Ben']);
			expect(sim.charged()).toEqual(WORDS);
			const parts = partsOf(outputs[0][0]);
			expect(parts.map(({ speaker }) => speaker)).toEqual(['Anna', 'Anna', 'Ben', 'Ben', 'Anna']);
			const seen = probe(await readStored(binary!.data));
			expect(titlesOf(seen.chapters)).toEqual(['Welcome', 'The weather: rain', 'Bye']);
			seen.chapters.forEach(({ start }, index) =>
				expect(start).toBeCloseTo(parts[[0, 1, 3][index]].startSeconds, 2),
			);
			expect(seen.cover).toEqual(PNG);
			expect(titlesOf((await chaptersFile(outputs[0][0])).chapters)).toHaveLength(3);
		},
	);

	test('what is unknown stays unknown; what remains is a script again, with its headings', async () => {
		sim.fault({ input: 'Oh no', status: 504, charge: true });
		const { outputs } = await speak({ retryOnFail: true });
		expect(sim.charged()).toHaveLength(3);
		const { remainingText, segments } = outputs[1][0].json;
		expect(segments).toEqual({ total: 5, completed: 2, unknown: 1 });
		expect(remainingText).toMatch(/^Ben: Oh no\.\s+# Bye\nBen: Good night\.\s+Anna: Good night\.$/);
		const rest = await speak({ items: [withCover({ text: remainingText! })] });
		expect(titlesOf((await chaptersFile(rest.outputs[0][0])).chapters)).toEqual(['Bye']);
	});
});
