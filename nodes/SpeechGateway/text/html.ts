import { endAt, matchAt, type Span } from './characters';
import { decode, decoded } from './entities';
import { endOf, type MappedText, offsetOf, rewrite, slice, startOf, unchanged } from './mapped';
import { breakMark } from './pauses';
import { type LeftOut, Reading, type ReadText } from './reading';

const setOf = (list: string) => new Set(list.split(' '));

const BLOCKS = setOf(
	'address article aside blockquote body center dd details dialog dir div dl fieldset figure footer form header hgroup hr ' +
		'html main menu noframes ol optgroup p pre search section table tbody tfoot thead ul',
);
/** Blocks that are read as one sentence each, on lines of their own. */
const SENTENCES = setOf('caption dt figcaption legend option summary tr');
/** Elements without words for a listener: scripts, media and their fallbacks. */
const NO_WORDS = setOf(
	'script style template head title svg iframe object video canvas noscript datalist map rt rp annotation annotation-xml applet',
);
/** Elements whose words are not part of the text: controls, settings, and the thoughts of chat models. */
const UNREAD = setOf('nav button select textarea think thinking ac:parameter ac:plain-text-body');
/** Elements whose content is no markup. */
const RAW = setOf('script style textarea title iframe noscript xmp');
const VOID = setOf('area base br col embed hr img input link meta param source track wbr');
/** Elements of SSML that HTML has, too, and the one that has an effect. */
const NOT_DROPPED = setOf('p s sub mark audio meta break');
/** The elements of SSML 1.1, and vendors' own by prefix. Tags with other names are text. */
export const SSML_ELEMENT =
	/^(?:speak|lexicon|lookup|metadata|meta|p|s|token|w|say-as|phoneme|sub|lang|voice|emphasis|break|prosody|audio|mark|desc|(?:amazon|mstts|google|ssml):[a-z-]{1,30})$/i;
/** Classes that widespread software gives to footnotes, their marks, and content for the screen only. */
const UNREAD_CLASS =
	/(?:^|\s)(?:reference|references|reflist|footnotes?|footnote-ref|footnote-back(?:ref|link)|footnote-anchor|noteref|mw-editsection|noprint|sr-only|screen-reader-text|visually-hidden|anchor|headerlink|toc|hatnote|navbox|ambox|catlinks|more-link|sharedaddy|jp-relatedposts|wp-block-buttons?|button-wrapper|subscription-widget-wrap|kg-button-card|kg-bookmark-metadata|kg-file-card-metadata)(?:\s|$)/i;
/** The table of facts beside a wiki article. */
const INFOBOX = /(?:^|\s)infobox(?:\s|$)/i;
/** Footnotes, page numbers and tables of contents of e-books, by `epub:type`. */
const UNREAD_EPUB = /^(?:noteref|(?:foot|end|rear)notes?|pagebreak|page-list|toc)$/i;
const UNREAD_ROLE = /^(?:doc-noteref|doc-endnotes|doc-backlink|navigation|button)$/i;
const FOOTNOTE_MARK =
	/^(?:<[^>]{0,300}>|[\s[\]()]){0,8}(?:\d{1,3}|[a-z*†‡§]|note \d{1,3})(?:<[^>]{0,300}>|[\s[\]()]){0,8}$/i;
/** The longest footnote mark with its tags, UTF-16 units. */
const MARK_LENGTH = 600;

