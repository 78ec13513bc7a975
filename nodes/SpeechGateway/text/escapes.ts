/** Escapes that programs leave in a text: the two characters `\n`, `\"`, `\u00e9`, and the backslashes that Telegram wants. */
import { CODE_FENCES, type KeptPart, outside, CODE_SPANS } from './code';
import { KEPT_FORMULAS } from './formulas';

/** Paths, and texts about backslashes. */
const OF_PATHS = /(?<![\p{L}\p{N}])[A-Za-z]:\\|\\\\/u;
/** Words in straight quotes, as programs write them. */
const QUOTED_ESCAPES: KeptPart = [
	/(?<![\\\p{L}\p{N}])"(?:[^"\\\n]|\\[^\n]){0,200}"/gu,
	(quoted) => quoted.includes('\\'),
];
const ESCAPED_BREAK = String.raw`(?:\\r)?\\n`;
const ESCAPED_BREAKS = new RegExp(
	String.raw`(?:\\t)*${ESCAPED_BREAK}(?:[ \t]{0,9}(?:\\t|${ESCAPED_BREAK})){0,99}`,
	'g',
);
const TWICE = /\\n.*\\n/;
const ENDS_PART = /[\p{L}\p{M}\p{N}\p{Pe}\p{Pf}"'*_][.!?,;:…。！？，；：]["”’»)*_]{0,3}$/u;
const BEGINS_PART = /^(?:[\p{Lu}\p{Lt}\p{Lo}\p{N}¿¡]|["'“”„«‘([](?=[\p{L}\p{N}¿¡])|[-*•–—#>][ ])/u;
const QUOTE = /\\"/g;
const CHARACTER = /(?:\\u[\da-fA-F]{4})+/g;

/**
 * Resolves escapes: `\n` that is no command and no example of one (between two spaces), with the `\t` beside it; `\"` at the
 * edge of a word; `\u00e9` beside a letter. Code, formulas and words in straight quotes stay.
 */
export function withoutEscapes(source: string): string {
	if (!/\\[nu"]/.test(source) || OF_PATHS.test(source)) return source;
	const isWhole = /^\s*"[^]*"\s*$/.test(source);
	const left = [CODE_FENCES, CODE_SPANS, KEPT_FORMULAS, ...(isWhole ? [] : [QUOTED_ESCAPES])];
	return outside(source, left, (text) =>
		text
			.replace(ESCAPED_BREAKS, (run, at: number) => {
				const before = text.slice(Math.max(0, at - 8), at);
				const after = text.slice(at + run.length, at + run.length + 3);
				const isExample = !/\S$/.test(before) && !/^\S/.test(after);
				const isBreak = TWICE.test(run) || ENDS_PART.test(before) || BEGINS_PART.test(after);
				if (isExample || !isBreak) return run;
				return run.replace(/\\r/g, '').replaceAll('\\n', '\n').replaceAll('\\t', '\t');
			})
			.replace(QUOTE, (quote, at: number, all: string) => {
				const [left, right] = [all.charAt(at - 1), all.charAt(at + 2)];
				return /[\p{L}\p{N}\p{Pe}\p{Pf}\p{Po}]/u.test(left) !== /[\p{L}\p{N}]/u.test(right) ||
					left === ''
					? '"'
					: quote;
			})
			.replace(CHARACTER, (escapes, at: number, all: string) => {
				const beside = all.slice(Math.max(0, at - 1), at) + all.charAt(at + escapes.length);
				if (!/\p{L}/u.test(beside)) return escapes;
				return escapes.replace(/\\u(....)/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
			}),
	);
}

const TELEGRAM_ESCAPES = /\\([_*[\]()~`>#+=|{}.!-])/g;

/** Leaves out the backslashes of Telegram's Markdown: two or more, one directly behind a letter or digit, and none before a letter. */
export function withoutTelegramEscapes(text: string): string {
	if (OF_PATHS.test(text) || /\\[\p{L}\p{N}]/u.test(text)) return text;
	const count = text.match(/\\[.!()-]/g)?.length ?? 0;
	return count > 1 && /[\p{L}\p{N}]\\[.!()-]/u.test(text)
		? text.replace(TELEGRAM_ESCAPES, '$1')
		: text;
}
