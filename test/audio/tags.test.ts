import type { JoinedAudio } from '../../nodes/SpeechGateway/audio';
import {
	chaptersJson,
	chaptersOf,
	type Metadata,
	readMetadata,
	sniffCover,
} from '../../nodes/SpeechGateway/audio/tags';
import { probe, run, secondReader } from '../support/readers';
import { decode, fixture, inspect, joinFiles, pieces, probeAudio, stream } from './support';

type Tagged = 'mp3' | 'wav' | 'opus';
const FORMATS: Tagged[] = ['mp3', 'wav', 'opus'];
const PARTS: Record<Tagged, string> = {
	mp3: 'mp3-24000-mono-cbr.mp3',
	wav: 'wav-24000-mono-s16.wav',
	opus: 'opus-stereo-20ms.opus',
};

/** In jest a look at a global takes longer than a multiplication. */
const { imul } = Math;

/** A picture of noise, which no encoder makes small. */
function picture(type: 'png' | 'mjpeg', side: number): Uint8Array {
	let state = 1;
	const noise = new Uint8Array(side * side * 3);
	for (let i = 0; i < noise.length; i++) {
		state = (imul(state, 1664525) + 1013904223) >>> 0;
		noise[i] = state >>> 24;
	}
	const raw = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${side}x${side}`, '-i', '-'];
	const { stdout, stderr } = run(
		'ffmpeg',
		['-v', 'error', ...raw, '-q:v', '2', '-f', 'image2pipe', '-c:v', type, '-'],
		noise,
	);
	if (stderr) throw new Error(stderr);
	return new Uint8Array(stdout);
}
/** More than 5 MB each. */
const large = { png: picture('png', 1350), mjpeg: picture('mjpeg', 2600) };
const smallPng = picture('png', 40);
const smallJpeg = picture('mjpeg', 40);

/** The same file joined of three parts with a pause, without and with metadata. */
async function tagged(format: Tagged, of: (joined: JoinedAudio) => Metadata) {
	const files = Array.from({ length: 3 }, () => fixture(PARTS[format]));
	const cut = (bytes: Uint8Array) => pieces(bytes, 1000);
	const plain = await joinFiles(format, files, 300, cut);
	const metadata = of(plain);
	const { bytes } = await joinFiles(format, files, 300, cut, () => metadata);
	return { plain, metadata, bytes };
}

/** A record of parts, as long as that of a book; other programs pass it over. */
const RECORD = JSON.stringify({ parts: Array<string>(900).fill('x'.repeat(60)) });

const SCRIPTS = {
	latin: { title: 'Café Übermut', artist: 'Zoë', album: 'Straße', comment: 'One\nTwo' },
	japanese: { title: '第一章', artist: '夏目漱石', album: '吾輩は猫である', comment: 'こんにちは' },
	arabic: { title: 'الفصل الأول', artist: 'نجيب', album: 'ألف ليلة', comment: 'مرحبا' },
	emoji: { title: '🎙️ Pilot 👩‍🚀', artist: '𝔸nna', album: '🦊', comment: '𓀀' },
	ascii: { title: 'Chapter = one; two', artist: 'A', album: 'B', comment: 'C' },
};

describe.each(FORMATS)('%s', (format) => {
	test.each(Object.entries(SCRIPTS))('tags and chapters in %s script', async (_, words) => {
		const { plain, metadata, bytes } = await tagged(format, ({ starts, info }) => ({
			tags: { ...words, year: '2026', cover: { mimeType: 'image/png', bytes: smallPng } },
			chapters: chaptersOf(
				starts.map((_start, segment) => ({ title: `${words.title} ${segment + 1}`, segment })),
				starts,
				info.seconds,
			),
			record: RECORD,
		}));
		expect({ ...inspect(format, bytes), bytes: 0 }).toEqual({
			...inspect(format, plain.bytes),
			bytes: 0,
		});

		expect((await readMetadata(format, stream([bytes]))).record).toBe(RECORD);
		const seen = probe(bytes);
		expect(seen.complaints).toBe('');
		expect(seen.tags).toMatchObject({
			title: words.title,
			artist: words.artist,
			album: words.album,
			date: '2026',
			comment: words.comment,
		});
		expect(seen.chapters.map(({ title }) => title)).toEqual(
			metadata.chapters.map(({ title }) => title),
		);
		seen.chapters.forEach(({ start, end }, index) => {
			expect(start).toBeCloseTo(plain.starts[index], 2);
			expect(end).toBeCloseTo(metadata.chapters[index].endSeconds, 1);
		});
		expect(new Uint8Array(seen.cover!)).toEqual(smallPng);

		const second = secondReader(bytes);
		expect(second.common).toMatchObject({
			title: words.title,
			artist: words.artist,
			album: words.album,
			year: 2026,
		});
		// It does not cut off what encoders add at both ends.
		expect(second.duration).toBeCloseTo(plain.info.seconds, 0);
		expect(JSON.stringify(second.common.comment)).toContain(JSON.stringify(words.comment));
		expect(second.common.picture).toMatchObject([
			{ format: 'image/png', data: Buffer.from(smallPng).toString('base64') },
		]);
		// It reads chapters of ID3 only.
		if (format === 'mp3') {
			const chapters = metadata.chapters.map(({ title, startSeconds }) => ({
				title,
				start: Math.round(startSeconds * 1000) / 1000,
			}));
			expect(second.chapters).toEqual(chapters);
		}
	});

	test('the sound is the same, sample for sample', async () => {
		const { plain, bytes } = await tagged(format, () => ({
			tags: { title: 'T', cover: { mimeType: 'image/jpeg', bytes: smallJpeg } },
			chapters: [{ title: 'One', startSeconds: 0, endSeconds: 1 }],
			record: RECORD,
		}));
		const [before, after] = [decode(format, plain.bytes), decode(format, bytes)];
		expect(after.complaints).toBe('');
		expect(Buffer.from(after.samples.buffer).equals(Buffer.from(before.samples.buffer))).toBe(true);
		const [claimedBefore, claimed] = [plain.bytes, bytes].map((file) => probeAudio(format, file));
		expect(claimed.complaints).toBe('');
		expect(claimed.claimedSeconds).toBeCloseTo(claimedBefore.claimedSeconds, 3);
	});

	test.each(['png', 'mjpeg'] as const)('a cover of 5 MB (%s)', async (type) => {
		const cover = large[type];
		expect(cover.length).toBeGreaterThan(5_000_000);
		const mimeType = sniffCover(cover)!;
		const { plain, bytes } = await tagged(format, () => ({
			tags: { title: 'Big', cover: { mimeType, bytes: cover } },
			chapters: [],
		}));
		expect(inspect(format, bytes).seconds).toBe(plain.info.seconds);
		const seen = probe(bytes);
		expect(seen.complaints).toBe('');
		expect(Buffer.from(cover).equals(seen.cover!)).toBe(true);
		const { common } = secondReader(bytes);
		expect(common.title).toBe('Big');
		expect(common.picture?.[0].format).toBe(mimeType);
		expect(common.picture?.[0].data === Buffer.from(cover).toString('base64')).toBe(true);
	});

	test('a file with metadata can be joined again; none of it is left inside', async () => {
		const { plain, bytes } = await tagged(format, () => ({
			tags: { title: 'Inner', cover: { mimeType: 'image/png', bytes: picture('png', 200) } },
			chapters: [{ title: 'One', startSeconds: 0, endSeconds: 1 }],
		}));
		const twice = await joinFiles(format, [bytes, bytes], 0, (file) => pieces(file, 700));
		const expected = await joinFiles(format, [plain.bytes, plain.bytes]);
		expect(twice.bytes).toEqual(expected.bytes);
	});
});

test.each(FORMATS)('%s: 600 chapters', async (format) => {
	const chapters = Array.from({ length: 600 }, (_, index) => ({
		title: `Chapter ${index + 1}`,
		startSeconds: index / 1000,
		endSeconds: (index + 1) / 1000,
	}));
	const { bytes } = await tagged(format, () => ({ tags: {}, chapters }));
	expect(probe(bytes).chapters.map(({ title }) => title)).toEqual(
		chapters.map(({ title }) => title),
	);
});

test('Opus numbers its chapters with three digits, so a thousand are too many', async () => {
	const chapters = Array.from({ length: 1000 }, () => ({
		title: 'x',
		startSeconds: 0,
		endSeconds: 0,
	}));
	await expect(tagged('opus', () => ({ tags: {}, chapters }))).rejects.toThrow(
		'An Opus file can have at most 999 chapters, not 1000',
	);
});

test('ID3: CHAP, and CTOC in front of it, as byte by byte in the specification', async () => {
	const { bytes } = await tagged('mp3', () => ({
		tags: {},
		chapters: [
			{ title: 'A', startSeconds: 0, endSeconds: 1.5 },
			{ title: 'é', startSeconds: 1.5, endSeconds: 70 },
		],
	}));
	const hex = (text: string) => text.replace(/\s/g, '');
	expect(Buffer.from(bytes.subarray(0, 10 + 141)).toString('hex')).toMatch(
		new RegExp(
			`^${hex(`
			494433 0300 00 0000010c
			43544f43 00000010 0000 746f6300 03 02 6368703000 6368703100
			`).replace('0000010c', '[0-7][0-9a-f]'.repeat(4))}.*`,
		),
	);
	const frames = Buffer.from(bytes.subarray(0, 400)).toString('latin1');
	expect(frames.indexOf('CHAP')).toBeGreaterThan(frames.indexOf('CTOC'));
	const at = frames.indexOf('CHAP');
	expect(Buffer.from(bytes.subarray(at, at + 10 + 5 + 16 + 12)).toString('hex')).toBe(
		hex(`43484150 00000021 0000 6368703000 00000000 000005dc ffffffff ffffffff
			54495432 00000002 0000 00 41`),
	);
});

test('WAV: sizes are right for every length of text, and chunks begin at even places', async () => {
	for (const title of ['', 'a', 'ab', 'abc', 'äb']) {
		const { bytes } = await tagged('wav', () => ({
			tags: { artist: 'x', title },
			chapters: [{ title, startSeconds: 0.5, endSeconds: 1 }],
		}));
		const view = new DataView(bytes.buffer);
		expect(view.getUint32(4, true)).toBe(bytes.length - 8);
		const ids: string[] = [];
		let at = 12;
		while (at < bytes.length) {
			ids.push(String.fromCharCode(...bytes.subarray(at, at + 4)));
			const size = view.getUint32(at + 4, true);
			if (ids.at(-1) === 'cue ') expect(view.getUint32(at + 12 + 20, true)).toBe(12_000);
			at += 8 + size + (size & 1);
		}
		expect(at).toBe(bytes.length);
		expect(ids).toEqual([
			'fmt ',
			'data',
			'LIST',
			'cue ',
			'LIST',
			...(title === 'äb' ? ['id3 '] : []),
		]);
	}
});

test('the first chapter starts at 0:00, whatever is spoken before its heading', () => {
	const headings = [
		{ title: 'One', segment: 1 },
		{ title: 'Two', segment: 2 },
	];
	expect(chaptersOf(headings, [0, 5, 61], 100)).toEqual([
		{ title: 'One', startSeconds: 0, endSeconds: 61 },
		{ title: 'Two', startSeconds: 61, endSeconds: 100 },
	]);
});

test('chapters.json: Podcasting 2.0', () => {
	const chapters = chaptersOf(
		[
			{ title: 'Intro', segment: 0 },
			{ title: 'Part II', segment: 2 },
			{ title: 'First steps', segment: 2 },
		],
		[0, 5, 61.23456],
		100,
	);
	expect(
		JSON.parse(chaptersJson({ tags: { title: 'T', artist: 'A', album: 'P' }, chapters })),
	).toEqual({
		version: '1.2.0',
		title: 'T',
		author: 'A',
		podcastName: 'P',
		chapters: [
			{ startTime: 0, endTime: 61.235, title: 'Intro' },
			{ startTime: 61.235, endTime: 100, title: 'Part II: First steps' },
		],
	});
});
