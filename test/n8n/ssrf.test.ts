import { openBench } from '../support/n8n/bench';
import { executionError } from '../support/n8n/client';
import { startN8n } from '../support/n8n/server';
import { n8nIsAtLeast, sharedN8n } from '../support/n8n/shared';

/** n8n 1 has no such protection. */
const onCurrent = n8nIsAtLeast('2.41') ? test : test.skip;

onCurrent(
	"an address that n8n's SSRF protection blocks: a clear error, nothing sent, nothing unknown",
	async () => {
		const { tarball, version } = sharedN8n();
		const env = { N8N_SSRF_PROTECTION_ENABLED: 'true' };
		const n8n = await startN8n({ tarball, version, env });
		const bench = await openBench({}, n8n.api);
		try {
			const execution = await bench.run({
				parameters: {
					resource: 'speech',
					operation: 'generate',
					text: 'Hello.',
					options: { maxRetries: 0 },
				},
				trigger: 'webhook',
				retryOnFail: true,
			});
			expect(executionError(execution)?.message).toBe(
				'The gateway cannot be reached: n8n blocks this address (SSRF protection)',
			);
			expect(bench.sim.requests).toEqual([]);
		} finally {
			await bench.close();
			await n8n.stop();
		}
	},
);
