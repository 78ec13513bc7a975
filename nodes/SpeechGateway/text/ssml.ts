import { decoded } from './entities';
import { type Edit, type MappedText, offsetOf, rewrite, unchanged } from './mapped';
import { pauseMark } from './pauses';

/** The elements of SSML 1.1, and vendors' own by prefix. Tags with other names are text. */
export const SSML_ELEMENT =
	/^(?:speak|lexicon|lookup|metadata|meta|p|s|token|w|say-as|phoneme|sub|lang|voice|emphasis|break|prosody|audio|mark|desc|(?:amazon|mstts|google|ssml):[a-z-]{1,30})$/i;
const TAG =
	/<(\/?)([a-z][a-z:-]{0,40})((?:\s{1,20}[\w:-]{1,40}\s{0,5}=\s{0,5}(?:"[^"<>]*"|'[^'<>]*'))*)\s{0,20}\/?>/gi;
const DECLARATION = /^\s*<\?xml[^<>]{0,200}\?>/;
/** Only text may stand between `<sub>` and its end. */
const CLOSES_SUB = /^[^<]*<\/sub\s*>/i;
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

/** What to speak in place of the content of `<sub alias="…">`. */
export function aliasOf(attributes: string): string | undefined {
	const alias = decoded(attribute(attributes, 'alias') ?? '').trim();
	return alias === '' ? undefined : alias;
}

/**
 * Reads plain text: removes SSML tags but keeps the words inside, turns `<break>` into a pause mark, and collects the aliases of
 * `<sub>`. `dropped` names the other elements in order of appearance.
 */
export function readPlain(source: string): {
	text: MappedText;
	aliases: Edit[];
	dropped: string[];
} {
	const edits: Edit[] = [];
	const dropped = new Set<string>();
	/** With offsets of the source. */
	const aliases: Edit[] = [];
	let open: Omit<Edit, 'end'> | undefined;
	const declaration = DECLARATION.exec(source);
	const add = (start: number, end: number, text: string) => edits.push({ start, end, text });
	for (const match of source.matchAll(TAG)) {
		const [tag, closing, element, attributes] = match;
		if (!SSML_ELEMENT.test(element)) continue;
		const name = element.toLowerCase();
		const end = match.index + tag.length;
		if (name === 'break') {
			const mark = pauseMark(attribute(attributes, 'time'), attribute(attributes, 'strength'));
			add(match.index, end, closing ? '' : mark);
			continue;
		}
		if (name === 'sub') {
			const alias = closing ? undefined : aliasOf(attributes);
			if (closing && open) {
				aliases.push({ ...open, end: match.index });
				open = undefined;
			} else if (alias !== undefined && !open && CLOSES_SUB.test(source.slice(end, end + 1000))) {
				open = { start: end, text: alias };
			} else {
				dropped.add(name);
			}
			add(match.index, end, '');
			continue;
		}
		dropped.add(name);
		const glues = SEPARATES.test(name) && /\S/.test(source.charAt(match.index - 1));
		add(match.index, end, glues && /[^\s<]/.test(source.charAt(end)) ? ' ' : '');
	}
	if (declaration && dropped.has('speak')) {
		edits.unshift({ start: 0, end: declaration[0].length, text: '' });
	}
	const text = rewrite(unchanged(source), edits);
	return {
		text,
		aliases: aliases.map(({ start, end, text: words }) => ({
			start: offsetOf(text, start),
			end: offsetOf(text, end),
			text: words,
		})),
		dropped: [...dropped],
	};
}
