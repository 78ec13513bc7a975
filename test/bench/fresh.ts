import { openBench } from '../support/n8n/bench';
import { type N8nOptions, startN8n } from '../support/n8n/server';
import type { SimulatorOptions } from '../support/simulator';
import type { Stage } from './case';
import { WITH_FLOOR } from './workflows';

/** Does something in an n8n that has done nothing yet: where memory is compared, nobody may go second. */
export async function inFreshN8n<T>(
	{ tarball, log }: Stage,
	options: SimulatorOptions,
	work: (stage: Stage) => Promise<T>,
	env?: N8nOptions['env'],
): Promise<T> {
	const n8n = await startN8n({ tarball, env: { ...WITH_FLOOR, ...env } });
	const bench = await openBench(options, n8n.api);
	try {
		return await work({ n8n, bench, tarball, log });
	} finally {
		await bench.close();
		await n8n.stop();
	}
}
