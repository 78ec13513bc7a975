import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

/** How often n8n runs the node, at most, as long as it fails. */
export function triesOf(context: IExecuteFunctions): number {
	const { retryOnFail, maxTries } = context.getNode();
	return retryOnFail ? Math.min(5, Math.max(2, maxTries || 3)) : 1;
}

/**
 * n8n runs the whole node again when its first item is an error and Retry On Fail is on, also in the continue modes;
 * what is done must then still be on record.
 */
export const willRunAgain = (
	context: IExecuteFunctions,
	outputs: INodeExecutionData[][],
	attempts: number,
): boolean => outputs[0]?.[0]?.json.error !== undefined && attempts < triesOf(context);
