import { DamagedAudioError } from './format';

/** How gateways begin the error that they send behind, or in the middle of, audio that they have lost. */
const MARK = '{"error"';

/** Looks for a gateway's error within audio, wherever chunks end. `format`: for the message. */
export class ErrorWatch {
	/** The last bytes, in which a mark may begin. */
	private rest = Buffer.alloc(0);

	constructor(private readonly format: string) {}

	/** @throws DamagedAudioError when the error is there */
	feed(chunk: Uint8Array): void {
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
		const seam = Buffer.concat([this.rest, bytes.subarray(0, MARK.length - 1)]);
		if (seam.includes(MARK, 0, 'latin1') || bytes.includes(MARK, 0, 'latin1')) {
			throw new DamagedAudioError(
				`The ${this.format} audio was broken off: an error message in JSON is in it`,
			);
		}
		const end = bytes.length < MARK.length ? seam : bytes;
		this.rest = Buffer.from(end.subarray(-(MARK.length - 1)));
	}
}
