/**
 * A page as a listener would want it. parse5 makes a tree of whatever there is, as browsers do; the reader goes
 * through it once, without recursion, and tells `Reading` what begins and ends: blocks, headings, list items, cells.
 * What is not for listeners is left out whole (`unread.ts`), each kind with a hint. Before that, the source is
 * mended where a browser would lose words: tags that never end, CDATA, anchors of e-books. All of it is linear in
 * the length of the page, whatever is nested in it.
 */
import { setOf } from './characters';
import { decoded } from './entities';
import { parseFragment, type Tree } from '../libraries/parse5';
import { breakMark } from './pauses';
import { Reading, type ReadText } from './reading';
import { type Invisible, isInvisible, unreadKind, valueOf, wordsIn } from './unread';

type Element = Tree.Element;
type ChildNode = Tree.ChildNode;

const BLOCKS = setOf(
	'address article aside blockquote body center dd details dialog dir div dl fieldset figure footer form header hgroup hr ' +
		'html main menu noframes ol optgroup p pre search section table ul',
);
/** Blocks that are read as one sentence each, on lines of their own; the full stop is added if they have none. */
const SENTENCES = setOf('caption dt figcaption legend option summary tbody tfoot thead tr');
const HEADING = /^h[1-6]$/;
/** Elements of SSML that HTML has, too. */
const NOT_DROPPED = setOf('p s sub mark audio meta');
/** The elements of SSML 1.1, and vendors' own by prefix. Tags with other names are text. */
export const SSML_ELEMENT =
	/^(?:speak|lexicon|lookup|metadata|meta|p|s|token|w|say-as|phoneme|sub|lang|voice|emphasis|break|prosody|audio|mark|desc|(?:amazon|mstts|google|ssml):[a-z-]{1,30})$/i;

