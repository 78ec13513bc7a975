/** Raw PCM as the gateway sends it: 24 kHz, 16-bit, mono, little endian, no header. */
import { type AudioReader, type BaseInfo, DamagedAudioError } from './format';
import type { Emit, Format } from './joiner';
import { ErrorWatch } from './reader';
import { planSamples, SampleTrack } from './samples';

const PCM_SAMPLE_RATE = 24_000;
const BYTES_PER_SAMPLE = 2;

/** What is known of bare samples: the gateway's rate and width are taken for certain, as no header says another. */
export interface PcmInfo extends BaseInfo {
	format: 'pcm';
}

/** Counts samples; passes all bytes to `onAudio`. */
class PcmReader implements AudioReader<PcmInfo> {
	private bytes = 0;
	private readonly track = new SampleTrack(BYTES_PER_SAMPLE, PCM_SAMPLE_RATE);
	private readonly errors = new ErrorWatch('PCM');

	constructor(private readonly onAudio: Emit = () => {}) {}

	feed(chunk: Uint8Array): void {
		this.errors.feed(chunk);
		this.bytes += chunk.length;
		this.track.feed(chunk);
		this.onAudio(chunk);
	}

	end(): PcmInfo {
		const { bytes } = this;
		if (bytes === 0) throw new DamagedAudioError('The PCM audio is empty', true);
		if (bytes % BYTES_PER_SAMPLE !== 0) {
			throw new DamagedAudioError(
				`The PCM audio is cut short: ${bytes} bytes are not a whole number of 16-bit samples`,
			);
		}
		return {
			format: 'pcm',
			seconds: bytes / BYTES_PER_SAMPLE / PCM_SAMPLE_RATE,
			bytes,
			dataBytes: bytes,
			sampleRate: PCM_SAMPLE_RATE,
			channels: 1,
			...this.track.heard(),
		};
	}
}

/** Bare samples: see `Format`. */
export const pcm: Format<PcmInfo> = {
	Reader: PcmReader,
	plan: (infos, silences, after) =>
		planSamples(infos, silences, after, {
			frameBytes: BYTES_PER_SAMPLE,
			silence: 0,
			Reader: PcmReader,
		}),
};
