/** Small changes to TypeScript source, each of which a test should notice. */
import ts from 'typescript';

export interface Mutant {
	/** Path in the repository. */
	file: string;
	line: number;
	/** What is changed, for people. */
	change: string;
	/** The source line in which it begins. */
	code: string;
	start: number;
	end: number;
	replacement: string;
	/** The innermost place around it, as in `instrument`; -1 at the top level of the file. */
	place: number;
	/** From where to where the function around it goes, or at the top level the statement. */
	around: [start: number, end: number];
}

const { SyntaxKind } = ts;

const parse = (file: string, text: string) =>
	ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

type Wrap = (call: string, text: string) => string;

/** Before a statement, in front of what is inside a block, in place of a single statement, of an expression. */
const before: Wrap = (call, text) => `${call}; ${text}`;
const atStart: Wrap = (call, text) => `{ ${call}; ${text.slice(1)}`;
const asBlock: Wrap = (call, text) => `{ ${call}; ${text} }`;
const asOperand: Wrap = (call, text) => `(${call}, ${text})`;

/** How a node is told of when it runs, if it runs at other times than what is around it. */
function wrapOf(node: ts.Node): Wrap | undefined {
	const { parent } = node;
	if (!parent) return undefined;
	if (ts.isFunctionLike(parent) && 'body' in parent && parent.body === node)
		return ts.isBlock(node) ? atStart : asOperand;
	if (ts.isConditionalExpression(parent))
		return node === parent.condition || !ts.isExpression(node) ? undefined : asOperand;
	if (ts.isBinaryExpression(parent) && node === parent.right)
		return SHORT_CUTS.has(parent.operatorToken.kind) ? asOperand : undefined;
	if (!ts.isStatement(node) || ts.isFunctionDeclaration(node) || ts.isBlock(node)) return undefined;
	if (ts.isBlock(parent) || ts.isCaseOrDefaultClause(parent)) return before;
	return ts.isIfStatement(parent) || ts.isIterationStatement(parent, false) ? asBlock : undefined;
}

const SHORT_CUTS = new Set([
	SyntaxKind.AmpersandAmpersandToken,
	SyntaxKind.BarBarToken,
	SyntaxKind.QuestionQuestionToken,
]);

/** Places that run at different times, in the order of the source: their index is their number. */
function placesOf(source: ts.SourceFile): Map<ts.Node, number> {
	const places = new Map<ts.Node, number>();
	const visit = (node: ts.Node) => {
		if (ts.isTypeNode(node)) return;
		if (wrapOf(node)) places.set(node, places.size);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return places;
}

/** The source with a call of `hit(file, number)` at every place. */
export function instrument(file: string, text: string, hit: string): string {
	const source = parse(file, text);
	const places = placesOf(source);
	const render = (node: ts.Node): string => {
		let result = '';
		let from = node.getStart();
		ts.forEachChild(node, (child) => {
			if (child.getStart() < from) return;
			result += text.slice(from, child.getStart()) + render(child);
			from = child.end;
		});
		result += text.slice(from, node.end);
		const place = places.get(node);
		if (place === undefined) return result;
		return wrapOf(node)!(`${hit}(${JSON.stringify(file)}, ${place})`, result);
	};
	return render(source);
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
	const places = placesOf(source);
	const mutants: Mutant[] = [];
	const lines = text.split('\n');
	const stack: number[] = [-1];
	const around: Array<Mutant['around']> = [[0, text.length]];
	const add = (node: ts.Node, replacement: string, change: string) => {
		const { end } = node;
		const start = node.getStart();
		mutants.push({
			file,
			line: source.getLineAndCharacterOfPosition(start).line + 1,
			change,
			code: lines[source.getLineAndCharacterOfPosition(start).line].trim(),
			start,
			end,
			replacement,
			place: places.get(node) ?? stack.at(-1)!,
			around: around.at(-1)!,
		});
	};
	const short = (node: ts.Node) => node.getText().replace(/\s+/g, ' ').slice(0, 60);

	const visit = (node: ts.Node): void => {
		if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
		if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
		const place = places.get(node);
		if (place !== undefined) stack.push(place);
		const isAround = (ts.isFunctionLike(node) && 'body' in node) || node.parent === source;
		if (isAround) around.push([node.getStart(), node.end]);

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
		if (ts.isReturnStatement(node) && node.expression && node.expression.getText() !== 'undefined')
			add(node, 'return undefined;', `returns nothing: ${short(node)}`);
		if (ts.isArrowFunction(node) && !ts.isBlock(node.body) && node.body.getText() !== 'undefined')
			add(node.body, 'undefined', `gives nothing: ${short(node.body)}`);
		if (ts.isSpreadAssignment(node)) add(node, '', `without ${short(node)}`);
		if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
			add(node, node.operand.getText(), `without !: ${short(node)}`);

		ts.forEachChild(node, visit);
		if (place !== undefined) stack.pop();
		if (isAround) around.pop();
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
