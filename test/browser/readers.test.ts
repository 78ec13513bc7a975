/* A browser plays what is published. What ffmpeg and music-metadata read in it: test/audio/tags. */
import type { Browser } from 'playwright-core';
import { fixture, joinFiles } from '../audio/support';
import { PNG } from '../support/png';
import { launchBrowser } from './editor';

const TAGS = { title: '第一章', artist: 'Zoë', comment: 'مرحبا' };
/** A frame of MP3, and what encoders put before and behind the sound. */
const TOLERANCE_SECONDS = 0.1;

let browser: Browser;
beforeAll(async () => (browser = await launchBrowser()));
afterAll(async () => await browser?.close());

test.each([
	['mp3', 'audio/mpeg', 'mp3-24000-mono-cbr.mp3'],
	['opus', 'audio/ogg', 'opus-stereo-20ms.opus'],
	['wav', 'audio/wav', 'wav-24000-mono-s16.wav'],
] as const)('%s with tags, a chapter and a cover', async (format, mimeType, name) => {
	const files = [1, 2, 3].map(() => fixture(name));
	const { info, bytes } = await joinFiles(format, files, 300, undefined, ({ info }) => ({
		tags: { ...TAGS, cover: { mimeType: 'image/png', bytes: PNG } },
		chapters: [{ title: 'Kapitel é', startSeconds: 0, endSeconds: info.seconds }],
	}));
	const source = `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`;
	const page = await browser.newPage();
	const heard = await page.evaluate<number>(`new Promise((resolve, reject) => {
		const audio = new Audio(${JSON.stringify(source)});
		audio.muted = true;
		audio.onerror = () => reject(new Error(audio.error.message));
		audio.onended = () => resolve(audio.duration);
		const playTheEnd = () => {
			audio.currentTime = audio.duration - 0.2;
			audio.play().catch(reject);
		};
		audio.addEventListener('canplaythrough', playTheEnd, { once: true });
	})`);
	expect(Math.abs(heard - info.seconds)).toBeLessThan(TOLERANCE_SECONDS);
});
