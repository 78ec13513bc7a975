/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- runs outside n8n */
import { cpus } from 'node:os';
import { awake } from '../test/bench/cases/awake';
import { bigFile } from '../test/bench/cases/bigFile';
import { claims } from '../test/bench/cases/claims';
import { beside } from '../test/bench/cases/floor';
import { load } from '../test/bench/cases/load';
import { sameKey } from '../test/bench/cases/sameKey';
import { packedPackage } from '../test/support/n8n/package';
import { secondsSince, step } from '../test/support/n8n/steps';
import {
	holds,
	round,
	type BenchCase,
	type Check,
	type Report,
	inFreshN8n,
} from '../test/bench/stage';

const CASES: BenchCase[] = [load, claims, sameKey, beside, awake, bigFile];

/**
 * `npm run bench`: the node in real n8n against the simulator, in one run beside the least node that sends the same. Prints
 * Markdown; bench/results.md sums up the last results. `--only NAME,NAME` runs these cases.
 */
export async function main(args: string[]): Promise<number> {
	const only = args.includes('--only') ? args[args.indexOf('--only') + 1].split(',') : undefined;
	const chosen = CASES.filter(({ name }) => only?.includes(name) ?? true);
	if (only && chosen.length < only.length)
		throw new Error(
			`Not all of ${only.join(', ')} are there; there are ${CASES.map(({ name }) => name).join(', ')}`,
		);
	const tarball = await step('Build and pack', console.log, packedPackage);
	console.log(
		`n8n 2.41 on ${cpus().length} cores, which n8n, the simulated gateway and the clients share. Seconds are those that n8n spent in the node.`,
	);
	let missed = 0;
	for (const { name, title, run } of chosen) {
		const from = performance.now();
		console.log(`\n## ${title}`);
		try {
			const report = await inFreshN8n(tarball, run);
			missed += report.checks.filter((check) => !holds(check)).length;
			console.log(tables(report));
		} catch (error) {
			missed++;
			console.error(`${name}: ${(error as Error).stack}`);
		}
		console.log(`(${name}: ${secondsSince(from)} s)`);
	}
	console.log(missed === 0 ? '\nEvery aim is met.' : `\n${missed} aims are missed.`);
	return 0;
}

const row = (cells: Array<string | number>) => `| ${cells.join(' | ')} |`;

function tables({ head, rows, checks }: Report): string {
	const verdict = (check: Check) => {
		const { what, value, limit, unit = '' } = check;
		return `- ${what}: **${round(value)}${unit && ` ${unit}`}** (aim ≤ ${limit}) ${holds(check) ? '✓' : '✗'}`;
	};
	return [
		'',
		row(head),
		row(head.map((_, at) => (at === 0 ? '---' : '--:'))),
		...rows.map(row),
		'',
		...checks.map(verdict),
	].join('\n');
}
