import { decode, decoderMessages, likeness, PCM_SAMPLE_RATE, whichText } from './listen';
import { startSimulator } from './simulator';
import { type AudioFormat, renderAudio } from './simulator/audio';
import { countTokens } from './simulator/billing';

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

it('the simulator speaks: sound, as long as speech is, charged by its length', async () => {
	const sim = await startSimulator({ spoken: true, timeScale: 0.001 });
	const input = 'Welcome to the museum. This tour takes about ten minutes.';
	for (const format of ['opus', 'pcm']) {
		const response = await fetch(`${sim.url}/v1/audio/speech`, {
			method: 'POST',
			headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ model: 'fish-speech', input, response_format: format }),
		});
		const file = Buffer.from(await response.arrayBuffer());
		expect(await decoderMessages(file, format)).toBe('');
		const seconds = (await decode(file, format)).length / PCM_SAMPLE_RATE;
		expect(seconds).toBeGreaterThan(2);
		expect(seconds).toBeLessThan(6);
		const { tokens } = sim.charges.at(-1)!;
		expect(tokens).toBeCloseTo((seconds / 60) * 1000 + countTokens(input), 1);
	}
	await sim.close();
});
