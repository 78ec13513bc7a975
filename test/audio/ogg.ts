/** A second, plain way to write Ogg pages, so that the tests share no code (and no mistake) with what they test. */

/** Packets of an Ogg file; it must be a valid one. */
export function packetsOf(file: Uint8Array): Uint8Array[] {
	const packets: Uint8Array[] = [];
	let current: number[] = [];
	for (let at = 0; at < file.length; ) {
		const segments = file[at + 26];
		let body = at + 27 + segments;
		for (let i = 0; i < segments; i++) {
			const size = file[at + 27 + i];
			current.push(...file.subarray(body, body + size));
			body += size;
			if (size < 255) {
				packets.push(Uint8Array.from(current));
				current = [];
			}
		}
		at = body;
	}
	return packets;
}

/** CRC-32 as in RFC 3533, bit by bit. */
function checksum(bytes: Uint8Array): number {
	let crc = 0;
	for (const byte of bytes) {
		crc ^= byte << 24;
		for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
	}
	return crc >>> 0;
}

interface Change {
	segmentsPerPage?: number;
	preSkip?: number;
	channels?: number;
	/** Samples cut off the end. */
	trim?: number;
	emptyLastPage?: boolean;
	serial?: number;
	tagsBytes?: number;
}

/** Writes an Opus file of 20 ms packets anew, in pages of so many segments; packets go on over page ends. */
export function remux(file: Uint8Array, change: Change): Uint8Array {
	const { segmentsPerPage = 20, trim = 0, serial = 7 } = change;
	const [head, tags, ...audio] = packetsOf(file);
	head[9] = change.channels ?? head[9];
	if (change.preSkip !== undefined) new DataView(head.buffer).setUint16(10, change.preSkip, true);
	const comments = Buffer.concat([tags, Buffer.alloc(change.tagsBytes ?? 0)]);
	const pages: Buffer[] = [];
	const put = (packets: Uint8Array[], lastGranule?: number) => {
		const lacing = packets.flatMap((packet) => [
			...new Array<number>(Math.floor(packet.length / 255)).fill(255),
			packet.length % 255,
		]);
		const body = Buffer.concat(packets);
		let taken = 0;
		let ended = 0;
		for (let from = 0; from < Math.max(1, lacing.length); from += segmentsPerPage) {
			const table = lacing.slice(from, from + segmentsPerPage);
			const isLast = from + segmentsPerPage >= lacing.length;
			const before = ended;
			ended += table.filter((size) => size < 255).length;
			const page = Buffer.alloc(27);
			page.write('OggS');
			const continued = from > 0 && lacing[from - 1] === 255;
			page[5] = (continued ? 1 : 0) | (pages.length === 0 ? 2 : 0);
			if (isLast && lastGranule !== undefined) page[5] |= 4;
			const end = isLast && lastGranule !== undefined ? lastGranule : ended * 960;
			const granule = packets === audio || lastGranule !== undefined ? end : 0;
			page.writeBigInt64LE(BigInt(ended === before && table.length > 0 ? -1 : granule), 6);
			page.writeUInt32LE(serial, 14);
			page.writeUInt32LE(pages.length, 18);
			page[26] = table.length;
			const size = table.reduce((sum, one) => sum + one, 0);
			const whole = Buffer.concat([page, Buffer.from(table), body.subarray(taken, taken + size)]);
			taken += size;
			whole.writeUInt32LE(checksum(whole), 22);
			pages.push(whole);
		}
	};
	const end = audio.length * 960 - trim;
	put([head]);
	put([comments]);
	put(audio, change.emptyLastPage ? undefined : end);
	if (change.emptyLastPage) put([], end);
	return new Uint8Array(Buffer.concat(pages));
}

/** The same file, but its last page does not say that it is the last. */
export function withoutEndOfStream(file: Uint8Array): Uint8Array {
	const bytes = Buffer.from(file);
	const at = bytes.lastIndexOf('OggS');
	bytes[at + 5] &= ~4;
	bytes.writeUInt32LE(0, at + 22);
	bytes.writeUInt32LE(checksum(bytes.subarray(at)), at + 22);
	return new Uint8Array(bytes);
}
