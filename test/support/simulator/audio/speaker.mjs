/**
 * A worker thread around espeak-ng: for each message, the samples of a text. A thread, because espeak-ng is an ES module,
 * which jest cannot load, and computes for seconds.
 */
import { parentPort } from 'node:worker_threads';

import loadEspeak from '@echogarden/espeak-ng-emscripten';

const { eSpeakNGWorker: Speaker } = await loadEspeak();
const speaker = await new Speaker();

parentPort.on('message', async ({ text, voice, rate, pitch }) => {
	speaker.set_voice(voice);
	speaker.set_rate(rate);
	speaker.set_pitch(pitch);
	const chunks = [];
	speaker.synthesize(text, (samples) => {
		if (samples) chunks.push(samples);
	});
	const samples = new Int16Array(await new Blob(chunks).arrayBuffer());
	parentPort.postMessage({ samples, sampleRate: speaker.get_samplerate() });
});
