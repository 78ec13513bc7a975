/** Plain text is spoken as it stands, except for SSML: gateways would read its tags out. */
import { attribute, SSML_ELEMENT } from './html';
import { type Edit, rewrite, unchanged } from './mapped';
import { breakMark } from './pauses';
import { plainHeadings } from './plainHeadings';
import type { ReadText } from './reading';

/** Any tag with quoted attributes; of these, `SSML_ELEMENT` tells the elements. */
const MARKUP_TAG =
	/<(\/?)([a-z][a-z:-]{0,40})((?:\s{1,20}[\w:-]{1,40}\s{0,5}=\s{0,5}(?:"[^"<>]*"|'[^'<>]*'))*)\s{0,20}\/?>/gi;
const DECLARATION = /^\s*<\?xml[^<>]{0,200}\?>/;
/** Elements that separate words. */
const SEPARATES = /^(?:p|s|speak|voice|audio|desc)$/i;

/**
 * Reads plain text: removes SSML tags but keeps the words inside, and turns `<break>` into a pause mark. Other tags are
 * text.
 */
export function readPlain(source: string): ReadText {
	const edits: Edit[] = [];
	const dropped = new Set<string>();
	for (const { 0: tag, 1: closing, 2: element, 3: attributes, index: start } of source.matchAll(
		MARKUP_TAG,
	)) {
		if (!SSML_ELEMENT.test(element)) continue;
		const name = element.toLowerCase();
		const end = start + tag.length;
		if (name === 'break') {
			const text = closing ? '' : breakMark(attribute(attributes, 'time'));
			edits.push({ start, end, text });
			continue;
		}
		dropped.add(name);
		const glues = SEPARATES.test(name) && /\S/.test(source.charAt(start - 1));
		edits.push({ start, end, text: glues && /[^\s<]/.test(source.charAt(end)) ? ' ' : '' });
	}
	const declaration = DECLARATION.exec(source);
	if (declaration && dropped.has('speak')) {
		edits.unshift({ start: 0, end: declaration[0].length, text: '' });
	}
	const { text } = rewrite(unchanged(source), edits);
	return { text, headings: plainHeadings(text), dropped: [...dropped], notes: [] };
}
