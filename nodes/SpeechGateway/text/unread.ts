/** What of a page is not read: elements without words, and those whose words are not part of its text. */
import type { Tree } from '../libraries/parse5';
import { setOf } from './characters';
import type { LeftOutKind } from './reading';

type Element = Tree.Element;

/** Elements without words for a listener: scripts, media and their fallbacks. */
const NO_WORDS = setOf(
	'script style template head title svg iframe object video canvas noscript datalist map rp annotation annotation-xml applet ' +
		'xmp noembed noframes',
);
/** Elements whose words are not part of the text: controls and settings. */
const UNREAD = setOf('nav button select textarea ac:parameter ac:plain-text-body');
/** Elements that may end without an end tag, and so without swallowing the rest of the page. */
const ENDS_BY_ITSELF = setOf('li p td th tr dt dd option rt rp tbody thead tfoot');

/** Classes that widespread software gives to footnotes, their marks, page numbers, and content for the screen only. */
const UNREAD_CLASS =
	/(?:^|\s)(?:reference|references|reflist|footnotes?|mso(?:foot|end)notetext|sd(?:foot|end)note|footnote-ref|footnote-back(?:ref|link)|footnote-anchor|noteref|fnanchor|pagenum|pageno|x-ebookmaker-pageno|pg-boilerplate|mw-editsection|noprint|skip-link|anchor|headerlink|hash-link|toc|hatnote|navbox|ambox|catlinks|more-link|sharedaddy|jp-relatedposts|wp-block-buttons?|button-wrapper|subscription-widget-wrap|kg-button-card|kg-bookmark-metadata|kg-file-card-metadata)(?:\s|$)/i;
/** Words for screen readers, which a narrator says, too. */
const FOR_SCREEN_READERS = /(?:^|\s)(?:sr-only|screen-reader-text|visually-hidden)(?:\s|$)/i;
/** The table of facts beside a wiki article. */
const INFOBOX = /(?:^|\s)infobox(?:\s|$)/i;
/** Footnotes, page numbers and tables of contents of e-books, by `epub:type`. */
const UNREAD_EPUB = /(?:^|\s)(?:noteref|(?:foot|end|rear)notes?|pagebreak|page-list|toc)(?:\s|$)/i;
const UNREAD_ROLE =
	/(?:^|\s)(?:doc-noteref|doc-endnotes?|doc-footnote|doc-backlink|doc-pagebreak|doc-toc|navigation|button)(?:\s|$)/i;
/** Places of notes and of the marks that lead back from them, as word processors name them. */
const NOTE_PLACE = /^#_?(?:ftn|fn|cmnt|foot|end|edn|sdfoot|sdend|note|cite)/i;
const FOOTNOTE_MARK = /^[\s[\]()]{0,8}(?:\d{1,3}|[a-z*†‡§]|note \d{1,3})[\s[\]()]{0,8}$/i;

const isNoteMark = (place: string, words: string): boolean =>
	FOOTNOTE_MARK.test(words) && (words.includes('[') || NOTE_PLACE.test(place));

/** Hidden together with all that is within. Pages that fade in are transparent only at first. */
function isHidden(style: string): boolean {
	if (/(?:^|[;\s])display\s*:\s*none/i.test(style)) return true;
	if (isZero(style, 'max-height')) return true;
	return isZero(style, 'opacity') && !/transform|transition|animation|will-change/i.test(style);
}

/** Whether a style sets a property to `0`, `0px`, `0.00em` or the like. */
const isZero = (style: string, property: string): boolean =>
	new RegExp(`(?:^|[;\\s])${property}\\s*:\\s*0*(?:\\.0*)?0(?:[a-z]+|%)?\\s*(?:[;!]|$)`, 'i').test(
		style,
	);

/** How the words of an element are hidden. Elements within may show theirs again. `outer`: how those around it are. */
export function isInvisible(style: string, outer: Invisible): Invisible {
	if (style === '') return outer;
	const has = (property: string) => new RegExp(`(?:^|[;\\s])${property}\\s*:`, 'i').test(style);
	return {
		tiny: has('font-size') ? isZero(style, 'font-size') : outer.tiny,
		hidden: has('visibility') ? /visibility\s*:\s*(?:hidden|collapse)/i.test(style) : outer.hidden,
	};
}
/** How an element is hidden from people who see the page; its children inherit it. */
export interface Invisible {
	tiny: boolean;
	hidden: boolean;
}

