import type { Emit, EmitSlice, Place } from './joiner';

/** Takes all bytes of audio, in order, and hands on those of each slice. `places` ascend. */
export function slicesOf(places: Place[], emit: EmitSlice): Emit {
	let at = 0;
	let slice = 0;
	return (bytes) => {
		const end = at + bytes.length;
		for (; slice < places.length && places[slice].from < end; slice++) {
			const { from, to } = places[slice];
			const part = bytes.subarray(Math.max(0, from - at), to - at);
			if (part.length > 0) emit(slice, part);
			if (to > end) break;
		}
		at = end;
	};
}
