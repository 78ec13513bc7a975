import type { OnError } from 'n8n-workflow';
import { useBench } from '../support/n8n/bench';
import {
	executionError,
	nodeOutputs,
	type Execution,
	type SavedWorkflow,
} from '../support/n8n/client';
import type { Fault } from '../support/simulator';
import { buildWorkflow, NODE_NAME } from '../support/workflow';

/**
 * Classes of failure that cost money or not, and what the contract says of each. A 402 refuses the account, so items
 * that are not in flight yet are not sent, either.
 */
const CLASSES: Record<string, { fault: Fault; outcome: 'unknown' | 'mayBeSentAgain' | 'refused' }> =
	{
		'504, charged': { fault: { status: 504, charge: true }, outcome: 'unknown' },
		'503, once': { fault: { status: 503 }, outcome: 'mayBeSentAgain' },
		'402, until topped up': { fault: { status: 402, times: Infinity }, outcome: 'refused' },
	};
/** The first item is another case: n8n runs the node again when it is an error. */
const POSITIONS = [
	{ count: 4, failing: 0 },
	{ count: 4, failing: 2 },
];
const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

const bench = useBench({ latencyMs: 2 });

const charges = (text: string) => bench.sim.charges.filter(({ input }) => input === text).length;
const sent = (text: string) =>
	bench.sim.requests.filter(({ method, input }) => method === 'POST' && input === text).length;
const indexes = (execution: Execution, output: number) =>
	(nodeOutputs(execution, NODE_NAME)[output] ?? []).map(
		({ pairedItem }) => (pairedItem as { item: number }).item,
	);

describe.each(MODES)('%s', (onError) => {
	describe.each([true, false])('Retry On Fail %s', (retryOnFail) => {
		let workflow: SavedWorkflow;
		beforeAll(async () => {
			const built = buildWorkflow({
				parameters: {
					resource: 'speech',
					operation: 'generate',
					text: '={{ $json.text }}',
					options: { maxRetries: 0 },
				},
				trigger: 'webhook',
				onError,
				retryOnFail,
				outputs: ['Success', 'Unknown', ...(onError === 'continueErrorOutput' ? ['Error'] : [])],
			});
			// One workflow for all rows of the table: the items come with the call.
			built.nodes[1].parameters = {
				jsCode: 'return $input.first().json.body.texts.map((text) => ({ json: { text } }));',
			};
			workflow = await bench.api.importWorkflow(built, [bench.credential]);
			await bench.api.activate(workflow);
		});

		const rows = Object.keys(CLASSES).flatMap((name) =>
			POSITIONS.map((position) => ({ name, ...position })),
		);
		test.each(rows)('$name at item $failing of $count', async ({ name, count, failing }) => {
			const { fault, outcome } = CLASSES[name];
			const texts = Array.from({ length: count }, (_, index) => `Row ${index} of the table.`);
			bench.sim.fault({ ...fault, input: texts[failing] });
			let execution = await bench.api.runProduction(workflow, { texts });

			const others = texts.map((_, index) => index).filter((index) => index !== failing);
			const stops = onError === 'stopWorkflow' && outcome !== 'unknown';
			const n8nRetries = retryOnFail && (stops || failing === 0);
			const recovers = outcome === 'mayBeSentAgain' && n8nRetries;
			if (stops && !recovers) {
				expect(execution.status).toBe('error');
				expect(executionError(execution)?.message).toMatch(
					outcome === 'refused' ? /balance/i : /503/,
				);
				bench.sim.clearFaults();
				execution = await bench.api.retry(execution.id);
			}
			expect(execution.status).toBe('success');

			const whole = recovers || stops;
			const isSpoken = (index: number) => charges(texts[index]) > 0;
			const spoken = texts.map((_, index) => index).filter(isSpoken);
			const unspoken = texts.map((_, index) => index).filter((index) => !isSpoken(index));
			if (!whole && outcome === 'refused') expect(unspoken).toContain(failing);
			else if (!whole && outcome === 'mayBeSentAgain') expect(unspoken).toEqual([failing]);
			else expect(unspoken).toEqual([]);
			const all = nodeOutputs(execution, NODE_NAME);
			const isError = ({ json }: { json: { error?: unknown } }) => json.error !== undefined;
			if (whole) {
				expect(indexes(execution, 0)).toEqual(texts.map((_, index) => index));
				expect(all.flat().filter(isError)).toEqual([]);
			} else if (outcome === 'unknown') {
				expect(indexes(execution, 0)).toEqual(others);
				expect(indexes(execution, 1)).toEqual([failing]);
				expect(all[1][0].json.outcome).toBe('unknown');
			} else if (onError === 'continueErrorOutput') {
				expect(indexes(execution, 0)).toEqual(spoken);
				expect(indexes(execution, 2)).toEqual(unspoken);
				for (const { json } of all[2])
					expect(json.error).toMatchObject({ message: expect.any(String) });
			} else {
				expect(indexes(execution, 0)).toEqual(texts.map((_, index) => index));
				expect(all[0].map(isError)).toEqual(texts.map((_, index) => unspoken.includes(index)));
			}
			for (const { binary, json } of all[0])
				if (!json.error)
					expect((await bench.api.binary(binary!.data)).length).toBe(json.bytes as number);

			// The money: no item was charged twice, and nothing that may have been charged was sent again.
			for (const index of others) {
				const once = isSpoken(index) ? 1 : 0;
				expect(charges(texts[index])).toBe(once);
				expect(sent(texts[index])).toBe(once);
			}
			expect(charges(texts[failing])).toBe(whole || outcome === 'unknown' ? 1 : 0);
			if (outcome === 'unknown') expect(sent(texts[failing])).toBe(1);
			// Nor does anything of the ledger stay behind; an execution remembers that its account is refused.
			const kept = execution.data.executionData?.contextData?.[`node:${NODE_NAME}`] ?? {};
			const refused = outcome === 'refused' && !whole;
			expect(Object.keys(kept)).toEqual(refused ? ['speechGatewayExecution'] : []);
		});
	});
});
