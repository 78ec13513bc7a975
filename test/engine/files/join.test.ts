/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import { Readable } from 'node:stream';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	OnError,
} from 'n8n-workflow';
import { inspectorOf, type ReadableFormat } from '../../../nodes/SpeechGateway/audio';
import { readMetadata, type Tags } from '../../../nodes/SpeechGateway/audio/tags';
import { fixture, joinFiles, stream } from '../../audio/support';
import { PNG } from '../../support/png';
import { probe, run as runProgram } from '../../support/readers';
import { type EngineRun, item, runNode, storedFile, readStored } from '../support';

const foreign = (name: string) => fixture(`../foreign/${name}`);
const TYPES: Record<string, string> = {
	mp3: 'audio/mpeg',
	wav: 'audio/wav',
	opus: 'audio/ogg',
	pcm: 'application/octet-stream',
};
/** Of the files that the node makes. */
const MADE_TYPES: Record<string, string> = {
	...TYPES,
	opus: 'audio/ogg; codecs=opus',
	pcm: 'audio/pcm',
};
const typeOf = (name: string) => TYPES[name.split('.').at(-1)!] ?? 'application/octet-stream';
const inMemory = (
	bytes: Uint8Array,
	fileName: string,
	mimeType = typeOf(fileName),
): IBinaryData => ({
	data: Buffer.from(bytes).toString('base64'),
	mimeType,
	fileName,
});
const inStore = async (bytes: Uint8Array, fileName: string, mimeType = typeOf(fileName)) =>
	await storedFile(bytes, fileName, mimeType);

const bytesOf = async (file: IBinaryData) => new Uint8Array(await readStored(file));
const run = async (
	items: INodeExecutionData[],
	parameters: IDataObject = {},
	options: IDataObject = {},
	more: Partial<EngineRun> = {},
) =>
	await runNode({
		parameters: { resource: 'audio', operation: 'join', ...parameters, options },
		// Nobody listens there: whatever is sent fails.
		url: 'http://127.0.0.1:9',
		apiKey: 'none',
		noCredential: true,
		items,
		...more,
	});
const asItems = (files: IBinaryData[]): INodeExecutionData[] =>
	files.map((file, id) => ({ json: { id }, binary: { data: file } }));

/** The file that Join makes of others: as of segments, with the tags that each is the first to have. */
async function joinOf(format: ReadableFormat, files: Uint8Array[], pause = 0) {
	const tags: Tags = {};
	for (const file of files.toReversed())
		Object.assign(tags, (await readMetadata(format, stream([file]))).tags);
	return await joinFiles(format, files, pause, undefined, () => ({ tags, chapters: [] }));
}

const SETS: Record<ReadableFormat, string[]> = {
	mp3: [
		'mp3-44100-mono-id3v2.3-picture.mp3',
		'mp3-44100-mono-cbr.mp3',
		'mp3-44100-mono-id3v2.4-picture.mp3',
		'mp3-44100-mono-vbr.mp3',
	],
	wav: ['wav-24000-mono-s16-list.wav', 'wav-24000-mono-s16.wav', 'wav-24000-mono-s16-streamed.wav'],
	opus: ['opus-mono-20ms.opus', 'opus-mono-20ms-1500hz.opus', 'opus-mono-60ms-silk.opus'],
	pcm: ['pcm-500hz.pcm', 'pcm-1500hz.pcm'],
};

test('one stored file among them: the joined one goes into the store as a stream if it is long', async () => {
	const name = 'wav-24000-mono-s16.wav';
	const inMemories = Array.from({ length: 80 }, () => inMemory(fixture(name), name));
	const files = [...inMemories, await inStore(fixture(name), name)];
	const store = jest.spyOn(Container.get(BinaryDataService), 'store');
	const { outputs } = await run(asItems(files));
	const [[, data]] = store.mock.calls;
	store.mockRestore();
	expect(outputs[0]).toHaveLength(1);
	expect(data).toBeInstanceOf(Readable);
});

