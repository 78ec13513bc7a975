/**
 * From a text as it comes to one that can be spoken, in this order: recognise the format; tidy what programs leave
 * behind (soft hyphens, ligatures, broken lines); read the markup, which gives plain words, headings and readings; take
 * out the pause marks; rewrite words to how they are said: readings, brackets, pronunciations. From there on there are
 * two texts, the written one for subtitles and the spoken one for requests. Offsets of the first are mapped into the
 * second (`mapped.ts`), so that pauses, headings and tone tags keep their place.
 */
import { letters, type Span } from './characters';
import { readingHint, type TextFormat, type TextFormatOption } from './format';
import { readHtml } from './html';
import { type Edit, type MappedText, offsetOf, rewrite, unchanged } from './mapped';
import { readMarkdown } from './markdown';
import { addParagraphPauses, type Pause, takePauses } from './pauses';
import { readPlain } from './plain';
import { pronounce, type Pronunciation } from './pronunciations';
import type { ReadText } from './reading';
import { received } from './received';
import { readSubtitles } from './subtitleFile';
import { isTone } from './tones';
import {
	type Parentheses,
	readBracketsAloud,
	spokenTags,
	type TagRules,
	toneTags,
	untonedTags,
} from './toneTags';

/** How to read a text. */
export interface TextOptions extends TagRules {
	textFormat: TextFormatOption;
	parentheses: Parentheses;
	pronunciations: Pronunciation[];
	/** Milliseconds; 0: none. */
	pauseAfterParagraphs: number;
}

/** A heading: its words as written, and where it starts in the spoken text. A title may be empty (`# [pause 1s]`). */
export interface SpokenHeading {
	at: number;
	title: string;
	/** Where its words end in the spoken text. */
	end: number;
	/** Its place in the written text. */
	written: Span;
}

/** A text ready to be spoken. Offsets are UTF-16 units. */
export interface PreparedText {
	/** What the text was read as. */
	format: TextFormat;
	/** The format was told by the marks of the text, not set by the user. */
	isGuessed: boolean;
	/** What is read out, in the source's words, without markup and pause marks. */
	written: string;
	/** The pause marks, by their places in `written`. */
	pauseMarks: Pause[];
	/** What is sent, with pronunciations and parentheses resolved. Mapped to `written`. */
	spoken: MappedText;
	/** Words that the text itself says otherwise, by their places in `written`. */
	readings: Edit[];
	/** Tone tags, by their places in `written` and in `spoken.text`. */
	tags: { written: Span[]; spoken: Span[] };
	/** Sorted; offsets of the spoken text. */
	pauses: Pause[];
	headings: SpokenHeading[];
	/** What was left out or resolved, as a hint names it. */
	changed: string[];
	/** Sentences for hints. */
	notes: string[];
}

/** From so many parentheses that look like tone tags but are none, a hint says so. */
const MANY_PARENTHESES = 3;

const READERS: Record<TextFormat, (source: string) => ReadText> = {
	plain: readPlain,
	markdown: readMarkdown,
	html: readHtml,
	subtitles: readSubtitles,
};

/** A replacement character in a word. */
const UNREADABLE = /\p{L}\uFFFD|\uFFFD\p{L}/u;
const UNREADABLE_NOTE =
	'The text has characters that could not be read (U+FFFD) in its words. If it comes from a file, read that in its own encoding: Extract from File has the option "File Encoding".';

