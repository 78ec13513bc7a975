import { GatewayError } from '../core/errors';
import { endpoints } from '../gateway/endpoints';
import { gatewayWords } from '../gateway/gatewayWords';
import { type ModelPrice, readPrices } from '../gateway/prices';
import type { Transport } from '../gateway/transport';
import type { FreeRequest } from './exchange';

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

/** The error of a gateway that publishes no prices. */
export const noPrices = ({ root }: Transport, words?: string): GatewayError =>
	new GatewayError(
		`This gateway publishes no prices at ${root}${endpoints.prices.path}`,
		`Look them up in its console or its documentation.${words ? ` It says: "${words}"` : ''}`,
	);
