import { NOTE_SECONDS, PCM_SAMPLE_RATE, TONES } from './melody';

/** Loudness of the tones; 1 would be full scale. */
const AMPLITUDE = 0.3;

const NOTE_BYTES = Math.round(NOTE_SECONDS * PCM_SAMPLE_RATE) * 2;

const notes = TONES.map((hertz) => {
	const note = Buffer.alloc(NOTE_BYTES);
	for (let i = 0; i < NOTE_BYTES / 2; i++) {
		const value = AMPLITUDE * Math.sin((2 * Math.PI * hertz * i) / PCM_SAMPLE_RATE);
		note.writeInt16LE(Math.round(value * 32767), i * 2);
	}
	return note;
});

/** 16-bit little-endian mono samples of a melody; phase runs on from note to note. */
export function pcm(melody: number[], samples: number) {
	return {
		length: samples * 2,
		*chunks() {
			for (let left = samples * 2, i = 0; left > 0; left -= NOTE_BYTES, i++) {
				yield notes[melody[i % melody.length]].subarray(0, Math.min(NOTE_BYTES, left));
			}
		},
	};
}
