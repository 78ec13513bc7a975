import { type Fault, type Simulator } from './simulator';
import { seededRandom } from './simulator/world';

/** The text of one item; no one is part of another, so that faults find their item. */
export const chaosText = (index: number): string =>
	`Item ${String(index).padStart(5, '0')} of the storm.`;

/** What can happen to one request, and to how many of 1,000 items it does. The `times` are requests of that item. */
const WEATHER: Array<{ perMille: number; fault: (random: () => number) => Fault }> = [
	{
		perMille: 60,
		fault: (random) => ({ status: 429, times: random() < 0.3 ? 2 : 1, retryAfter: 0 }),
	},
	{ perMille: 60, fault: (random) => ({ status: 503, times: random() < 0.3 ? 3 : 1 }) },
	{ perMille: 10, fault: () => ({ status: 402 }) },
	{ perMille: 20, fault: () => ({ status: 504, charge: true }) },
	{ perMille: 10, fault: () => ({ status: 504, charge: false }) },
	{ perMille: 10, fault: () => ({ connection: 'reset-before-work' }) },
	{ perMille: 20, fault: () => ({ connection: 'reset-after-work' }) },
	{ perMille: 4, fault: () => ({ connection: 'stall' }) },
	{ perMille: 10, fault: () => ({ truncate: 'half' }) },
	{ perMille: 10, fault: () => ({ truncate: 'half', truncateClean: true }) },
	{ perMille: 10, fault: () => ({ corrupt: true }) },
	// nginx in front: the gateway's answer was lost on the way back, or the gateway never got the request.
	{ perMille: 20, fault: () => ({ status: 502, proxy: 'page', charge: true }) },
	{ perMille: 10, fault: () => ({ status: 502, proxy: 'page', charge: false }) },
	{ perMille: 5, fault: () => ({ status: 500, proxy: 'empty', charge: true }) },
	{ perMille: 5, fault: () => ({ status: 520, proxy: 'page', charge: true }) },
	// Heroku, Envoy, Kong and Spring in front.
	{ perMille: 5, fault: () => ({ status: 503, proxy: 'page', retryAfter: 0, charge: true }) },
	{ perMille: 5, fault: () => ({ status: 503, proxy: 'text', charge: false }) },
	{ perMille: 5, fault: () => ({ status: 502, proxy: 'json', charge: true }) },
	{ perMille: 5, fault: () => ({ status: 500, proxy: 'spring', charge: true }) },
	{ perMille: 5, fault: () => ({ status: 408, charge: true }) },
	{ perMille: 50, fault: (random) => ({ delayMs: Math.round(random() * 100) }) },
];
/** Some items have two strokes of bad luck, one after the other. */
const SECOND_STROKE = 0.1;

/**
 * Makes the simulator's weather for `count` items: the same seed, the same faults for the same items, whatever the
 * order in which they are sent. About a third of the items are hit.
 */
export function brewChaos(sim: Simulator, seed: number, count: number): void {
	const random = seededRandom(seed);
	for (let index = 0; index < count; index++) {
		for (let strokes = random() < SECOND_STROKE ? 2 : 1; strokes > 0; strokes--) {
			let dice = random() * 1000;
			const hit = WEATHER.find(({ perMille }) => (dice -= perMille) < 0);
			if (hit) sim.fault({ method: 'POST', input: chaosText(index), ...hit.fault(random) });
		}
	}
}

/** What came of all items, as the user of a workflow counts it. */
export interface Delivered {
	/** Indexes of the items with audio, in the order in which they came out. */
	delivered: number[];
	/** Indexes of the items handed over as of unknown outcome. */
	unknown: number[];
	failed: number[];
}

export interface Tally {
	items: number;
	/** Charges in the gateway's ledger. */
	billed: number;
	/** Different texts among them. */
	distinct: number;
	/** Most charges of one text. */
	mostOfOne: number;
	/** Charged, and answered with an error by the proxy in front. */
	behindProxy: number;
	delivered: number;
	unknown: number;
	failed: number;
	/** Paid for, and the workflow knows nothing of it: neither delivered nor reported as unknown. */
	lost: number;
}

export function tally(sim: Simulator, items: number, came: Delivered): Tally {
	const charges = new Map<string, number>();
	for (const { input } of sim.charges) charges.set(input, (charges.get(input) ?? 0) + 1);
	const known = new Set([...came.delivered, ...came.unknown].map(chaosText));
	return {
		items,
		billed: sim.charges.length,
		distinct: charges.size,
		mostOfOne: Math.max(0, ...charges.values()),
		behindProxy: sim.requests.filter(({ fault, charged }) => fault?.proxy && charged > 0).length,
		delivered: came.delivered.length,
		unknown: came.unknown.length,
		failed: came.failed.length,
		lost: [...charges.keys()].filter((text) => !known.has(text)).length,
	};
}