/** Hints on what the text may not have been meant to do: SSML, and brackets that are spoken or are not. */
function notesOn(
	{ dropped, notes }: ReadText,
	written: string,
	tags: Span[],
	{ parentheses, takesDirections }: TextOptions,
): string[] {
	const all = [...notes];
	if (UNREADABLE.test(written)) all.push(UNREADABLE_NOTE);
	if (dropped.length > 0) {
		const names = dropped.slice(0, 5).map((name) => `<${name}>`);
		if (dropped.length > names.length) names.push('…');
		all.push(
			`The gateway does not understand SSML: ${names.join(', ')} ${dropped.length === 1 ? 'was' : 'were'} left out; the words inside are spoken. Only <break time="1s"/> has an effect.`,
		);
	}
	const untoned = parentheses === 'tags' ? untonedTags(written) : [];
	if (untoned.length >= MANY_PARENTHESES) {
		all.push(
			`The text has ${untoned.length} short parentheses that are not tone words, such as ${untoned[0]}. The model may take them for tone tags and not speak them: set "Words in Parentheses" to "Read Aloud" to have them spoken.`,
		);
	}
	const spoken = parentheses === 'readAloud' ? spokenTags(written, tags) : [];
	if (spoken.length > 0) {
		all.push(
			`Words in brackets that are no known tone words are spoken, such as ${spoken[0]}. If the model is to take them for tone tags, set "Words in Parentheses" to "Tone Tags".`,
		);
	}
	const free = tags
		.map(({ start, end }) => written.slice(start, end))
		.find((tag) => !isTone(tag.slice(1, -1).trim(), 'derived'));
	if (takesDirections && parentheses === 'readAloud' && free !== undefined) {
		all.push(
			`Small words in square brackets were sent as directions, which this model takes, such as ${free}. To have them spoken, write them without brackets.`,
		);
	}
	return all;
}

/** Edits from front to back; of two that overlap, the first. */
function inOrder(edits: Edit[]): Edit[] {
	const ordered: Edit[] = [];
	for (const edit of edits.sort((a, b) => a.start - b.start))
		if (edit.start >= (ordered.at(-1)?.end ?? 0)) ordered.push(edit);
	return ordered;
}

/**
 * Reads a text as a good reader would: what to speak, and where to pause. Throws InputError for subtitles or times that
 * make no sense.
 */
export function prepareText(source: string, options: TextOptions): PreparedText {
	const { format, ...raw } = received(source, options.textFormat);
	const readText = READERS[format](raw.text);
	const changed = [...raw.changed, ...(readText.changed ?? [])];
	const { written: withoutMarks, pauses: pauseMarks } = takePauses(readText.text);
	const { text } = withoutMarks;
	const readings = (readText.readings ?? []).map(({ start, end, text: said }) => ({
		start: offsetOf(withoutMarks, start),
		end: offsetOf(withoutMarks, end),
		text: said,
	}));
	const tags = toneTags(text, options.parentheses, options);
	const readAloud = options.parentheses === 'readAloud' ? readBracketsAloud(text, tags) : [];
	let spoken = rewrite(unchanged(text), inOrder([...readings, ...readAloud]));
	const tagsIn = (mapped: MappedText): Span[] =>
		tags.map(({ start, end }) => ({ start: offsetOf(mapped, start), end: offsetOf(mapped, end) }));
	if (options.pronunciations.length > 0) {
		const tagSpans = tagsIn(spoken);
		spoken = rewrite(spoken, pronounce(spoken.text, options.pronunciations, tagSpans));
	}
	return {
		format,
		isGuessed: options.textFormat === 'automatic',
		written: text,
		pauseMarks,
		readings,
		spoken,
		tags: { written: tags, spoken: tagsIn(spoken) },
		pauses: addParagraphPauses(text, pauseMarks, options.pauseAfterParagraphs).map((pause) => ({
			...pause,
			at: offsetOf(spoken, pause.at),
		})),
		headings: readText.headings.map(({ at, wordsAt = at, end }) => {
			const place = { start: offsetOf(withoutMarks, at), end: offsetOf(withoutMarks, end) };
			return {
				at: offsetOf(spoken, place.start),
				end: offsetOf(spoken, place.end),
				written: place,
				title: takePauses(readText.text.slice(wordsAt, end))
					.written.text.trim()
					.replace(/\s*\n\s*/g, ' '),
			};
		}),
		changed,
		notes: [
			...readingHint(format, options.textFormat, changed, {
				letters: letters(raw.leftOut) + (readText.lettersLeftOut ?? 0),
				spoken: text,
			}),
			...notesOn(readText, text, tags, options),
		],
	};
}
