import type { IDataObject } from 'n8n-workflow';
import { endpoints, type FreeEndpoint } from '../gateway/endpoints';
import { readList } from '../gateway/readList';
import type { ItemRequests } from './itemRequests';

/** Fetches a whole list; free. */
export async function fetchList(
	item: ItemRequests,
	endpoint: FreeEndpoint,
): Promise<IDataObject[]> {
	return await item.free({
		endpoint,
		read: async (response) => readList(await item.session.transport.readJson(response)),
	});
}

/** The voices of the account; free. */
export const fetchVoices = async (item: ItemRequests, model: string): Promise<IDataObject[]> =>
	await fetchList(item, endpoints.voices(model));
