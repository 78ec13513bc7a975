import { asError, GatewayError } from '../../core/errors';
import { defineOperation } from '../../run/operation';
import { noPrices, pricesRequest } from '../../requests/lists';
import { account } from './account.form';

export const getPrices = defineOperation(account.getPrices, {
	async execute(_, item) {
		const { transport, share } = item.session;
		const { prices, words } = await share('prices', async () => {
			try {
				return await item.free(pricesRequest(transport));
			} catch (error) {
				if (error instanceof GatewayError && error.details.httpCode === '404') return {};
				throw asError(error);
			}
		});
		if (!prices) throw noPrices(transport, words);
		return { branch: 'success', items: prices.map((price) => ({ json: { ...price } })) };
	},
});
