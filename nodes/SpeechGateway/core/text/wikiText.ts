/** The markup of MediaWiki, as Wikipedia exports it, made into Markdown. */
import type { Edit } from './mapped';

const HEADING = /^(={2,6})[ \t]*([^=\n][^\n]{0,300}?)[ \t]*\1[ \t\r]*$/gm;
const SIGNS = [
	/^==+[^=\n]{1,300}==+[ \t\r]*$/m,
	/'''[^'\n]{1,300}'''/,
	/\[\[[^[\]\n]{1,300}\]\]/,
	/\{\{[^{}\n]{1,300}/,
	/<ref[ >/]/i,
	/^\{\|/m,
];
const ENOUGH_SIGNS = 3;

/** Names of namespaces whose links show something, or sort the page. */
const NO_WORDS =
	/^\s*:?(?:file|image|media|category|datei|bild|kategorie|fichier|catégorie|archivo|categoría|immagine|categoria|ficheiro|файл|категория|文件|分类|ファイル|カテゴリ|[a-z]{2,3}(?:-[a-z]{2,4})?)\s*:/i;
/** Templates that hold words of the text, with the place of these among their values; 0: all but the last one. */
const TEMPLATES: Record<string, number> = {
	lang: 2,
	nowrap: 1,
	nobr: 1,
	convert: 0,
	cvt: 0,
	val: 1,
	abbr: 1,
	small: 1,
};

/** Whether a text is in the markup of MediaWiki: Markdown has few of its signs. */
export function isWikiText(source: string): boolean {
	return SIGNS.filter((sign) => sign.test(source)).length >= ENOUGH_SIGNS;
}

/** Changes that make Markdown of it. They may lie within each other: the outer one counts. */
export function wikiTextEdits(source: string): Edit[] {
	const edits: Edit[] = [];
	const replace = (pattern: RegExp, write: (match: RegExpMatchArray) => string) => {
		for (const match of source.matchAll(pattern)) {
			edits.push({ start: match.index, end: match.index + match[0].length, text: write(match) });
		}
	};
	for (const { start, end, content } of enclosed(source, /\{\{|\}\}/g, '{{')) {
		edits.push({ start, end, text: templateWords(content) });
	}
	for (const { start, end, content } of enclosed(source, /\[\[|\]\]/g, '[[')) {
		if (NO_WORDS.test(content) || content.includes('[[')) edits.push({ start, end, text: '' });
	}
	replace(/<ref\b[^<>]{0,300}(?:\/>|>[^<]{0,3000}<\/ref>)|<ref\b[^<>/]{0,300}>/gi, () => '');
	replace(/<\/ref>|__[A-Z]{3,20}__|'{2,5}/g, () => '');
	replace(/\[(?:https?:)?\/\/[^\s\]]{1,2000}[ \t]*([^\]\n]{0,500})\]/g, ([, words]) => words);
	// Tables: their attributes and marks go, a row is a line.
	replace(/^[ \t]{0,9}(?:\{\|[^\n]{0,1000}|\|\}|\|-[^\n]{0,1000})$/gm, () => '');
	replace(
		/^[ \t]{0,9}\|\+(?:[^|\n[\]]{0,200}=[^|\n[\]]{0,200}\|)?[ \t]*([^\n]{0,500})$/gm,
		([, words]) => `\n${words.trim()}.\n`,
	);
	replace(
		/(\n[ \t]{0,9}[|!](?![-+}])|[ \t]{0,9}(?:!!|\|\|))(?:[^|!\n[\]{}]{0,200}="[^|\n[\]{}]{0,200}\|(?!\|))?[ \t]*/g,
		(match) => (match[0].startsWith('\n') && isRowStart(source, match.index ?? 0) ? '\n- ' : ', '),
	);
	replace(HEADING, ([, marks, title]) => `${'#'.repeat(marks.length)} ${title}`);
	replace(/^([*#:;]+)[ \t]*/gm, ([, marks]) => listMark(marks));
	return edits;
}

const isRowStart = (source: string, at: number): boolean =>
	/(?:\|-[^\n]{0,1000}|\{\|[^\n]{0,1000}|\|\+[^\n]{0,1000})$/.test(
		source.slice(Math.max(0, at - 200), at),
	);

function listMark(marks: string): string {
	const kind = marks.charAt(marks.length - 1);
	if (kind === ':' || kind === ';') return '';
	return `${'    '.repeat(marks.length - 1)}${kind === '*' ? '-' : '1.'} `;
}

function templateWords(content: string): string {
	const [name, ...values] = content.split('|').map((part) => part.trim());
	const key = name.toLowerCase().split('-')[0];
	const place = name.includes('-') && key === 'lang' ? 1 : TEMPLATES[key];
	if (place === undefined) return '';
	const words = values.filter((value) => !/^[\w-]{1,20}=/.test(value));
	return place === 0 ? words.slice(0, 2).join(' ') : (words[place - 1] ?? '');
}

/** The outermost stretches between two marks: `marks` finds both, `open` is the first. */
function enclosed(source: string, marks: RegExp, open: string) {
	const found: Array<{ start: number; end: number; content: string }> = [];
	let depth = 0;
	let start = 0;
	for (const { 0: mark, index } of source.matchAll(marks)) {
		if (mark === open) {
			if (depth++ === 0) start = index;
		} else if (depth > 0 && --depth === 0) {
			const content = source.slice(start + open.length, index);
			found.push({ start, end: index + mark.length, content });
		}
	}
	return found;
}
