import { parseHeader } from './frame';
import type { Mp3Info } from './reader';
import type { Gapless } from './xing';

/** The stretch of a part that is kept, described as if it were a file. */
export interface Excerpt {
	info: Mp3Info;
	/** Frames and bytes in front of it. */
	before: { frames: number; bytes: number };
	/** Frames of it that cannot stand first. */
	skip: number;
}

/** Without the quiet edges, or all of it. */
export function excerptOf(info: Mp3Info, trimSilence: boolean): Excerpt {
	const { start, end } = (trimSilence && !info.isTrimmed && info.quiet) || {};
	const before = { frames: start?.frames ?? 0, bytes: start?.bytes ?? 0 };
	const skip = start?.skip ?? 0;
	const edgesOf = (edges: Gapless | null): Gapless | null =>
		edges && {
			...edges,
			delay: start ? skip * parseHeader(info.header).samples : edges.delay,
			padding: end ? 0 : edges.padding,
		};
	return {
		before,
		skip,
		info: {
			...info,
			frames: info.frames - before.frames - (end?.frames ?? 0),
			dataBytes: info.dataBytes - before.bytes - (end?.bytes ?? 0),
			head: start?.head ?? info.head,
			tail: end?.tail ?? info.tail,
			gapless: edgesOf(info.gapless),
			edges: edgesOf(info.edges),
		},
	};
}
