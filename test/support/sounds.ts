/** When something is heard in samples. */

/** What may be heard: so far below the loudest, in dB. */
const HEARD_DB = -40;
const STEP_SECONDS = 0.005;

/** Seconds at which something is heard, and at which it is not any more, in turn; gaps within words and sentences are none. */
export function heard(samples: Float32Array, rate: number): Array<{ from: number; to: number }> {
	const step = Math.round(STEP_SECONDS * rate);
	const loudest = samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
	const least = loudest * 10 ** (HEARD_DB / 20);
	const found: Array<{ from: number; to: number }> = [];
	for (let at = 0; at < samples.length; at += step) {
		if (!samples.subarray(at, at + step).some((one) => Math.abs(one) > least)) continue;
		const [from, to] = [at / rate, (at + step) / rate];
		const last = found.at(-1);
		if (last && from - last.to < 0.02) last.to = to;
		else found.push({ from, to });
	}
	return found;
}

/** How far from each of these seconds the first sound near it begins. */
export const errorsAt = (times: number[], sounds: Array<{ from: number }>): number[] =>
	times.map(
		(at) =>
			Math.min(...sounds.filter(({ from }) => Math.abs(from - at) < 0.4).map(({ from }) => from)) -
			at,
	);