/** The value of an attribute; empty if the element has none of that name. */
export const valueOf = ({ attrs }: Element, name: string): string =>
	attrs.find((attribute) => attribute.name === name)?.value ?? '';

/** UTF-16 units, and nodes, that are read of an element: what has more is no footnote mark and no icon. */
const MOST_READ = 80;

/** The words of an element; of a long one, its beginning, so this may be asked of every element of a page. */
export function wordsIn(element: Element, most = MOST_READ): string {
	const open: Element['childNodes'] = [element];
	let words = '';
	for (let n = 0; n < most && words.length < most; n++) {
		const node = open.pop();
		if (!node) break;
		if ('value' in node) words += node.value;
		else if ('childNodes' in node && !NO_WORDS.has(node.nodeName))
			for (const child of node.childNodes.slice(0, most).reverse()) open.push(child);
	}
	return words;
}

/** Whether a link shows no words, but has some for screen readers: a button to share, say. */
function isIcon({ childNodes }: Element): boolean {
	const visible = childNodes.filter((node) => !('value' in node) || node.value.trim() !== '');
	const isLabel = (node: Tree.ChildNode) =>
		'tagName' in node && FOR_SCREEN_READERS.test(valueOf(node, 'class'));
	const isWordless = (node: Tree.ChildNode) => 'tagName' in node && wordsIn(node).trim() === '';
	return visible.some(isLabel) && visible.every((node) => isLabel(node) || isWordless(node));
}

/** Why an element is left out, which a hint says (`noWords`: without one); undefined: it is read. */
export function unreadKind(element: Element): LeftOutKind | 'noWords' | undefined {
	const kind = reasonOf(element);
	// What does not end may have swallowed the rest of the page.
	const { tagName, childNodes, sourceCodeLocation } = element;
	const ends = sourceCodeLocation?.endTag || childNodes.length === 0 || ENDS_BY_ITSELF.has(tagName);
	return ends ? kind : undefined;
}

/** Why an element would be left out if it ended. */
function reasonOf(element: Element): LeftOutKind | 'noWords' | undefined {
	const { tagName, attrs, childNodes, parentNode } = element;
	if (NO_WORDS.has(tagName)) return 'noWords';
	if (UNREAD.has(tagName)) return 'page';
	// Words for browsers that play no audio; in SSML, they are spoken.
	const isPlayer = ({ nodeName }: Tree.ChildNode) => nodeName === 'source';
	if (
		tagName === 'audio' &&
		(attrs.some(({ name }) => name === 'controls') || childNodes.some(isPlayer))
	)
		return 'noWords';
	if (tagName === 'pre') {
		const first = childNodes.find((node) => !('value' in node) || node.value.trim() !== '');
		if (first && /^(?:code|kbd|samp)$/.test(first.nodeName)) return 'code';
	}
	const within = parentNode && 'attrs' in parentNode ? parentNode : undefined;
	if (tagName === 'sup') {
		const words = wordsIn(element);
		const isLink =
			words.includes('[') ||
			childNodes.some(({ nodeName }) => nodeName === 'a') ||
			(within?.tagName === 'a' && valueOf(within, 'href').startsWith('#'));
		if (isLink && FOOTNOTE_MARK.test(words)) return 'footnotes';
	}
	if (attrs.length === 0) return undefined;
	const value = (name: string) => valueOf(element, name);
	const classes = value('class');
	const toPlaceOnPage = tagName === 'a' && value('href').startsWith('#');
	const isUnread =
		attrs.some(({ name }) => name === 'hidden') ||
		value('aria-hidden') === 'true' ||
		isHidden(value('style')) ||
		UNREAD_CLASS.test(classes) ||
		UNREAD_ROLE.test(value('role')) ||
		UNREAD_EPUB.test(value('epub:type')) ||
		(tagName === 'table' && INFOBOX.test(classes)) ||
		(tagName === 'a' && isIcon(element)) ||
		(/mso-list\s*:\s*ignore/i.test(value('style')) && !/[.)]/.test(wordsIn(element))) ||
		(toPlaceOnPage &&
			(FOR_SCREEN_READERS.test(classes) ||
				!/[\p{L}\p{N}]/u.test(wordsIn(element)) ||
				isNoteMark(value('href'), wordsIn(element))));
	return isUnread ? 'page' : undefined;
}
