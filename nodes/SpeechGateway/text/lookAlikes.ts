/** Signs that a text is in another format than chosen, or not only the text. They lead to hints and change nothing. */

/** Marks that are rare outside Markdown: a link, an image, the second row of a table. */
const CERTAIN_MARKDOWN =
	/!?\[[^[\]\n]{0,200}\]\((?:https?:\/\/|mailto:|\/|#)[^\s()]{0,500}|^[ \t]{0,3}\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+[ \t:|-]*$/m;
/** Two kinds of these marks are a sign. */
const LIKELY_MARKDOWN = [
	/^#{1,6}[ \t]+\S/m,
	/(?<![*\w])\*\*[^\s*][^*\n]{0,200}\*\*(?![*\w])/,
	/^[ \t]{0,3}[-*+][ \t]+\S.{0,1000}\n+[ \t]{0,3}[-*+][ \t]+\S/m,
	/^>[ \t]+\S/m,
	/(?<!`)`[^`\n]{1,100}`(?!`)/,
];
const CERTAIN_HTML =
	/<!doctype html|<html\b|<(?:p|div|h[1-6]|ul|ol|table)(?:\s[^<>]{0,500})?>|<a\s[^<>]{0,500}href=/i;
const CLOSING_TAG = /<\/(?:p|div|h[1-6]|ul|ol|table|a|html)\s*>/i;
const BREAKS = /<br\s*\/?>[^]{0,2000}<br\s*\/?>/i;
const SSML_ROOT = /<speak[\s>]/i;

/** The format in which a text is clearly written. */
export function looksLike(text: string): 'Markdown' | 'HTML' | undefined {
	if (!SSML_ROOT.test(text)) {
		if ((CERTAIN_HTML.test(text) && CLOSING_TAG.test(text)) || BREAKS.test(text)) return 'HTML';
	}
	const likely = LIKELY_MARKDOWN.filter((mark) => mark.test(text)).length;
	return CERTAIN_MARKDOWN.test(text) || likely >= 2 ? 'Markdown' : undefined;
}

/** A first line that announces what follows: `Sure! Here is your script:` */
const ANNOUNCES =
	/^[\s*_]*(?:(?:sure|certainly|of course|absolutely|natürlich|gerne?|klar|bien sûr|claro|por supuesto|certo|好的|当然)(?![\p{L}])[^\n]{0,200}|(?:here(?:['’]s| is| are)|hier ist|voici|aquí (?:está|tienes)|ecco|以下是|这是)[^\n]{0,100}(?:s[ck]ript|text|version|story|dialog|narration|draft|episode|transcript|voice-?over|fassung|texte|guion|texto|testo|copione|脚本|文本|稿)[^\n]{0,100})[:：][*_]{0,2}[ \t]*(?=\r?\n)/iu;
/** A last line that offers more. */
const OFFERS =
	/(?:^|\n)[ \t]*((?:let me know if|feel free to (?:ask|let|adjust|modify|customi)|would you like me to|do you want me to|i hope (?:this|that) helps|hope this helps|if you(?:['’]d| would) like,? i can|sag(?:en sie)? (?:mir )?(?:einfach |gerne? )?bescheid|lass(?:en sie)? (?:es )?mich wissen|n['’]hésitez pas à me|avísame si|fammi sapere|如果你需要|如需)[^\n]{0,300})\s*$/iu;
const FENCE = /^\s*(```[\w-]{0,20})[ \t]*\r?\n/;

/** The words around a text that a chat model has added for its user; empty: none. */
export function chatterIn(text: string): string[] {
	const found = [
		ANNOUNCES.exec(text)?.[0],
		FENCE.exec(text.replace(ANNOUNCES, ''))?.[1],
		OFFERS.exec(text.slice(-1000))?.[1],
	];
	return found.flatMap((words) => words?.trim() || []);
}
