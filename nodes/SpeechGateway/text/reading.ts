import { SENTENCE_END } from './boundaries';
import { endOf, type MappedText, MappedWriter, slice, startOf } from './mapped';

/** A heading of a text that has been read. Offsets of that text. */
export interface ReadHeading {
	at: number;
	/** Where its words start, when there is a mark before them. */
	wordsAt?: number;
	end: number;
}

/** What the readers of the text formats return. */
export interface ReadText {
	text: string;
	headings: ReadHeading[];
	/** Names of SSML elements whose tags were left out. */
	dropped: string[];
	/** Sentences for hints. */
	notes: string[];
}

/** Kinds of content that are left out on purpose, each with its hint. */
const LEFT_OUT = {
	code: 'Code blocks were left out: code is not spoken.',
	footnotes: 'Footnotes were left out, and marks that refer to them or to sources, such as [1].',
	frontMatter: 'The front matter was left out.',
	images: 'Images without a description were left out.',
	page: "Parts that are not the text itself were left out, such as menus, buttons, footnotes, hidden elements and a model's thoughts.",
};
export type LeftOut = keyof typeof LEFT_OUT;

type Break = '' | ' ' | ', ' | '\n' | '\n\n';
const STRENGTH: Record<Break, number> = { '': 0, ' ': 1, ', ': 2, '\n': 3, '\n\n': 4 };

