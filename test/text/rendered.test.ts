/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/** What micromark renders as text is read, in order: no words are lost but those that are left out on purpose. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { readMarkdown } from './prepared';

const micromark = new Worker(join(__dirname, 'renderedText.mjs'));
afterAll(async () => await micromark.terminate());

async function rendered(markdown: string): Promise<string> {
	micromark.postMessage(markdown);
	const [text] = (await once(micromark, 'message')) as [string];
	return text;
}

/** Of an address, its host is read. */
const withHosts = (text: string) =>
	text.replace(/(?<![\w/@.-])(?:https?:\/\/|www\.)(?:www\.)?([^\s<>"/?#:()`]+)[^\s<>"]*/gi, ' $1 ');
const wordsOf = (text: string) =>
	withHosts(text)
		.toLowerCase()
		.match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words that are not among the others in their order; no more are looked for behind the first. */
function missing(words: string[], others: string[]): string | undefined {
	let next = 0;
	const lost = words.findIndex((word) => {
		const at = others.indexOf(word, next);
		next = at + 1;
		return at < 0;
	});
	return lost < 0 ? undefined : words.slice(Math.max(0, lost - 5), lost + 1).join(' ');
}

/** Markdown, HTML and what looks like either; not what is left out, and no formulas, which micromark does not know. */
const MARKS = [
	'**',
	'*',
	'_',
	'__',
	'~~',
	'`',
	'``',
	'[',
	'](x)',
	'](<x y> "t")',
	']',
	'[r]',
	'[[',
	']]',
	'\n',
	'\n\n',
	'\\\n',
	'  \n',
	'\n> ',
	'\n- ',
	'\n  - ',
	'\n1. ',
	'\n2) ',
	'\n# ',
	'\n## ',
	'\n    ',
	'\n\t',
	'|',
	'\n|',
	'\n|-|-|\n',
	'\n---\n',
	'\n===\n',
	'\n```\n',
	'\n[r]: /u\n',
	'\\*',
	'\\_',
	'&amp;',
	'&',
	'<',
	'>',
	'<b>',
	'</b>',
	'<br>',
	'<!-- c -->',
	'=',
	'#',
	' <https://e.f/g> ',
	' https://a.b/c ',
	' www.x.y ',
	'a@b.c',
	':',
	'(',
	')',
	'"',
	"'",
	'! ',
	'.',
	',',
	' ',
	'{',
	'}',
	'{{',
	'}}',
	'{%',
	'%}',
	'==',
	'^',
	'+++',
	':::',
	'!!! ',
	'{#',
	'{.',
	'•',
	'\nimport ',
	'\nexport ',
	' from ',
	"'''",
	'\n== ',
	'\n{|',
	'\n• ',
	'>!',
	'!<',
];
/** No two words are alike. */
const documents = fc
	.array(
		fc.oneof(
			{ weight: 4, arbitrary: fc.constant('WORD') },
			{ weight: 5, arbitrary: fc.constantFrom(...MARKS) },
		),
		{ maxLength: 40 },
	)
	.map((tokens) => tokens.map((token, at) => token.replace('WORD', `word${at}`)).join(''));

test('made-up documents', async () => {
	await fc.assert(
		fc.asyncProperty(documents, async (markdown) => {
			const words = wordsOf(await rendered(markdown)).filter((word) => word.startsWith('word'));
			expect(missing(words, wordsOf(readMarkdown(markdown)))).toBeUndefined();
		}),
		{ numRuns: 1500 },
	);
});
