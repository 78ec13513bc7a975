import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { useVirtualTime } from '../support/clock';
import { decode, whichText } from '../support/listen';
import { type EngineRun, item, runNode, speechNode, useSimulator, readStored } from './support';

useVirtualTime();

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

/** A long text of three segments that breaks off on the way. */
const THREE = [
	'One sentence stands in here.',
	'Another one comes after it.',
	'And a third one ends it all.',
];
const run = async (options: IDataObject, more: Partial<EngineRun> = {}, fields: IDataObject = {}) =>
	await runNode({
		parameters: speechNode(
			{ maxSegmentCharacters: 30, concurrency: 1, ...options },
			{ text: THREE.join(' '), ...fields },
		),
		url: sim.url,
		apiKey: sim.apiKey,
		items: [item({})],
		...more,
	});
const files = ({ binary }: INodeExecutionData) => Object.keys(binary ?? {}).sort();
/** Which of the three sentences a file speaks. */
const heard = async ({ binary }: INodeExecutionData, property: string) =>
	whichText(await decode(await readStored(binary![property]), 'mp3'), THREE);

test('a damaged segment goes along, next to those that are done', async () => {
	sim.fault({ input: 'Another', truncate: 'half' });
	const [, [unknown]] = (await run({})).outputs;
	expect(files(unknown)).toEqual(['completed', 'received_2']);
	expect(await heard(unknown, 'completed')).toBe(0);
	expect(unknown.json).toMatchObject({
		reason: 'damaged_response',
		segments: { total: 3, completed: 1, unknown: 1 },
		remainingText: THREE.slice(1).join('\n'),
	});
});

test('one segment refused, another unknown: the item is unknown', async () => {
	sim.fault({ input: 'One', status: 402 });
	sim.fault({ input: 'Another', status: 504, charge: true, delayMs: 300 });
	const { outputs, error } = await run({ concurrency: 2 });
	expect(error).toBeUndefined();
	expect(outputs[1]?.[0]?.json.reason).toBe('upstream_outcome_unknown');
});

test('a job for a segment that fails is "unknown" in its parts, with its id', async () => {
	sim.fault({ path: '/v1/audio/speech', input: 'Another', status: 524 });
	sim.fault({ path: '/v1/audio/speech/jobs', method: 'POST', jobFails: true });
	const { outputs } = await run({}, { onError: 'continueErrorOutput' });
	const error = outputs[2][0].json.error as IDataObject;
	expect(error.jobId).toMatch(/^spj_/);
	expect((error.parts as IDataObject[]).find(({ from }) => from === 2)).toMatchObject({
		status: 'unknown',
		jobId: error.jobId,
	});
	// The third was not held back by the wait for the job.
	expect(files(outputs[2][0])).toEqual(['completed', 'completed_3']);
});
