import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { ownIn } from '../core/ownField';
import { type NodeContext, settingsOf } from './nodeCall';

/** Where n8n 2 keeps an item's files if the workflow combines binary data with the json ("Execution logic v2"). */
export const COMBINED_FILES = '_files';

/**
 * With "Continue (using error output)", n8n moves error items to an output behind those that it works out from the
 * parameters. In workflows with "combined" binary data, n8n 2.41 cannot read the parameters and counts more outputs than
 * there are (see `outputsExpression`). Then this moves the items, joined with their input as n8n does.
 */
export function moveToErrorOutput(
	context: NodeContext,
	outputs: INodeExecutionData[][],
): INodeExecutionData[][] {
	if (context.getNode().onError !== 'continueErrorOutput') return outputs;
	if (settingsOf(context).binaryMode !== 'combined') return outputs;
	const counted = context.getNodeOutputs().length - 1;
	if (counted === outputs.length) return outputs;

	const input = context.getInputData();
	const isError = ({ json }: INodeExecutionData) => json.error !== undefined;
	const errors = outputs
		.flatMap((items) => items.filter(isError))
		.map((item) => {
			const { pairedItem } = item;
			const index = typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : 0;
			// n8n takes an item with any other key beside `error` for a success, and leaves it where it is.
			return { ...item, json: { [COMBINED_FILES]: {}, ...input[index]?.json, ...item.json } };
		});
	return [...outputs.map((items) => items.filter((item) => !isError(item))), errors];
}

/**
 * A tool has no error output, but n8n lets one be set to "Continue (using error output)" and then replaces what the tool made
 * with an empty list of errors. So it runs as if it were set to "Continue".
 */
export function ignoreErrorOutput(context: NodeContext): void {
	const entry = context.getExecuteData?.();
	const { name, onError } = context.getNode();
	// Where the agent calls the tool itself, the entry is the agent's, and n8n makes no outputs of it.
	if (!entry || onError !== 'continueErrorOutput' || entry.node.name !== name) return;
	entry.node = { ...entry.node, onError: 'continueRegularOutput' };
}

/**
 * A tool's items with links to their files, by binary field, under `field` where the item has that: an agent gets no files, only
 * JSON. n8n signs the links for a day; where it cannot (files kept in memory, no signing secret), an item stays as it is.
 */
export const withToolLinks = (
	{ helpers }: NodeContext,
	outputs: INodeExecutionData[][],
	field: string,
): INodeExecutionData[][] =>
	outputs.map((items) =>
		items.map((item) => {
			const links = linksTo(helpers, item.binary ?? {});
			if (Object.keys(links).length === 0) return item;
			const own = ownIn(item.json, field);
			const json = own ? { ...item.json, [field]: { ...own, links } } : { ...item.json, links };
			return { ...item, json };
		}),
	);

function linksTo(helpers: NodeContext['helpers'], files: IBinaryKeyData): IDataObject {
	const links: IDataObject = {};
	for (const [field, file] of Object.entries(files)) {
		try {
			links[field] = helpers.createBinarySignedUrl(file);
		} catch {
			// The agent still gets the ID of a job.
		}
	}
	return links;
}
