import { derived } from '../core/derived';
import { type GatewayError, InputError } from '../core/errors';
import { pause } from '../core/pause';
import type { Execution } from '../engine/execution';
import type { Parameters } from '../fields/parameters';
import { type ModelPrice, multiplierOf } from '../gateway/prices';
import { Transport } from '../gateway/transport';
import { exchangeFree, isFailure } from '../requests/exchange';
import { mayBeSentAgain } from '../requests/outcome';
import { noPrices, pricesRequest } from '../requests/lists';
import { backoffMs } from '../requests/retryPolicy';

/** How often the price list is asked for, and how long it may take, ms: it is small, and all items wait for it. */
const TRIES = 4;
const TIMEOUT_MS = 30_000;

interface Priced {
	model: string;
	modelMultiplier: number;
}

/** Replaces a Price Factor of 0 by that of the gateway's price list. Throws InputError if there is none for the model. */
export async function withPriceFactor<I extends Priced>(
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

/** The price list, read once a run. */
const pricesOf = derived(async ({ context }: Execution): Promise<ModelPrice[]> => {
	const transport = await Transport.open(context);
	for (let failures = 0; ; failures++) {
		const answer = await exchangeFree(transport, pricesRequest(transport), TIMEOUT_MS);
		if (!isFailure(answer)) {
			if (answer.prices) return answer.prices;
			throw notKnown(toFollow(noPrices(transport)));
		}
		const isLast = failures + 1 === TRIES || !mayBeSentAgain(answer.outcome);
		const isMissing = answer.error.details.httpCode === '404';
		if (isLast) throw notKnown(toFollow(isMissing ? noPrices(transport) : answer.error));
		await pause(answer.retryAfter ?? backoffMs(failures), transport.cancel);
	}
});

const toFollow = ({ message }: GatewayError): string =>
	message.charAt(0).toLowerCase() + message.slice(1);