/** Alternative texts that do not describe the image: file names, formulas. */
const NO_ALT =
	/\.(?:png|jpe?g|gif|webp|svg|avif|bmp)$|^(?:IMG|DSC|image)[_-]?\d+$|^(?:(?:untitled|image|img|picture|photo|screen ?shot|pasted image|alt text)[\s\d._:-]*)$|[\\{]/i;

const END_TAG = /<\/([a-z][a-z\d:-]*)[\s>]/gi;

/** `<br/>`, as in XHTML and e-books. */
const isSelfClosing = (attributes: string) => attributes.endsWith('/');

/** A complete tag, by CommonMark. */
export const WHOLE_TAG =
	/<(?:\/[A-Za-z][A-Za-z\d-]*\s*|[A-Za-z][A-Za-z\d-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?){0,100}\s*\/?)>/y;

/** A tag, and its place in the source. */
export interface Tag extends Span {
	name: string;
	closing: boolean;
	/** The text between name and end. */
	attributes: string;
}

/** The value of an attribute, from the text between the name and the end of a tag. */
export function attribute(attributes: string, name: string): string | undefined {
	const match = new RegExp(
		`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`,
		'i',
	).exec(attributes);
	return match?.[1] ?? match?.[2] ?? match?.[3];
}

/** Whether an alternative text describes the image. */
export const isAltText = (alt: string): boolean => alt.trim() !== '' && !NO_ALT.test(alt.trim());

/** Reads the tags and the text of a page in order, or the HTML within Markdown. */
export class HtmlReader {
	/** The element that is left out, and how many elements of that name are open. */
	private unread: { name: string; depth: number } | undefined;
	/** The next number of each open list; undefined for bullet lists. */
	private readonly lists: Array<number | undefined> = [];
	private preformatted = false;
	/** By element, where its last end tag starts. */
	private readonly lastEnds = new Map<string, number>();

	/** `page`: all that is read, also what is fed to this reader in parts. Its source is that of the tags. */
	constructor(
		private readonly page: MappedText,
		private readonly reading: Reading,
	) {
		for (const { 1: name, index } of page.text.matchAll(END_TAG))
			this.lastEnds.set(name.toLowerCase(), index);
	}

	/** Whether the reader is inside an element that is left out. */
	get isSilent(): boolean {
		return this.unread !== undefined;
	}

	/** Text between tags, with character references resolved. */
	text(text: MappedText): void {
		if (this.unread) return;
		if (this.preformatted) this.reading.lines(text);
		else this.reading.text(text);
	}

	tag(tag: Tag): void {
		const { name, closing } = tag;
		if (this.unread) {
			if (name !== this.unread.name) return;
			this.unread.depth += closing ? -1 : 1;
			if (this.unread.depth === 0) this.unread = undefined;
			return;
		}
		const isOpening = !closing && !VOID.has(name) && !isSelfClosing(tag.attributes);
		const end = offsetOf(this.page, tag.end);
		const kind = isOpening ? unreadKind(tag, this.page.text, end) : undefined;
		// Without an end tag, leaving it out would swallow the rest of the page.
		if (kind && (this.lastEnds.get(name) ?? 0) >= end) {
			this.unread = { name, depth: 1 };
			if (kind !== 'noWords') this.reading.leaveOut(kind);
			return;
		}
		if (/^h[1-6]$/.test(name)) {
			return closing ? this.reading.endHeading() : this.reading.startHeading();
		}
		if (name === 'li') return this.item(tag);
		if (SENTENCES.has(name)) return this.reading.endBlock('\n', true);
		if (BLOCKS.has(name)) return this.block(tag);
		if (name === 'br') return this.reading.breakLine();
		if (name === 'td' || name === 'th') return this.reading.separate(', ');
		if (name === 'q') return this.reading.say(closing ? '”' : '“', tag.start, tag.end);
		if (name === 'img' && !closing) return this.image(tag);
		if (name === 'break' && !closing) {
			return this.reading.say(breakMark(attribute(tag.attributes, 'time')), tag.start, tag.end);
		}
		if (SSML_ELEMENT.test(name) && !NOT_DROPPED.has(name)) this.reading.dropped.add(name);
	}

	private item({ closing, start, end }: Tag): void {
		if (closing) return this.reading.endItem();
		const number = this.lists.at(-1);
		this.reading.startItem(number, start, end);
		if (number !== undefined) this.lists[this.lists.length - 1] = number + 1;
	}

	private block({ name, closing, attributes }: Tag): void {
		const inList = this.lists.length > 0;
		if (name === 'ol' || name === 'ul' || name === 'menu' || name === 'dir') {
			const isOutermost = this.lists.length === (closing ? 1 : 0);
			this.reading.endBlock(isOutermost ? '\n\n' : '\n', inList);
			const first = Number(attribute(attributes, 'start') ?? 1);
			if (closing) this.lists.pop();
			else this.lists.push(name === 'ol' ? (Number.isInteger(first) ? first : 1) : undefined);
			return;
		}
		if (name === 'pre') this.preformatted = !closing;
		this.reading.endBlock(inList || name === 'dd' ? '\n' : '\n\n', inList || name === 'dd');
	}

	private image({ attributes, start, end }: Tag): void {
		const alt = decoded(attribute(attributes, 'alt') ?? '')
			.trim()
			.replace(/\s+/g, ' ');
		if (!isAltText(alt)) {
			if (alt !== '') this.reading.leaveOut('images');
			return;
		}
		this.reading.separate(' ');
		this.reading.say(alt, start, end);
		this.reading.separate(' ');
	}
}

/** Why an element is left out; undefined: it is read. */
function unreadKind(
	{ name, attributes }: Tag,
	page: string,
	end: number,
): LeftOut | 'noWords' | undefined {
	if (NO_WORDS.has(name)) return 'noWords';
	if (UNREAD.has(name)) return 'page';
	if (name === 'pre' && /^\s{0,20}<(?:code|kbd|samp)\b/i.test(page.slice(end, end + 40))) {
		return 'code';
	}
	if (name === 'sup') {
		const content = page.slice(end, end + MARK_LENGTH).split(/<\/sup/i, 1)[0];
		const isLink = /<a\s/i.test(content) || content.includes('[');
		if (isLink && FOOTNOTE_MARK.test(content)) return 'footnotes';
	}
	if (attributes === '') return undefined;
	const classes = attribute(attributes, 'class') ?? '';
	const isUnread =
		(name === 'table' && INFOBOX.test(classes)) ||
		/(?:^|\s)hidden(?:\s|=|\/|$)/i.test(attributes.replace(/"[^"]*"|'[^']*'/g, '""')) ||
		attribute(attributes, 'aria-hidden') === 'true' ||
		/display\s*:\s*none/i.test(attribute(attributes, 'style') ?? '') ||
		UNREAD_CLASS.test(classes) ||
		UNREAD_ROLE.test(attribute(attributes, 'role') ?? '') ||
		UNREAD_EPUB.test(attribute(attributes, 'epub:type') ?? '');
	return isUnread ? 'page' : undefined;
}

const TAG_NAME = /<(\/?)([A-Za-z][A-Za-z\d:-]{0,60})(?=[\s/>])/y;

/** Parses the tag at these offsets of the source; undefined for a comment or a declaration. */
export function tagOf(markup: string, start: number, end: number): Tag | undefined {
	const match = matchAt(TAG_NAME, markup, 0);
	if (!match) return undefined;
	return {
		name: match[2].toLowerCase(),
		closing: match[1] !== '',
		attributes: markup.slice(match[0].length, -1),
		start,
		end,
	};
}

/** Finds the ends of markup, and remembers what has none, so that no text is searched twice. */
class MarkupEnds {
	private readonly missing = new Set<string>();

	constructor(private readonly text: string) {}

	/** Where the tag, comment or declaration at an offset ends; -1 if there is none. */
	after(at: number): number {
		if (this.text.startsWith('<!--', at)) return this.find('-->', at + 2);
		if (/[!?]/.test(this.text.charAt(at + 1))) return this.find('>', at);
		const nameEnd = endAt(TAG_NAME, this.text, at);
		return nameEnd < 0 ? -1 : this.tagEnd(nameEnd);
	}

	/** Where the end tag of an element without markup inside starts. */
	ofRaw(name: string, from: number): number {
		const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
		end.lastIndex = from;
		return end.exec(this.text)?.index ?? this.text.length;
	}

	private find(mark: string, from: number): number {
		const found = this.missing.has(mark) ? -1 : this.text.indexOf(mark, from);
		if (found < 0) this.missing.add(mark);
		return found < 0 ? -1 : found + mark.length;
	}

	private tagEnd(from: number): number {
		if (this.missing.has('tag')) return -1;
		const mark = />|=\s{0,20}(["'])/g;
		mark.lastIndex = from;
		for (let match = mark.exec(this.text); match; match = mark.exec(this.text)) {
			if (match[0] === '>') return mark.lastIndex;
			const quoteEnd = this.find(match[1], mark.lastIndex);
			if (quoteEnd > 0) mark.lastIndex = quoteEnd;
		}
		this.missing.add('tag');
		return -1;
	}
}

/** Passes the tags and the text of a page, or of a part of one, to a reader. */
export function feedHtml(page: MappedText, reader: HtmlReader): void {
	const { text } = page;
	const ends = new MarkupEnds(text);
	let from = 0;
	for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', Math.max(from, at + 1))) {
		const end = ends.after(at);
		if (end < 0) continue;
		if (at > from) reader.text(decode(slice(page, from, at)));
		from = end;
		const tag = tagOf(text.slice(at, end), startOf(page, at), endOf(page, end));
		if (!tag) continue;
		reader.tag(tag);
		if (!tag.closing && !isSelfClosing(tag.attributes) && RAW.has(tag.name)) {
			from = ends.ofRaw(tag.name, end);
		}
	}
	if (from < text.length) reader.text(decode(slice(page, from, text.length)));
}

const ESCAPED_TAG = /&lt;\/?(?:p|br|div|h[1-6]|[uo]l|li|strong|em|a|img|span)\b[^<>]{0,2000}?&gt;/i;

/** CDATA marks around pages in feeds, and WordPress's shortcodes around images. Pause marks contain no `=`. */
const ENCLOSURES =
	/<!\[CDATA\[|\]\]>|\[\/?(?:caption|gallery)(?:\s[^\]\n=]{0,50}=[^\]\n]{0,500})?\]/gi;

/** Reads HTML as a good reader would. */
export function readHtml(source: string): ReadText {
	const given = unchanged(source);
	// Some feeds escape their pages once too often.
	const whole = !source.includes('<') && ESCAPED_TAG.test(source) ? decode(given) : given;
	const marks = [...whole.text.matchAll(ENCLOSURES)].map(({ 0: mark, index }) => ({
		start: index,
		end: index + mark.length,
		text: '',
	}));
	const page = rewrite(whole, marks);
	const reading = new Reading();
	feedHtml(page, new HtmlReader(page, reading));
	return reading.finish();
}
