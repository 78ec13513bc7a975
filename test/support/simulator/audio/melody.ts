import { createHash } from 'node:crypto';

/** A note lasts five MP3 frames, six Opus packets or one piece of samples. */
export const NOTE_SECONDS = 0.12;

/** Hertz. Multiples of 250: a whole number of cycles in an MP3 frame (24 ms), an Opus packet (20 ms) and a note. */
export const TONES = Array.from({ length: 16 }, (_, i) => 500 + 250 * i);

const NOTES = 8;

/** The melody of a text, found by hashing it: eight indexes into TONES, each different from its neighbours (also when repeated). */
export function melodyOf(text: string): number[] {
	const hash = createHash('sha256').update(text).digest();
	const melody = [hash[0] % TONES.length];
	for (let i = 1; i < NOTES; i++) {
		const taken = [melody[i - 1], i === NOTES - 1 ? melody[0] : -1];
		let note = hash[i] % TONES.length;
		while (taken.includes(note)) note = (note + 1) % TONES.length;
		melody.push(note);
	}
	return melody;
}
