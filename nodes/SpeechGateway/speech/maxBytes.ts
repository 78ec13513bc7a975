/** How large the audio of a text can be. */
import { CHARACTERS_PER_MINUTE } from './price';
import { countCharacters } from '../text/segment';

/** The widest sound that any service sends: 48 kHz, 24 bits, stereo. */
const WIDEST_BYTES_PER_MINUTE = 48_000 * 3 * 2 * 60;
/** Far beyond the gateway's measure, which is slow speech already: a model that loops, or a text of numbers. */
const LONGER_THAN_EXPECTED = 4;
const LEAST_BOUND_BYTES = 64 * 1024 * 1024;
/** More than the longest text of a request (10,000 characters) at half speed is in the widest sound. */
export const MAX_AUDIO_BYTES = 2 * 1024 ** 3;

/**
 * Bytes that the audio of a text may have. What is larger is no speech but a fault (or an attack: 2 MB of gzip can unpack
 * to 2 GB), and would fill the disk. So generous that nothing plausible is beyond it: four times the length that the gateway
 * itself expects, in the widest sound there is, and never less than 64 MiB, which is four minutes of that and an hour or
 * more of what the gateway usually sends. Audio beyond it counts as damaged; what came up to the bound is kept.
 */
export function maxAudioBytes(text: string, speed = 1): number {
	const minutes = countCharacters(text) / CHARACTERS_PER_MINUTE / speed;
	const bytes = minutes * LONGER_THAN_EXPECTED * WIDEST_BYTES_PER_MINUTE;
	return Math.min(MAX_AUDIO_BYTES, Math.max(LEAST_BOUND_BYTES, Math.round(bytes)));
}
