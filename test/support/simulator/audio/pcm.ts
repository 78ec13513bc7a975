import { type Content, PCM_PIECE_SAMPLES, type Sound } from './sound';

/** 16-bit little-endian mono samples. */
export function pcm({ samples, piece }: Sound): Content {
	return {
		length: samples * 2,
		*chunks() {
			for (let left = samples, i = 0; left > 0; left -= PCM_PIECE_SAMPLES, i++)
				yield piece(i).subarray(0, left * 2);
		},
	};
}
