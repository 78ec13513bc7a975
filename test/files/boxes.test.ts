import { Boxes } from '../../nodes/SpeechGateway/files/boxes';
import { split } from '../audio/support';

/** A box with so many bytes in it; `size`: what its header says. */
function box(type: string, content: number, size = content + 8): Buffer {
	const bytes = Buffer.alloc(content + 8);
	bytes.writeUInt32BE(size);
	bytes.write(type, 4, 'latin1');
	return bytes;
}

/** A box with a size of 64 bits. */
function large(type: string, content: number): Buffer {
	const bytes = Buffer.alloc(content + 16);
	bytes.writeUInt32BE(1);
	bytes.write(type, 4, 'latin1');
	bytes.writeBigUInt64BE(BigInt(bytes.length), 8);
	return bytes;
}

const missing = (bytes: Uint8Array, places: number[] = []) => {
	const boxes = new Boxes();
	for (const chunk of split(bytes, places)) boxes.feed(chunk);
	return boxes.missing;
};

const film = Buffer.concat([box('ftyp', 16), box('moov', 0), large('mdat', 100), box('free', 4)]);
const everywhere = Array.from(film, (_, at) => at);

test('a whole file misses nothing, wherever chunks end', () => {
	expect(missing(film)).toBe(0);
	expect(missing(film, everywhere)).toBe(0);
	for (const at of everywhere) expect(missing(film, [at])).toBe(0);
});

test('a file that is cut misses the rest of its box', () => {
	expect(missing(film.subarray(0, 20))).toBe(4);
	expect(missing(film.subarray(0, -1), everywhere)).toBe(1);
	expect(missing(film.subarray(0, 50))).toBe(98);
	// Within a header.
	for (const length of [3, 28, 36, 45]) expect(missing(film.subarray(0, length))).toBeUndefined();
});

test('a box without a size goes on to the end', () => {
	const open = Buffer.concat([box('ftyp', 16), box('mdat', 100, 0)]);
	expect(missing(open.subarray(0, 60))).toBe(0);
});

test.each([
	'a webm film of some bytes',
	'{"error":"no"}',
	'\x1aE\xdf\xa3\x00\x00\x00\x01 and more of it',
])('what is no MP4 is not judged: %j', (text) => {
	expect(missing(Buffer.from(text, 'latin1'))).toBe(0);
});
