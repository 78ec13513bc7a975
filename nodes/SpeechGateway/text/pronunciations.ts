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

/**
 * Folds the case of a character (`İ` and `ı` to `i`, `ß` to `ss`, final `ς` to `σ`), and decomposes it. Cut off at
 * four times its length, for which `fold` has room.
 */
function foldCharacter(character: string): string {
	if (ASCII.test(character)) return character.toLowerCase();
	if (character === 'İ') return 'i';
	const folded = character.toLowerCase().toUpperCase().toLowerCase().normalize('NFD');
	return folded.slice(0, 4 * character.length);
}

/** Folds a text for comparison; `origins` has the original offset of each unit, and behind them the length of the text. */
function fold(text: string) {
	const origins = new Uint32Array(text.length * 4 + 1);
	let folded = '';
	let offset = 0;
	for (const character of text) {
		const form = foldCharacter(character);
		origins.fill(offset, folded.length, folded.length + form.length);
		folded += form;
		offset += character.length;
	}
	origins[folded.length] = text.length;
	return { text: folded, origins };
}

/** A trie of all `find`, so that one pass over a text finds them all. */
interface TrieNode {
	next: Map<string, TrieNode>;
	rules: Pronunciation[];
}

/** Of words that differ in case only, one that asks for its case comes first; among equals, the first in the list. */
function trieOf(rules: Pronunciation[]): TrieNode {
	const root: TrieNode = { next: new Map(), rules: [] };
	for (const rule of rules.toSorted((a, b) => Number(b.matchCase) - Number(a.matchCase))) {
		const word = rule.find.trim();
		if (word === '') continue;
		let node = root;
		for (const unit of fold(word).text.split('')) {
			const next = node.next.get(unit) ?? { next: new Map<string, TrieNode>(), rules: [] };
			node.next.set(unit, next);
			node = next;
		}
		node.rules.push(rule);
	}
	return root;
}

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}\p{Pc}]/u;
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
function wordEdgeTest(text: string): (offset: number) => boolean {
	let inDictionary: Set<number> | undefined;
	return (offset) => {
		if (offset === 0 || offset === text.length) return true;
		const [before, after] = [characterBefore(text, offset), characterAt(text, offset)];
		if (!WORD_CHARACTER.test(before) || !WORD_CHARACTER.test(after)) return true;
		if (UNSPACED.test(before) && UNSPACED.test(after)) {
			const words = segmentsOf('word', text);
			inDictionary ??= new Set(Array.from(words, ({ index }) => index));
			return inDictionary.has(offset);
		}
		if (UNSPACED.test(before) || UNSPACED.test(after)) return true;
		// Korean attaches endings directly to foreign words: NATO는.
		const script = SCRIPTS.find((pattern) => pattern.test(before));
		return script !== undefined && !script.test(after) && SCRIPTS.some((p) => p.test(after));
	};
}

/**
 * Replaces every `find` by `say`, from left to right, the longest first. Inserted words and the
 * spans that are `fixed` (tone tags) do not change. A letter with an accent is another letter,
 * however it is encoded: `cafe` is not found in `café`.
 */
export function pronounce(text: string, rules: Pronunciation[], fixed: Span[]): Edit[] {
	const isEdge = wordEdgeTest(text);
	const trie = trieOf(rules);
	const { text: folded, origins } = fold(text);
	const isAllowed = ({ find, wholeWord, matchCase }: Pronunciation, start: number, end: number) =>
		(!wholeWord || (isEdge(start) && isEdge(end))) &&
		(!matchCase || text.slice(start, end).normalize('NFD') === find.trim().normalize('NFD'));
	/** The longest match that is allowed. */
	const matchAt = (at: number): Edit | undefined => {
		const start = origins[at];
		let longest: Edit | undefined;
		let node = trie.next.get(folded.charAt(at));
		for (let to = at + 1; node; node = node.next.get(folded.charAt(to++))) {
			const end = origins[to];
			const isWhole = origins[to - 1] !== end && !MARK.test(text.charAt(end));
			const rule = isWhole ? node.rules.find((one) => isAllowed(one, start, end)) : undefined;
			if (rule) longest = { start, end, text: rule.say };
		}
		return longest;
	};
	const edits: Edit[] = [];
	let free = 0;
	let k = 0;
	for (let at = 0; at < folded.length; at++) {
		if (origins[at] < free || origins[at] === origins[at - 1]) continue;
		const match = matchAt(at);
		if (!match) continue;
		while (k < fixed.length && fixed[k].end <= match.start) k++;
		if (k < fixed.length && fixed[k].start < match.end) continue;
		edits.push(match);
		free = match.end;
	}
	return edits;
}
