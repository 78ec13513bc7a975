import { startSimulator, type Simulator, type SimulatorOptions } from '../simulator';
import { buildWorkflow, type TestWorkflow } from '../workflow';
import type { Credential, Execution, N8nClient, SavedWorkflow } from './client';
import { sharedN8n } from './shared';

/** A simulator of its own behind the shared n8n (or a given one), with a credential for it. */
export interface Bench {
	sim: Simulator;
	api: N8nClient;
	credential: Credential;
	/** Saves a test workflow; one with a webhook is activated. */
	save(test: TestWorkflow): Promise<SavedWorkflow>;
	/** Saves a test workflow, runs it (a webhook one as in production) and waits for its end. */
	run(test: TestWorkflow): Promise<Execution>;
	close(): Promise<void>;
}

/** Opens one; `close` ends its simulator. */
export async function openBench(options?: SimulatorOptions, api?: N8nClient): Promise<Bench> {
	const client = api ?? sharedN8n().api;
	const sim = await startSimulator(options);
	const data = { apiKey: sim.apiKey, baseUrl: sim.url };
	const credential = await client
		.createCredential('speechGatewayApi', data)
		.catch(async (error: unknown) => {
			// An open server would keep jest from ending.
			await sim.close();
			throw error;
		});
	const save = async (test: TestWorkflow) => {
		const workflow = await client.importWorkflow(buildWorkflow(test), [credential]);
		if (test.trigger === 'webhook') await client.activate(workflow);
		return workflow;
	};
	return {
		sim,
		api: client,
		credential,
		save,
		async run(test) {
			const workflow = await save(test);
			return test.trigger === 'webhook'
				? await client.runProduction(workflow)
				: await client.run(workflow);
		},
		close: async () => await sim.close(),
	};
}

/** The same for the tests of a file; each begins with nothing asked of the gateway. */
export function useBench(options?: SimulatorOptions): Bench {
	const bench = {} as Bench;
	beforeAll(async () => void Object.assign(bench, await openBench(options)));
	beforeEach(() => bench.sim.reset());
	afterAll(async () => await bench.close?.());
	return bench;
}
