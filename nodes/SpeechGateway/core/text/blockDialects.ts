/** What stands in a text beyond CommonMark or HTML: marks of site generators, editors and chat programs. */
import type { Edit } from './mapped';
import { isWikiText, wikiTextEdits } from './wikiText';

interface Rule {
	find: RegExp;
	/** What stands in its place; nothing by default. */
	write?: (match: RegExpMatchArray) => string;
}

const callout = (kind: string, title = '') => `[!${kind}] ${title.trim()}\n`;

// A long look behind comes after the mark itself: in front of it, the engine would look behind at every character.
const MARKDOWN: Rule[] = [
	// MDX: lines that import components
	{ find: /^(?:import|export)\s[^\n]{0,200}\bfrom\s+['"][^'"\n]{1,200}['"];?[ \t\r]*$/gm },
	// :::tip A title, ::: {.note}, :::note[A title], and their ends
	{
		find: /^[ ]{0,3}:{3,}[ \t]*\{?\.?([a-z][\w-]{0,30})[^\n\]} \t]{0,30}\}?(?:\[([^\]\n]*)\]|[ \t]+([^\n{]*))?[ \t]*(?:\{[^}\n]*\})?[ \t\r]*$/gim,
		write: ([line, kind, label, title]) =>
			callout(kind, label ?? (line.includes('{') ? '' : title)),
	},
	{ find: /^[ ]{0,3}:{3,}[ \t\r]*$/gm },
	// !!! note "A title"
	{
		find: /^(?:!!!|\?\?\?\+?)[ \t]+([a-z][\w-]{0,30})(?:[ \t]+inline(?:[ \t]+end)?)?(?:[ \t]+"([^"\n]*)")?[ \t\r]*$/gim,
		write: ([, kind, title]) => callout(kind, title),
	},
	// {{< figure src="x" >}}, {% include x %}, {% raw %}…{% endraw %}
	{ find: /\{\{[<%][^{}\n]{0,500}[>%]\}\}/g },
	{ find: /\{%-?\s{0,5}(?:end)?highlight\b[^{}\n]{0,200}%\}/g, write: () => '```' },
	{ find: /\{%[^{}\n]{0,300}%\}/g },
	// {: .lead}, # Heading {#name}, [words]{.class}
	{ find: /\{:[^{}\n]{0,200}\}/g },
	{ find: /\{(?<=^#{1,6}[ \t][^\n{]{0,300}\{)[#.][^{}\n]{0,100}\}(?=[ \t\r]*$)/gm },
	{ find: /\[([^[\]\n]{1,300})\]\{[.#][^{}\n]{0,100}\}/g, write: ([, words]) => words },
	{ find: /(?<=[\])])\{[.#:][^{}\n]{0,100}\}/g },
	// Pandoc's sources [@doe99, p. 12] and definitions
	{ find: /[ \t]?\[(?:[^[\]@\n]{0,100}\s)?-?@[\w:.-]{1,60}(?:[,;\s][^[\]\n]{0,200})?\](?!\()/g },
	{ find: /(?<=\S[ \t]{0,3}\r?\n)[ ]{0,3}:[ \t]{1,4}(?=\S)/g, write: () => '\n' },
	{ find: /\{(['"]) \1\}/g, write: () => ' ' },
	{ find: /^[ \t]{0,3}\[(?:\[_?toc_?\]|toc)\][ \t\r]*$/gim },
	// Bullets and quotations as they are pasted from elsewhere
	{ find: /(?<=^[ \t]{0,20})[•◦▪‣●○▸►](?=[ \t])/gm, write: () => '-' },
	{ find: /(?<=^[ \t]{0,3}(?:&gt;[ \t]?){0,5})&gt;/gm, write: () => '>' },
	// Reddit's >!spoilers!< and Slack's <https://example.com|words>
	{ find: />!(?=[^\n<>]{1,500}!<)|!<(?<=>![^\n<>]{1,500}!<)/g },
	{
		find: /<(?:https?:[^<>|\s]{1,2000}|[@#!][A-Z\d]{1,30})\|([^<>|\n]{1,300})>/g,
		write: ([, words]) => words,
	},
];

/** WordPress: `[caption id="a" width="3"]` … `[/caption]`, `[gallery]`. A pause mark has no `name=`. */
const SHORTCODES: Rule = {
	find: /\[\/?(?:caption|gallery|embed)(?:\s[^\]\n=]{0,50}=[^\]\n]{0,500})?\]|\[\/[a-z][\w-]{1,40}\]|\[[a-z][\w-]{1,40}(?:\s{1,5}[\w-]{1,40}=(?:"[^"\]]{0,500}"|'[^'\]]{0,500}')){1,30}\s{0,5}\/?\]/gi,
};

/** A feed encloses a page so. */
const HTML: Rule[] = [{ find: /<!\[CDATA\[|\]\]>/g }];

/** The changes that make of it what the reader of its format knows. Ascending, none within another. */
export function dialectEdits(source: string, format: 'markdown' | 'html'): Edit[] {
	const rules = [...(format === 'markdown' ? MARKDOWN : HTML), SHORTCODES];
	const marks = rules.flatMap(({ find, write }) =>
		[...source.matchAll(find)].map((match) => ({
			start: match.index,
			end: match.index + match[0].length,
			text: write?.(match) ?? '',
		})),
	);
	const isWiki = format === 'markdown' && isWikiText(source);
	const found = isWiki ? marks.concat(wikiTextEdits(source)) : marks;
	found.sort((one, other) => one.start - other.start);
	let end = 0;
	return found.filter((edit) => {
		if (edit.start < end) return false;
		end = edit.end;
		return true;
	});
}