/** Alternative texts that do not describe the image: file names, formulas. */
const NO_ALT =
	/\.(?:png|jpe?g|gif|webp|svg|avif|bmp|tiff?)(?:\s*\([^)]{0,20}\))?$|^(?:IMG|DSC|image)[_-]?\d+$|^(?:(?:untitled|image|img|picture|photo|screen ?shot|pasted image|alt text)[\s\d._:-]*)$|[\\{]/i;

/** Elements whose label is said in place of what is shown; that of others names a part of the page. */
const LABELLED = setOf('a abbr b em i img span strong svg h1 h2 h3 h4 h5 h6');

/** The value of an attribute, from the text between the name and the end of a tag. */
export function attribute(attributes: string, name: string): string | undefined {
	const match = new RegExp(
		`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`,
		'i',
	).exec(attributes);
	return match?.[1] ?? match?.[2] ?? match?.[3];
}

/** The raised characters of Unicode by the plain ones. */
export const SUPERSCRIPTS: Record<string, string> = {};
/** The lowered ones. */
export const SUBSCRIPTS: Record<string, string> = {};
for (const [index, plain] of [...'0123456789+-−n'].entries()) {
	SUPERSCRIPTS[plain] = [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ'][index];
	SUBSCRIPTS[plain] = [...'₀₁₂₃₄₅₆₇₈₉₊₋₋ₙ'][index];
}
const RAISED = /^(?:[+\-−]?\d{1,5}[+\-−]?|n)$/;

/** An element that is open, with the next of its nodes. */
interface Open {
	element: { childNodes: ChildNode[]; tagName?: string };
	next: number;
	invisible: Invisible;
}

/** Reads the elements and the text of a page in order. */
class PageReader {
	/** The next number of each open list; undefined for bullet lists. */
	private readonly lists: Array<number | undefined> = [];
	private preformatted = 0;

	constructor(private readonly reading: Reading) {}

	/** Without recursion, since elements may be nested ten thousands deep. */
	read(page: { childNodes: ChildNode[] }): ReadText {
		const open: Open[] = [{ element: page, next: 0, invisible: { tiny: false, hidden: false } }];
		for (let top = open.at(-1); top; top = open.at(-1)) {
			const node = top.element.childNodes[top.next++];
			if (!node) {
				if (top.element.tagName) this.leave(top.element as Element);
				open.pop();
			} else if (node.nodeName === '#text' && 'value' in node) {
				this.text(node.value, top.invisible);
			} else if ('tagName' in node && this.enter(node, top.element.childNodes[top.next])) {
				const invisible = isInvisible(valueOf(node, 'style'), top.invisible);
				open.push({ element: node, next: 0, invisible });
			}
		}
		return this.reading.finish();
	}

	private text(text: string, { tiny, hidden }: Invisible): void {
		if (tiny || hidden) {
			if (text.trim() !== '') this.reading.leaveOut('page', text);
		} else if (this.preformatted > 0) this.reading.lines(text);
		else this.reading.text(text);
	}

	/** Whether what is within the element is to be read. */
	private enter(element: Element, next: ChildNode | undefined): boolean {
		const { reading } = this;
		const { tagName } = element;
		const label = LABELLED.has(tagName) ? valueOf(element, 'aria-label').trim() : '';
		const kind = unreadKind(element);
		if (kind && !(label && tagName === 'svg' && kind === 'noWords')) {
			if (kind !== 'noWords')
				reading.leaveOut(kind, kind === 'code' ? '' : wordsIn(element, Infinity));
			return false;
		}
		if (HEADING.test(tagName)) reading.startHeading();
		else if (tagName === 'li') this.startItem();
		else if (SENTENCES.has(tagName)) reading.endBlock('\n', true);
		else if (BLOCKS.has(tagName)) this.startBlock(element);
		else if (tagName === 'br') reading.breakLine();
		else if (tagName === 'td' || tagName === 'th') reading.separate(', ');
		else if (tagName === 'q') reading.say('“');
		else if (tagName === 'ruby') reading.startBase();
		else if (tagName === 'img' && !label) this.image(element);
		else if (tagName === 'rt') {
			reading.sayInstead(wordsIn(element).trim());
			return false;
		} else if (this.isRaised(element, next)) return false;
		if (SSML_ELEMENT.test(tagName) && !NOT_DROPPED.has(tagName)) reading.dropped.add(tagName);
		if (!label) return true;
		reading.text(label);
		if (HEADING.test(tagName)) reading.endHeading();
		return false;
	}

	private leave(element: Element): void {
		const { reading } = this;
		const { tagName } = element;
		if (HEADING.test(tagName)) reading.endHeading();
		else if (tagName === 'li') reading.endItem();
		else if (SENTENCES.has(tagName)) reading.endBlock('\n', true);
		else if (BLOCKS.has(tagName)) this.endBlock(element);
		else if (tagName === 'td' || tagName === 'th') reading.separate(', ');
		else if (tagName === 'q') reading.say('”');
	}

	private startItem(): void {
		const number = this.lists.at(-1);
		this.reading.startItem(number);
		if (number !== undefined) this.lists[this.lists.length - 1] = number + 1;
	}

	private startBlock(element: Element): void {
		const { tagName } = element;
		const inList = this.lists.length > 0;
		if (isList(tagName)) {
			this.reading.endBlock(inList ? '\n' : '\n\n', inList);
			const first = Number(valueOf(element, 'start') || 1);
			this.lists.push(tagName === 'ol' ? (Number.isInteger(first) ? first : 1) : undefined);
			return;
		}
		if (tagName === 'pre') this.preformatted++;
		this.reading.endBlock(inList || tagName === 'dd' ? '\n' : '\n\n', inList || tagName === 'dd');
	}

	private endBlock({ tagName, childNodes }: Element): void {
		if (isList(tagName)) {
			const isOutermost = this.lists.length === 1;
			this.reading.endBlock(isOutermost ? '\n\n' : '\n', true);
			this.lists.pop();
			return;
		}
		if (tagName === 'pre') this.preformatted--;
		const inList = this.lists.length > 0 || tagName === 'dd';
		const isImage = childNodes.length === 1 && childNodes[0].nodeName === 'img';
		this.reading.endBlock(inList ? '\n' : '\n\n', inList || isImage);
	}

	/** A picture of one letter belongs to its word, as at the beginning of a chapter. */
	private image(element: Element): void {
		const alt = valueOf(element, 'alt').trim().replace(/\s+/g, ' ');
		if (alt === '') return;
		if (NO_ALT.test(alt)) return this.reading.leaveOut('images');
		if (Array.from(alt).length === 1) return this.reading.say(alt);
		this.reading.separate(' ');
		this.reading.say(alt);
		this.reading.separate(' ');
	}

	/**
	 * Says a raised or lowered number as Unicode has it, if it would otherwise become a part of the number
	 * beside it: `10<sup>6</sup>` is `10⁶`, not 106. Words with digits stay as voices know them: `m2`,
	 * `H2O`, `3rd`. Returns whether the element is said.
	 */
	private isRaised(element: Element, next: ChildNode | undefined): boolean {
		const { tagName } = element;
		if (tagName !== 'sup' && tagName !== 'sub') return false;
		const words = wordsIn(element).trim();
		if (!RAISED.test(words)) return false;
		const after = next && 'value' in next ? next.value.charAt(0) : '';
		const { before } = this.reading;
		const isBeside = /\d/.test(before) || (words !== 'n' && /\d/.test(after));
		if (!isBeside && !(words === 'n' && /\p{L}/u.test(before))) return false;
		if (tagName === 'sup' && /[/⁄]/.test(after)) {
			// A fraction behind a whole number.
			this.reading.separate(' ');
			return false;
		}
		const raised = tagName === 'sup' ? SUPERSCRIPTS : SUBSCRIPTS;
		this.reading.say(Array.from(words, (character) => raised[character]).join(''));
		return true;
	}
}

const isList = (tagName: string) => /^(?:ol|ul|menu|dir)$/.test(tagName);

/** CDATA marks around pages in feeds, and WordPress's shortcodes around images. Pause marks contain no `=`. */
const ENCLOSURES =
	/<!\[CDATA\[|\]\]>|\[\/?(?:caption|gallery)(?:\s[^\]\n=]{0,50}=[^\]\n]{0,500})?\]/gi;
