import fc from 'fast-check';
import type { ReadableFormat, AudioSegment, Place } from '../../nodes/SpeechGateway/audio';
import { joinAudio, slicesIn } from '../../nodes/SpeechGateway/audio';
import { bytesOf, decodeAll, fixture, inspect, pieces, slice, toneShare } from './support';

const FILES: Record<string, string[]> = {
	mp3: ['mp3-44100-mono-cbr.mp3', 'mp3-44100-mono-vbr.mp3', 'mp3-44100-mono-cbr-1500hz.mp3'],
	'mp3 without headers': ['mp3-44100-mono-cbr-noxing.mp3', 'mp3-44100-mono-vbr-noxing.mp3'],
	opus: ['opus-mono-20ms.opus', 'opus-mono-20ms-1500hz.opus', 'opus-mono-60ms-silk.opus'],
	wav: ['wav-24000-mono-s16.wav', 'wav-24000-mono-s16-list.wav'],
};
const formatOf = (name: string) => name.split(' ')[0] as ReadableFormat;

type Part = AudioSegment & { info: ReturnType<typeof inspect> };

const partOf = (format: ReadableFormat, bytes: Uint8Array, place?: Place): Part => {
	const info = inspect(format, bytes);
	return {
		info: place ? slicesIn(info).infoOf(info, place) : info,
		open: async function* () {
			yield bytes;
		},
	} as unknown as Part;
};

async function join(parts: Part[], pauses: number[]) {
	const joined = await joinAudio(parts, { between: pauses });
	return { ...joined, bytes: await bytesOf(joined.chunks()) };
}

function cut(format: ReadableFormat, bytes: Uint8Array, places: Place[]): Part[] {
	const slices: Uint8Array[][] = places.map(() => []);
	const info = inspect(format, bytes);
	const reader = slicesIn(info).slice(info, places, (slice, part) => slices[slice].push(part));
	for (const piece of pieces(bytes, 3000)) reader.feed(piece);
	reader.end();
	return slices.map((chunks, index) =>
		partOf(format, new Uint8Array(Buffer.concat(chunks)), places[index]),
	);
}

/** Where a part may have lost a frame, or have the end of another in it. */
const EDGE_SECONDS = 0.08;
const STEP_SECONDS = 0.1;
const powerOf = (samples: Float32Array) => samples.reduce((sum, one) => sum + one * one, 0);

describe.each(Object.keys(FILES))('%s', (name) => {
	const format = formatOf(name);
	const files = FILES[name].map((file) => partOf(format, fixture(file)));

	test('parts that are cut out and put back make the same file', async () => {
		const parts = [...files, ...files, ...files];
		const pauses = parts.slice(1).map((_, index) => (index % 3) * 170);
		const before = await join(parts, pauses);
		const after = await join(cut(format, before.bytes, before.places), pauses);
		expect(after.places).toEqual(before.places);
		expect(after.starts).toEqual(before.starts);
		expect(Buffer.compare(after.bytes, before.bytes)).toBe(0);
	});

	const alone = decodeAll(format, FILES[name].map(fixture));

	/** Each part sounds as its file does alone, from its start to its end. */
	function expectSound(joined: Awaited<ReturnType<typeof join>>, originals: number[]): void {
		const [{ samples, sampleRate, complaints }] = decodeAll(format, [joined.bytes]);
		expect(complaints).toBe('');
		for (const [index, original] of originals.entries()) {
			const own = alone[original].samples;
			const { seconds } = files[original].info;
			for (let at = EDGE_SECONDS; at + STEP_SECONDS < seconds - EDGE_SECONDS; at += STEP_SECONDS) {
				const start = joined.starts[index] + at;
				const heard = slice(samples, sampleRate, start, start + STEP_SECONDS);
				const wanted = slice(own, sampleRate, at, at + STEP_SECONDS);
				expect(powerOf(heard) / powerOf(wanted)).toBeGreaterThan(0.7);
				const shares = [heard, wanted].map((one) => toneShare(one, sampleRate, 1500));
				expect(Math.abs(shares[0] - shares[1])).toBeLessThan(0.2);
			}
		}
	}

	test('after ten changes in a row, each part is in its place, and no sound is lost', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.array(fc.nat(99), { minLength: 2, maxLength: 6 }), {
					minLength: 10,
					maxLength: 10,
				}),
				async (rounds) => {
					let known = files.map((part, original) => ({ part, original }));
					for (const [round, picks] of rounds.entries()) {
						const chosen = picks.map((pick) => known[pick % known.length]);
						const joined = await join(
							chosen.map(({ part }) => part),
							picks.slice(1).map(() => 0),
						);
						const ideal = chosen.reduce(
							(sum, { original }) => sum + files[original].info.seconds,
							0,
						);
						const late = joined.info.seconds - ideal;
						expect(late).toBeGreaterThan(-0.075);
						expect(late).toBeLessThan(0.045 * picks.length);
						if (round === rounds.length - 1)
							expectSound(
								joined,
								chosen.map(({ original }) => original),
							);
						known = cut(format, joined.bytes, joined.places).map((part, index) => ({
							part,
							original: chosen[index].original,
						}));
					}
				},
			),
			{ numRuns: 10 },
		);
	});
});
