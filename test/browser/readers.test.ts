/* What players and libraries read in a published file, format by format. */
import type { Browser } from 'playwright-core';
import { withMetadata, chaptersOf, type Metadata } from '../../nodes/SpeechGateway/audio/tags';
import { fixture, joinFiles } from '../audio/support';
import { PNG } from '../support/png';
import { probe, secondReader } from '../support/readers';
import { launchBrowser } from './editor';

const PARTS = {
	mp3: 'mp3-24000-mono-cbr.mp3',
	opus: 'opus-stereo-20ms.opus',
	wav: 'wav-24000-mono-s16.wav',
} as const;
const MIME_TYPES = { mp3: 'audio/mpeg', opus: 'audio/ogg', wav: 'audio/wav' };
const NAMES = { mp3: 'MP3', opus: 'Opus', wav: 'WAV' };
type Format = keyof typeof PARTS;
const FORMATS = Object.keys(PARTS) as Format[];

const TAGS = { title: '第一章', artist: 'Zoë', album: 'Straße', year: '2026', comment: 'مرحبا' };
/** A frame of MP3, and what encoders put before and behind the sound. */
const TOLERANCE_SECONDS = 0.1;

let browser: Browser;
beforeAll(async () => (browser = await launchBrowser()));
afterAll(async () => await browser?.close());

/** What one reader found; undefined: it does not look for it. */
interface Found {
	tags?: Record<string, unknown>;
	cover?: Buffer;
	chapters?: Array<{ title: string; start: number }>;
	seconds?: number;
	plays?: boolean;
}

function asFfprobe(bytes: Uint8Array): Found {
	const { tags, cover, chapters, seconds } = probe(bytes);
	const { title, artist, album, comment, date } = tags;
	return { tags: { title, artist, album, comment, year: date }, cover, chapters, seconds };
}

function asMusicMetadata(bytes: Uint8Array): Found {
	const { common, chapters = [], duration } = secondReader(bytes);
	const { title, artist, album, year, comment = [], picture = [] } = common;
	const [text] = comment;
	return {
		tags: {
			...{ title, artist, album, year: String(year) },
			comment: typeof text === 'string' ? text : text?.text,
		},
		cover: picture[0] && Buffer.from(picture[0].data, 'base64'),
		chapters,
		seconds: duration,
	};
}

/** Loads and plays the file as a web page does. */
async function asChromium(bytes: Uint8Array, format: Format): Promise<Found> {
	const page = await browser.newPage();
	const source = `data:${MIME_TYPES[format]};base64,${Buffer.from(bytes).toString('base64')}`;
	const script = `new Promise((resolve, reject) => {
		const audio = new Audio(${JSON.stringify(source)});
		audio.muted = true;
		audio.onerror = () => reject(new Error(audio.error.message));
		audio.onended = () => resolve({ seconds: audio.duration, plays: true });
		const playTheEnd = () => {
			audio.currentTime = audio.duration - 0.2;
			audio.play().catch(reject);
		};
		audio.addEventListener('canplaythrough', playTheEnd, { once: true });
	})`;
	const found = (await page.evaluate(script)) as Found;
	await page.close();
	return found;
}

const READERS = { ffprobe: asFfprobe, 'music-metadata': asMusicMetadata, Chromium: asChromium };

async function published(format: Format) {
	const files = [1, 2, 3].map(() => fixture(PARTS[format]));
	const plain = await joinFiles(format, files, 300);
	const headings = [0, 1, 2].map((part) => ({ title: `Kapitel ${part} é`, part }));
	const metadata: Metadata = {
		tags: { ...TAGS, cover: { mimeType: 'image/png', bytes: PNG } },
		chapters: chaptersOf(headings, plain.starts, plain.info.seconds),
	};
	const chunks: Uint8Array[] = [];
	for await (const chunk of withMetadata(plain, metadata).chunks()) chunks.push(chunk);
	return { bytes: new Uint8Array(Buffer.concat(chunks)), plain, metadata };
}

/** `✓`: all of it, as written; `–`: this reader does not look for it. Anything else is a difference, in words. */
async function rowOf(format: Format, reader: keyof typeof READERS): Promise<string[]> {
	const { bytes, plain, metadata } = await published(format);
	const { tags, cover, chapters, seconds, plays } = await READERS[reader](bytes, format);
	const isAsWritten = (found: unknown, wanted: unknown) =>
		JSON.stringify(found) === JSON.stringify(wanted) ? '✓' : JSON.stringify(found);
	const { title, artist, album, year, comment } = TAGS;
	const wantedTags = { title, artist, album, comment, year };
	const ordered =
		tags && Object.fromEntries(Object.keys(wantedTags).map((key) => [key, tags[key]]));
	const times = (all: Array<{ title: string; start: number }>) =>
		all.map((one) => [one.title, one.start.toFixed(2)]);
	const wantedTimes = times(
		metadata.chapters.map((one) => ({ title: one.title, start: one.startSeconds })),
	);
	const isRight = Math.abs((seconds ?? 0) - plain.info.seconds) < TOLERANCE_SECONDS;
	return [
		NAMES[format],
		reader,
		ordered ? isAsWritten(ordered, wantedTags) : '–',
		cover ? isAsWritten(cover.equals(PNG), true) : '–',
		chapters && chapters.length > 0 ? isAsWritten(times(chapters), wantedTimes) : '–',
		isRight ? '✓' : `${seconds} s`,
		plays ? '✓' : '–',
	];
}

/** Tags, cover, chapters, length, plays. Players show no tags; music-metadata reads chapters in MP3 only. */
const EXPECTED = [
	'MP3 ffprobe ✓ ✓ ✓ ✓ –',
	'MP3 music-metadata ✓ ✓ ✓ ✓ –',
	'MP3 Chromium – – – ✓ ✓',
	'Opus ffprobe ✓ ✓ ✓ ✓ –',
	'Opus music-metadata ✓ ✓ – ✓ –',
	'Opus Chromium – – – ✓ ✓',
	'WAV ffprobe ✓ ✓ ✓ ✓ –',
	'WAV music-metadata ✓ ✓ – ✓ –',
	'WAV Chromium – – – ✓ ✓',
];

test('other programs read tags, cover and chapters exactly as written, and play the file', async () => {
	const rows: string[] = [];
	for (const format of FORMATS)
		for (const reader of Object.keys(READERS) as Array<keyof typeof READERS>)
			rows.push((await rowOf(format, reader)).join(' '));
	expect(rows).toEqual(EXPECTED);
});
