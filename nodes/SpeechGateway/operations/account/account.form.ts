import { describeResource } from '../../fields/form';
import { flagOption } from '../../fields/kinds';
import { waitFields } from '../../fields/wait';
import { endpoints } from '../../gateway/endpoints';

/** The resource Account: what the gateway says of prices and of what it charged. All of it is free. */
export const account = describeResource('account', {
	getPrices: {
		name: 'Get Prices',
		action: 'Get prices of models',
		description: "List what each model costs, from the gateway's price list. Free.",
		sends: [endpoints.prices],
		isList: true,
		input: {},
	},
	settle: {
		name: 'Settle',
		action: 'Settle unknown items',
		description:
			'Look up in the usage log of the gateway whether items from "Unknown" were charged. Free: nothing is sent again.',
		beforeClick:
			'Connect "Unknown" of another Speech Gateway node to this one. Each item comes back with "charged" in its field: yes, no or unknown. That takes three minutes or more, until the log of the gateway is complete.',
		sends: [endpoints.usageLog, endpoints.usage],
		isList: true,
		input: {
			waitUntilCertain: flagOption({
				displayName: 'Wait Until Certain',
				name: 'waitUntilCertain',
				default: true,
				description:
					'Whether to wait until the log must have every charge, at least three minutes after the items ended',
			}),
			maxWaitMs: waitFields.maxWaitMs,
			keyInAddress: flagOption({
				displayName: 'Key in Address',
				name: 'keyInAddress',
				default: false,
				description:
					'Whether to send the API key in the address, which older versions of new-api need and proxies may log',
			}),
		},
	},
});
