import OpusScript from 'opusscript';
import { createMp3Encoder } from 'wasm-media-encoders';

import { FRAME_BYTES } from './mp3';
import { packetsOf } from './opus';
import { type AudioFormat, PCM_PIECE_SAMPLES, PCM_SAMPLE_RATE, type Sound } from './sound';

const MP3_KBITS = 64;
const OPUS_PACKET_SAMPLES = 480; // 20 ms

/** The pieces of samples in a format. */
export async function encode(samples: Int16Array, format: AudioFormat): Promise<Sound['piece']> {
	if (format === 'mp3') return await mp3Frames(samples);
	if (format === 'opus') return opusPackets(samples);
	return (i) => bytes(samples.subarray(i * PCM_PIECE_SAMPLES, (i + 1) * PCM_PIECE_SAMPLES));
}

const bytes = ({ buffer, byteOffset, byteLength }: Int16Array) =>
	Buffer.from(buffer, byteOffset, byteLength);

async function mp3Frames(samples: Int16Array): Promise<Sound['piece']> {
	const encoder = await createMp3Encoder();
	encoder.configure({ channels: 1, sampleRate: PCM_SAMPLE_RATE, bitrate: MP3_KBITS });
	const floats = Float32Array.from(samples, (sample) => sample / 32768);
	// The encoder hands out views of its own memory: copied at once.
	const frames = Buffer.concat([
		Uint8Array.from(encoder.encode([floats])),
		Uint8Array.from(encoder.finalize()),
	]);
	return (i) => frames.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES);
}

function opusPackets(samples: Int16Array): Sound['piece'] {
	const encoder = new OpusScript(PCM_SAMPLE_RATE, 1, OpusScript.Application.AUDIO);
	const packets = Array.from({ length: packetsOf(samples.length) }, (_, i) => {
		const packet = Buffer.alloc(OPUS_PACKET_SAMPLES * 2); // the last ones are silent
		const from = i * OPUS_PACKET_SAMPLES;
		bytes(samples.subarray(from, from + OPUS_PACKET_SAMPLES)).copy(packet);
		return encoder.encode(packet, OPUS_PACKET_SAMPLES);
	});
	encoder.delete();
	return (i) => packets[i];
}
