import { type Edit, offsetOf } from './mapped';
import type { Span } from './characters';
import { formatOf, type TextFormat } from './format';
import { pauseMark, timeMark } from './pauses';
import type { PreparedText } from './prepare';

/**
 * What would be a mark in Markdown, so a backslash goes before it: emphasis, code, tags,
 * references, links, and marks that open a line.
 */
const MARKDOWN_MARKS =
	/[*`~]|\\(?=[!-/:-@[-`{-~\n])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z/!?])|&(?=#?\w{1,31};)|\[(?=[\^!\d])|\](?=[([:])|^[#>+=|•-]|(?<=^\d{1,9})[.)](?=\s)/gimu;

/** Escapes what looks like a character reference, twice: references that were escaped once too often are read as such. */
const escaped = (text: string): string => text.replace(/&(?=#?\w{1,31};)/g, '&amp;amp;');

const TAG = /<[a-z/!?]/i;

const OPENING_BRACKET = /[([（［]/;

/** Brackets that are read as commas become these where a range begins or ends between them: a bracket alone is spoken. */
function cutBrackets({ written, spoken }: PreparedText, { start, end }: Span): Edit[] {
	const lone: Edit[] = [];
	const open: Edit[] = [];
	for (const { 0: bracket, index } of written
		.slice(start, end)
		.matchAll(/(?<![ \t])[ \t]*[()[\]（）［］]/g)) {
		const place = { start: start + index, end: start + index + bracket.length };
		const text = spoken.text.slice(offsetOf(spoken, place.start), offsetOf(spoken, place.end));
		if (text === bracket) continue;
		if (OPENING_BRACKET.test(bracket)) open.push({ ...place, text });
		else if (!open.pop()) lone.push({ ...place, text });
	}
	return [...lone, ...open];
}

/** How a format writes words, line breaks, the breaks between paragraphs, headings, and what goes around all of it. */
interface Writer {
	words: (text: string) => string;
	line: string;
	paragraph: string;
	heading: [before: string, after: string];
	whole: [before: string, after: string];
}

const WRITERS: Partial<Record<TextFormat, Writer>> = {
	markdown: {
		words: (text) => text.replace(MARKDOWN_MARKS, '\\$&'),
		line: '  \n',
		paragraph: '\n\n',
		heading: ['# ', ''],
		whole: ['', ''],
	},
	html: {
		words: (text) =>
			escaped(text)
				.replace(/&(?!amp;)/g, '&amp;')
				.replace(/</g, '&lt;'),
		line: '<br>\n',
		paragraph: '</p>\n<p>',
		heading: ['<h2>', '</h2>'],
		whole: ['<p>', '</p>'],
	},
};

/**
 * Writes a range of a text that was read so that the node reads the same from it again: its words with
 * their readings, headings and pauses, in its format. Links and emphasis are lost. It becomes
 * `remainingText`, which a workflow sends back to the node.
 */
export function writtenAgain(prepared: PreparedText, place: Span): string {
	const { format, isGuessed, readings } = prepared;
	const text = writtenAs(format, prepared, place);
	if (!isGuessed) return text;
	// Of few words, the marks may be too few to tell the format by.
	const isTold = formatOf(text) === format;
	// Plain text has no way to write readings, or words that look like a tag.
	const needsMarks =
		readings.length > 0 || TAG.test(prepared.written.slice(place.start, place.end));
	if (!isTold && needsMarks) return writtenAs('html', prepared, place);
	if (isTold && WRITERS[format]) return text;
	// Where the format is told by the marks, plain text has character references.
	return escaped(writtenAs('plain', prepared, place));
}

/**
 * The words from `start` to `end` in a format, plain by default: marks are inserted at the places that reading has
 * noted, so nothing of the source is needed. Plain text has no marks for headings and readings; those are lost.
 */
function writtenAs(format: TextFormat, prepared: PreparedText, { start, end }: Span): string {
	const { written } = prepared;
	const writer = WRITERS[format];
	const edits: Edit[] = [];
	for (const { written: place } of writer ? prepared.headings : []) {
		if (place.start < start || place.end > end) continue;
		const [before, after] = writer!.heading;
		// Reading has ended the heading with a full stop.
		const lineEnd = written.indexOf('\n', place.end);
		const stopEnd = Math.min(end, lineEnd < 0 ? written.length : lineEnd);
		edits.push({ start: place.start, end: place.start, text: before });
		edits.push({ start: place.end, end: stopEnd, text: after });
	}
	for (const reading of writer ? prepared.readings : []) {
		if (reading.start < start || reading.end > end) continue;
		const said = `<rt>${writer!.words(reading.text)}</rt></ruby>`;
		edits.push({ start: reading.start, end: reading.start, text: '<ruby>' });
		edits.push({ start: reading.end, end: reading.end, text: said });
	}
	for (const { at, milliseconds, heardAt } of prepared.pauseMarks) {
		// One between two segments belongs to the second.
		if (at < start || at > end || (at === end && end < written.length)) continue;
		// Behind the last words, a time belongs to the next line of a script.
		const isTimed = heardAt !== undefined && written.slice(at).trim() !== '';
		const marks = [
			...(milliseconds > 0 ? [pauseMark(milliseconds)] : []),
			...(isTimed ? [timeMark(heardAt)] : []),
		];
		const spaceAt = (place: number) => (/\S/.test(written.charAt(place)) ? ' ' : '');
		const text = spaceAt(at - 1) + marks.join(' ') + spaceAt(at);
		edits.push({ start: at, end: at, text });
	}
	edits.push(...cutBrackets(prepared, { start, end }));
	edits.sort((a, b) => a.start - b.start);
	const textOf = (from: number, to: number) => {
		const text = written.slice(from, to);
		if (!writer) return text;
		const { words, paragraph, line } = writer;
		return words(text).replace(/\n(\n?)/g, (_, blank) => (blank ? paragraph : line));
	};
	let text = '';
	let from = start;
	for (const edit of edits) {
		text += textOf(from, edit.start) + edit.text;
		from = Math.max(from, edit.end);
	}
	const words = (text + textOf(from, end)).trim();
	return writer ? writer.whole.join(words) : words;
}
