import { defined, isRecord } from '../core/json';

/** What a model costs, as a price list says it. */
export interface ModelPrice {
	model: string;
	/** By which tokens are multiplied. */
	multiplier: number;
	/** The price of one request, for models that are not charged by tokens. */
	perRequest?: number;
	/** Groups of accounts that may use the model, with their factor. */
	groups: Record<string, number>;
	ownedBy?: string;
}

/** Reads a price list in the shape of new-api; undefined if it is none. */
export function readPrices(body: unknown): ModelPrice[] | undefined {
	if (!isRecord(body) || !Array.isArray(body.data)) return undefined;
	const factors = isRecord(body.group_ratio) ? body.group_ratio : {};
	const usable = isRecord(body.usable_group) ? body.usable_group : factors;
	const prices = body.data.map((entry: unknown) => readPrice(entry, factors, usable));
	return prices.length > 0 && prices.every((price) => price !== undefined) ? prices : undefined;
}

/**
 * An entry of new-api's list. `quota_type` 1 is a price a request, in its `model_price`; 0 is by tokens. Undefined if
 * it is none.
 */
function readPrice(entry: unknown, factors: object, usable: object): ModelPrice | undefined {
	if (!isRecord(entry)) return undefined;
	const { model_name: model, model_ratio: multiplier, owner_by: owner } = entry;
	if (typeof model !== 'string' || typeof multiplier !== 'number') return undefined;
	const { quota_type: type, model_price: price, enable_groups: enabled } = entry;
	const isEnabled = (group: string) =>
		!Array.isArray(enabled) || enabled.includes(group) || enabled.includes('all');
	const groups = Object.entries(factors).filter(
		([group, factor]) => typeof factor === 'number' && group in usable && isEnabled(group),
	);
	return defined({
		model,
		multiplier,
		perRequest: type === 1 ? Number(price) : undefined,
		groups: Object.fromEntries(groups),
		ownedBy: typeof owner === 'string' && owner !== '' ? owner : undefined,
	});
}
