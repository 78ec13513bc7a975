/** Formulas as models write them in LaTeX: the marks around them are left out, and their commands become signs. */
import { setOf } from './characters';
import type { Kept } from './code';
import { decoded } from './entities';

/** Longer ones are none; UTF-16 units. */
const LONGEST = 2000;
/** `\(…\)` and `\[…\]`, within one paragraph. */
const IN_BRACKETS =
	/(?<!\\)\\(?:\(((?:[^\\\n]|\\(?![()])[^\n]|\n(?![ \t]*\n)){1,2000}?)\\\)|\[((?:[^\\\n]|\\(?![[\]])[^\n]|\n(?![ \t]*\n)){1,2000}?)\\\])/g;
const IN_DOLLARS =
	/(?<![\\$])\$\$(?!\$)([^$]{1,2000})\$\$(?!\$)|(?<![\\$\p{L}\p{N}])\$(?![\s$])([^$\n]{1,300})(?<![\s\\])\$(?![\d$])/gu;
/** Commands that are a formula without marks around them. */
const WITHOUT_MARKS =
	/\\[dt]?frac\{[^{}\n]{1,200}\}\{[^{}\n]{1,200}\}|\\sqrt(?:\[\d\])?\{[^{}\n]{1,200}\}|\\text\{[^{}\n]{1,200}\}/g;

