import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { COMBINED_FILES } from '../run/outputItems';
import { workflowSettings } from './workflowSettings';

/**
 * With "Continue (using error output)", n8n moves error items to an output behind those that it has worked out from the
 * parameters. In workflows with "combined" binary data, n8n 2.41 cannot read the parameters and takes the node to have more
 * outputs than it has (see `outputsExpression`). Then the items are moved here, as n8n would: joined with the item that failed.
 */
export function ontoErrorOutput(
	context: IExecuteFunctions,
	outputs: INodeExecutionData[][],
): INodeExecutionData[][] {
	if (context.getNode().onError !== 'continueErrorOutput') return outputs;
	if (workflowSettings(context).binaryMode !== 'combined') return outputs;
	const counted = context.getNodeOutputs().length - 1;
	if (counted === outputs.length) return outputs;

	const input = context.getInputData();
	const isError = ({ json }: INodeExecutionData) => json.error !== undefined;
	const [success, ...others] = outputs;
	const errors = success.filter(isError).map((item) => {
		const { item: index } = item.pairedItem as { item: number };
		// n8n takes an item with any other key beside `error` for a success, and leaves it where it is.
		return { ...item, json: { [COMBINED_FILES]: {}, ...input[index]?.json, ...item.json } };
	});
	return [success.filter((item) => !isError(item)), ...others, errors];
}
