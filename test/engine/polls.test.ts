/* When jobs are looked at: evenly spread, seldom, and as soon as they are likely to be done. */
import { useVirtualTime } from '../support/clock';
import type { SimulatorOptions } from '../support/simulator';
import { item, jobNode, runNode, useSimulator } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1 });

const JOBS = 16;
const text = (index: number) => 'x'.repeat(500 + ((index * 997) % 4500));

/** Runs a batch of jobs; polls per job, and ms from the moment in which a job is ready to its download, over all jobs. */
async function batch(jobSeconds: SimulatorOptions['jobSeconds']) {
	sim.options.jobSeconds = jobSeconds;
	const { run } = await runNode({
		parameters: jobNode({ pollInterval: 2 }),
		url: sim.url,
		apiKey: sim.apiKey,
		items: Array.from({ length: JOBS }, (_, index) => item({ text: text(index) })),
	});
	expect(run.status).toBe('success');
	const delays = sim.jobs.map(
		({ id, readyAt }) =>
			sim.requests.find(({ path }) => path.endsWith(`${id}/content`))!.at - readyAt,
	);
	const polls = sim.requests.filter(({ path }) => /jobs\/\w+$/.test(path));
	return {
		polls: polls.length / JOBS,
		mean: delays.reduce((sum, delay) => sum + delay) / JOBS,
		longest: Math.max(...delays),
	};
}

test('polls of jobs submitted together are spread evenly from the first on', async () => {
	await batch(10);
	const first = sim.jobs.map(({ id, createdAt }) => {
		const poll = sim.requests.find(({ path }) => path.endsWith(`jobs/${id}`))!;
		return poll.at - createdAt;
	});
	expect(Math.min(...first)).toBeGreaterThanOrEqual(1_000);
	const inQuarter = [0, 1, 2, 3].map(
		(quarter) => first.filter((ms) => Math.floor((ms - 1_000) / 500) === quarter).length,
	);
	expect(Math.min(...inQuarter)).toBeGreaterThanOrEqual(3);
});
