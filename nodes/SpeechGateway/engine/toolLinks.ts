import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { NodeContext } from './execution';

/**
 * A tool's items with links to their files, by binary field: an agent gets no files, only JSON. n8n signs the links for a
 * day; where it cannot (files kept in memory, no signing secret), an item stays as it is.
 */
export const withLinks = (
	{ helpers }: NodeContext,
	outputs: INodeExecutionData[][],
): INodeExecutionData[][] =>
	outputs.map((items) =>
		items.map((item) => {
			const links = linksTo(helpers, item.binary ?? {});
			if (Object.keys(links).length === 0) return item;
			return { ...item, json: { ...item.json, links } };
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
