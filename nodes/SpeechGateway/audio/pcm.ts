/** Bare samples of 16 bits, little endian, without a header: their rate and channels are those of their MIME type. */
import { concat } from './bytes';
import { type AudioReader, type BaseInfo, DamagedAudioError, type SegmentFile } from './format';
import type { Emit, Format } from './joiner';
import { ErrorWatch } from './reader';
import { doubler, planSamples, SampleTrack } from './samples';

const BYTES_PER_SAMPLE = 2;

/** Rates that any device has; what is outside of them is no rate. */
const SLOWEST_HZ = 4_000;
const HIGHEST_HZ = 192_000;

/** What bare samples do not say themselves. */
interface PcmShape {
	sampleRate: number;
	channels: number;
}

/** What the gateway sends, and most services with it. */
const USUAL: PcmShape = { sampleRate: 24_000, channels: 1 };

/** Types of bare samples. Services send those of `audio/L16` as little endian, too, whatever its RFC says. */
const PCM_TYPE = /^\s*audio\/(?:(?:x-)?pcm|l16)\b/i;

/** Whether a type is that of bare samples. */
export const isPcmType = (type: string): boolean => PCM_TYPE.test(type);

/** A number in a type, such as `rate` in `audio/pcm;rate=22050`; undefined if none is given. */
function parameterOf(type: string, name: string): number | undefined {
	const [, digits] = new RegExp(`;\\s*${name}\\s*=\\s*"?(\\d+)`, 'i').exec(type) ?? [];
	return digits === undefined ? undefined : Number(digits);
}

const isRate = (rate = NaN): boolean =>
	Number.isInteger(rate) && rate >= SLOWEST_HZ && rate <= HIGHEST_HZ;

/** Rate and channels by a type; where it names no possible ones, the rate that was asked for, or the usual ones. */
function shapeIn(type: string, askedRate?: number): PcmShape {
	const rates = [parameterOf(type, 'rate'), askedRate, USUAL.sampleRate];
	return {
		sampleRate: rates.find(isRate) ?? USUAL.sampleRate,
		channels: parameterOf(type, 'channels') === 2 ? 2 : USUAL.channels,
	};
}

/** The type of bare samples, with what is not usual of them. */
export const pcmType = ({ sampleRate, channels }: PcmShape): string =>
	[
		'audio/pcm',
		...(sampleRate === USUAL.sampleRate ? [] : [`rate=${sampleRate}`]),
		...(channels === USUAL.channels ? [] : [`channels=${channels}`]),
	].join('; ');

/** The type of bare samples by the one that an answer declares, and by the rate that was asked for. */
export const pcmTypeOf = (declared: string, askedRate?: number): string =>
	pcmType(shapeIn(declared, askedRate));

/** What is known of bare samples: they are taken to be of 16 bits. */
export interface PcmInfo extends BaseInfo {
	format: 'pcm';
}

/** Counts samples; passes all bytes to `onAudio`. */
class PcmReader implements AudioReader<PcmInfo> {
	private bytes = 0;
	private readonly track: SampleTrack;
	private readonly errors = new ErrorWatch('PCM');

	constructor(
		private readonly onAudio: Emit = () => {},
		private readonly shape = USUAL,
	) {
		this.track = new SampleTrack(BYTES_PER_SAMPLE, shape.sampleRate * shape.channels);
	}

	feed(chunk: Uint8Array): void {
		this.errors.feed(chunk);
		this.bytes += chunk.length;
		this.track.feed(chunk);
		this.onAudio(chunk);
	}

	end(): PcmInfo {
		const { bytes, shape } = this;
		const frameBytes = frameBytesOf(shape);
		if (bytes === 0) throw new DamagedAudioError('The PCM audio is empty', true);
		if (bytes % frameBytes !== 0) {
			throw new DamagedAudioError(
				`The PCM audio is cut short: ${bytes} bytes are not a whole number of 16-bit samples`,
			);
		}
		const seconds = bytes / frameBytes / shape.sampleRate;
		return { format: 'pcm', seconds, bytes, dataBytes: bytes, ...shape, ...this.track.heard() };
	}
}

const frameBytesOf = ({ channels }: PcmShape): number => channels * BYTES_PER_SAMPLE;

/** A reader of bare samples of a type. */
export const pcmReader = (type: string): AudioReader<PcmInfo> =>
	new PcmReader(undefined, shapeIn(type));

/** A mono file as stereo: every sample twice. */
const pcmInStereo = ({ info, open }: SegmentFile<PcmInfo>): SegmentFile<PcmInfo> => ({
	info: { ...info, channels: 2, bytes: 2 * info.bytes, dataBytes: 2 * info.dataBytes },
	async *open() {
		const out: Uint8Array[] = [];
		const double = doubler(BYTES_PER_SAMPLE, (twice) => out.push(twice));
		for await (const chunk of await open()) {
			double(chunk);
			yield concat(out.splice(0));
		}
	},
});

/** Bare samples: see `Format`. */
export const pcm: Format<PcmInfo> = {
	Reader: PcmReader,
	inStereo: pcmInStereo,
	plan(infos, silences, after) {
		const [{ sampleRate, channels }] = infos;
		const shape = { sampleRate, channels };
		return planSamples(infos, silences, after, {
			frameBytes: frameBytesOf(shape),
			silence: 0,
			readerOf: (onAudio) => new PcmReader(onAudio, shape),
		});
	},
};
