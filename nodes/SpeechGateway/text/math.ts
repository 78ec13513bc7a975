/** Writes LaTeX formulas, as chat models use them, in characters that can be read out. */
import { matchAt } from './characters';

/** LaTeX commands, each with the character that it stands for, if any. */
const COMMANDS =
	'pm:± mp:∓ times:× cdot:· div:÷ neq:≠ ne:≠ leq:≤ le:≤ geq:≥ ge:≥ ll:≪ gg:≫ approx:≈ sim:∼ equiv:≡ propto:∝ infty:∞ ' +
	'to:→ rightarrow:→ Rightarrow:⇒ implies:⇒ leftarrow:← iff:⇔ in:∈ notin:∉ subset:⊂ subseteq:⊆ cup:∪ cap:∩ emptyset:∅ ' +
	'forall:∀ exists:∃ neg:¬ land:∧ lor:∨ sum:∑ prod:∏ int:∫ partial:∂ nabla:∇ circ:° degree:° ldots:… dots:… cdots:… prime:′ ' +
	'alpha:α beta:β gamma:γ delta:δ epsilon:ε varepsilon:ε zeta:ζ eta:η theta:θ iota:ι kappa:κ lambda:λ mu:μ nu:ν xi:ξ pi:π ' +
	'rho:ρ sigma:σ tau:τ upsilon:υ phi:φ varphi:φ chi:χ psi:ψ omega:ω Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ ' +
	'Phi:Φ Psi:Ψ Omega:Ω ell:l hbar:ħ mathbb: mathbf: mathrm: mathcal: mathit: boldsymbol: operatorname: text: textbf: ' +
	'textit: left: right: big: Big: bigl: bigr: quad: qquad: displaystyle: limits: begin: end: boxed: vec: hat: bar: overline:';

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Created lazily. */
let commands: Map<string, string> | undefined;

/** The deepest nesting of groups; deeper ones only lose their braces. */
const MAX_NESTED = 20;

const DOLLARS = /\$\$([^$]{1,2000})\$\$|\$(?=[^\s$])([^$\n]{0,300}[^\s$\\])\$(?![\d$])/y;
/** Stops at the start of another formula, so that unclosed ones take linear time. */
const SLASHED = /\\\(((?:(?!\\\()[^]){1,1000}?)\\\)|\\\[((?:(?!(?<!\\)\\\[)[^]){1,2000}?)\\\]/y;

/** Reads the formula at an offset: `$x^2$`, `$$x^2$$`, `\\(x^2\\)` or `\\[x^2\\]`. */
export function formulaAt(text: string, at: number): { end: number; text: string } | undefined {
	const pattern = text.charAt(at) === '$' ? DOLLARS : SLASHED;
	const match = matchAt(pattern, text, at);
	const content = match?.[1] ?? match?.[2];
	if (content === undefined || !isFormula(content)) return undefined;
	// An escaped bracket around a number is no formula.
	if (pattern === SLASHED && /^\s*\d+\s*$/.test(content)) return undefined;
	return { end: pattern.lastIndex, text: readFormula(content) };
}

/** Tells a formula from text between two prices. */
function isFormula(content: string): boolean {
	return /[\\^_=+<>{}]|^\p{L}$|^[\d.,]+$|^\p{L}\(.{1,9}\)$/u.test(content.trim());
}

/** Reads LaTeX without groups: commands become characters, marks are left out. */
function readFlat(text: string): string {
	const known = (commands ??= new Map(
		COMMANDS.split(' ').map((entry) => entry.split(':') as [string, string]),
	));
	return text
		.replace(/\\([A-Za-z]+)\*?/g, (_, name: string) => known.get(name) ?? name)
		.replace(/\\([,;:! ])/g, ' ')
		.replace(/\\(?=[^A-Za-z])/g, '')
		.replace(/\^([\dn])(?![\dn])/g, (_, one: string) => SUPERSCRIPTS[Number(one)] ?? 'ⁿ')
		.replace(/\^\s*(?=[°′])|_(?=[\p{L}\p{N}(])/gu, '')
		.replace(/-/g, '−')
		.replace(/\s+/g, ' ')
		.trim();
}

/** Reads a part of a formula, and puts it into brackets unless it is a single term. */
function readPart(text: string): string {
	const part = readFlat(text);
	return /^[\p{L}\p{N}.√∞]*$/u.test(part) ? part : `(${part})`;
}

/** `\frac{a}{2}` as `a/2`, `\sqrt{x^2 - 1}` as `√(x² − 1)`. */
function readFormula(latex: string): string {
	let text = latex.replace(/\\(?:begin|end)\{[a-z]+\*?\}|\\\\|(?<!\\)&/g, ' ');
	// Innermost groups first.
	for (let depth = 0; depth < MAX_NESTED && /\{[^{}]*\}/.test(text); depth++) {
		text = text
			.replace(
				/\\[dt]?frac\s?\{([^{}]*)\}\s?\{([^{}]*)\}/g,
				(_, top: string, bottom: string) => ` ${readPart(top)}/${readPart(bottom)} `,
			)
			.replace(/\\sqrt\s?\{([^{}]*)\}/g, (_, root: string) => `√${readPart(root)}`)
			.replace(/([_^])\s?\{([^{}]*)\}/g, (_, mark: string, part: string) => mark + readPart(part))
			// Other groups lose their braces, unless they belong to a command whose arguments are not all resolved.
			.replace(
				/(?<!(?:frac|sqrt|[_^])\s?)(?<!frac\s?\{[^{}]*\})\{([^{}]*)\}/g,
				(_, part: string, at: number, whole: string) =>
					/[A-Za-z]/.test(whole.charAt(at - 1)) ? ` ${part}` : part,
			);
	}
	return readFlat(text.replace(/[{}]/g, '')).replace(/\s+([,.;:])/g, '$1');
}
