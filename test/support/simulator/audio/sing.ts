import { melodyOf, TONES } from './melody';
import { seeds } from './seeds';
import { type AudioFormat, PCM_PIECE_SAMPLES, PCM_SAMPLE_RATE, type Sound } from './sound';

/** Loudness of the tones; 1 would be full scale. */
const AMPLITUDE = 0.3;

const MP3_FRAMES_PER_NOTE = 5;
const OPUS_PACKETS_PER_NOTE = 6;

/** Samples of each tone for the time of a note; the phase runs on from note to note. */
const notes = TONES.map((hertz) => {
	const note = Buffer.alloc(PCM_PIECE_SAMPLES * 2);
	for (let i = 0; i < PCM_PIECE_SAMPLES; i++) {
		const value = AMPLITUDE * Math.sin((2 * Math.PI * hertz * i) / PCM_SAMPLE_RATE);
		note.writeInt16LE(Math.round(value * 32767), i * 2);
	}
	return note;
});

/** The melody of a text, repeated for some seconds: quick to make, and a test can tell which text it was made from. */
export function sing(text: string, seconds: number, format: AudioFormat): Sound {
	const melody = melodyOf(text);
	const tone = (note: number) => melody[Math.floor(note) % melody.length];
	const piecesOf: Record<AudioFormat, Sound['piece']> = {
		pcm: (i) => notes[tone(i)],
		wav: (i) => notes[tone(i)],
		// One more frame of the first note makes up for the delays of encoder and decoder.
		mp3: (i) => seeds.mp3[tone(Math.max(0, i - 1) / MP3_FRAMES_PER_NOTE)],
		opus: (i) => seeds.opus[tone(i / OPUS_PACKETS_PER_NOTE)][i % OPUS_PACKETS_PER_NOTE],
	};
	return {
		samples: Math.max(1, Math.round(seconds * PCM_SAMPLE_RATE)),
		piece: piecesOf[format],
	};
}