test('Stop ends it while it is being written', async () => {
	const [name] = SETS.mp3;
	const file = await inStore(fixture(name), name);
	const service = Container.get(BinaryDataService);
	const real = service.store.bind(service);
	let stop = () => {};
	const store = jest.spyOn(service, 'store').mockImplementation(async (...call) => {
		stop();
		return await real(...call);
	});
	const items = asItems(Array.from({ length: 40 }, () => file));
	await run(items, {}, {}, { started: ({ cancel }) => (stop = cancel) });
	const [{ value }] = store.mock.results;
	store.mockRestore();
	await expect(value).rejects.toThrow();
});

describe.each([
	[
		'in memory',
		async (bytes: Uint8Array, name: string) => await Promise.resolve(inMemory(bytes, name)),
	],
	['in files', inStore],
])('%s', (_, place) => {
	test.each(Object.entries(SETS) as Array<[ReadableFormat, string[]]>)(
		'%s of other programs, joined as segments are',
		async (format, names) => {
			const files = names.map(fixture);
			const items = asItems(
				await Promise.all(files.map(async (bytes, i) => await place(bytes, names[i]))),
			);
			const { outputs, error } = await run(items, {}, { pauseBetween: 250 });
			expect(error).toBeUndefined();
			const expected = await joinOf(format, files, 250);
			const [[{ json, binary, pairedItem }]] = outputs;
			expect(outputs).toHaveLength(1);
			expect(outputs[0]).toHaveLength(1);
			expect(await bytesOf(binary!.data)).toEqual(expected.bytes);
			expect(json).toEqual({
				files: files.length,
				durationSeconds: expected.info.seconds,
				bytes: expected.bytes.length,
				mimeType: MADE_TYPES[format],
				fileName: expect.stringMatching(
					new RegExp(`^joined-1-[0-9a-f]{8}\\.${format === 'opus' ? 'ogg' : format}$`),
				),
				starts: expected.starts,
			});
			expect(pairedItem).toEqual(files.map((_file, item) => ({ item })));
		},
	);
});

interface Chapters {
	title: string;
	chapters: Array<{ title: string; startTime: number }>;
}
const chaptersOf = async ({ binary }: INodeExecutionData) =>
	JSON.parse(String(Buffer.from(await bytesOf(binary!.chapters)))) as Chapters;
const chapterTitles = async (joined: INodeExecutionData) =>
	(await chaptersOf(joined)).chapters.map(({ title }) => title);

const wav = fixture('wav-24000-mono-s16.wav');
const mp3 = fixture('mp3-44100-mono-cbr.mp3');

test('items that have files, and no json at all', async () => {
	const items = ['a.wav', 'b.wav'].map(
		(name) => ({ binary: { data: inMemory(wav, name) } }) as unknown as INodeExecutionData,
	);
	const { outputs, error } = await run(items, {}, { chapters: 'headings' });
	expect(error).toBeUndefined();
	expect(outputs[0][0].json).toMatchObject({ files: 2 });
	expect(await chapterTitles(outputs[0][0])).toEqual(['a', 'b']);
});

test.each([
	['The Plague', 'The Plague'],
	[1984, '1984'],
	[' ', 'a'],
	[{}, 'a'],
])('a chapter is named after the title %j', async (title, text) => {
	const items = [{ json: { title }, binary: { data: inMemory(wav, 'a.wav') } }];
	const { outputs } = await run(items, {}, { chapters: 'headings' });
	expect(await chapterTitles(outputs[0][0])).toEqual([text]);
});

