import { type Edit, type MappedText, rewrite, unchanged } from './mapped';
import { pauseMark } from './pauses';

/** The elements of SSML 1.1, and vendors' own by prefix. Tags with other names are text. */
export const SSML_ELEMENT =
	/^(?:speak|lexicon|lookup|metadata|meta|p|s|token|w|say-as|phoneme|sub|lang|voice|emphasis|break|prosody|audio|mark|desc|(?:amazon|mstts|google|ssml):[a-z-]{1,30})$/i;
const TAG =
	/<(\/?)([a-z][a-z:-]{0,40})((?:\s{1,20}[\w:-]{1,40}\s{0,5}=\s{0,5}(?:"[^"<>]*"|'[^'<>]*'))*)\s{0,20}\/?>/gi;
const DECLARATION = /^\s*<\?xml[^<>]{0,200}\?>/;
/** Elements that separate words. */
const SEPARATES = /^(?:p|s|speak|voice|audio|desc)$/i;

/** The value of an attribute, from the text of a tag. */
export function attribute(attributes: string, name: string): string | undefined {
	const match = new RegExp(
		`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`,
		'i',
	).exec(attributes);
	return match?.[1] ?? match?.[2] ?? match?.[3];
}

/**
 * Reads plain text: removes SSML tags but keeps the words inside, and turns `<break>` into a pause mark. `dropped` names the other
 * elements in order of appearance.
 */
export function readPlain(source: string): { text: MappedText; dropped: string[] } {
	const edits: Edit[] = [];
	const dropped = new Set<string>();
	for (const { 0: tag, 1: closing, 2: element, 3: attributes, index: start } of source.matchAll(
		TAG,
	)) {
		if (!SSML_ELEMENT.test(element)) continue;
		const name = element.toLowerCase();
		const end = start + tag.length;
		if (name === 'break') {
			const text = closing ? '' : pauseMark(attribute(attributes, 'time'));
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
	return { text: rewrite(unchanged(source), edits), dropped: [...dropped] };
}
