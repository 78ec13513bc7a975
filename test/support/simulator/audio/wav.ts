import { type Content, PCM_PIECE_SAMPLES, PCM_SAMPLE_RATE, type Sound } from './sound';

/** `list`: as ffmpeg writes files, with a LIST chunk before the data. `streaming`: as it writes pipes, sizes unknown. */
export type WavHeader = 'list' | 'plain' | 'streaming';

const UNKNOWN_SIZE = 0xffffffff;

function chunk(id: string, body: Buffer): Buffer {
	const head = Buffer.alloc(8);
	head.write(id, 'latin1');
	head.writeUInt32LE(body.length, 4);
	return Buffer.concat([head, body]);
}

function header(dataBytes: number, kind: WavHeader): Buffer {
	const format = Buffer.alloc(16);
	format.writeUInt16LE(1, 0); // PCM
	format.writeUInt16LE(1, 2); // mono
	format.writeUInt32LE(PCM_SAMPLE_RATE, 4);
	format.writeUInt32LE(PCM_SAMPLE_RATE * 2, 8);
	format.writeUInt16LE(2, 12);
	format.writeUInt16LE(16, 14);
	const software = chunk('ISFT', Buffer.from('Lavf60.16.100\0', 'latin1'));
	const list = chunk('LIST', Buffer.concat([Buffer.from('INFO', 'latin1'), software]));
	const chunks = Buffer.concat([chunk('fmt ', format), ...(kind === 'plain' ? [] : [list])]);

	const head = Buffer.alloc(12 + chunks.length + 8);
	head.write('RIFF', 0, 'latin1');
	head.writeUInt32LE(kind === 'streaming' ? UNKNOWN_SIZE : head.length - 8 + dataBytes, 4);
	head.write('WAVE', 8, 'latin1');
	chunks.copy(head, 12);
	head.write('data', head.length - 8, 'latin1');
	head.writeUInt32LE(kind === 'streaming' ? UNKNOWN_SIZE : dataBytes, head.length - 4);
	return head;
}

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

/** A WAV file. */
export function wav(sound: Sound, kind: WavHeader): Content {
	const data = pcm(sound);
	const head = header(data.length, kind);
	return {
		length: head.length + data.length,
		*chunks() {
			yield head;
			yield* data.chunks();
		},
	};
}
