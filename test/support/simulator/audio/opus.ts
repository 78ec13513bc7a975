import { type Content, pieces, type Sound } from './sound';

/** Opus counts time at 48 kHz whatever the input was. */
const GRANULES_PER_SAMPLE = 2;
const PACKET_GRANULES = 960; // 20 ms
const PACKETS_PER_PAGE = 50; // one second a page, as libogg and ffmpeg do

/** What libopus needs to settle (6.5 ms), in granules. */
const PRE_SKIP = 312;

const FIRST_PAGE = 2;
const LAST_PAGE = 4;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
	let crc = i << 24;
	for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
	return crc >>> 0;
});

/** Ogg's CRC-32: polynomial 0x04c11db7, not reflected, starting from 0. */
function crc32(bytes: Buffer): number {
	let crc = 0;
	for (const byte of bytes) crc = ((crc << 8) ^ CRC_TABLE[(crc >>> 24) ^ byte]) >>> 0;
	return crc;
}

function pageBytes(packets: Buffer[]): number {
	return packets.reduce((sum, { length }) => sum + Math.floor(length / 255) + 1 + length, 27);
}

/** One Ogg page of whole packets. */
function page(packets: Buffer[], serial: number, sequence: number, granule: number, flags = 0) {
	const lacing = packets.flatMap(({ length }) => [
		...Array<number>(Math.floor(length / 255)).fill(255),
		length % 255,
	]);
	const head = Buffer.alloc(27);
	head.write('OggS', 'latin1');
	head[5] = flags;
	head.writeBigUInt64LE(BigInt(granule), 6);
	head.writeUInt32LE(serial, 14);
	head.writeUInt32LE(sequence, 18);
	head[26] = lacing.length;
	const whole = Buffer.concat([head, Buffer.from(lacing), ...packets]);
	whole.writeUInt32LE(crc32(whole), 22);
	return whole;
}

function opusHead(): Buffer {
	const head = Buffer.alloc(19);
	head.write('OpusHead', 'latin1');
	head[8] = 1; // version
	head[9] = 1; // channels
	head.writeUInt16LE(PRE_SKIP, 10);
	head.writeUInt32LE(24_000, 12); // rate of the input, for information only
	return head;
}

function opusTags(): Buffer {
	const vendor = Buffer.from('Lavf60.16.100', 'latin1');
	const tags = Buffer.alloc(8 + 4 + vendor.length + 4);
	tags.write('OpusTags', 'latin1');
	tags.writeUInt32LE(vendor.length, 8);
	vendor.copy(tags, 12);
	return tags;
}

/** How many packets hold so many samples. */
export const packetsOf = (samples: number): number =>
	Math.ceil((PRE_SKIP + samples * GRANULES_PER_SAMPLE) / PACKET_GRANULES);

/** An Ogg Opus file; the last page's granule position trims it to the sample. */
export function opus(sound: Sound): Content {
	const end = PRE_SKIP + sound.samples * GRANULES_PER_SAMPLE;
	const packets = packetsOf(sound.samples);
	const packetsFrom = (first: number) =>
		pieces(sound, first, Math.min(PACKETS_PER_PAGE, packets - first));
	// Tells streams of different sounds apart.
	const serial = crc32(Buffer.concat(packetsFrom(0)));

	let length = pageBytes([opusHead()]) + pageBytes([opusTags()]);
	for (let i = 0; i < packets; i += PACKETS_PER_PAGE) length += pageBytes(packetsFrom(i));
	return {
		length,
		*chunks() {
			yield page([opusHead()], serial, 0, 0, FIRST_PAGE);
			yield page([opusTags()], serial, 1, 0);
			for (let i = 0, sequence = 2; i < packets; i += PACKETS_PER_PAGE, sequence++) {
				const last = i + PACKETS_PER_PAGE >= packets;
				const granule = last ? end : (i + PACKETS_PER_PAGE) * PACKET_GRANULES;
				yield page(packetsFrom(i), serial, sequence, granule, last ? LAST_PAGE : 0);
			}
		},
	};
}
