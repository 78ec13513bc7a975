/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/**
 * The simulator as a program: `npx tsx test/support/simulator/cli.ts --port 0 [--timeScale 0.01 …]`.
 * Prints one line of JSON, `{ url, apiKey }`, and runs until it is ended. Options: those of `startSimulator` that are numbers,
 * `prefix`, `dialect` and `spoken`.
 */
import { parseArgs } from 'node:util';

import { startSimulator } from '.';

const NUMBERS = [
	...['port', 'timeScale', 'latencyMs', 'secondsPerCharacter', 'jobSeconds'],
	...['maxConcurrent', 'balanceTokens', 'keyTokens', 'multiplier'],
];

const { values } = parseArgs({
	options: {
		...Object.fromEntries(NUMBERS.map((name) => [name, { type: 'string' as const }])),
		prefix: { type: 'string' },
		dialect: { type: 'string' },
		spoken: { type: 'boolean' },
	},
});
const options = Object.fromEntries(
	Object.entries(values).map(([name, value]) => [
		name,
		NUMBERS.includes(name) ? Number(value) : value,
	]),
);

async function main() {
	const sim = await startSimulator(options);
	process.stdout.write(`${JSON.stringify({ url: sim.url, apiKey: sim.apiKey })}\n`);
	const stop = () => void sim.close().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

void main();
