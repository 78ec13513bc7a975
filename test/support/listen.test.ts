import { decode, decoderMessages, likeness, whichText } from './listen';
import { type AudioFormat, renderAudio } from './simulator/audio';

const FORMATS: AudioFormat[] = ['mp3', 'wav', 'opus', 'pcm'];
const render = (text: string, seconds: number, format: AudioFormat) => {
	const { length, chunks } = renderAudio(text, seconds, format);
	const bytes = Buffer.concat([...chunks()]);
	expect(bytes).toHaveLength(length);
	return bytes;
};

it.each(FORMATS)(
	'%s decodes to exactly its length, without complaint, and says its text',
	async (format) => {
		const short = render('Hello', 0.02, format);
		expect(await decoderMessages(short, format)).toBe('');
		expect(await decode(short, format)).toHaveLength(480);

		const pcm = await decode(render('Hello', 3.77, format), format);
		expect(pcm).toHaveLength(90_480);
		expect(likeness(pcm, 'Hello')).toBeGreaterThan(0.98);
		expect(likeness(pcm, 'Goodbye')).toBeLessThan(0.3);
		expect(whichText(pcm, ['One', 'Two', 'Hello'])).toBe(2);
		expect(whichText(pcm, ['One', 'Two'])).toBe(-1);
	},
);

it('hears silence, and order', async () => {
	const one = await decode(render('One', 1, 'pcm'), 'pcm');
	const two = await decode(render('Two', 1, 'pcm'), 'pcm');
	const both = new Float32Array(24_000 * 3);
	both.set(two, 0);
	both.set(one, 48_000);
	expect(whichText(both, ['One', 'Two'], 0, 1)).toBe(1);
	expect(whichText(both, ['One', 'Two'], 2, 1)).toBe(0);
	expect(whichText(both, ['One', 'Two'], 1, 1)).toBe(-1);
});

it('tells damage', async () => {
	const audio = render('Hello', 5, 'opus');
	audio.fill(0x55, 2000, 2600);
	expect(await decoderMessages(audio)).not.toBe('');
	await expect(decode(Buffer.from('no audio at all'))).rejects.toThrow('could not decode');
});
