import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import { type AskList, modelsBy, voicesBy } from '../gateway/askLists';
import { endpoints, type FreeEndpoint } from '../gateway/endpoints';
import { gatewayWords } from '../gateway/gatewayWords';
import { type ModelPrice, readPrices } from '../gateway/prices';
import type { GatewayResponse } from '../gateway/transport';
import type { ItemRequests } from './itemRequests';

/** Asks on behalf of an item, as often as it takes. */
const askFor =
	(item: ItemRequests): AskList =>
	async (endpoint) => {
		const { list } = await item.free<{ list?: IDataObject[] }>({
			endpoint,
			read: async (response) => ({ list: await item.session.transport.readList(response) }),
			ifMissing: () => ({}),
		});
		return list;
	};

/** The models of the account; free. Throws GatewayError. */
export async function fetchModels(item: ItemRequests): Promise<IDataObject[]> {
	return (await modelsBy(askFor(item))) ?? noList(item, 'models', endpoints.models);
}

/** The voices of the account for a model; free. Throws GatewayError. */
export async function fetchVoices(item: ItemRequests, model: string): Promise<IDataObject[]> {
	return (await voicesBy(askFor(item), model)) ?? noList(item, 'voices', endpoints.voices(model));
}

function noList(item: ItemRequests, what: string, endpoint: FreeEndpoint): never {
	throw new GatewayError(
		`This service has no list of ${what}`,
		`There is nothing at ${item.session.transport.addressOf(endpoint)}. Choose "By ID" and type one. If other requests fail, too, check the base URL in the credential.`,
		{ httpCode: '404' },
	);
}

/** The price list. Throws GatewayError when the gateway publishes none; an answer that is no list is not asked for again. */
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
		`This gateway publishes no prices at ${transport.addressOf(endpoints.prices)}`,
		`Look them up in its console or its documentation.${words ? ` It says: "${words}"` : ''}`,
	);
}
