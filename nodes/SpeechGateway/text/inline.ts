import { characterAt, characterBefore, endAt, firstIndex, matchAt, type Span } from './characters';
import { referenceAt } from './entities';
import { inlineLinkEnd, labelAt, normalizeLabel } from './links';
import { endOf, type MappedText, MappedWriter, startOf } from './mapped';
import { type HtmlReader, isAltText, tagOf, WHOLE_TAG } from './html';
import type { Reading } from './reading';

/** A stretch of a paragraph that is not read as it stands, with `text` in its place. */
interface Change extends Span {
	text?: string;
	tag?: string;
	isBreak?: boolean;
}

interface Bracket {
	/** The offset of the `[`, or of an image's `!`. */
	start: number;
	open: number;
	isImage: boolean;
	/** How many delimiters stand before it. */
	delimiters: number;
	hasBracketAfter: boolean;
}

const SPECIAL = /[\\`*_~![\]<&\n:【\ue200]/g;
/** Where chat models show a source: `:contentReference[oaicite:7]{index=7}`, `【5†source】`. */
const SOURCE_MARK =
	/:contentReference\[oaicite:\d{1,4}\](?:\{[^{}]{0,100}\})?|【[^【】]{0,60}†[^【】]{0,200}】|\ue200[^\ue200\ue201]{0,300}\ue201/y;
const AUTOLINK = /<(?:[A-Za-z][A-Za-z\d+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>/y;
/** How comments, processing instructions, CDATA sections and declarations start and end. */
const MARKUP: Array<[start: RegExp, end: string]> = [
	[/<!--/y, '-->'],
	[/<\?/y, '?>'],
	[/<!\[CDATA\[/y, ']]>'],
	[/<![A-Za-z]/y, '>'],
];
const FOOTNOTE = /^\^[^\s\]]{1,100}$/;
const CITATION = /^\d{1,3}$/;
/** What stands before a source mark with a space between: `as they say. [1](address)`, but not `section [11](address)`. */
const ENDS_CLAIM = /[\p{Po}\p{Pe}\p{Pf}"]\s$/u;
/** A line such as `Created: 12 May` or `**Tags:** travel`, which stays apart from the line before it. */
const LABEL_LINE = /^(?:\*\*|__)?\p{Lu}[\p{L}\p{N} ]{0,30}:(?:\*\*|__)?[ \t]+\S/u;
/** The address of a badge, as in READMEs. */
const BADGE = /^\]\([^)\s]*(?:badge|shields\.io|travis-ci|codecov|coveralls|badgen)/i;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

/** Reads the inline marks of a paragraph, and passes its words to `reader` and `reading`. */
export class InlineReader {
	private changes: Change[] = [];
	private delimiters: Delimiter[] = [];
	private brackets: Bracket[] = [];
	/** Where runs of backticks stand, by length. Found once, so that this stays linear. */
	private readonly ticks = new Map<number, number[]>();
	private readonly missing = new Set<string>();
	/** Brackets opened before this offset are no links: they would contain one. */
	private noLinkBefore = -1;
	private readonly text: string;

	constructor(
		private readonly content: MappedText,
		private readonly labels: Set<string>,
		private readonly reader: HtmlReader,
		private readonly reading: Reading,
	) {
		this.text = content.text;
		for (const { 0: run, index } of this.text.matchAll(/`+/g)) {
			const same = this.ticks.get(run.length);
			if (same) same.push(index);
			else this.ticks.set(run.length, [index]);
		}
	}

	read(): void {
		SPECIAL.lastIndex = 0;
		for (let match = SPECIAL.exec(this.text); match; match = SPECIAL.exec(this.text))
			SPECIAL.lastIndex = this.special(match[0], match.index);
		matchDelimiters(this.delimiters, 0, (start, end) => this.changes.push({ start, end }));
		this.emit();
	}

	/** Reads the mark at an offset, and returns where to continue. */
	private special(mark: string, at: number): number {
		switch (mark) {
			case '\\':
				return this.escape(at);
			case '`':
				return this.code(at);
			case '\n':
				return this.lineEnd(at);
			case '<':
				return this.angle(at);
			case '&':
				return this.reference(at);
			case '[':
				return this.bracket(at, at, false);
			case '!':
				return this.text.charAt(at + 1) === '[' ? this.bracket(at, at + 1, true) : at + 1;
			case ']':
				return this.close(at);
			case '*':
			case '_':
			case '~':
				return this.delimiter(at);
			default:
				return this.sourceMark(at);
		}
	}

	private sourceMark(at: number): number {
		const end = endAt(SOURCE_MARK, this.text, at);
		if (end < 0) return at + 1;
		this.changes.push({ start: at, end });
		this.reading.leaveOut('footnotes');
		return end;
	}

	private escape(at: number): number {
		const next = this.text.charAt(at + 1);
		if (next === '\n') this.changes.push({ start: at, end: at + 2, isBreak: true });
		else if (PUNCTUATION.test(next)) this.changes.push({ start: at, end: at + 1 });
		else return at + 1;
		return at + 2;
	}

	private lineEnd(at: number): number {
		const isBreak =
			this.text.slice(Math.max(0, at - 2), at) === '  ' ||
			LABEL_LINE.test(this.text.slice(at + 1, at + 80));
		if (isBreak) this.changes.push({ start: at, end: at + 1, isBreak });
		return at + 1;
	}

	/** Code between two runs of backticks of the same length. */
	private code(at: number): number {
		const start = this.runEnd(at);
		const same = this.ticks.get(start - at) ?? [];
		const close = same.at(firstIndex(same, (tick) => tick > at));
		if (close === undefined) return start;
		const end = close + start - at;
		this.changes.push({ start: at, end: start }, { start: close, end });
		return end;
	}

	private delimiter(at: number): number {
		const end = this.runEnd(at);
		const isFence = this.text.charAt(at) === '~' && end - at > 2;
		if (!isFence) this.delimiters.push(delimiterAt(this.text, at, end));
		return end;
	}

	/** Where a run of one mark ends. */
	private runEnd(at: number): number {
		let end = at + 1;
		while (this.text.charAt(end) === this.text.charAt(at)) end++;
		return end;
	}

	private reference(at: number): number {
		const reference = referenceAt(this.text, at);
		if (!reference) return at + 1;
		this.changes.push(reference);
		return reference.end;
	}

	private angle(at: number): number {
		const link = matchAt(AUTOLINK, this.text, at);
		if (link) {
			const end = at + link[0].length;
			this.changes.push({ start: at, end: at + 1 }, { start: end - 1, end });
			return end;
		}
		const end = this.markupEnd(at);
		if (end < 0) return at + 1;
		this.changes.push({ start: at, end, tag: this.text.slice(at, end) });
		return end;
	}

	private markupEnd(at: number): number {
		const { text } = this;
		const tagEnd = endAt(WHOLE_TAG, text, at);
		if (tagEnd >= 0) return tagEnd;
		const [, mark] = MARKUP.find(([start]) => matchAt(start, text, at)) ?? [];
		if (mark === undefined || this.missing.has(mark)) return -1;
		// A comment may share its hyphens: `<!-->` is one.
		const found = text.indexOf(mark, at + 2);
		if (found < 0) this.missing.add(mark);
		return found < 0 ? -1 : found + mark.length;
	}

	private bracket(start: number, open: number, isImage: boolean): number {
		const before = this.brackets.at(-1);
		if (before) before.hasBracketAfter = true;
		const delimiters = this.delimiters.length;
		this.brackets.push({ start, open, isImage, delimiters, hasBracketAfter: false });
		return open + 1;
	}

	/** A closing bracket ends a link, an image or a footnote mark, or is text. */
	private close(at: number): number {
		const bracket = this.brackets.pop();
		if (!bracket) return at + 1;
		const content = this.text.slice(bracket.open + 1, Math.min(at, bracket.open + 1001));
		const markEnd = bracket.isImage ? -1 : this.footnoteMarkEnd(bracket.open, content, at);
		if (markEnd >= 0) {
			this.delimiters.length = bracket.delimiters;
			this.changes.push({ start: bracket.start, end: markEnd });
			this.reading.leaveOut('footnotes');
			return markEnd;
		}
		const end =
			!bracket.isImage && bracket.open < this.noLinkBefore
				? -1
				: this.linkEnd(at, content, bracket.hasBracketAfter);
		if (end < 0) return at + 1;
		const drop = (from: number, to: number) => this.changes.push({ start: from, end: to });
		matchDelimiters(this.delimiters, bracket.delimiters, drop);
		if (bracket.isImage && (!isAltText(content) || BADGE.test(this.text.slice(at, end)))) {
			drop(bracket.start, end);
			if (content.trim() !== '') this.reading.leaveOut('images');
		}
		drop(bracket.start, bracket.open + 1);
		drop(at, end);
		if (!bracket.isImage) this.noLinkBefore = bracket.open;
		return end;
	}

	/** Where a footnote mark (`[^1]`) or source mark (`fact[1](address)`) ends; -1 if it is none. */
	private footnoteMarkEnd(open: number, content: string, close: number): number {
		if (FOOTNOTE.test(content)) return close + 1;
		if (!CITATION.test(content)) return -1;
		const link = inlineLinkEnd(this.text, close + 1);
		const end = Math.max(close + 1, link);
		const before = this.text.slice(Math.max(0, open - 2), open);
		const isSource =
			/\S$/.test(before) ||
			this.labels.has(content) ||
			(link >= 0 && ENDS_CLAIM.test(before) && /^(?:$|[.,;:!?)\]\n[])/.test(this.text.charAt(end)));
		return isSource ? end : -1;
	}

	private linkEnd(at: number, content: string, hasBracketAfter: boolean): number {
		const end = inlineLinkEnd(this.text, at + 1);
		if (end >= 0 || this.labels.size === 0) return end;
		const label = labelAt(this.text, at + 1);
		if (label) return this.labels.has(label.label) ? label.end : -1;
		if (hasBracketAfter || !this.labels.has(normalizeLabel(content))) return -1;
		return this.text.startsWith('[]', at + 1) ? at + 3 : at + 1;
	}

	/** Passes on the text with its changes made. */
	private emit(): void {
		const { content, changes, reader, reading } = this;
		changes.sort((a, b) => a.start - b.start);
		let words = new MappedWriter();
		let from = 0;
		const flush = () => {
			if (words.length > 0) reader.text(words.finish());
			words = new MappedWriter();
		};
		for (const change of changes) {
			if (change.start < from) continue;
			words.copy(content, from, change.start);
			from = change.end;
			const start = startOf(content, change.start);
			const end = endOf(content, change.end);
			if (change.text !== undefined) words.write(change.text, start, end);
			if (change.isBreak) {
				flush();
				if (!reader.isSilent) reading.breakLine();
			}
			const tag = change.tag === undefined ? undefined : tagOf(change.tag, start, end);
			if (tag) {
				flush();
				reader.tag(tag);
			}
		}
		words.copy(content, from, content.text.length);
		flush();
	}
}

