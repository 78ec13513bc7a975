/** Small changes to TypeScript source, each of which a test should notice. */
import ts from 'typescript';

export interface Mutant {
	/** Path in the repository. */
	file: string;
	line: number;
	/** What is changed, for people. */
	change: string;
	start: number;
	end: number;
	replacement: string;
	/** The innermost function around it, as in `instrument`; -1 at the top level of the file. */
	inFunction: number;
}

const { SyntaxKind } = ts;

const parse = (file: string, text: string) =>
	ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

/** Functions with a body, in the order of the source: their index is their number. */
function functionsOf(source: ts.SourceFile): ts.FunctionLikeDeclaration[] {
	const found: ts.FunctionLikeDeclaration[] = [];
	const visit = (node: ts.Node) => {
		if (ts.isFunctionLike(node) && 'body' in node && node.body)
			found.push(node as ts.FunctionLikeDeclaration);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

/** The source with a call of `hit(file, number)` at the start of every function. */
export function instrument(file: string, text: string, hit: string): string {
	const source = parse(file, text);
	const inserted: Array<[at: number, what: string]> = [];
	functionsOf(source).forEach(({ body }, index) => {
		const call = `${hit}(${JSON.stringify(file)}, ${index})`;
		if (ts.isBlock(body!)) inserted.push([body.getStart() + 1, ` ${call};`]);
		else inserted.push([body!.getStart(), `(${call}, `], [body!.end, ')']);
	});
	// At one place, what was found last belongs inside: `)` of an inner function comes before that of the outer one.
	let result = '';
	let from = 0;
	for (const [at, what] of inserted
		.map((entry, i) => ({ entry, i }))
		.sort(byPlace)
		.map(({ entry }) => entry)) {
		result += text.slice(from, at) + what;
		from = at;
	}
	return result + text.slice(from);
}

function byPlace(
	one: { entry: [number, string]; i: number },
	other: { entry: [number, string]; i: number },
): number {
	const [a, b] = [one.entry, other.entry];
	if (a[0] !== b[0]) return a[0] - b[0];
	if (a[1] === ')' && b[1] === ')') return other.i - one.i;
	return one.i - other.i;
}

const OPERATORS: Partial<Record<ts.SyntaxKind, string>> = {
	[SyntaxKind.AmpersandAmpersandToken]: '||',
	[SyntaxKind.BarBarToken]: '&&',
	[SyntaxKind.LessThanToken]: '<=',
	[SyntaxKind.LessThanEqualsToken]: '<',
	[SyntaxKind.GreaterThanToken]: '>=',
	[SyntaxKind.GreaterThanEqualsToken]: '>',
	[SyntaxKind.EqualsEqualsEqualsToken]: '!==',
	[SyntaxKind.ExclamationEqualsEqualsToken]: '===',
	[SyntaxKind.PlusToken]: '-',
	[SyntaxKind.MinusToken]: '+',
	[SyntaxKind.AsteriskToken]: '/',
	[SyntaxKind.SlashToken]: '*',
	[SyntaxKind.PercentToken]: '*',
};

const METHODS: Record<string, string> = {
	some: 'every',
	every: 'some',
	min: 'max',
	max: 'min',
	floor: 'ceil',
	ceil: 'floor',
	find: 'findLast',
};

/** All mutants of a file. Words for people (texts with a space) and types are left alone. */
export function mutantsOf(file: string, text: string): Mutant[] {
	const source = parse(file, text);
	const functions = new Map<ts.Node, number>();
	functionsOf(source).forEach((node, index) => functions.set(node, index));
	const mutants: Mutant[] = [];
	const stack: number[] = [-1];
	const add = (node: ts.Node, replacement: string, change: string, end = node.end) => {
		const start = node.getStart();
		mutants.push({
			file,
			line: source.getLineAndCharacterOfPosition(start).line + 1,
			change,
			start,
			end,
			replacement,
			inFunction: stack.at(-1)!,
		});
	};
	const short = (node: ts.Node) => node.getText().replace(/\s+/g, ' ').slice(0, 60);

	const visit = (node: ts.Node): void => {
		if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
		if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
		const inside = functions.get(node);
		if (inside !== undefined) stack.push(inside);

		const condition =
			ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)
				? node.expression
				: ts.isConditionalExpression(node) || ts.isForStatement(node)
					? node.condition
					: undefined;
		if (condition) add(condition, `!(${condition.getText()})`, `not: ${short(condition)}`);
		if (ts.isBinaryExpression(node)) {
			const operator = OPERATORS[node.operatorToken.kind];
			if (operator && !isWords(node.left) && !isWords(node.right))
				add(node.operatorToken, operator, `${operator} in: ${short(node)}`);
			if (node.operatorToken.kind === SyntaxKind.QuestionQuestionToken)
				add(node, `(${node.left.getText()})`, `without ??: ${short(node)}`);
		}
		if (ts.isNumericLiteral(node))
			add(node, `${Number(node.text.replaceAll('_', '')) + 1}`, `${short(node)} + 1`);
		if (node.kind === SyntaxKind.TrueKeyword) add(node, 'false', 'false for true');
		if (node.kind === SyntaxKind.FalseKeyword) add(node, 'true', 'true for false');
		if (ts.isStringLiteral(node) && !isName(node) && !node.text.includes(' '))
			add(node, node.text === '' ? "'mutant'" : "''", `${short(node)} changed`);
		if (ts.isPropertyAccessExpression(node) && METHODS[node.name.text])
			add(
				node.name,
				METHODS[node.name.text],
				`${METHODS[node.name.text]} for ${node.name.text}: ${short(node)}`,
			);
		if (ts.isExpressionStatement(node)) add(node, ';', `removed: ${short(node)}`);
		if (ts.isThrowStatement(node)) add(node, ';', `removed: ${short(node)}`);
		if (
			(ts.isBreakStatement(node) || ts.isContinueStatement(node)) &&
			!ts.isCaseClause(node.parent)
		)
			add(node, ';', `removed: ${short(node)}`);
		if (ts.isReturnStatement(node))
			add(node, 'return undefined;', `returns nothing: ${short(node)}`);
		if (ts.isArrowFunction(node) && !ts.isBlock(node.body))
			add(node.body, 'undefined', `gives nothing: ${short(node.body)}`);
		if (ts.isSpreadAssignment(node)) add(node, '', `without ${short(node)}`);
		if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
			add(node, node.operand.getText(), `without !: ${short(node)}`);

		ts.forEachChild(node, visit);
		if (inside !== undefined) stack.pop();
	};
	visit(source);
	// The negation of a whole condition and the turned operator within it are the same change.
	const seen = new Set<string>();
	return mutants.filter(({ start, end, replacement }) => {
		const key = `${start} ${end} ${replacement}`;
		return !seen.has(key) && seen.add(key);
	});
}

const isWords = (node: ts.Node): boolean =>
	ts.isStringLiteral(node) ||
	ts.isTemplateExpression(node) ||
	ts.isNoSubstitutionTemplateLiteral(node);

/** A string that stands where a name does: a key, or in an import. */
const isName = (node: ts.StringLiteral): boolean =>
	(ts.isPropertyAssignment(node.parent) && node.parent.name === node) ||
	ts.isExportDeclaration(node.parent) ||
	ts.isLiteralTypeNode(node.parent);

export const mutated = (text: string, { start, end, replacement }: Mutant): string =>
	text.slice(0, start) + replacement + text.slice(end);
