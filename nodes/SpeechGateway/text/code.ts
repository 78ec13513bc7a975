/** What of a text is code: it is not tidied and, in a fence, not spoken. */
import { setOf } from './characters';

/** Languages whose fences are code, whatever stands in them; of others, the lines tell. */
const LANGUAGES = setOf(
	'abap ada applescript asm assembly awk bash bat batch c c# c++ clojure cmake cmd cobol conf console cpp cs csharp css csv ' +
		'cypher dart diff docker dockerfile dos elixir elm env erlang f# fish fortran fsharp gherkin git go golang gradle graphql ' +
		'groovy haskell hcl hlsl html http ini java javascript jinja jinja2 js json json5 jsonc jsonl jsx julia kotlin kql latex ' +
		'less lisp log lua make makefile matlab mermaid nginx nim nix objc objective-c ocaml octave output pascal patch perl php ' +
		'plantuml postgresql powershell prolog properties proto protobuf ps1 py python python3 qml r regex ruby rs rust sass scala ' +
		'scheme scss sh shell solidity sql svelte svg swift tcl terminal terraform tex toml ts tsv tsx typescript vb vba verilog ' +
		'vhdl vim vue wasm xml yaml yml zig zsh',
);
/** Lines as programs, commands, data and trees of files have them, and prose has not. */
const CODE_LINE = new RegExp(
	[
		String.raw`[{}][ \t]*[,;]?[ \t]*\r?$`,
		String.raw`^(?=.*[()=[\]{}<>+*/]).*;[ \t]*\r?$`,
		String.raw`^\s*[a-z_$][\w.$[\]'"]*(?::[ ]?\w+)?[ ]?[-+*/|&:]?=[ ]?\S|=>|\|\||&&|\w::\w+\b(?!:)|[=!<>]=`,
		String.raw`\b[a-z_][\w.]*\((?:["'].*|[\w.]*(?:,[ ]?[\w."']+){0,9})\)[ ]?[;:{,]?\s*$`,
		String.raw`^\s*(?:<[a-z/!?][^<>]*>|\/\/|\/\*|\*\/|@\w+[ ]?(?:\(|$)|#!|#include|\$[ ]\S|PS[ ]|>>>[ ]|\.{0,2}\/\w+\/|[├└│|][-─ ]|\+[-=])`,
		String.raw`^\s*(?:sudo|npm|npx|yarn|pnpm|pip3?|python3?|node|git|docker|kubectl|cd|ls|mkdir|curl|wget|brew|apt(?:-get)?|cargo|ssh|chmod|export|echo|rm|cp|mv)[ ][^\s,]+(?:[ ][^\s,]+)*$(?<![.!?])`,
		String.raw`^\s*(?:def|class|fn|func|function|elif|if|for|while|with|try|except|else|public|private|static)\b[^.!?]*[:{(]\s*$`,
		String.raw`^\s*(?:import[ ][\w{*]|from[ ]\S+[ ]import\b|(?:const|let|var|int|char|void|return|print|puts)\b.*[=("';])`,
		String.raw`^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|FROM|WHERE|JOIN|GROUP BY|ORDER BY)[ ]`,
		String.raw`^\s*["'][\w -]+["'][ ]?:|^\s*[A-Z_]{3,}=`,
	].join('|'),
);
/** Longer lines are prose or data; UTF-16 units. */
const LONGEST_LINE = 500;

/** Whether at least half of the lines are a program's, in which a single mark says nothing. */
export function looksLikeCode(source: string): boolean {
	const lines = source.split('\n').filter((line) => line.trim() !== '');
	const ofCode = lines.filter((line) => line.length < LONGEST_LINE && CODE_LINE.test(line));
	return lines.length > 0 && ofCode.length * 2 >= lines.length;
}

/**
 * Whether a fence is code: its info names a programming language, or at least half of its lines look like code. SSML is
 * a text.
 */
export function isCode(info: string, content: string): boolean {
	if (/^\s*(?:<\?xml[^<>]{0,200}\?>\s*)?<speak[\s>]/.test(content)) return false;
	const [language = ''] = /[a-z][\w+#-]*/.exec(info.toLowerCase()) ?? [];
	return LANGUAGES.has(language) || looksLikeCode(content);
}

/** A fence of backticks with its info and content; one without an end goes to the end of the text. */
export const FENCED =
	/^[ \t>]{0,12}(`{3,})([^`\n]{0,100})\n([^]*?)(?:^[ \t>]{0,12}\1`*[ \t]*\r?$|(?![^]))/gm;
const SPAN = /(?<![`\\])(`{1,2})(?!`)[^`\n]{1,300}(?<!`)\1(?!`)/g;

/** Finds parts that are left alone; `isPart` says no to some of the matches. */
export type KeptPart = [pattern: RegExp, isPart?: (...groups: string[]) => boolean];
/** Code within a line. */
export const CODE_SPANS: KeptPart = [SPAN];
/** Fences that are code. */
export const CODE_FENCES: KeptPart = [
	FENCED,
	(_fence, _marks, info, content) => isCode(info, content),
];

/** Characters of private use that stand for the parts, by their index. */
const FIRST_MARK = 0xf0000;
const MOST_MARKS = 0xfffd;
const PART_MARKS = /[\u{f0000}-\u{ffffd}]/gu;

/** Edits a text outside of some parts; while it is edited, each of these is one character of private use. */
export function outside(text: string, kept: KeptPart[], edit: (text: string) => string): string {
	const parts: string[] = [];
	const whole = (part: string) =>
		part.replace(PART_MARKS, (mark) => parts[mark.codePointAt(0)! - FIRST_MARK] ?? mark);
	const marked = (part: string) =>
		parts.length < MOST_MARKS ? String.fromCodePoint(FIRST_MARK + parts.push(part) - 1) : part;
	let rest = text.replace(PART_MARKS, marked);
	for (const [pattern, isPart] of kept)
		rest = rest.replace(pattern, (...groups: string[]) =>
			isPart?.(...groups) === false ? groups[0] : marked(whole(groups[0])),
		);
	return whole(edit(rest));
}
