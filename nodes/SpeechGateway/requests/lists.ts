import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import { endpoints, type FreeEndpoint } from '../gateway/endpoints';
import { gatewayWords } from '../gateway/gatewayWords';
import { type ModelPrice, readPrices } from '../gateway/prices';
import { readList } from '../gateway/readList';
import type { GatewayResponse } from '../gateway/transport';
import type { ItemRequests } from './itemRequests';

/** A list of the gateway; free. Throws GatewayError. */
export async function fetchList(
	item: ItemRequests,
	endpoint: FreeEndpoint,
): Promise<IDataObject[]> {
	return await item.free({
		endpoint,
		read: async (response) => readList(await item.session.transport.readJson(response)),
	});
}

/** The voices of the account for a model; free. */
export const fetchVoices = async (item: ItemRequests, model: string): Promise<IDataObject[]> =>
	await fetchList(item, endpoints.voices(model));

/** The price list. Throws GatewayError when the gateway publishes none; what is no list is not asked for again. */
export async function fetchPrices(item: ItemRequests): Promise<ModelPrice[]> {
	const { transport } = item.session;
	const request = {
		endpoint: endpoints.prices,
		read: async (response: GatewayResponse) => {
			const body = await transport.readJson(response);
			return { prices: readPrices(body), words: gatewayWords(body).message };
		},
	};
	const answer: { prices?: ModelPrice[]; words?: string } = await item
		.free(request)
		.catch((error) => {
			if (error instanceof GatewayError && error.details.httpCode === '404') return {};
			throw asError(error);
		});
	const { prices, words } = answer;
	if (prices) return prices;
	throw new GatewayError(
		`This gateway publishes no prices at ${transport.root}${endpoints.prices.path}`,
		`Look them up in its console or its documentation.${words ? ` It says: "${words}"` : ''}`,
	);
}
