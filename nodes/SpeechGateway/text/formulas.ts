/** Formulas as models write them in LaTeX: the marks around them are left out, and their commands become signs. */
import { setOf } from './characters';
import type { KeptPart } from './code';
import { decoded } from './entities';
import { SUBSCRIPTS, SUPERSCRIPTS } from './html';

/** Longer ones are none; UTF-16 units. */
const LONGEST = 2000;
/** `\(…\)` and `\[…\]`, within one paragraph. */
const BRACKETED_FORMULA =
	/(?<!\\)\\(?:\(((?:[^\\\n]|\\(?![()])[^\n]|\n(?![ \t]*\n)){1,2000}?)\\\)|\[((?:[^\\\n]|\\(?![[\]])[^\n]|\n(?![ \t]*\n)){1,2000}?)\\\])/g;
const DOLLAR_FORMULA =
	/(?<![\\$])\$\$(?!\$)([^$]{1,2000})\$\$(?!\$)|(?<![\\$\p{L}\p{N}])\$(?![\s$])([^$\n]{1,300})(?<![\s\\])\$(?![\d$])/gu;
/** Commands that are a formula without marks around them. */
const WITHOUT_MARKS =
	/\\[dt]?frac\{[^{}\n]{1,200}\}\{[^{}\n]{1,200}\}|\\sqrt(?:\[\d\])?\{[^{}\n]{1,200}\}|\\text\{[^{}\n]{1,200}\}/g;

const COMMAND = /\\[a-zA-Z]+/;
const FORMULA_SIGN = /[\^_=]/;
/** One letter, or a number with an escaped sign: `$x$`, `$90\%$`. */
const OPERAND = /^(?:\p{L}|[^\\]*\\[%,;][^\\]*)$/u;
/** An operator between two operands. */
const OPERATOR = /[\p{L}\p{N})\]]\s*[-+*<>|·×÷±−]\s*[\p{L}\p{N}([]/u;
/** With a word, what stands in escaped brackets is no formula. */
const LONG_WORD = /\p{L}{3}/u;
/** A mark that Telegram wants escaped. */
const TELEGRAM_ESCAPE = /\\[.!\-+=#]/;

/** Whether a formula stands between `\(` and `\)`, and not words in brackets that somebody has escaped. */
function isFormula(content: string, isDisplay: boolean, isTelegram: boolean): boolean {
	if (COMMAND.test(content)) return true;
	if (isTelegram || !/[\p{L}\p{N}]/u.test(content)) return false;
	if (FORMULA_SIGN.test(content) || OPERATOR.test(content)) return true;
	return !LONG_WORD.test(content) && !(isDisplay && /^[\s\d]*$/.test(content));
}

/** A formula in brackets, with its marks. */
export const KEPT_FORMULAS: KeptPart = [
	BRACKETED_FORMULA,
	(_whole, inline, display) => isFormula(inline ?? display, inline === undefined, false),
];

/** Names that are said as they are; HTML has some of them for other signs. */
const NAMES = setOf(
	'sin cos tan cot sec csc sinh cosh tanh ln lg log exp lim max min sup inf det deg dim gcd ker arg hom mod Pr',
);
/** Marks above letters, sizes and fonts, which are not said. */
const DROPPED = setOf(
	'left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle limits nolimits hat bar vec dot ddot tilde check acute ' +
		'grave breve ring mathring overline underline boxed nonumber middle quad qquad',
);
/** Signs whose names in HTML are others; `decoded` knows the rest: `\alpha`, `\le`, `\sum`. */
const LATEX_SIGNS = new Map(
	'cdot· cdots… ldots… dots… infty∞ neq≠ to→ gets← implies⇒ exists∃ partial∂ circ° degree° ast∗ star∗ land∧ lor∨ neg¬ lvert| rvert| vert|'
		.split(' ')
		.map((one) => [one.slice(0, -1), one.slice(-1)]),
);

/** A command (a root with its degree), an escaped mark, white space, or one character. */
const LATEX_TOKEN = /\\sqrt\[\w\]|\\[a-zA-Z]+\*?|\\[^]|\s+|[^]/gu;

/** Reads a formula from front to back. */
class Formula {
	private readonly tokens: string[];
	private at = 0;

	constructor(source: string) {
		this.tokens = source.match(LATEX_TOKEN) ?? [];
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
		if (token === '^') return superscript(this.argument());
		if (token === '_') return subscript(this.argument());
		if (token === '&') return '';
		if (token === '~' || token === '\\\\') return ' ';
		if (token === '*') return '∗';
		if (!token.startsWith('\\')) return token;
		const name = token.slice(1).replace('*', '');
		return /^[a-zA-Z]/.test(name) ? this.command(name) : /[%$#&_{}|]/.test(name) ? name : ' ';
	}

	private command(name: string): string {
		if (/^[dt]?binom$/.test(name)) return `C(${this.argument()}, ${this.argument()})`;
		if (/^[cdt]?frac$/.test(name))
			return `${inBrackets(this.argument())}/${inBrackets(this.argument())}`;
		const [root, degree = '2'] = /^sqrt(?:\[(.)\])?$/.exec(name) ?? [];
		if (root) return `${degree === '2' ? '' : superscript(degree)}√${inBrackets(this.argument())}`;
		if (name === 'begin' || name === 'end') {
			this.argument();
			return ' ';
		}
		if (NAMES.has(name)) return name;
		if (DROPPED.has(name)) return '';
		const sign = LATEX_SIGNS.get(name) ?? decoded(`&${name};`);
		if (!sign.startsWith('&')) return sign;
		return this.tokens[this.at] === '{' ? '' : name;
	}
}

const inBrackets = (words: string): string =>
	/^[√\p{L}\p{N}.,′°]*$/u.test(words) ? words : `(${words})`;

function scripted(mark: string, words: string, characters: Record<string, string>): string {
	const all = [...words];
	const isWritable = all.every((one) => one in characters);
	return isWritable ? all.map((one) => characters[one]).join('') : mark + inBrackets(words);
}
const superscript = (words: string): string =>
	/^[°′]+$/.test(words) ? words : scripted('^', words, SUPERSCRIPTS);
const subscript = (words: string): string => scripted('_', words, SUBSCRIPTS);

const signsIn = (formula: string): string => new Formula(formula.slice(0, LONGEST)).said();

/**
 * Replaces formulas by their signs: in `\(…\)`, `\[…\]`, `$$…$$` and `$…$`, and `\frac`, `\sqrt`, `\text` anywhere. Prices,
 * paths and variables with a `$` stay.
 */
export function readFormulas(text: string): string {
	if (!/\\[([]|\$|\\(?:[dt]?frac|sqrt|text)\{/.test(text)) return text;
	const isTelegram = TELEGRAM_ESCAPE.test(text);
	return text
		.replace(
			BRACKETED_FORMULA,
			(whole, inline: string | undefined, display: string | undefined) => {
				const content = inline ?? display ?? '';
				return isFormula(content, inline === undefined, isTelegram) ? signsIn(content) : whole;
			},
		)
		.replace(DOLLAR_FORMULA, (whole, display: string | undefined, inline: string | undefined) => {
			const content = display ?? inline ?? '';
			const isOne =
				COMMAND.test(content) ||
				FORMULA_SIGN.test(content) ||
				(inline !== undefined && (OPERATOR.test(content) || OPERAND.test(content)));
			return isOne ? signsIn(content) : whole;
		})
		.replace(WITHOUT_MARKS, signsIn);
}