/** A tag in a page that was escaped as a whole: `&lt;p&gt;`. */
const ESCAPED_TAG = /&lt;\/?(?:p|br|div|h[1-6]|[uo]l|li|strong|em|a|img|span)\b[^<>]{0,2000}?&gt;/i;
/** The `&` of a reference that was escaped again: `&amp;nbsp;`. */
const TWICE_ESCAPED = /&amp;(?=(?:[a-z][a-z\d]{1,31}|#\d{1,7}|#x[\da-f]{1,6});)/gi;

/** `<a id="page3"/>`, as in XHTML and e-books: in HTML it would stay open. */
const SELF_CLOSING =
	/<([a-z][\w:-]{0,60})((?:\s+[\w:.-]{1,60}(?:\s*=\s*(?:"[^"<]{0,2000}"|'[^'<]{0,2000}'))?){0,50})\s*\/>/gi;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;
/** SSML's `<break time="1s"/>`, which browsers take for an element that never ends. */
const BREAK = /<break(\s[^<>]{0,200})?\/?>|<\/break\s*>/gi;
/** Elements whose content is no markup, or no child of theirs. */
const RAW =
	/<(script|style|textarea|title|iframe|noscript|xmp|noembed|noframes|plaintext|template)(?=[\s>])/gi;
/** Breaks the mark of what never ends (`<style>`, `<!--`, the last `<a href=`), which would swallow the rest of the page. */
function withEnds(page: string): string {
	const ends = new Map<string, number>();
	for (const { 1: name, index } of page.matchAll(/<\/([a-z]+)/gi))
		ends.set(name.toLowerCase(), index);
	const commentsEnd = page.lastIndexOf('-->');
	const text = page
		.replace(RAW, (tag: string, name: string, at: number) =>
			(ends.get(name.toLowerCase()) ?? 0) > at ? tag : '<unended',
		)
		.replace(/<!--/g, (mark: string, at: number) => (at < commentsEnd ? mark : ''));
	const end = text.lastIndexOf('>') + 1;
	return text.slice(0, end) + text.slice(end).replace(/</g, '&lt;');
}

/** Any tag but the plain ones that Markdown makes. Only others may be left out, for which parse5 must note where they end. */
const MAY_BE_LEFT_OUT =
	/<(?!\/|(?:p|em|strong|s|h[1-6]|ul|ol|li|br|hr|code|blockquote|a href="[^"<>]*")>)/;

/** Reads a page, or what Markdown makes. `reading`: empty but for hints. */
export function readPage(page: string, reading: Reading): ReadText {
	const marked = page
		.replace(BREAK, (tag: string, attributes = '') =>
			tag.startsWith('</') ? '' : breakMark(attribute(attributes, 'time')),
		)
		.replace(SELF_CLOSING, (tag: string, name: string, attributes: string) =>
			VOID.test(name) ? tag : `<${name}${attributes}></${name}>`,
		);
	const sourceCodeLocationInfo = MAY_BE_LEFT_OUT.test(marked);
	const tree = parseFragment(withEnds(marked), { sourceCodeLocationInfo });
	return new PageReader(reading).read(tree);
}

/**
 * Reads HTML as a good reader would: without menus, hidden words and footnotes, with the labels and descriptions that
 * stand for words.
 */
export function readHtml(source: string): ReadText {
	// Some feeds escape their pages once too often.
	const isEscaped = !source.includes('<') && ESCAPED_TAG.test(source);
	const page = (isEscaped ? decoded(source) : source)
		.replace(ENCLOSURES, '')
		.replace(TWICE_ESCAPED, '&');
	return readPage(page, new Reading());
}
