import { decode, decoderMessages, hear, likeness, melodyOf, whichText } from './listen';
import { type AudioFormat, renderAudio } from './simulator/audio';

const FORMATS: AudioFormat[] = ['mp3', 'wav', 'opus', 'pcm'];
const render = (text: string, seconds: number, format: AudioFormat, header?: 'streaming') => {
	const { length, chunks } = renderAudio(text, seconds, format, header);
	const bytes = Buffer.concat([...chunks()]);
	expect(bytes).toHaveLength(length);
	return bytes;
};

describe.each(FORMATS)('%s', (format) => {
	it.each([0.02, 0.1, 1, 7.77])('decodes to exactly %d s, without complaint', async (seconds) => {
		const audio = render('Hello', seconds, format);
		expect(await decoderMessages(audio, format)).toBe('');
		expect((await decode(audio, format)).length).toBe(Math.round(seconds * 24_000));
	});

	it('says its text', async () => {
		const pcm = await decode(render('Hello', 4, format), format);
		expect(likeness(pcm, 'Hello')).toBeGreaterThan(0.98);
		expect(likeness(pcm, 'Goodbye')).toBeLessThan(0.3);
		expect(whichText(pcm, ['One', 'Two', 'Hello'])).toBe(2);
		expect(whichText(pcm, ['One', 'Two'])).toBe(-1);

		const notes = hear(pcm);
		const melody = melodyOf('Hello');
		expect(notes.map(({ tone }) => tone)).toEqual(notes.map((_, i) => melody[i % 8]));
		expect(notes).toHaveLength(Math.ceil(4 / 0.12));
		for (const [i, { start }] of notes.entries())
			expect(Math.abs(start - i * 0.12)).toBeLessThan(0.03);
	});
});

it('hears silence, and order', async () => {
	const one = await decode(render('One', 1, 'pcm'), 'pcm');
	const two = await decode(render('Two', 1, 'pcm'), 'pcm');
	const both = new Float32Array(24_000 * 3);
	both.set(two, 0);
	both.set(one, 48_000);
	expect(whichText(both, ['One', 'Two'], 0, 1)).toBe(1);
	expect(whichText(both, ['One', 'Two'], 2, 1)).toBe(0);
	const silence = hear(both).filter(({ tone }) => tone === 'silence');
	expect(silence).toHaveLength(1);
	expect(silence[0].start).toBeCloseTo(1, 1);
	expect(silence[0].seconds).toBeCloseTo(1, 1);
});

it('tells damage', async () => {
	const audio = render('Hello', 5, 'opus');
	audio.fill(0x55, 2000, 2600);
	expect(await decoderMessages(audio)).not.toBe('');
	await expect(decode(Buffer.from('no audio at all'))).rejects.toThrow('could not decode');
});
