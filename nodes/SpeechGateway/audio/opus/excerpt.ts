import type { OpusInfo } from './reader';

/** The file described as the excerpt that is left of it: with a longer pre-skip and an earlier end. */
export function withoutQuietEdges(info: OpusInfo): OpusInfo {
	const { start, end } = info.quiet ?? {};
	const isShorter = end && info.all.samples - end.samples < info.endSample;
	return {
		...info,
		...(start && start.samples > info.preSkip ? { lead: start, preSkip: start.samples } : {}),
		...(isShorter ? { tail: end, last: end.last, endSample: info.all.samples - end.samples } : {}),
	};
}
