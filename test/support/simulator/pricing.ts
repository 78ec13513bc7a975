/** The gateway's list of prices, as new-api publishes it to everyone. */
import { ApiError } from './errors';
import { json, type Reply } from './exchange';
import { MODELS } from './models';
import type { SimRequest, World } from './world';

/** One model of it. */
export interface ModelPrice {
	model_name: string;
	/** 0: by tokens, × `model_ratio`; 1: `model_price` a request. */
	quota_type: 0 | 1;
	model_ratio: number;
	model_price: number;
	owner_by: string;
	completion_ratio: number;
	enable_groups: string[];
}

/** Undefined: the models of the simulator, at its multiplier. Null: this gateway publishes none (404). */
export type Pricing =
	| { data: Array<Partial<ModelPrice>>; group_ratio: Record<string, number> }
	| null
	| undefined;

/** GET /api/pricing */
export function pricing({ options }: World, { path }: SimRequest): Reply {
	if (options.pricing === null) throw new ApiError(404, `Invalid URL (GET ${path})`);
	const { data, group_ratio } = options.pricing ?? {
		data: MODELS.map(({ id, kind }) => ({
			model_name: id,
			quota_type: kind === 'video' ? 1 : 0,
			model_ratio: kind === 'video' ? 0 : options.multiplier,
			model_price: kind === 'video' ? 5 : 0,
			owner_by: 'simulator',
			completion_ratio: 1,
			enable_groups: ['default'],
		})),
		group_ratio: { default: 1 },
	};
	const groups = Object.keys(group_ratio).map((name) => [name, `Group ${name}`]);
	return json({ success: true, data, group_ratio, usable_group: Object.fromEntries(groups) });
}
