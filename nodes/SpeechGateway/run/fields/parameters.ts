import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** One item's parameters as n8n has them, expressions resolved; fields make values of them. */
export class Parameters {
	private cachedOptions: IDataObject | undefined;

	constructor(
		readonly context: IExecuteFunctions,
		readonly index: number,
	) {}

	raw(name: string, fallback?: unknown): unknown {
		return this.context.getNodeParameter(name, this.index, fallback as object);
	}

	option(name: string): unknown {
		this.cachedOptions ??= this.context.getNodeParameter('options', this.index, {}) as IDataObject;
		return this.cachedOptions[name];
	}
}