/** A run of `*`, `_` or `~`, which may open or close emphasis. */
interface Delimiter {
	mark: string;
	/** The marks that are not matched yet. */
	start: number;
	end: number;
	/** The length of the whole run. */
	length: number;
	canOpen: boolean;
	canClose: boolean;
}

const SPACE = /\s/;
const MARK_OR_SYMBOL = /[\p{P}\p{S}]/u;

/** Whether a run can open or close emphasis depends on the characters around it, by the rules of CommonMark. */
function delimiterAt(text: string, start: number, end: number): Delimiter {
	const mark = text.charAt(start);
	const before = characterBefore(text, start) || ' ';
	const after = characterAt(text, end) || ' ';
	const left =
		!SPACE.test(after) &&
		(!MARK_OR_SYMBOL.test(after) || SPACE.test(before) || MARK_OR_SYMBOL.test(before));
	const right =
		!SPACE.test(before) &&
		(!MARK_OR_SYMBOL.test(before) || SPACE.test(after) || MARK_OR_SYMBOL.test(after));
	const isUnderscore = mark === '_';
	return {
		mark,
		start,
		end,
		length: end - start,
		canOpen: left && (!isUnderscore || !right || MARK_OR_SYMBOL.test(before)),
		canClose: right && (!isUnderscore || !left || MARK_OR_SYMBOL.test(after)),
	};
}