/** A bare address at the start of a word, or after a bracket or quote. */
const ADDRESS =
	/(?<![\p{L}\p{N}/@.-])(?:https?:\/\/|www\.)(?:[^\s<>"“”«»/?#:@]{1,80}@)?([^\s<>"“”«»/?#:(){}[\]]{1,253})[^\s<>"“”«»]*/iu;
/** Punctuation behind an address, which belongs to the sentence. */
const AFTER_ADDRESS = /[.,;:!?'")\]}*_~。，、）」]+$/u;
const VISIBLE = /[^\u00ad\u200b]+/g;
/** Words with single spaces between, or white space. Bounded, since regular expressions need memory for each repetition. */
const WORDS = /\S+(?:\s\S+){0,999}|\s+/g;
/** Addresses and invisible characters are not read as they stand. */
const NEEDS_CARE = /https?:\/\/|www\.|[\u00ad\u200b]/i;

const ENDS_OPEN = /[:;,–—，、：；-]$/u;
const LETTER = /[\p{L}\p{N}]/u;

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** The full stop of the script that a text ends in; none for scripts that do without. */
function fullStop(tail: string): string {
	if (WITHOUT_SPACES.test(tail)) return '。';
	if (/[\p{Script=Devanagari}\p{Script=Bengali}]/u.test(tail)) return '।';
	if (/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(tail)) return '';
	return '.';
}

/** How much of a block's end decides whether it needs a full stop, UTF-16 units. */
const TAIL = 6;

/**
 * Assembles what a reader of markup reads out: words with single spaces between, blocks with line breaks or blank lines between,
 * and a full stop after headings and list items that have none.
 */
export class Reading {
	private readonly writer = new MappedWriter();
	private readonly found: ReadHeading[] = [];
	private pending: Break = '';
	private tail = '';
	/** Whether the block has words. */
	private hasWords = false;
	/** Where in the source the last words end. */
	private at = 0;
	private lead: { words: string; start: number; end: number } | undefined;
	private openHeading: { at: number } | undefined;
	/** See `ReadText`. */
	readonly dropped = new Set<string>();
	private readonly notes = new Set<string>();

	/** Running text whose line breaks are kept. */
	lines(from: MappedText): void {
		for (const { 0: line, index } of from.text.matchAll(/\n|[^\n]+/g)) {
			if (line === '\n') this.breakLine();
			else this.text(from, index, index + line.length);
		}
	}

	/** Running text; white space counts as one space. */
	text(from: MappedText, start = 0, end = from.text.length): void {
		for (const { 0: text, index } of from.text.slice(start, end).matchAll(WORDS)) {
			const at = start + index;
			if (/^\s/.test(text)) this.separate(' ');
			else if (!NEEDS_CARE.test(text)) this.copy(from, at, at + text.length);
			else {
				for (const { 0: word, index: offset } of text.matchAll(/\S+/g)) {
					if (offset > 0) this.separate(' ');
					this.word(from, at + offset, word);
				}
			}
		}
	}

	/** Words that replace what stands between two offsets of the source. */
	say(words: string, start: number, end: number): void {
		if (words === '') return;
		this.begin(start);
		this.writer.write(words, start, end);
		this.wrote(words);
	}

	/** Separates the next words from those before. The strongest separator counts. */
	separate(by: Break): void {
		if (STRENGTH[by] > STRENGTH[this.pending]) this.pending = by;
	}

	/** Ends a block. With `sentence`, it gets a full stop if it has none. */
	endBlock(by: '\n' | '\n\n', sentence = false): void {
		if (sentence && this.hasWords) {
			const end = this.tail.replace(/[\p{Pe}\p{Pf}"']+$/u, '');
			if (!SENTENCE_END.test(this.tail) && !ENDS_OPEN.test(end) && LETTER.test(end)) {
				const stop = fullStop(end);
				this.writer.write(stop, this.at, this.at);
				this.wrote(stop);
			}
		}
		this.separate(by);
		this.hasWords = false;
	}

	/** A line break within a block. Two in a row begin a paragraph, as old editors write them. */
	breakLine(): void {
		this.separate(this.pending === '\n' ? '\n\n' : '\n');
	}

	/** Starts a list item, whose number is said before its words. */
	startItem(number: number | undefined, start: number, end: number): void {
		this.endBlock('\n', true);
		this.lead = number === undefined ? undefined : { words: `${number}. `, start, end };
	}

	/** Ends a list item; if it has no words, its number is not said. */
	endItem(): void {
		this.endBlock('\n', true);
		this.lead = undefined;
	}

	startHeading(): void {
		this.endBlock('\n\n');
		this.openHeading = { at: -1 };
	}

	endHeading(): void {
		const heading = this.openHeading;
		if (heading && heading.at >= 0) this.found.push({ ...heading, end: this.writer.length });
		this.openHeading = undefined;
		this.endBlock('\n\n', true);
	}

	/** Notes that something was left out; a hint says so once. */
	leaveOut(what: LeftOut): void {
		this.notes.add(LEFT_OUT[what]);
	}

	finish(): ReadText {
		return {
			text: this.writer.finish().text,
			headings: this.found,
			dropped: [...this.dropped],
			notes: [...this.notes],
		};
	}

	private begin(start: number): void {
		if (this.writer.length > 0 && this.pending !== '') {
			const open =
				this.pending === ', ' && (!LETTER.test(this.tail) || /[.,:;!?…]$/.test(this.tail));
			const comma = WITHOUT_SPACES.test(this.tail) ? '，' : ', ';
			const words = open ? ' ' : this.pending === ', ' ? comma : this.pending;
			this.writer.write(words, this.at + words.length === start ? this.at : start, start);
		}
		this.pending = '';
		if (this.lead) {
			const { words, start: from, end } = this.lead;
			this.writer.write(words, from, end);
			this.lead = undefined;
		}
		if (this.openHeading && this.openHeading.at < 0) this.openHeading.at = this.writer.length;
	}

	private wrote(text: string): void {
		this.tail = (this.tail + text.slice(-TAIL)).slice(-TAIL);
		this.hasWords = true;
	}

	private word(from: MappedText, start: number, word: string): void {
		const end = start + word.length;
		const address = word.length > 6 ? ADDRESS.exec(word) : null;
		if (!address) {
			for (const { 0: part, index } of word.matchAll(VISIBLE)) {
				this.copy(from, start + index, start + index + part.length);
			}
			return;
		}
		const first = start + address.index;
		const last = first + address[0].replace(AFTER_ADDRESS, '').length;
		const host = address[1].replace(/^www\./i, '').replace(AFTER_ADDRESS, '');
		this.copy(from, start, first);
		this.at = endOf(from, last);
		this.say(`link to ${host}`, startOf(from, first), this.at);
		this.copy(from, last, end);
	}

	private copy(from: MappedText, start: number, end: number): void {
		if (start >= end) return;
		const { text, runs } = slice(from, start, end);
		this.begin(runs[0].start);
		this.writer.copy({ text: text.replace(/\s/g, ' '), runs }, 0, text.length);
		this.at = endOf(from, end);
		this.wrote(text.replace(/\s/g, ''));
	}
}
