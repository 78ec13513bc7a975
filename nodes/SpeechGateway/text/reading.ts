import { SENTENCE_END } from './boundaries';
import { letters } from './characters';
import type { Edit } from './mapped';

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
	/** Words to be spoken in place of those written, as the text itself says it (`<ruby>`). */
	readings?: Edit[];
	/** Names of SSML elements whose tags were left out. */
	dropped: string[];
	/** Sentences for hints. */
	notes: string[];
	/** What was left out, as a hint names it. */
	changed?: string[];
	/** How many letters of that would have been heard. */
	lettersLeftOut?: number;
}

/** Kinds of content that are left out on purpose, as a hint names them. */
export const LEFT_OUT = {
	code: 'code',
	footnotes: 'footnotes, and marks that refer to them, such as [1]',
	frontMatter: 'the front matter',
	images: 'images without a description',
	page: 'parts that are not the text itself, such as menus, buttons, footnotes, page numbers and hidden elements',
};
/** See `LEFT_OUT`. */
export type LeftOutKind = keyof typeof LEFT_OUT;

type Break = '' | ' ' | ', ' | '\n' | '\n\n';
const STRENGTH: Record<Break, number> = { '': 0, ' ': 1, ', ': 2, '\n': 3, '\n\n': 4 };

/** A bare address at the start of a word, or after a bracket or quote. */
const ADDRESS =
	/(?<![\p{L}\p{N}/@.-])(?:https?:\/\/|www\.)(?:[^\s<>"“”«»/?#:@]{1,80}@)?([^\s<>"“”«»/?#:(){}[\]]{1,253})[^\s<>"“”«»]*/giu;
/** Punctuation behind an address, which belongs to the sentence. */
const AFTER_ADDRESS = /[.,;:!?'")\]}*_~。，、）」]+$/u;
/** Soft hyphens, and characters without width that no script needs. */
const WITHOUT_WIDTH = /[\u00ad\u200b\u2060\ufeff\ufffe]+/g;

const ENDS_OPEN = /[:;,–—，、：；-]$/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

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

const linkTo = (address: string, host: string): string =>
	`link to ${host.replace(/^www\./i, '').replace(AFTER_ADDRESS, '')}${AFTER_ADDRESS.exec(address)?.[0] ?? ''}`;

/**
 * Assembles what a reader of markup reads out: words with single spaces between, blocks with line breaks or blank lines
 * between, and a full stop after headings and list items that have none.
 */
export class Reading {
	private readonly written: string[] = [];
	private length = 0;
	private readonly found: ReadHeading[] = [];
	private readonly readings: Edit[] = [];
	/** What will separate the next words; written with them, so that a text never ends in it. */
	private pending: Break = '';
	/** The end of the words so far, without white space. */
	private tail = '';
	/** Whether the block has words. */
	private hasWords = false;
	/** The number of a list item that has no words yet. */
	private lead = '';
	/** `at`: -1 until its first words come. */
	private openHeading: { at: number } | undefined;
	/** Where the words begin that are said otherwise. */
	private base = -1;
	/** See `ReadText`. */
	readonly dropped = new Set<string>();
	private readonly changed = new Set<string>();
	private lettersLeftOut = 0;

	/** Running text whose line breaks are kept. */
	lines(text: string): void {
		text.split('\n').forEach((line, index) => {
			if (index > 0) this.breakLine();
			this.text(line);
		});
	}

	/** Running text; white space counts as one space. */
	text(text: string): void {
		const words = text.replace(WITHOUT_WIDTH, '').replace(/\s+/g, ' ');
		if (words.startsWith(' ')) this.separate(' ');
		this.say(words.trim().replace(ADDRESS, linkTo));
		if (words.endsWith(' ')) this.separate(' ');
	}

	/** Words that are read as they are. */
	say(words: string): void {
		if (words === '') return;
		this.begin();
		this.write(words);
	}

	/** The character before the next words; empty if something separates them. */
	get before(): string {
		return this.pending === '' ? this.tail.slice(-1) : '';
	}

	/** From here on, words are the base of a reading. */
	startBase(): void {
		this.base = -1;
	}

	/** Ends the base: these words are spoken in its place. */
	sayInstead(words: string): void {
		const start = this.base;
		if (start >= 0 && start < this.length && LETTER_OR_DIGIT.test(words))
			this.readings.push({ start, end: this.length, text: words });
		this.startBase();
	}

	/** Separates the next words from those before. The strongest separator counts. */
	separate(by: Break): void {
		if (STRENGTH[by] > STRENGTH[this.pending]) this.pending = by;
	}

	/** Ends a block. With `sentence`, it gets a full stop if it has none. */
	endBlock(by: '\n' | '\n\n', sentence = false): void {
		if (sentence && this.hasWords) {
			const end = this.tail.replace(/[\p{Pe}\p{Pf}"']+$/u, '');
			if (!SENTENCE_END.test(this.tail) && !ENDS_OPEN.test(end) && LETTER_OR_DIGIT.test(end))
				this.write(fullStop(end));
		}
		this.separate(by);
		this.hasWords = false;
	}

	/** A line break within a block. Two in a row begin a paragraph, as old editors write them. */
	breakLine(): void {
		this.separate(this.pending === '\n' ? '\n\n' : '\n');
	}

	/** Starts a list item, whose number is said before its words. */
	startItem(number: number | undefined): void {
		this.endBlock('\n', true);
		this.lead = number === undefined ? '' : `${number}. `;
	}

	/** Ends a list item; if it has no words, its number is not said. */
	endItem(): void {
		this.endBlock('\n', true);
		this.lead = '';
	}

	/** From here on, words are a heading. */
	startHeading(): void {
		this.endBlock('\n\n');
		this.openHeading = { at: -1 };
	}

	/** Ends a heading; one without words is none. */
	endHeading(): void {
		const heading = this.openHeading;
		if (heading && heading.at >= 0) this.found.push({ ...heading, end: this.length });
		this.openHeading = undefined;
		this.endBlock('\n\n', true);
	}

	/** Notes that something was left out, with its words if it has any; a hint says so once. */
	leaveOut(what: LeftOutKind, words = ''): void {
		this.changed.add(LEFT_OUT[what]);
		this.lettersLeftOut += letters(words.replace(ADDRESS, ''));
	}

	finish(): ReadText {
		return {
			text: this.written.join(''),
			headings: this.found,
			readings: this.readings,
			dropped: [...this.dropped],
			notes: [],
			changed: [...this.changed],
			lettersLeftOut: this.lettersLeftOut,
		};
	}

	/** Writes what stands between the last words and the next. A comma gives way to the mark that is there. */
	private begin(): void {
		if (this.length > 0 && this.pending !== '') {
			const open =
				this.pending === ', ' && (!LETTER_OR_DIGIT.test(this.tail) || /[.,:;!?…]$/.test(this.tail));
			const comma = WITHOUT_SPACES.test(this.tail) ? '，' : ', ';
			this.append(open ? ' ' : this.pending === ', ' ? comma : this.pending);
		}
		this.pending = '';
		this.append(this.lead);
		this.lead = '';
		if (this.openHeading && this.openHeading.at < 0) this.openHeading.at = this.length;
		if (this.base < 0) this.base = this.length;
	}

	private write(words: string): void {
		this.append(words);
		this.tail = (this.tail + words.slice(-2 * TAIL).replace(/\s/g, '')).slice(-TAIL);
		this.hasWords = true;
	}

	private append(text: string): void {
		this.written.push(text);
		this.length += text.length;
	}
}
