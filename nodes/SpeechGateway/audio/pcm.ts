/** Raw PCM as the gateway sends it: 24 kHz, 16-bit, mono, little endian, no header. */
import { filled } from './bytes';
import { ErrorWatch } from './errorWatch';
import { type AudioReader, type BaseInfo, DamagedAudioError } from './format';
import type { Emit, PlanJoin } from './joiner';
import { integerLevel, SampleTrack } from './sampleTrack';
import { layOutSamples } from './samples';

const SAMPLE_RATE = 24_000;
const BYTES_PER_SAMPLE = 2;

export interface PcmInfo extends BaseInfo {
	format: 'pcm';
}

function pcmInfo(bytes: number): PcmInfo {
	return {
		format: 'pcm',
		seconds: bytes / BYTES_PER_SAMPLE / SAMPLE_RATE,
		bytes,
		dataBytes: bytes,
		sampleRate: SAMPLE_RATE,
		channels: 1,
	};
}

export class PcmReader implements AudioReader<PcmInfo> {
	private bytes = 0;
	private readonly track = new SampleTrack(
		BYTES_PER_SAMPLE,
		SAMPLE_RATE,
		integerLevel(BYTES_PER_SAMPLE),
	);

	private readonly errors = new ErrorWatch('PCM');

	constructor(private readonly onAudio: Emit = () => {}) {}

	feed(chunk: Uint8Array): void {
		this.errors.feed(chunk);
		this.bytes += chunk.length;
		this.track.feed(chunk);
		this.onAudio(chunk);
	}

	end(): PcmInfo {
		if (this.bytes === 0) throw new DamagedAudioError('The PCM audio is empty');
		if (this.bytes % BYTES_PER_SAMPLE !== 0) {
			throw new DamagedAudioError(
				`The PCM audio is cut short: ${this.bytes} bytes are not a whole number of 16-bit samples`,
			);
		}
		return { ...pcmInfo(this.bytes), pauses: this.track.pauses() };
	}
}

/** Plans the concatenation of PCM files. */
export const planPcm: PlanJoin<PcmInfo> = (infos, pauses) => {
	const { pauseBytes, dataBytes, ...planned } = layOutSamples(infos, BYTES_PER_SAMPLE, pauses);
	return {
		...planned,
		info: pcmInfo(dataBytes),
		steps: () => ({
			header: filled(pauseBytes[0], 0),
			createReader: (emit) => new PcmReader(emit),
			finishPart: (emit, part) => filled(pauseBytes[part + 1], 0).forEach(emit),
		}),
	};
};
