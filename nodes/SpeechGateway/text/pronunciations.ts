import { segmentsOf } from './boundaries';
import { characterAt, characterBefore, type Span, UNSPACED } from './characters';
import type { Edit } from './mapped';

/** A word or phrase, and what to say in its place. */
export interface Pronunciation {
	find: string;
	say: string;
	/** Do not match within a longer word. */
	wholeWord: boolean;
	matchCase: boolean;
}

/** Folding leaves ASCII as it is, apart from its case. */
const ASCII = /^[\t\n\r -~]*$/;

/** Decomposes a character and, if wanted, folds its case (`İ` and `ı` to `i`, `ß` to `ss`, final `ς` to `σ`). */
function foldCharacter(character: string, matchCase: boolean): string {
	if (matchCase) return character.normalize('NFD');
	const folded = character.toLowerCase().toUpperCase().toLowerCase().normalize('NFD');
	return character === 'İ' ? 'i' : folded;
}

/** Folds a text for comparison; `origins` has the original offset of each unit. */
function fold(text: string, matchCase: boolean) {
	const origins = new Uint32Array(text.length * 4 + 1);
	let folded = '';
	let length = 0;
	let offset = 0;
	for (const character of text) {
		const form = ASCII.test(character)
			? matchCase
				? character
				: character.toLowerCase()
			: foldCharacter(character, matchCase).slice(0, 4 * character.length);
		folded += form;
		origins.fill(offset, length, length + form.length);
		length += form.length;
		offset += character.length;
	}
	origins[length] = text.length;
	return { text: folded, origins };
}

/** A trie of all `find`, so that one pass over a text finds them all. */
interface TrieNode {
	next: Map<string, TrieNode>;
	rules: Pronunciation[];
}

function trieOf(rules: Pronunciation[], matchCase: boolean): TrieNode | undefined {
	const root: TrieNode = { next: new Map(), rules: [] };
	for (const rule of rules) {
		const word = rule.find.trim();
		if (word === '' || rule.matchCase !== matchCase) continue;
		let node = root;
		for (const unit of fold(word, matchCase).text.split('')) {
			const next = node.next.get(unit) ?? { next: new Map<string, TrieNode>(), rules: [] };
			node.next.set(unit, next);
			node = next;
		}
		node.rules.push(rule);
	}
	return root.next.size > 0 ? root : undefined;
}

const WORD = /[\p{L}\p{M}\p{N}\p{Pc}]/u;
const MARK = /\p{M}/u;
const SCRIPTS = [
	/\p{Script=Latin}/u,
	/\p{Script=Hangul}/u,
	/\p{Script=Cyrillic}/u,
	/\p{Script=Greek}/u,
	/\p{Script=Arabic}/u,
	/\p{Script=Hebrew}/u,
];

/** Whether a word begins or ends at an offset; in scripts without spaces, by the dictionaries of Intl.Segmenter. */
function wordEdges(text: string): (offset: number) => boolean {
	let inDictionary: Set<number> | undefined;
	return (offset) => {
		if (offset === 0 || offset === text.length) return true;
		const [before, after] = [characterBefore(text, offset), characterAt(text, offset)];
		if (!WORD.test(before) || !WORD.test(after)) return true;
		if (UNSPACED.test(before) && UNSPACED.test(after)) {
			const words = segmentsOf('word', text, 0, text.length);
			inDictionary ??= new Set(Array.from(words, ({ index }) => index));
			return inDictionary.has(offset);
		}
		if (UNSPACED.test(before) || UNSPACED.test(after)) return true;
		// Korean attaches endings directly to foreign words: NATO는.
		const script = SCRIPTS.find((pattern) => pattern.test(before));
		return script !== undefined && !script.test(after) && SCRIPTS.some((p) => p.test(after));
	};
}

/** By the offset where it starts. */
type Matches = Map<number, { end: number; rule: Pronunciation }>;

/** Adds the longest match that is allowed at each offset, if longer than one already found; among equals, the first in the list. */
function findAll(
	text: string,
	trie: TrieNode,
	matchCase: boolean,
	isEdge: (offset: number) => boolean,
	found: Matches,
): void {
	const folded = fold(text, matchCase);
	for (let at = 0; at < folded.text.length; at++) {
		const start = folded.origins[at];
		if (at > 0 && folded.origins[at - 1] === start) continue;
		let node = trie.next.get(folded.text.charAt(at));
		for (let to = at + 1; node; node = node.next.get(folded.text.charAt(to)), to++) {
			const end = folded.origins[to];
			const isWhole = folded.origins[to - 1] !== end;
			if (node.rules.length > 0 && isWhole && !MARK.test(text.charAt(end))) {
				const rule = node.rules.find((one) => !one.wholeWord || (isEdge(start) && isEdge(end)));
				if (rule && end > (found.get(start)?.end ?? start)) found.set(start, { end, rule });
			}
			if (to >= folded.text.length) break;
		}
	}
}

/** Replaces every `find` by `say`, from left to right, the longest first. Inserted words and the stretches `kept` do not change. */
export function pronounce(text: string, rules: Pronunciation[], kept: Span[] = []): Edit[] {
	const isEdge = wordEdges(text);
	const found: Matches = new Map();
	for (const matchCase of [true, false]) {
		const trie = trieOf(rules, matchCase);
		if (trie) findAll(text, trie, matchCase, isEdge, found);
	}
	const edits: Edit[] = [];
	let free = 0;
	let k = 0;
	for (const [start, { end, rule }] of [...found].sort(([a], [b]) => a - b)) {
		if (start < free) continue;
		while (k < kept.length && kept[k].end <= start) k++;
		if (k < kept.length && kept[k].start < end) continue;
		edits.push({ start, end, text: rule.say });
		free = end;
	}
	return edits;
}