test('the fields of each item, in the order of their names; an item each', async () => {
	const part = inMemory(wav, 'part.wav');
	const intro = inMemory(fixture('wav-24000-mono-s16-list.wav'), 'intro.wav');
	const { outputs } = await run(
		[
			{ json: {}, binary: { part, intro } },
			{ json: {}, binary: { part } },
		],
		{ combine: 'eachItem', binaryPropertyName: '={{ $itemIndex ? "part" : "intro, part" }}' },
		{ outputBinaryPropertyName: 'episode', fileName: '=show-{{ $itemIndex }}' },
	);
	const both = await joinOf('wav', [fixture('wav-24000-mono-s16-list.wav'), wav]);
	expect(outputs[0]).toHaveLength(2);
	expect(await bytesOf(outputs[0][0].binary!.episode)).toEqual(both.bytes);
	expect(outputs[0].map(({ json }) => [json.files, json.fileName])).toEqual([
		[2, 'show-0.wav'],
		[1, 'show-1.wav'],
	]);
	expect(outputs[0].map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
});

test('several fields of all items: item by item', async () => {
	const [a, b] = [wav, fixture('wav-24000-mono-s16-list.wav')];
	const binary = { a: inMemory(a, 'a.wav'), b: inMemory(b, 'b.wav') };
	const { outputs } = await run(
		[
			{ json: {}, binary },
			{ json: {}, binary },
		],
		{
			binaryPropertyName: 'b,a',
		},
	);
	const expected = await joinOf('wav', [b, a, b, a]);
	expect(outputs[0][0].json.files).toBe(4);
	expect(await bytesOf(outputs[0][0].binary!.data)).toEqual(expected.bytes);
});

describe('errors name the file and say what to do', () => {
	const good = inMemory(mp3, 'talk.mp3');
	const failure = async (
		items: INodeExecutionData[],
		parameters: IDataObject = {},
		options: IDataObject = {},
	) => {
		const { error, outputs } = await run(items, parameters, options);
		expect(outputs.flat()).toEqual([]);
		return `${error?.message} / ${error?.description}`;
	};

	const other = (bytes: Uint8Array | string, fileName: string, mimeType?: string) =>
		inMemory(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, fileName, mimeType);
	test.each([
		['the format is mp3 in "talk.mp3" (item 1) and wav in "x.wav" (item 2)', other(wav, 'x.wav')],
		[
			'the sample rate is 44100 in "talk.mp3" (item 1) and 24000 in "x.mp3" (item 2)',
			other(fixture('mp3-24000-mono-cbr.mp3'), 'x.mp3'),
		],
		['The file "x.flac" in "data" is FLAC audio', other(foreign('tone.flac'), 'x.flac')],
		['is not MP3, WAV or Opus but "image/png"', other('\x89PNG\r\n\x1a\n', 'x.png', 'image/png')],
		[
			'is not MP3, WAV or Opus, though its type is "audio/ogg"',
			other('no sound', 'x', 'audio/ogg'),
		],
		['is not MP3, WAV or Opus but "text/plain"', other('{"error":"gone"}', 'x', 'text/plain')],
		['The file "x.mp3" in "data" is not MP3', other('<html>Sign in', 'x.mp3')],
		['The file "x.mp3" in "data" is empty', other('', 'x.mp3')],
		[
			'The file "x.mp3" in "data" cannot be read: The MP3 file',
			other(mp3.subarray(0, 3000), 'x.mp3'),
		],
	])('%s', async (words, bad) => {
		expect(await failure(asItems([good, bad]))).toContain(words);
	});

	test.each([
		[
			'mp3-24000-mono-cbr.mp3',
			'my "intro".mp3',
			'ffmpeg -i "my _intro_.mp3" -ar 44100 "my _intro_-converted.mp3"',
		],
		[
			'wav-24000-mono-s16.wav',
			'intro.wav',
			'ffmpeg -i "intro.wav" -ar 44100 "intro-converted.mp3"',
		],
	])('%s: how to convert the shorter file', async (name, fileName, words) => {
		const twice = (await joinFiles('mp3', [mp3, mp3])).bytes;
		const long = inMemory(twice, 'talk.mp3');
		for (const order of [
			[long, inMemory(fixture(name), fileName)],
			[inMemory(fixture(name), fileName), long],
		])
			expect(await failure(asItems(order))).toContain(words);
	});

	test.each([
		['adpcm.wav', 'audio/wav', ['-c:a', 'adpcm_ms', '-f', 'wav'], 'adpcm-converted.wav'],
		['mp3.wav', 'audio/wav', ['-c:a', 'libmp3lame', '-f', 'wav'], 'mp3-converted.wav'],
		['five.opus', 'audio/ogg', ['-ac', '6', '-c:a', 'libopus', '-f', 'ogg'], 'five-converted.opus'],
		['x.m4a', 'audio/mp4', ['-movflags', 'empty_moov', '-f', 'mp4'], 'x-converted.mp3'],
		['x.webm', 'video/webm', ['-c:a', 'libopus', '-f', 'webm'], 'x-converted.mp3'],
	])('%s is not read: how to convert it', async (name, type, options, converted) => {
		const tone = ['-v', 'error', '-f', 'lavfi', '-i', 'sine=440:duration=1'];
		const { stdout } = runProgram('ffmpeg', [...tone, ...options, '-']);
		const words = await failure(asItems([good, inMemory(stdout, name, type)]));
		expect(words).toContain(`The file "${name}" in "data"`);
		expect(words).toContain(`for example with: ffmpeg -i "${name}" `);
		expect(words).toContain(`"${converted}"`);
	});

	test.each([[['plain.opus', 'chained.opus']], [['chained.opus', 'plain.opus', 'plain.opus']]])(
		'a chained file is named, and is the one to convert: %j',
		async (names) => {
			const [one, two] = ['opus-mono-20ms.opus', 'opus-mono-20ms-1500hz.opus'].map(fixture);
			const chained = new Uint8Array(Buffer.concat([one, two, one]));
			const files = names.map((name) => inMemory(name === 'plain.opus' ? one : chained, name));
			const words = await failure(asItems(files));
			const number = names.indexOf('chained.opus') + 1;
			expect(words).toContain(`"chained.opus" (item ${number}) is several chained Ogg streams`);
			expect(words).toContain('ffmpeg -i "chained.opus" "chained-converted.');
			expect(words).not.toContain('plain');
		},
	);

	test('no file: the files that are there', async () => {
		const items = [{ json: {}, binary: { intro: good, cover: good } }];
		const words = await failure(items);
		expect(words).toContain('The item has no file in the binary field "data"');
		expect(words).toContain('intro, cover');
		expect(await failure([{ json: {} }])).toContain('Put a node before this one');
		expect(await failure(items, { binaryPropertyName: ' , ' })).toContain('names no field');
	});

	test('PCM has no place for tags, and a cover must be one', async () => {
		const pcm = inMemory(fixture('pcm-500hz.pcm'), 'x.pcm');
		expect(await failure(asItems([pcm]), {}, { chapters: 'headings' })).toContain(
			'A pcm file has no room for chapters or tags',
		);
		const tags = { values: { coverBinaryPropertyName: 'data' } };
		expect(await failure(asItems([good]), {}, { tags })).toContain('neither a JPEG nor a PNG');
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as OnError[])(
		'%s: a bad item becomes an error item, and the others are joined',
		async (onError) => {
			const items = asItems([good, inMemory(foreign('tone.flac'), 'x.flac'), good]);
			const { outputs } = await run(items, {}, {}, { onError });
			const all = outputs.flat();
			expect(all).toHaveLength(2);
			const joined = all.find(({ binary }) => binary);
			expect(joined?.json.files).toBe(2);
			expect(joined?.pairedItem).toEqual([{ item: 0 }, { item: 2 }]);
			expect(JSON.stringify(all)).toContain('x.flac');
		},
	);
});

test('chapters, tags and a cover; chapters are named by the title of the item, or by the file', async () => {
	const items: INodeExecutionData[] = [
		{ json: {}, binary: { data: inMemory(mp3, 'Intro.v2.mp3') } },
		{
			json: { title: ' 第一章 ' },
			binary: { data: inMemory(mp3, 'b.mp3'), art: inMemory(PNG, 'art.png', 'image/png') },
		},
	];
	const values = { title: 'Episode', year: 2026, coverBinaryPropertyName: 'art' };
	const { outputs, error } = await run(
		items,
		{},
		{ chapters: 'headings', tags: { values }, pauseBetween: 500 },
	);
	expect(error).toBeUndefined();
	const [{ json, binary }] = outputs[0];
	const [, second] = json.starts as number[];
	const file = Buffer.from(await bytesOf(binary!.data));
	expect(file.length).toBe(json.bytes);
	expect(file.subarray(0, 3).toString()).toBe('ID3');
	for (const id of ['TIT2', 'TYER', 'CTOC', 'CHAP', 'APIC']) expect(file.includes(id)).toBe(true);
	expect(file.includes(PNG)).toBe(true);
	const inspector = inspectorOf('mp3');
	inspector.feed(file);
	expect(inspector.end().seconds).toBe(json.durationSeconds);
	expect(binary!.chapters).toMatchObject({
		mimeType: 'application/json+chapters',
		fileName: expect.stringMatching(/^joined-1-[0-9a-f]{8}\.chapters\.json$/),
	});
	expect(JSON.parse(String(Buffer.from(await bytesOf(binary!.chapters))))).toMatchObject({
		version: '1.2.0',
		title: 'Episode',
		chapters: [
			{ startTime: 0, title: 'Intro.v2' },
			{ startTime: Math.round(second * 1000) / 1000, title: '第一章' },
		],
	});
});

test('chapters, tags and cover of the files that are joined', async () => {
	const made = async (names: string[], options: IDataObject, art?: Buffer) => {
		const binary: IBinaryKeyData = art ? { art: inMemory(art, 'art.png', 'image/png') } : {};
		const { outputs, error } = await run(
			names.map((name) => ({ json: {}, binary: { data: inMemory(mp3, name), ...binary } })),
			{},
			options,
		);
		expect(error).toBeUndefined();
		return outputs[0][0];
	};
	const values = { artist: 'Anna', coverBinaryPropertyName: 'art' };
	const intro = await made(['a.mp3'], { tags: { values: { title: 'Opening' } } });
	const episode = await made(
		['One.mp3', 'Two.mp3'],
		{ chapters: 'headings', tags: { values }, fileName: 'episode' },
		PNG,
	);
	const files = [intro.binary!.data, episode.binary!.data, inMemory(mp3, 'Outro.mp3')];
	const { outputs } = await run(
		asItems(files),
		{},
		{
			chapters: 'files',
			pauseBetween: 1000,
			tags: { values: { artist: 'Ben' } },
		},
	);
	const [{ json, binary }] = outputs[0];
	const [, second, third] = json.starts as number[];
	const [, two] = episode.json.starts as number[];
	const { chapters, title } = await chaptersOf(outputs[0][0]);
	expect(title).toBe('Opening');
	expect(chapters.map((chapter) => chapter.title)).toEqual(['Opening', 'One', 'Two', 'Outro']);
	[0, second, second + two, third].forEach((start, index) =>
		expect(chapters[index].startTime).toBeCloseTo(start, 2),
	);
	const { tags, cover } = probe(await bytesOf(binary!.data));
	expect(tags).toMatchObject({ title: 'Opening', artist: 'Ben' });
	expect(cover).toEqual(PNG);
});

test('a single file: as it is, unless something is set; then with its own tags', async () => {
	const values = { title: 'Opening', artist: 'Anna' };
	// Chapters of its own are lost where a file is written anew without any.
	const options = { chapters: 'headings', tags: { values } };
	const made = await run(asItems([inMemory(mp3, 'a.mp3')]), {}, options);
	const tagged = made.outputs[0][0].binary!.data;
	const again = async (options: IDataObject) =>
		await bytesOf((await run(asItems([tagged]), {}, options)).outputs[0][0].binary!.data);
	expect(await again({})).toEqual(await bytesOf(tagged));
	const { tags } = probe(await again({ tags: { values: { artist: 'Ben' } } }));
	expect(tags).toMatchObject({ title: 'Opening', artist: 'Ben' });
});

test('no item has a file: all are error items, and nothing is made of them', async () => {
	const { outputs, error } = await run(
		[item({ id: 1 }), item({ id: 2 })],
		{},
		{},
		{ onError: 'continueErrorOutput' },
	);
	expect(error).toBeUndefined();
	expect(outputs.map((output) => output.map(({ pairedItem }) => pairedItem))).toEqual([
		[],
		[{ item: 0 }, { item: 1 }],
	]);
});
