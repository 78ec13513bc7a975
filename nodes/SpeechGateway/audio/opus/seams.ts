/** Which packets of Opus parts are left out where two parts meet, and which are put there. Written after RFC 6716. */
import { sum } from '../bytes';
import { SAMPLE_RATE } from './page';
import type { OpusInfo, Stretch } from './reader';

/** A packet made here. All are mono, which plays on both channels of a stereo stream. */
interface Made {
	data: Uint8Array;
	samples: number;
}

const made = (samples: number, ...bytes: number[]): Made => ({
	data: Uint8Array.from(bytes),
	samples,
});

/** A CELT frame of 20 ms, fullband (TOC 0xF8), whose first coded bit says "silence". */
const PAUSE = made(960, 0xf8, 0xff, 0xfe);
/** The same in 2.5 ms (TOC 0xE0): the spectrum that CELT predicts from is then that of silence. */
const SILENCE = made(120, 0xe0, 0xff, 0xfe);
/** The same in narrowband (TOC 0x80): bands that are not coded, such as those of hybrid frames, are set to their start. */
const END_OF_SILK = made(120, 0x80, 0xff, 0xfe);
/** A SILK frame of 10 ms, narrowband (TOC 0x00), at -90 dB: the quietest that a decoder does not take for a lost one. */
const END_OF_CELT = made(480, 0x00, 0x00, 0x0d);

/** No encoder delays by more than a packet. A longer pre-skip marks an excerpt, whose first packets only prepare the decoder. */
const MAX_ENCODER_DELAY = 960;

/** What the joined file takes over of one part. */
export interface Kept {
	/** Packets put in front of it. */
	before: Made[];
	/** Packets put after it; only the last part has any. */
	after: Made[];
	/** What is left out at its start. */
	skip: Stretch;
	/** What is left out at its end: packets past the end, and quiet ones to save time. */
	drop: Stretch;
}

/**
 * Starts each part within half a packet of its time. What a seam adds is taken from the quiet end of the part before it, or left to
 * the next seam; no packet with sound is dropped. `pauseSamples`: before each part, and after the last. Where the file's first or
 * last packets are longer than the pause there, decoders are told to play only some of them.
 */
export function planSeams(infos: OpusInfo[], pauseSamples: number[]): Kept[] {
	const kept = infos.map((info, part): Kept => {
		const isPreceded = part > 0 || pauseSamples[0] > 0;
		const isExcerpt = isPreceded && info.preSkip > MAX_ENCODER_DELAY;
		const skip = isExcerpt ? info.lead : { packets: 0, samples: 0 };
		return { before: [], after: [], skip, drop: info.tail };
	});
	const [opening, closing] = [kept[0], kept[kept.length - 1]];
	if (opening.skip.packets > 0 || infos[0].isExcerpt || pauseSamples[0] > 0) {
		const anew = beginAnew(infos[0], opening.skip);
		const delay = samplesOf(anew) + infos[0].preSkip - opening.skip.samples;
		opening.before = [...pausesOf(pauseSamples[0] - delay), ...anew];
	}
	closing.after = pausesOf(pauseSamples[infos.length] - paddingOf(infos[infos.length - 1]));
	let late = 0; // samples by which the part starts too late
	for (let part = 1; part < infos.length; part++) {
		const [before, after] = [infos[part - 1], infos[part]];
		const anew = beginAnew(after, kept[part].skip);
		const delay = after.preSkip - kept[part].skip.samples;
		late += paddingOf(before) + delay + samplesOf(anew) - pauseSamples[part];
		const most = before.all.packets - kept[part - 1].skip.packets - before.tail.packets - 1;
		const quiet = quietPackets(before, most);
		let best = { rest: Infinity, packets: 0, samples: 0, pauses: 0 };
		for (let packets = 0; packets <= quiet.length; packets++) {
			const samples = sum(quiet.slice(0, packets));
			const early = samples - late;
			const pauses = Math.max(0, Math.round(early / PAUSE.samples));
			const rest = pauses * PAUSE.samples - early;
			if (Math.abs(rest) < Math.abs(best.rest)) best = { rest, packets, samples, pauses };
			if (early >= 0) break;
		}
		late = best.rest;
		kept[part - 1].drop = {
			packets: before.tail.packets + best.packets,
			samples: before.tail.samples + best.samples,
		};
		kept[part].before = [...Array.from({ length: best.pauses }, () => PAUSE), ...anew];
	}
	return kept;
}

/** The lengths of the packets at the end of a part in which nothing is heard, from the last one back, `most` at most. */
function quietPackets(info: OpusInfo, most: number): number[] {
	const { end = 0 } = info.silentEdges ?? {};
	const silent = Math.max(paddingOf(info), end * SAMPLE_RATE - info.tail.samples);
	let total = 0;
	const quiet = info.last.toReversed().filter((samples) => (total += samples) <= silent);
	return quiet.slice(0, Math.max(0, most));
}

/** Packets of silence for so many samples at least. */
const pausesOf = (samples: number): Made[] =>
	Array.from({ length: Math.max(0, Math.ceil(samples / PAUSE.samples)) }, () => PAUSE);

/** Samples of the last packet that are not played. */
export const paddingOf = ({ all, tail, endSample }: OpusInfo): number =>
	all.samples - tail.samples - endSample;

/**
 * Packets that reset the decoder before a part: it predicts from what it played last, so the first packets after another part
 * would be far too loud. A CELT packet resets SILK, and a SILK packet of at least 10 ms resets CELT; silence resets neither. An
 * excerpt's first packet was predicted from one that is gone, so it fades in after silence.
 */
function beginAnew(info: OpusInfo, skip: Stretch): Made[] {
	if (skip.packets > 0 || info.isExcerpt) return [SILENCE];
	return info.startsWithCelt ? [END_OF_SILK, END_OF_CELT] : [END_OF_SILK];
}

export const samplesOf = (packets: Made[]): number => sum(packets.map(({ samples }) => samples));
