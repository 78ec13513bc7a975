/** What a gateway looks at before it works: its rate limit, the account's balance and the key's own quota. */
import { now } from '../clock';
import type { Price } from './billing';
import { ApiError } from './errors';
import type { Account, SimRequest, World } from './world';

/** Accounts with so many times what is set aside for a request are trusted to pay. */
const TRUSTED = 100;

/** The tokens to set aside while the request is in work. Throws what it is refused with. */
export function admit(world: World, account: Account, price: Price | undefined): number {
	if (!price) return 0;
	const { hold } = world.dialect;
	const held = [...world.inWork.values()].reduce(
		(sum, entry) => sum + (entry.account === account ? entry.tokens : 0),
		0,
	);
	const { balanceTokens, keyTokens } = account;
	if (!hold) {
		if (price.tokens <= balanceTokens - held) return price.tokens;
		throw new ApiError(402, 'Insufficient balance', 'insufficient_balance');
	}
	if (keyTokens <= 0) throw new ApiError(401, 'the quota of the key is used up', 'key_used_up');
	if (balanceTokens <= 0) throw new ApiError(403, 'the quota is used up', 'balance_used_up');
	const wanted = hold.tokens[price.kind] ?? price.tokens;
	const trusted = hold.trusts === 'account' ? balanceTokens : Math.min(balanceTokens, keyTokens);
	if (trusted > TRUSTED * wanted) return 0;
	if (balanceTokens - held < wanted)
		throw new ApiError(403, 'the quota is too low', 'insufficient_user_quota');
	if (keyTokens - held < wanted)
		throw new ApiError(403, 'the quota of the key is too low', 'pre_consume_token_quota_failed');
	return wanted;
}

/** The case of the refusal of a request that comes too soon after others of its key. */
export function tooSoon(world: World, request: SimRequest): string | undefined {
	const { rateLimit } = world.options;
	if (!rateLimit || request.method !== 'POST') return undefined;
	const { seconds, requests = Infinity, successes = Infinity } = rateLimit;
	const since = now() - seconds * 1000;
	const before = world.requests.filter(
		({ index, at, method, apiKey }) =>
			index < request.index && at > since && method === 'POST' && apiKey === request.apiKey,
	);
	const isFull = before.length >= requests;
	const hasSucceeded = before.filter(({ status = 0 }) => status === 200).length >= successes;
	if (!isFull && !hasSucceeded) return undefined;
	if (rateLimit.in === 'memory') return 'rate limit, memory';
	if (isFull && hasSucceeded) return 'both rate limits';
	return isFull ? 'rate limit' : 'rate limit of successes';
}
