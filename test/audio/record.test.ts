import type { AudioFormat } from '../../nodes/SpeechGateway/audio';
import { readMetadata, withMetadata } from '../../nodes/SpeechGateway/audio/tags';
import { probe, secondReader } from '../support/readers';
import { bytesOf, decodeAll, fixture, joinFiles, stream } from './support';

/** As long as that of a book. */
const RECORD = JSON.stringify({
	version: 1,
	parts: Array.from({ length: 900 }, (_, i) => [i, 'x'.repeat(60)]),
});

const PARTS: Array<[AudioFormat, string]> = [
	['mp3', 'mp3-44100-mono-cbr.mp3'],
	['opus', 'opus-mono-20ms.opus'],
	['wav', 'wav-24000-mono-s16.wav'],
];

test.each(PARTS)(
	'%s: other programs play a file with a record of its parts like one without',
	async (format, name) => {
		const joined = await joinFiles(format, [fixture(name), fixture(name)]);
		const metadata = { tags: { title: 'A book' }, chapters: [] };
		const without = await bytesOf(withMetadata(joined, metadata).chunks());
		const recorded = withMetadata(joined, { ...metadata, record: RECORD });
		const bytes = await bytesOf(recorded.chunks());
		expect(bytes.length).toBe(recorded.info.bytes);
		expect((await readMetadata(format, stream([bytes]))).record).toBe(RECORD);

		const [heard, plain] = decodeAll(format, [bytes, without]);
		expect(heard.complaints).toBe('');
		expect(
			Buffer.compare(Buffer.from(heard.samples.buffer), Buffer.from(plain.samples.buffer)),
		).toBe(0);
		const [seen, expected] = [probe(bytes), probe(without)];
		expect(seen).toMatchObject({ complaints: '', seconds: expected.seconds });
		expect(seen.tags.title).toBe('A book');
		const [second, ofPlain] = [secondReader(bytes), secondReader(without)];
		expect(second.common.title).toBe('A book');
		expect(second.duration).toBeCloseTo(ofPlain.duration, 2);
	},
);
