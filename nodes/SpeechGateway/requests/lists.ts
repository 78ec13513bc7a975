import type { IDataObject } from 'n8n-workflow';
import { GatewayError } from '../core/errors';
import { endpoints, type FreeEndpoint } from '../gateway/endpoints';
import { gatewayWords } from '../gateway/gatewayWords';
import { type ModelPrice, readPrices } from '../gateway/prices';
import { readList } from '../gateway/readList';
import type { Transport } from '../gateway/transport';
import type { FreeRequest } from './exchange';
import type { ItemRequests } from './itemRequests';

export async function fetchList(
	item: ItemRequests,
	endpoint: FreeEndpoint,
): Promise<IDataObject[]> {
	return await item.free({
		endpoint,
		read: async (response) => readList(await item.session.transport.readJson(response)),
	});
}

export const fetchVoices = async (item: ItemRequests, model: string): Promise<IDataObject[]> =>
	await fetchList(item, endpoints.voices(model));

/** Asks for the price list; what is no list is read as `undefined`, so that it is not asked for again. */
export const pricesRequest = (
	transport: Transport,
): FreeRequest<{ prices?: ModelPrice[]; words?: string }> => ({
	endpoint: endpoints.prices,
	read: async (response) => {
		const body = await transport.readJson(response);
		return { prices: readPrices(body), words: gatewayWords(body).message };
	},
});

export const noPrices = ({ root }: Transport, words?: string): GatewayError =>
	new GatewayError(
		`This gateway publishes no prices at ${root}${endpoints.prices.path}`,
		`Look them up in its console or its documentation.${words ? ` It says: "${words}"` : ''}`,
	);
