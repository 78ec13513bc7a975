/** The simulator when it speaks. */
import { decode, decoderMessages, ffprobe, PCM_SAMPLE_RATE } from './listen';
import { secondReader } from './readers';
import { type Simulator, startSimulator } from './simulator';
import { countTokens } from './simulator/billing';

const TEXT = 'Welcome to the museum. This tour takes about ten minutes.';

let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator({ spoken: true, timeScale: 0.001 });
	sim.addVoice('Ben');
});
afterAll(async () => await sim.close());

const ask = async (path: string, body?: object) =>
	await fetch(`${sim.url}/v1/audio/${path}`, {
		method: body ? 'POST' : 'GET',
		headers: { authorization: `Bearer ${sim.apiKey}`, 'content-type': 'application/json' },
		body: body && JSON.stringify({ model: 'fish-speech', ...body }),
	});

async function say(input: string, format: string, more: object = {}): Promise<Buffer> {
	const response = await ask('speech', { input, response_format: format, ...more });
	expect(response.status).toBe(200);
	return Buffer.from(await response.arrayBuffer());
}

/** Samples of a text in raw audio. */
const hear = async (input: string, more: object = {}) =>
	await decode(await say(input, 'pcm', more), 'pcm');
const secondsOf = (pcm: Float32Array) => pcm.length / PCM_SAMPLE_RATE;
const charged = () => sim.charges.at(-1)!.tokens;

test.each(['mp3', 'wav', 'opus', 'pcm'])('%s: sound, and charged by its length', async (format) => {
	const file = await say(TEXT, format);
	expect(await decoderMessages(file, format)).toBe('');
	const seconds = secondsOf(await decode(file, format));
	expect(seconds).toBeGreaterThan(2);
	expect(seconds).toBeLessThan(6);
	expect(charged()).toBeCloseTo((seconds / 60) * 1000 + countTokens(TEXT), 1);
	if (format === 'pcm') return;
	expect((await ffprobe(file)).seconds).toBeCloseTo(seconds, 0);
	expect(secondReader(file).duration).toBeCloseTo(seconds, 0);
});

test('a tone tag is not read out', async () => {
	const seconds = secondsOf(await hear(TEXT));
	expect(secondsOf(await hear(`(whispering) ${TEXT}`)) / seconds).toBeCloseTo(1, 1);
	expect(secondsOf(await hear('(happy)'))).toBeLessThan(1);
});

test('a job says the same, charged by its estimate', async () => {
	const created = await ask('speech/jobs', { input: TEXT, response_format: 'opus' });
	const { id } = (await created.json()) as { id: string };
	expect(charged()).toBeCloseTo((TEXT.length / 250) * 1000 + countTokens(TEXT), 5);
	sim.finish(id);
	const job = (await (await ask(`speech/jobs/${id}`)).json()) as { audio_seconds: number };
	const file = await (await ask(`speech/jobs/${id}/content`)).arrayBuffer();
	const seconds = secondsOf(await decode(Buffer.from(file)));
	expect(job.audio_seconds).toBeCloseTo(seconds, 1);
	expect(seconds).toBeCloseTo(secondsOf(await hear(TEXT)), 1);
});
