import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isRecord } from '../../core/json';

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

	/** An option of the whole run: no other option is evaluated for it, which might fail for this item. */
	runOption(name: string): unknown {
		return this.context.getNodeParameter(`options.${name}`, this.index, null) ?? undefined;
	}

	/** Whether the user has added the option, whatever its expression comes to. */
	isSet(name: string): boolean {
		const asWritten = { rawExpressions: true };
		const options = this.context.getNodeParameter('options', this.index, {}, asWritten);
		return isRecord(options) && name in options;
	}

	option(name: string): unknown {
		this.cachedOptions ??= this.context.getNodeParameter('options', this.index, {}) as IDataObject;
		return this.cachedOptions[name];
	}
}