/** Matches the delimiters from `bottom` on and removes them from the list. Calls `drop` with the offsets of matched marks. */
function matchDelimiters(
	delimiters: Delimiter[],
	bottom: number,
	drop: (start: number, end: number) => void,
): void {
	const open: Delimiter[] = [];
	/** CommonMark's `openers_bottom`, by kind of closer. */
	const floors = new Map<string, number>();
	for (const closer of delimiters.splice(bottom)) {
		const key = `${closer.mark}${closer.canOpen}${closer.length % 3}`;
		while (closer.canClose && closer.end > closer.start) {
			let k = open.length - 1;
			const floor = floors.get(key) ?? 0;
			while (k >= floor && !fits(open[k], closer)) k--;
			if (k < floor) {
				floors.set(key, open.length);
				break;
			}
			const opener = open[k];
			open.length = k + 1;
			for (const [kind, floorOf] of floors) if (floorOf > k + 1) floors.set(kind, k + 1);
			const both = Math.min(opener.end - opener.start, closer.end - closer.start);
			const count = closer.mark === '~' ? both : Math.min(2, both);
			drop(opener.end - count, opener.end);
			drop(closer.start, closer.start + count);
			opener.end -= count;
			closer.start += count;
			if (opener.end === opener.start) open.pop();
		}
		if (closer.canOpen && closer.end > closer.start) open.push(closer);
	}
}

/** Whether two delimiters match, by CommonMark's "multiple of 3" rule. */
function fits(opener: Delimiter, closer: Delimiter): boolean {
	if (opener.mark !== closer.mark || !opener.canOpen) return false;
	if (closer.mark === '~') return opener.length === closer.length;
	const isEither = opener.canClose || closer.canOpen;
	const sum = opener.length + closer.length;
	return !isEither || sum % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}
