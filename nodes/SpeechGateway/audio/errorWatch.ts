import { DamagedAudioError } from './format';

/** How gateways begin what they send behind, or in the middle of, audio that they have lost: their error, or the file anew. */
const MARKS = {
	'"error"': 'an error message in JSON is in it',
	'WAVEfmt ': 'the file begins anew within it',
};
const MARK_BYTES = 8;

/** Looks for the marks within audio, wherever chunks end. `format`: for the message. */
export class ErrorWatch {
	/** The last bytes, in which a mark may begin. */
	private rest = Buffer.alloc(0);

	constructor(private readonly format: string) {}

	/** @throws DamagedAudioError when the error is there */
	feed(chunk: Uint8Array): void {
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
		const seam = Buffer.concat([this.rest, bytes.subarray(0, MARK_BYTES - 1)]);
		for (const [mark, what] of Object.entries(MARKS))
			if (seam.includes(mark, 0, 'latin1') || bytes.includes(mark, 0, 'latin1'))
				throw new DamagedAudioError(`The ${this.format} audio was broken off: ${what}`);
		const end = bytes.length < MARK_BYTES ? seam : bytes;
		this.rest = Buffer.from(end.subarray(-(MARK_BYTES - 1)));
	}
}
