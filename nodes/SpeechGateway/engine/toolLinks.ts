import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

/**
 * The items of a tool with links to their files, by binary field: an agent gets no files, only JSON. n8n signs them, for a
 * day; where it cannot (files kept in memory, no signing secret), an item stays as it is.
 */
export const withLinks = (
	context: Pick<IExecuteFunctions, 'helpers'>,
	outputs: INodeExecutionData[][],
): INodeExecutionData[][] =>
	outputs.map((items) =>
		items.map((item) => {
			const links = linksTo(context, item.binary ?? {});
			if (Object.keys(links).length === 0) return item;
			return { ...item, json: { ...item.json, links } };
		}),
	);

function linksTo(
	{ helpers }: Pick<IExecuteFunctions, 'helpers'>,
	files: IBinaryKeyData,
): IDataObject {
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
