import type { IDataObject } from 'n8n-workflow';
import { type Endpoint, endpoints } from '../gateway/endpoints';
import { readList } from '../gateway/lists';
import type { ItemRun } from './itemRun';

/** Fetches a whole list; free. */
export async function fetchList(item: ItemRun, endpoint: Endpoint): Promise<IDataObject[]> {
	return await item.free(endpoint, async (reply) =>
		readList(await item.session.transport.readJson(reply)),
	);
}

export const fetchVoices = async (item: ItemRun, model: string): Promise<IDataObject[]> =>
	await fetchList(item, endpoints.voices(model));
