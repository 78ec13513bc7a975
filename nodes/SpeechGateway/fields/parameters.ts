import { InputError } from '../core/errors';
import { isRecord } from '../core/json';
import type { NodeCall } from '../engine/nodeCall';

/** One item's parameters as n8n has them, expressions resolved; fields make values of them. */
export class Parameters {
	private options: unknown;

	constructor(
		readonly nodeCall: NodeCall,
		readonly index: number,
	) {}

	private get context() {
		return this.nodeCall.context;
	}

	/** A parameter of the panel for this item. `fallback`: for a workflow that lacks it; without one, n8n throws. */
	raw(name: string, fallback?: unknown): unknown {
		return this.context.getNodeParameter(name, this.index, fallback);
	}

	/** One option alone: no other option is evaluated for it, which might fail for this item. Undefined if it is not added. */
	runOption(name: string): unknown {
		return this.context.getNodeParameter(`options.${name}`, this.index, null) ?? undefined;
	}

	/** Whether the user has added the option, whatever its expression comes to. */
	isSet(name: string): boolean {
		return name in this.typedOptions;
	}

	/** Whether the option is an expression: n8n puts `=` before it. */
	isExpression(name: string): boolean {
		const typed = this.typedOptions[name];
		return typeof typed === 'string' && typed.startsWith('=');
	}

	private get typedOptions(): Record<string, unknown> {
		const asWritten = { rawExpressions: true };
		const options = this.context.getNodeParameter('options', this.index, {}, asWritten);
		return isRecord(options) ? options : {};
	}

	/**
	 * Throws InputError when a parameter, or anything in it, was typed as `{{ … }}` without being an expression, or when its
	 * expression has put an object into the text.
	 */
	refuseLiteral(name: string, label: string): void {
		const typed = this.context.getNodeParameter(name, this.index, '', { rawExpressions: true });
		this.refuseObject(name, label, typed);
		const literal = literalIn(typed);
		if (literal === undefined) return;
		throw new InputError(
			`"${label}" contains an expression, but is set to "Fixed": ${literal.trim().slice(0, 80)}`,
			'Switch the field to "Expression"; otherwise, the braces themselves would be used for each item. Nothing was sent.',
		);
	}

	private refuseObject(name: string, label: string, typed: unknown): void {
		if (typeof typed !== 'string' || !typed.startsWith('=')) return;
		const value = this.raw(name, '');
		if (typeof value !== 'string' || !OBJECT.test(value)) return;
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

/** What an object is in a text; in quotes or code, somebody writes about it. */
const OBJECT = /(?<!["'`“„«])\[object Object\](?!["'`”“»])/;

/** Nothing but `{{ … }}`, with one of n8n's variables. */
const LITERAL = /^\s*\{\{[^]*\$[^]*\}\}\s*$/;

/** The first text like that in what the user has typed; n8n puts `=` before an expression. */
function literalIn(typed: unknown): string | undefined {
	if (typeof typed === 'string') return LITERAL.test(typed) ? typed : undefined;
	if (typeof typed !== 'object' || typed === null) return undefined;
	for (const value of Object.values(typed)) {
		const literal = literalIn(value);
		if (literal !== undefined) return literal;
	}
	return undefined;
}