const COMMAND = /\\[a-zA-Z]+/;
const SIGN = /[\^_=]/;
/** An operator between two operands. */
const OPERATOR = /[\p{L}\p{N})\]]\s*[-+*<>|·×÷±−]\s*[\p{L}\p{N}([]/u;
/** Two words in a row, or a word alone: what stands in escaped brackets is no formula. */
const PROSE = /\p{L}{3}/u;
/** A mark that Telegram wants escaped. */
const TELEGRAM = /\\[.!\-+=#]/;

/** Whether a formula stands between `\(` and `\)`, and not words in brackets that somebody has escaped. */
function isFormula(content: string, isDisplay: boolean, isTelegram: boolean): boolean {
	if (COMMAND.test(content)) return true;
	if (isTelegram || !/[\p{L}\p{N}]/u.test(content)) return false;
	if (SIGN.test(content) || OPERATOR.test(content)) return true;
	return !PROSE.test(content) && !(isDisplay && /^[\s\d]*$/.test(content));
}

/** A formula in brackets, with its marks. */
export const FORMULA: Kept = [
	IN_BRACKETS,
	(_whole, inline, display) => isFormula(inline ?? display, inline === undefined, false),
];

/** Names that are said as they are; HTML has some of them for other signs. */
const NAMES = setOf(
	'sin cos tan cot sec csc sinh cosh tanh ln lg log exp lim max min sup inf det deg dim gcd ker arg hom mod Pr',
);
/** Marks above letters, sizes and fonts, which are not said. */
const DROPPED = setOf(
	'left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle limits nolimits hat bar vec dot ddot tilde check acute ' +
		'grave breve ring mathring overline underline boxed nonumber middle',
);
/** Signs whose names in HTML are others; `decoded` knows the rest: `\alpha`, `\le`, `\sum`. */
const SIGNS: Record<string, string> = {
	cdot: '·',
	cdots: '…',
	ldots: '…',
	dots: '…',
	infty: '∞',
	neq: '≠',
	to: '→',
	gets: '←',
	implies: '⇒',
	exists: '∃',
	partial: '∂',
	circ: '°',
	degree: '°',
	ast: '∗',
	star: '∗',
	land: '∧',
	lor: '∨',
	neg: '¬',
	lVert: '‖',
	rVert: '‖',
	lvert: '|',
	rvert: '|',
	vert: '|',
	quad: ' ',
	qquad: ' ',
	bmod: 'mod',
	pmod: 'mod ',
};
const SUPERSCRIPTS = new Map(
	[...'0123456789+-−n'].map((one, at) => [one, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ'][at]]),
);
const SUBSCRIPTS = new Map(
	[...'0123456789+-−n'].map((one, at) => [one, [...'₀₁₂₃₄₅₆₇₈₉₊₋₋ₙ'][at]]),
);

/** A command, an escaped mark, white space, or one character. */
const TOKEN = /\\[a-zA-Z]+\*?|\\[^]|\s+|[^]/gu;

/** Reads a formula from front to back. */
class Formula {
	private readonly tokens: string[];
	private at = 0;

	constructor(source: string) {
		this.tokens = source.match(TOKEN) ?? [];
	}

	/** What is said up to a closing brace, or the end. */
	said(): string {
		let text = '';
		while (this.at < this.tokens.length && this.tokens[this.at] !== '}') text += this.next();
		this.at++;
		return text.replace(/\s+/g, ' ').trim();
	}

	/** A group in braces, or one token. */
	private argument(): string {
		while (/^\s/.test(this.tokens[this.at] ?? '')) this.at++;
		return this.tokens[this.at] === '}' ? '' : this.next().trim();
	}

	private next(): string {
		const token = this.tokens[this.at++] ?? '';
		if (token === '{') return this.said();
		if (token === '^') return raised(this.argument());
		if (token === '_') return lowered(this.argument());
		if (token === '&') return '';
		if (token === '~' || token === '\\\\') return ' ';
		if (token === '*') return '∗';
		if (!token.startsWith('\\')) return token;
		const name = token.slice(1).replace('*', '');
		return /^[a-zA-Z]/.test(name) ? this.command(name) : /[%$#&_{}|]/.test(name) ? name : ' ';
	}

	private command(name: string): string {
		if (/^[cdt]?frac$/.test(name)) return `${grouped(this.argument())}/${grouped(this.argument())}`;
		if (name === 'sqrt') {
			const degree = this.tokens[this.at] === '[' ? this.upTo(']') : '';
			return `${degree === '' || degree === '2' ? '' : raised(degree)}√${grouped(this.argument())}`;
		}
		if (name === 'begin' || name === 'end') {
			this.argument();
			return ' ';
		}
		if (NAMES.has(name)) return name;
		if (DROPPED.has(name)) return '';
		const sign = SIGNS[name] ?? decoded(`&${name};`);
		if (!sign.startsWith('&')) return sign;
		return this.tokens[this.at] === '{' ? '' : name;
	}

	/** The tokens from an opening mark to a closing one, without both. */
	private upTo(mark: string): string {
		const end = this.tokens.indexOf(mark, this.at);
		if (end < 0) return '';
		const between = this.tokens.slice(this.at + 1, end).join('');
		this.at = end + 1;
		return between;
	}
}

const grouped = (words: string): string =>
	/^[√\p{L}\p{N}.,′°]*$/u.test(words) ? words : `(${words})`;

function written(mark: string, words: string, characters: Map<string, string>): string {
	const all = [...words];
	if (all.every((one) => characters.has(one)))
		return all.map((one) => characters.get(one)).join('');
	return mark + grouped(words);
}
const raised = (words: string): string =>
	/^[°′]+$/.test(words) ? words : written('^', words, SUPERSCRIPTS);
const lowered = (words: string): string => written('_', words, SUBSCRIPTS);

const signsOf = (formula: string): string => new Formula(formula.slice(0, LONGEST)).said();

/**
 * Replaces formulas by their signs: in `\(…\)`, `\[…\]`, `$$…$$` and `$…$`, and `\frac`, `\sqrt`, `\text` anywhere. Prices,
 * paths and variables with a `$` stay.
 */
export function readFormulas(text: string): string {
	if (!/\\[([]|\$|\\(?:[dt]?frac|sqrt|text)\{/.test(text)) return text;
	const isTelegram = TELEGRAM.test(text);
	return text
		.replace(IN_BRACKETS, (whole, inline: string | undefined, display: string | undefined) => {
			const content = inline ?? display ?? '';
			return isFormula(content, inline === undefined, isTelegram) ? signsOf(content) : whole;
		})
		.replace(IN_DOLLARS, (whole, display: string | undefined, inline: string | undefined) => {
			const content = display ?? inline ?? '';
			const isOne =
				COMMAND.test(content) ||
				SIGN.test(content) ||
				(inline !== undefined && OPERATOR.test(content));
			return isOne ? signsOf(content) : whole;
		})
		.replace(WITHOUT_MARKS, signsOf);
}
