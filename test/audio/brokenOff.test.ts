/** What gateways send when their upstream breaks off within the audio, after a status of 200. */
import fc from 'fast-check';
import { DamagedAudioError } from '../../nodes/SpeechGateway/audio';
import type { Mp3Info } from '../../nodes/SpeechGateway/audio/mp3/reader';
import { fixture, inspect, pieces } from './support';

const bytesOf = (...parts: Array<Uint8Array | string>) =>
	new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
const mp3 = fixture('mp3-44100-mono-cbr-noxing.mp3');
const streamed = fixture('wav-24000-mono-s16-streamed.wav');
const pcm = fixture('pcm-500hz.pcm');

describe.each([
	['mp3', mp3],
	['wav', streamed],
	['pcm', pcm],
] as const)('%s', (format, file) => {
	test('an error of any length behind it or within it is damage, wherever chunks end', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 100, max: file.length }),
				fc.string({ maxLength: 400 }),
				fc.boolean(),
				fc.integer({ min: 1, max: 700 }),
				(at, message, goesOn, size) => {
					const error = JSON.stringify({ error: { message } });
					const rest = goesOn ? file.subarray(at) : '';
					const broken = bytesOf(file.subarray(0, at), error, rest);
					// Samples of 16 bits: the message must not show by its length alone.
					const even = bytesOf(broken, broken.length % 2 === 0 || format === 'mp3' ? '' : ' ');
					expect(() => inspect(format, pieces(even, size))).toThrow(DamagedAudioError);
				},
			),
			{ numRuns: 60 },
		);
	});
});

test('the error is named', () => {
	const error = '{"error":{"message":"upstream error"}}';
	for (const [format, file] of [
		['mp3', bytesOf(mp3, error, mp3)],
		['wav', bytesOf(streamed, error)],
		['pcm', bytesOf(pcm, error)],
		['pcm', bytesOf(pcm, '{\n  "error": "upstream"\n}')],
	] as const)
		expect(() => inspect(format, file)).toThrow(/broken off: an error message in JSON is in it/);
});

test('a WAV file that begins anew within itself, as from another provider, is broken off', () => {
	const half = streamed.subarray(0, 44 + Math.floor(streamed.length / 4) * 2);
	for (const size of [7, 333, 1e6])
		expect(() => inspect('wav', pieces(bytesOf(half, streamed), size))).toThrow(/begins anew/);
});

describe('an MP3 that begins anew within itself', () => {
	const anew = (file: Uint8Array) => (inspect('mp3', pieces(file, 333)) as Mp3Info).beginsAnewAt;
	const info = inspect('mp3', mp3) as Mp3Info;
	const start = mp3.indexOf(0xff);
	const frame = (number: number) => start + Math.round((info.dataBytes / info.frames) * number);

	test.each([
		['alone', mp3],
		['behind a tag and a header frame', fixture('mp3-44100-mono-cbr.mp3')],
	])('behind a cut frame, %s', (_, again) => {
		// Unless the missing bytes are by chance just as many as those of a tag.
		const found = Array.from({ length: 180 }, (_, more) => {
			const at = anew(bytesOf(mp3.subarray(0, frame(9) + 8 + more), again));
			return at !== undefined && Math.abs(at - (9 * 1152) / 44_100) < 0.06;
		});
		expect(found.filter((one) => !one).length).toBeLessThan(4);
	});
	test('not where files stand one behind the other, whole, or a frame is destroyed', () => {
		expect(anew(mp3)).toBeUndefined();
		expect(anew(bytesOf(mp3, mp3))).toBeUndefined();
		const destroyed = mp3.slice();
		destroyed.fill(0, frame(9) + 1, frame(9) + 4);
		expect(anew(destroyed)).toBeUndefined();
	});
});
