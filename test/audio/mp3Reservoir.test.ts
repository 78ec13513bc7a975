import fc from 'fast-check';
import { readEdgeFrame } from '../../nodes/SpeechGateway/audio/mp3/frame';
import { freshFrame, freshHeader } from '../../nodes/SpeechGateway/audio/mp3/reservoir';

/** Layouts of layer III: side information starts with main_data_begin; its blocks, one a granule and channel, end it. */
const LAYOUTS = {
	'MPEG-1 mono': { sync: 0xfa, mode: 0xc0, side: 17, beginBits: 9, blocks: [18, 77] },
	'MPEG-1 stereo': { sync: 0xfa, mode: 0x40, side: 32, beginBits: 9, blocks: [20, 79, 138, 197] },
	'MPEG-2 mono': { sync: 0xf2, mode: 0xc0, side: 9, beginBits: 8, blocks: [9] },
	'MPEG-2 stereo': { sync: 0xf2, mode: 0x40, side: 17, beginBits: 8, blocks: [10, 73] },
};
type Layout = (typeof LAYOUTS)[keyof typeof LAYOUTS];
const KBITS = {
	9: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
	8: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** 44.1 kHz in MPEG-1, 24 kHz in MPEG-2. */
function sizeOf({ beginBits }: Layout, index: number): number {
	return beginBits === 9
		? Math.floor((144_000 * KBITS[9][index]) / 44_100)
		: (72 * KBITS[8][index]) / 24;
}

function sizeFromHeader(layout: Layout, frame: Uint8Array): number {
	return sizeOf(layout, frame[2] >> 4);
}

function putBits(bytes: Uint8Array, bit: number, count: number, value: number): void {
	for (let i = 0; i < count; i++) {
		const on = (value >> (count - 1 - i)) & 1;
		const mask = 0x80 >> ((bit + i) & 7);
		if (on) bytes[(bit + i) >> 3] |= mask;
		else bytes[(bit + i) >> 3] &= ~mask;
	}
}

function getBits(bytes: Uint8Array, bit: number, count: number): number {
	let value = 0;
	for (let i = 0; i < count; i++)
		value = value * 2 + ((bytes[(bit + i) >> 3] >> (7 - ((bit + i) & 7))) & 1);
	return value;
}

const sideAt = (frame: Uint8Array) => ((frame[1] & 1) === 0 ? 6 : 4);

/** Main data of each frame as a decoder gathers them; undefined where bytes are missing. */
function mainData(layout: Layout, frames: Uint8Array[]): Array<Uint8Array | undefined> {
	let stream: number[] = [];
	return frames.map((frame) => {
		const side = frame.subarray(sideAt(frame), sideAt(frame) + layout.side);
		const begin = stream.length - getBits(side, 0, layout.beginBits);
		stream = [...stream, ...frame.subarray(sideAt(frame) + layout.side)];
		const bits = layout.blocks.reduce((sum, at) => sum + getBits(side, at, 12), 0);
		const end = begin + Math.ceil(bits / 8);
		return begin < 0 || end > stream.length ? undefined : Uint8Array.from(stream.slice(begin, end));
	});
}

/** Frames as an encoder makes them: each one's main data begin behind those of the one before, as far back as wanted. */
function encodeFrames(
	layout: Layout,
	wishes: Array<{ index: number; crc: boolean; back: number; fill: number }>,
	seed: number,
): Uint8Array[] {
	let ended = 0; // of the main data so far
	let position = 0; // in all frames' places for main data
	return wishes.map(({ index, crc, back, fill }, number) => {
		const frame = new Uint8Array(sizeOf(layout, index));
		for (let i = 0; i < frame.length; i++) frame[i] = (seed + number * 31 + i * 7) & 0xff;
		frame.set([0xff, layout.sync | (crc ? 0 : 1), (index << 4) | (layout.beginBits === 9 ? 0 : 4)]);
		frame[3] = layout.mode;
		const room = frame.length - sideAt(frame) - layout.side;
		const most = Math.min(position - ended, 2 ** layout.beginBits - 1);
		const begin = Math.floor(most * back);
		let bits = Math.floor((begin + room) * fill) * 8;
		const side = frame.subarray(sideAt(frame));
		putBits(side, 0, layout.beginBits, begin);
		const start = position - begin;
		let length = 0;
		for (const at of layout.blocks) {
			const own = Math.min(4095, bits);
			putBits(side, at, 12, own);
			bits -= own;
			length += own;
		}
		ended = start + Math.ceil(length / 8);
		position += room;
		return frame;
	});
}

/** jest compares texts a hundred times faster than bytes. */
const hex = (bytes?: Uint8Array) => bytes && Buffer.from(bytes).toString('hex');

const share = fc.double({ min: 0, max: 1, noNaN: true });
const wish = fc.record({
	index: fc.oneof(fc.integer({ min: 3, max: 14 }), fc.constant(14)),
	crc: fc.boolean(),
	back: fc.oneof(share, fc.constant(1)),
	fill: fc.oneof(share, fc.constantFrom(0.01, 1)),
});

describe.each(Object.entries(LAYOUTS))('%s', (_, layout) => {
	const highest = sizeOf(layout, 14) - 4 - layout.side;

	it('a frame made to stand first, and those behind it, have the main data they had', () => {
		const seen = { sameSize: 0, larger: 0, impossible: 0 };
		fc.assert(
			fc.property(
				fc.array(wish, { minLength: 3, maxLength: 8 }),
				fc.nat(255),
				fc.nat(),
				(wishes, seed, pick) => {
					const frames = encodeFrames(layout, wishes, seed);
					const head = frames.map((frame) => readEdgeFrame(frame, 0));
					const data = mainData(layout, frames);
					head.forEach(({ mainDataBytes }, i) => expect(data[i]).toHaveLength(mainDataBytes));

					const at = 1 + (pick % (frames.length - 2));
					const header = freshHeader(head, at);
					const needed = head[at].mainDataBytes + head[at + 1].mainDataBegin;
					if (header === undefined) {
						seen.impossible++;
						expect(needed).toBeGreaterThan(highest);
						return;
					}
					const fresh = freshFrame(
						head,
						at,
						header,
						new Uint8Array(Buffer.concat(frames.slice(0, at + 1))),
					);
					seen[fresh.length > frames[at].length ? 'larger' : 'sameSize']++;
					expect(fresh).toHaveLength(sizeFromHeader(layout, fresh));
					expect(Buffer.from(fresh).readUInt32BE(0)).toBe(header);
					const now = mainData(layout, [fresh, ...frames.slice(at + 1)]);
					expect(now.map(hex)).toEqual(data.slice(at).map(hex));
				},
			),
			{ numRuns: 500 },
		);
		expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
	});

	it('a frame whose bytes are not all there cannot stand first', () => {
		const frames = encodeFrames(
			layout,
			[0, 1, 1, 1].map((back) => ({ index: 5, crc: false, back, fill: 0.3 })),
			1,
		);
		const head = frames.map((frame) => readEdgeFrame(frame, 0));
		expect(freshHeader(head, 2)).toBeDefined();
		expect(freshHeader(head.slice(0, 3), 2)).toBeUndefined();
		const damaged = head.map((frame) => ({ ...frame }));
		damaged[2].mainDataBegin = 2000;
		expect(freshHeader(damaged, 2)).toBeUndefined();
		damaged[2] = { ...head[2], mainDataBytes: 5000 };
		expect(freshHeader(damaged, 2)).toBeUndefined();
	});
});
