import { type BlockEvent, BlockParser, cellsOf, type Leaf } from './blocks';
import { frontMatterEnd } from './format';
import { feedHtml, HtmlReader } from './html';
import { InlineReader } from './inline';
import { type MappedText, rewrite, slice, unchanged } from './mapped';
import { Reading, type ReadText } from './reading';

/** An entry in a list of sources: `[4] https://…`. */
const SOURCE_LINE = /^[ ]{0,3}\[(\d{1,3})\]:?[ ]+(?:[^\n]{0,200}[ ([])?https?:\/\//gm;

/** GitHub's `> [!NOTE]`, also with a title. */
const CALLOUT = /^\[!([A-Za-z][\w-]{0,30})(?:\|[^\]\n]{0,60})?\][+-]?[ \t]*([^\n]{0,300})(?:\n|$)/;
const TASK_BOX = /^\[[ xX]\]\s/;
const ONLY_IMAGE = /^!\[[^\]]*\]\([^)]*\)\s*$/;
/** Info strings of fenced blocks that are no code. */
const PROSE_INFO = /^(?:text|txt|plain|plaintext|prose|markdown|md|quote)\b/i;

/** Whether a code block without a language is prose: a draft, a poem, or an indented paragraph. */
function looksLikeProse(text: string): boolean {
	const letters = text.replace(/[^\p{L}\p{M}\s]/gu, '').length;
	return (
		letters > text.length * 0.9 &&
		/\p{L}{2}[^\n]*[.!?…。！？]["”’»)]?\s*(?:\n|$)/u.test(text) &&
		!/[{}=\\]|[;:]\s*$|\(\)|^\s*(?:\$|#|\/\/)/m.test(text)
	);
}

class MarkdownReader {
	private readonly reading = new Reading();
	private readonly html: HtmlReader;
	private readonly blocks: BlockParser;

	constructor(private readonly source: string) {
		const whole = unchanged(source);
		this.html = new HtmlReader(whole, this.reading);
		this.blocks = new BlockParser(whole);
	}

	read(): ReadText {
		const start = frontMatterEnd(this.source);
		if (start > 0) this.reading.leaveOut('frontMatter');
		const events = this.blocks.read(start);
		for (const [, number] of this.source.matchAll(SOURCE_LINE)) this.blocks.labels.add(number);
		for (const event of events) this.event(event);
		return this.reading.finish();
	}

	private event(event: BlockEvent): void {
		if (event.kind !== 'item' && event.kind !== 'listEnd') return this.leaf(event);
		if (this.html.isSilent) return;
		if (event.kind === 'listEnd') return this.reading.endBlock(event.outermost ? '\n\n' : '\n');
		this.reading.startItem(event.number, event.start, event.end);
	}

	private inline(text: MappedText): void {
		new InlineReader(text, this.blocks.labels, this.html, this.reading).read();
	}

	private leaf({ kind, text, info, inItem }: Leaf): void {
		const { reading } = this;
		switch (kind) {
			case 'heading':
				reading.startHeading();
				this.inline(text);
				return reading.endHeading();
			case 'paragraph':
				this.paragraph(text, inItem);
				return reading.endBlock(inItem ? '\n' : '\n\n', inItem || ONLY_IMAGE.test(text.text));
			case 'html':
				// Notion's callouts contain Markdown.
				if (/^<aside\b/i.test(text.text)) this.inline(text);
				else feedHtml(text, this.html);
				return reading.separate('\n');
			case 'table':
				return this.table(text);
			case 'code':
				return this.code(info, text);
			case 'footnote':
				return reading.leaveOut('footnotes');
		}
	}

	private table(text: MappedText): void {
		const rows = [...text.text.matchAll(/[^\n]+/g)].map(({ 0: row, index }) =>
			cellsOf(row).map(({ start, end }) => slice(text, index + start, index + end)),
		);
		for (const row of rows) {
			for (const cell of row.slice(0, rows[0].length)) {
				this.reading.separate(', ');
				this.inline(cell);
			}
			this.reading.endBlock('\n', true);
		}
		this.reading.endBlock('\n\n');
	}

	/** Reads a paragraph without its task box. A callout starts with its title; if it has none, with its kind ("Note"). */
	private paragraph(text: MappedText, inItem: boolean): void {
		const callout = CALLOUT.exec(text.text);
		const start = (callout ?? (inItem ? TASK_BOX.exec(text.text) : null))?.[0].length ?? 0;
		const rest = slice(text, start, text.text.length);
		if (callout) {
			const [mark, kind, title] = callout;
			const titleStart = start - (mark.endsWith('\n') ? 1 : 0) - title.length;
			const word = kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase();
			this.inline(
				title.trim() === ''
					? rewrite(slice(text, 0, titleStart), [{ start: 0, end: titleStart, text: word }])
					: slice(text, titleStart, titleStart + title.length),
			);
			this.reading.endBlock('\n', true);
		}
		this.inline(rest);
	}

	/** Skips code, but reads prose in a code block line by line. */
	private code(info: string, text: MappedText): void {
		if (this.html.isSilent || text.text.trim() === '') return;
		if (!(info === '' ? looksLikeProse(text.text) : PROSE_INFO.test(info))) {
			this.reading.leaveOut('code');
			return;
		}
		this.reading.endBlock('\n\n');
		this.reading.lines(text);
		this.reading.endBlock('\n\n');
	}
}

/** Reads Markdown (CommonMark with GitHub's extensions and HTML) as a good reader would. */
export function readMarkdown(source: string): ReadText {
	return new MarkdownReader(source).read();
}
