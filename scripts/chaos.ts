/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import type { INodeExecutionData } from 'n8n-workflow';
import { MEASURED, httpRequest, oursSpeech, saveWith } from '../test/bench/workflows';
import { brewChaos, chaosText, tally, type Delivered, type Tally } from '../test/support/chaos';
import { openBench, type Bench } from '../test/support/n8n/bench';
import { nodeOutputs, type Execution, type SavedWorkflow } from '../test/support/n8n/client';
import { packPackage } from '../test/support/n8n/package';
import { startN8n } from '../test/support/n8n/server';
import { secondsSince, step } from '../test/support/n8n/steps';
import { renderAudio } from '../test/support/simulator/audio';

/** Given up after so many retries of the execution: the user is tired of it by then. */
const MAX_EXECUTIONS = 60;
const CONCURRENCY = 10;

interface Storm extends Tally {
	executions: number;
	seconds: string;
	status: string;
	inOrder: boolean;
	/** Delivered as a success, but not the audio that belongs to the text. */
	damaged: number;
}

/**
 * `npm run chaos -- --seed N --items N`: the same storm of faults over a batch in real n8n, once with the Speech Gateway
 * node and once with n8n's HTTP Request node, each with Retry On Fail and each failed execution retried until it
 * succeeds. Prints what was paid for and what came of it; fails when our node paid twice, lost or damaged anything.
 */
export async function main(args: string[]): Promise<number> {
	const seed = Number(argument(args, '--seed') ?? 1);
	const items = Number(argument(args, '--items') ?? 1000);
	const tarball =
		process.env.PACKAGE_TARBALL ?? (await step('Build and pack', console.log, packPackage));
	const n8n = await step('Start n8n 2.41', console.log, async () => await startN8n({ tarball }));
	const bench = await openBench({ latencyMs: 5 }, n8n.api);
	try {
		const code = `Array.from({ length: ${items} }, (_, index) => ({ text: (${chaosText.toString()})(index) }))`;
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const nodes = {
			'Speech Gateway': oursSpeech({ concurrency: CONCURRENCY, timeout: 3 }, settings),
			'HTTP Request': httpRequest(bench, { options: { timeout: 3000 }, settings }),
		};
		const storms: Record<string, Storm> = {};
		for (const [name, node] of Object.entries(nodes)) {
			storms[name] = await step(`Storm over ${items} items: ${name}`, console.log, async () => {
				const workflow = await saveWith(bench, node, code);
				return await weather(bench, workflow, seed, items);
			});
		}
		console.log(`\nSeed ${seed}. Billed twice or more: charges beyond the first of one text.`);
		console.table(
			Object.fromEntries(
				Object.entries(storms).map(([name, storm]) => [
					name,
					{ ...storm, twice: storm.billed - storm.distinct },
				]),
			),
		);
		const { mostOfOne, lost, damaged, delivered, unknown, failed, inOrder, status } =
			storms['Speech Gateway'];
		const sound =
			status === 'success' &&
			mostOfOne <= 1 &&
			lost === 0 &&
			damaged === 0 &&
			delivered + unknown + failed === items &&
			inOrder;
		console.log(
			sound ? 'Speech Gateway: nothing paid twice, nothing lost.' : 'Speech Gateway: BROKEN',
		);
		return sound ? 0 : 1;
	} finally {
		await bench.close();
		await n8n.stop();
	}
}

const argument = (args: string[], name: string): string | undefined =>
	args.includes(name) ? args[args.indexOf(name) + 1] : undefined;

/** Runs the workflow through the storm, retrying as a user would, and counts. */
async function weather(
	bench: Bench,
	workflow: SavedWorkflow,
	seed: number,
	items: number,
): Promise<Storm> {
	bench.sim.reset();
	brewChaos(bench.sim, seed, items);
	const from = performance.now();
	let execution = await bench.api.runProduction(workflow);
	let executions = 1;
	for (; execution.status !== 'success' && executions < MAX_EXECUTIONS; executions++)
		execution = await bench.api.retry(execution.id);
	const seconds = secondsSince(from);
	const came = cameOut(execution);
	return {
		...tally(bench.sim, items, came),
		executions,
		seconds,
		status: execution.status,
		inOrder: isSorted(came.delivered) && isSorted(came.unknown),
		damaged: await countDamaged(bench, execution),
	};
}

const indexOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

function cameOut(execution: Execution): Delivered {
	const [delivered = [], unknown = []] = nodeOutputs(execution, MEASURED);
	return { delivered: delivered.map(indexOf), unknown: unknown.map(indexOf), failed: [] };
}

const isSorted = (indexes: number[]) =>
	indexes.every((index, at) => at === 0 || indexes[at - 1] < index);

/** Delivered files that are not what a quiet gateway gives for their text. */
async function countDamaged(bench: Bench, execution: Execution): Promise<number> {
	const { sim, api } = bench;
	let damaged = 0;
	for (const item of nodeOutputs(execution, MEASURED)[0] ?? []) {
		const file = await api.binary(item.binary!.data);
		const text = chaosText(indexOf(item));
		const seconds = text.length * sim.options.secondsPerCharacter;
		const whole = Buffer.concat([...renderAudio(text, seconds, 'mp3').chunks()]);
		if (!file.equals(whole)) damaged++;
	}
	return damaged;
}
