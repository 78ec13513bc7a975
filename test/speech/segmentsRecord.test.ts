import {
	type SegmentsRecord,
	readRecord,
	writeRecord,
} from '../../nodes/SpeechGateway/speech/segmentsRecord';

/** A record of so many segments, a byte each. */
const recordOf = (count: number): SegmentsRecord => ({
	manners: [{ model: 'fish-speech', speed: 1, voice: 'default' }],
	length: count,
	segments: Array.from({ length: count }, (_, index) => ({
		key: 'a'.repeat(64),
		manner: 0,
		end: index,
		from: index,
		to: index + 1,
		units: 10,
		opening: 1,
		sum: index,
	})),
});

test.each<[number, boolean]>([
	[1, true],
	[20_000, true],
	[20_001, false],
])('a record of %d segments is read: %s', (count, isRead) => {
	const read = readRecord(writeRecord(recordOf(count)), count);
	expect(read !== undefined).toBe(isRead);
});

test('a record of 20 MB is not even parsed', () => {
	const text = `{"version":1,${' '.repeat(20_000_000)}`;
	const parse = jest.spyOn(JSON, 'parse');
	expect(readRecord(text, 1)).toBeUndefined();
	expect(parse).not.toHaveBeenCalled();
	parse.mockRestore();
});
