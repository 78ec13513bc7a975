import { derived } from '../core/derived';
import { asError, InputError } from '../core/errors';
import type { Execution } from '../engine/execution';
import type { Parameters } from '../fields/parameters';
import { type ModelPrice, multiplierOf } from '../gateway/prices';
import { Transport } from '../gateway/transport';
import { ItemLedger } from '../requests/itemLedger';
import { ItemRequests } from '../requests/itemRequests';
import { fetchPrices } from '../requests/lists';
import { openSession } from '../requests/session';

/** Replaces a Price Factor of 0 by that of the gateway's price list. Throws InputError if there is none for the model. */
export async function withPriceFactor<I extends { model: string; modelMultiplier: number }>(
	input: I,
	{ execution }: Pick<Parameters, 'execution'>,
): Promise<I> {
	if (input.modelMultiplier !== 0) return input;
	return Object.assign(input, { modelMultiplier: await factorOf(execution, input.model) });
}

async function factorOf(execution: Execution, model: string): Promise<number> {
	const prices = await pricesOf(execution);
	const price = prices.find((known) => known.model === model);
	const factor = price && multiplierOf(price);
	if (factor === undefined)
		throw notKnown(`the gateway's price list has no price by tokens for the model "${model}"`);
	return factor;
}

const notKnown = (why: string): InputError =>
	new InputError(
		`"Price Factor" is 0, but ${why}`,
		'Set it to the number on the pricing page of the gateway, or remove the option. Nothing was sent.',
	);

/** The price list, read once a run. It is small, and all items wait for it. */
const pricesOf = derived(async (execution: Execution): Promise<ModelPrice[]> => {
	const transport = await Transport.open(execution.context);
	const session = openSession(execution, transport, 1);
	const settings = { maxRetries: 3, timeoutMs: 30_000 };
	try {
		const item = new ItemRequests(session, 0, new ItemLedger({ requests: {} }), settings);
		return await fetchPrices(item);
	} catch (error) {
		transport.cancel?.throwIfAborted();
		const { message } = asError(error);
		throw notKnown(message.charAt(0).toLowerCase() + message.slice(1));
	}
});
