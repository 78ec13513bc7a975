import type { INodeProperties } from 'n8n-workflow';
import { InputError, NOTHING_SENT } from '../core/errors';
import { isRecord } from '../core/json';
import type { NodeCall } from '../engine/nodeCall';

/** One item's parameters as n8n has them, expressions resolved; fields make values of them. */
export class Parameters {
	private options: unknown;
	/** What n8n has resolved: an expression takes it 0.2 ms. */
	private readonly resolved = new Map<string, unknown>();

	constructor(
		readonly nodeCall: NodeCall,
		readonly index: number,
	) {}

	private get context() {
		return this.nodeCall.context;
	}

	/** A parameter of the panel for this item. `fallback`: for a workflow that lacks it; without one, n8n throws. */
	raw(name: string, fallback?: unknown): unknown {
		if (!this.resolved.has(name))
			this.resolved.set(name, this.context.getNodeParameter(name, this.index, fallback));
		return this.resolved.get(name);
	}

	/** One option alone: no other option is evaluated for it, which might fail for this item. Undefined if it is not added. */
	runOption(name: string): unknown {
		return this.context.getNodeParameter(`options.${name}`, this.index, null) ?? undefined;
	}

	/** See `typedOption`. */
	typed(name: string): unknown {
		return typedOption(this.nodeCall, name);
	}

	/** Whether the user has added the option, whatever its expression comes to. */
	isSet(name: string): boolean {
		return this.typed(name) !== undefined;
	}

	/** Whether the option is an expression: n8n puts `=` before it. */
	isExpression(name: string): boolean {
		const typed = this.typed(name);
		return typeof typed === 'string' && typed.startsWith('=');
	}

	/**
	 * Throws InputError when anything in these fields was typed as `{{ $json.text }}` without being an expression. That is the
	 * same for all items, so it is looked for once.
	 */
	refuseLiterals(panel: Labelled[], options: Labelled[]): void {
		const { nodeCall } = this;
		if (!literals.has(nodeCall))
			literals.set(nodeCall, findLiteral(nodeCall.node.parameters, panel, options));
		const literal = literals.get(nodeCall);
		if (!literal) return;
		throw new InputError(
			`"${literal.label}" contains an expression, but is set to "Fixed": ${literal.typed.slice(0, 80)}`,
			`Switch the field to "Expression" to have it filled in; otherwise, it would be used as it stands, for each item. ${NOTHING_SENT}`,
		);
	}

	/** Throws InputError when the expression in a parameter of the panel has put an object into its text. */
	refuseObject(name: string, label: string): void {
		const value = this.raw(name, '');
		if (typeof value !== 'string' || !OBJECT.test(value)) return;
		const typed = this.nodeCall.node.parameters[name];
		if (typeof typed !== 'string' || !typed.startsWith('=')) return;
		throw new InputError(
			`"${label}" has "[object Object]" where words should be: its expression puts an object into the text`,
			'Name the field of the object that has the words, such as {{ $json.article.text }} instead of {{ $json.article }}. Nothing was sent.',
		);
	}

	/** An option for this item; undefined if it is not added. n8n resolves all options in one call, so that is made once. */
	option(name: string): unknown {
		this.options ??= this.context.getNodeParameter('options', this.index, {});
		return isRecord(this.options) ? this.options[name] : undefined;
	}
}

/** An option as it stands in the node, an expression as its text; undefined if the user has not added it. */
export function typedOption({ node }: NodeCall, name: string): unknown {
	const options: unknown = node.parameters.options;
	return isRecord(options) ? options[name] : undefined;
}

/** What an object is in a text; in quotes or code, somebody writes about it. */
const OBJECT = /(?<!["'`“„«])\[object Object\](?!["'`”“»])/;

type Labelled = Pick<INodeProperties, 'name' | 'displayName'>;

/** What the user has typed, and the label of its field. */
interface Literal {
	label: string;
	typed: string;
}

/** By call of the node; a node has one operation. */
const literals = new WeakMap<NodeCall, Literal | undefined>();

function findLiteral(
	{ options: typed, ...parameters }: Record<string, unknown>,
	panel: Labelled[],
	options: Labelled[],
): Literal | undefined {
	const inFields = (fields: Labelled[], values: Record<string, unknown>) =>
		fields.flatMap(({ name, displayName }) => literalsIn(values[name], displayName));
	const [found] = [
		...inFields(panel, parameters),
		...(isRecord(typed) ? inFields(options, typed) : []),
	];
	return found;
}

/** All of them in what the user has typed; n8n puts `=` before an expression. */
function literalsIn(typed: unknown, label: string): Literal[] {
	if (typeof typed === 'string') {
		const literal = typed.startsWith('=') ? undefined : literalIn(typed);
		return literal === undefined ? [] : [{ label, typed: literal }];
	}
	if (typeof typed !== 'object' || typed === null) return [];
	return Object.values(typed).flatMap((value) => literalsIn(value, label));
}

/** All of a text that is nothing but `{{ … }}` with a `$` in it. Within other words, only what n8n's own variables are in. */
function literalIn(text: string): string | undefined {
	const words = text.trim();
	if (words.startsWith('{{') && words.endsWith('}}') && words.includes('$')) return words;
	for (let [from, to] = [0, 0]; ; from = to + 2) {
		from = text.indexOf('{{', from);
		to = from < 0 ? -1 : text.indexOf('}}', from + 2);
		if (to < 0) return undefined;
		const found = text.slice(from, to + 2);
		if (VARIABLE.test(found)) return found;
	}
}

/** As n8n writes them: a template of another program may have `{{ $item }}`. */
const VARIABLE =
	/\$(?:\(|(?:json|binary|now|today|itemIndex|runIndex|vars|prevNode)\b|(?:input|execution|workflow|env|parameter|node)[.[]|(?:fromAI|item|items|jmespath|if|node)\()/;
