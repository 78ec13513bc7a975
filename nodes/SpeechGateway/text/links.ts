import { endAt, matchAt } from './characters';

const SPACE = /[ \t]*(?:\n[ \t]*)?/y;
const LINE_END = /[ \t]*(?:\n|$)/y;
const LABEL = /\[((?:[^\\[\]]|\\[^]){1,999})\]/y;
const ANGLED = /<(?:[^<>\\\n]|\\.){0,2000}>/y;
/** Bounded, since the ends of unclosed titles would be searched again and again. */
const TITLE =
	/"(?:[^"\\]|\\[^]){0,1000}"|'(?:[^'\\]|\\[^]){0,1000}'|\((?:[^()\\]|\\[^]){0,1000}\)/y;
const MAX_NESTED = 32;
const MAX_DESTINATION = 4000;

const skipSpace = (text: string, offset: number) => endAt(SPACE, text, offset);

/** Where a link destination ends; -1 if there is none. */
function destinationEnd(text: string, offset: number): number {
	if (text.charAt(offset) === '<') return endAt(ANGLED, text, offset);
	let depth = 0;
	let at = offset;
	for (; at < text.length && at - offset < MAX_DESTINATION; at++) {
		const code = text.charCodeAt(at);
		if (code <= 0x20) break;
		if (code === 0x5c && /[!-/:-@[-`{-~]/.test(text.charAt(at + 1))) at++;
		else if (code === 0x28 && ++depth > MAX_NESTED) return -1;
		else if (code === 0x29 && --depth < 0) break;
	}
	return depth > 0 ? -1 : at;
}

/** The key of a label, which ignores case and white space. */
export function normalizeLabel(label: string): string {
	return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}

/** Where `(destination "title")` at an offset ends; -1 if there is none. */
export function inlineLinkEnd(text: string, offset: number): number {
	if (text.charAt(offset) !== '(') return -1;
	let at = skipSpace(text, offset + 1);
	const destination = destinationEnd(text, at);
	if (destination < 0) return -1;
	at = skipSpace(text, destination);
	if (at > destination) {
		const title = endAt(TITLE, text, at);
		if (title >= 0) at = skipSpace(text, title);
	}
	return text.charAt(at) === ')' ? at + 1 : -1;
}

/** The label in brackets at an offset, and where it ends. */
export function labelAt(text: string, offset: number): { label: string; end: number } | undefined {
	const match = matchAt(LABEL, text, offset);
	if (!match || match[1].trim() === '') return undefined;
	return { label: normalizeLabel(match[1]), end: offset + match[0].length };
}

function definitionEnd(text: string, colon: number): number {
	const from = skipSpace(text, colon + 1);
	const destination = destinationEnd(text, from);
	if (destination <= from) return -1;
	const next = skipSpace(text, destination);
	const title = next > destination ? endAt(TITLE, text, next) : -1;
	const withTitle = title < 0 ? -1 : endAt(LINE_END, text, title);
	return withTitle < 0 ? endAt(LINE_END, text, destination) : withTitle;
}

/** Adds the labels of the link definitions at the start of a paragraph, and returns where the rest starts. */
export function takeDefinitions(text: string, labels: Set<string>): number {
	let at = 0;
	for (;;) {
		const found = text.charAt(at) === '[' ? labelAt(text, at) : undefined;
		if (!found || text.charAt(found.end) !== ':') return at;
		const end = definitionEnd(text, found.end);
		if (end < 0) return at;
		labels.add(found.label);
		at = end;
	}
}
