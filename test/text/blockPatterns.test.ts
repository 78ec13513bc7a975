import { cellsOf } from '../../nodes/SpeechGateway/text/blocks';

test.each([
	['| One | two |', [' One ', ' two ']],
	['One | two', ['One ', ' two']],
	['One', ['One']],
	['| One', [' One']],
	['One |', ['One ']],
	['|', ['']],
	['||', ['']],
	['| a \\| b | c |', [' a \\| b ', ' c ']],
	['  | One || two |  ', [' One ', '', ' two ']],
])('the cells of %j', (line, cells) => {
	expect(cellsOf(line).map(({ start, end }) => line.slice(start, end))).toEqual(cells);
});
