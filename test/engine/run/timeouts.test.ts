/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
/**
 * The workflow's timeout. n8n reads its database once, and then writes what it has: what a node returns later is lost. So the node
 * returns at once, whatever does not answer.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type {
	IDataObject,
	INodeExecutionData,
	IRunExecutionData,
	ITaskData,
	OnError,
} from 'n8n-workflow';
import { wait } from '../../support/clock';
import { DataTables } from '../dataTables';
import {
	type EngineRun,
	jobNode,
	keyStore,
	NODE,
	runnerOf,
	speechNode,
	texts,
	told,
	useSimulator,
} from '../support';

const sim = useSimulator();
const run = runnerOf(sim);

/** From when on n8n's database, tables or store do not answer, in ms of the test. */
type Part = 'store' | 'table' | 'keys';
let away: Partial<Record<Part, number>>;
let since: number;
let tables: DataTables;
let nodes = 0;
let goOn: (parts: Part[]) => void;
beforeEach(async () => {
	await run();
	sim.reset();
	away = {};
	since = Date.now();
	nodes++;
	const waiting = new Map<Part, Array<() => void>>();
	goOn = (parts) => {
		for (const part of parts) for (const resolve of waiting.get(part) ?? []) resolve();
	};
	const answers = async (part: Part) => {
		await wait(2);
		if (Date.now() - since < (away[part] ?? Infinity)) return;
		await new Promise<void>((resolve) => {
			waiting.set(part, [...(waiting.get(part) ?? []), resolve]);
		});
	};
	tables = new DataTables();
	tables.slow = async () => await answers('table');
	keyStore.slow = async () => await answers('keys');
	const service = Container.get(BinaryDataService);
	const { store } = BinaryDataService.prototype;
	jest.spyOn(service, 'store').mockImplementation(async (...given) => {
		await answers('store');
		return await store.apply(service, given);
	});
});
afterEach(() => {
	goOn(['table', 'keys', 'store']);
	keyStore.slow = undefined;
	jest.restoreAllMocks();
});

/** The outputs that n8n has one turn of its loop after it has cancelled the execution at `ms`. */
async function cutAt(ms: number, more: Partial<EngineRun>): Promise<INodeExecutionData[][]> {
	let kept: Promise<ITaskData | undefined> | undefined;
	const whenCut = async (cancel: () => void, { resultData }: IRunExecutionData) => {
		await wait(ms);
		cancel();
		await nextTurn();
		return structuredClone(resultData.runData[NODE]?.at(-1));
	};
	const { run: whole } = await run({
		...more,
		nodeId: `timeouts ${nodes}`,
		tables,
		started: ({ cancel, data }) => void (kept = whenCut(cancel, data)),
	});
	const task = await kept;
	expect(whole.data.resultData.runData[NODE]?.at(-1)?.data).toEqual(task?.data);
	const ofNode = told(more.parameters ?? {});
	return (task?.data?.main ?? []).map((output) => (output ?? []).map(ofNode));
}

const reasons = (items: INodeExecutionData[] = []) => items.map(({ json }) => json.reason);
const keys: Record<string, IDataObject> = {
	'no key': {},
	'a key': { sendOnceKey: '={{ $json.id }}' },
	'a key, again': { sendOnceKey: '={{ $json.id }}', whenSentBefore: 'again' },
};
const MODES: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

/** Two at a time, 5 s each: at 17 s six are done, and two under way. */
test.each(
	MODES.flatMap((onError) =>
		Object.keys(keys).flatMap((key) => [
			{ onError, key, parts: [] as Part[], done: 6, interrupted: 2 },
			{ onError, key, parts: ['table', 'keys', 'store'] as Part[], done: 4, interrupted: 2 },
		]),
	),
)(
	'$onError, $key, $parts do not answer: $done done, $interrupted interrupted, at once; and nothing is paid twice',
	async ({ onError, key, parts, done, interrupted }) => {
		sim.fault({ path: '/v1/audio/speech', delayMs: 5_000, times: Infinity });
		for (const part of parts) away[part] = 12_500;
		const parameters = speechNode({ concurrency: 2, ...keys[key] });
		const given = { items: texts(8), onError, parameters };
		const [success, unknown] = await cutAt(17_000, given);
		expect(success.filter(({ binary }) => binary)).toHaveLength(done);
		expect(reasons(unknown)).toEqual(Array(interrupted).fill('interrupted'));
		expect(sim.charges).toHaveLength(done + interrupted);
		await wait(60_000);
		expect(sim.charges).toHaveLength(done + interrupted);
		if (key === 'no key') return;
		// Its keys count as sent, results are given again, and the others are sent now; nobody waits for what has not ended.
		away = {};
		goOn(['table', 'keys']);
		const { outputs } = await run({ ...given, nodeId: `timeouts ${nodes}`, tables });
		const isGiven = key === 'a key, again';
		expect(outputs[0]).toHaveLength(isGiven ? 8 - interrupted : 8 - done - interrupted);
		expect(new Set(reasons(outputs[1]))).toEqual(new Set(['already_sent']));
		expect(sim.charges).toHaveLength(8);
	},
);

test.each<[string, Part[], Array<string | undefined>]>([
	['their results in the table', ['table'], ['interrupted', 'interrupted']],
	['their keys', ['keys'], []],
])('items that wait for %s cost nothing of the others', async (_, parts, under) => {
	sim.fault({ path: '/v1/audio/speech', delayMs: 5_000, times: Infinity });
	for (const part of parts) away[part] = 12_500;
	const parameters = speechNode({ concurrency: 2, ...keys['a key, again'] });
	const [success, unknown] = await cutAt(17_000, { items: texts(8), parameters });
	expect(success).toHaveLength(6);
	expect(reasons(unknown)).toEqual(under);
});

test('files that are fetched for nothing are handed over, too', async () => {
	sim.options.jobSeconds = 1;
	const made = await run({ parameters: { ...jobNode(), operation: 'create' }, items: texts(2) });
	sim.options.jobSeconds = 0;
	let asked = 0;
	const service = Container.get(BinaryDataService);
	const { store } = BinaryDataService.prototype;
	jest.spyOn(service, 'store').mockImplementation(async (...given) => {
		if (++asked > 1) await new Promise(() => {});
		return await store.apply(service, given);
	});
	const ids = made.outputs[0].map(({ json }) => ({ json: { id: json.id } }));
	const task = { resource: 'speechJob', operation: 'wait', jobId: '={{ $json.id }}' };
	const parameters = speechNode({}, task);
	const [success] = await cutAt(60_000, { parameters, items: ids });
	expect(success.filter(({ binary }) => binary)).toHaveLength(1);
});

test('a file whose store answers after the timeout is given again to whoever brings its key', async () => {
	away.store = 0;
	const given = { items: texts(2), parameters: speechNode(keys['a key, again']) };
	const [success, unknown] = await cutAt(60_000, given);
	expect(success).toEqual([]);
	expect(reasons(unknown)).toEqual(['interrupted', 'interrupted']);
	away = {};
	goOn(['store']);
	await wait(1_000);
	const { outputs } = await run({ ...given, nodeId: `timeouts ${nodes}`, tables });
	expect(outputs[0].map(({ json }) => json.replayed)).toEqual([true, true]);
	expect(sim.charges).toHaveLength(2);
});
