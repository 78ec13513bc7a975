/* Audio that breaks off within a synthesis, and ends properly: half a file that looks whole. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { item, runNode, speechNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });

const run = async (items: INodeExecutionData[], options: IDataObject = {}, voice = 'default') => {
	const { outputs, hints } = await runNode({
		parameters: speechNode(options, { voice, responseFormat: 'pcm' }),
		items,
		onError: 'continueErrorOutput',
		url: sim.url,
		apiKey: sim.apiKey,
	});
	return { said: outputs[0].map(({ json }) => json), hints };
};

/** So many seconds of sound for a text. */
const speak = (input: string, seconds: number) =>
	sim.fault({
		path: '/v1/audio/speech',
		input,
		status: 200,
		body: tone(seconds),
		contentType: 'audio/pcm;rate=8000',
		charge: true,
	});

function tone(seconds: number): Buffer {
	const samples = Buffer.alloc(Math.round(seconds * 8000) * 2);
	for (let at = 0; at < samples.length; at += 2)
		samples.writeInt16LE(Math.round(8000 * Math.sin(at)), at);
	return samples;
}

/** 132 characters, which are estimated to take 9.3 s. */
const row = (index: number) =>
	`This is row ${String.fromCharCode(97 + index)} of all the rows that came here, and each one of them is a sentence of the same length, no more and no less than that.`;
const rows = (count: number) =>
	Array.from({ length: count }, (_, index) => item({ text: row(index) }));
const warned = (said: IDataObject[]) =>
	said.flatMap(({ warnings }, index) => (warnings ? [index] : []));

test('one row of twenty that is too short for the pace of the others, also if it ends first', async () => {
	for (const short of [0, 7]) {
		for (let index = 0; index < 20; index++)
			speak(`row ${String.fromCharCode(97 + index)} `, index === short ? 5.3 : 9.7);
		const { said, hints } = await run(rows(20), { concurrency: 1 });
		expect(warned(said)).toEqual([short]);
		expect(said[short].warnings).toMatchObject([
			{
				segment: 1,
				startSeconds: 0,
				endSeconds: 5.3,
				message: expect.stringMatching(/^The speech is 5\.3 s .* so it may have broken off$/),
			},
		]);
		expect(hints.filter((hint) => hint.includes('may have broken off'))).toHaveLength(1);
	}
});

test('segments are compared with the others of their item, and two of three with the run', async () => {
	for (let index = 0; index < 6; index++)
		speak(`row ${String.fromCharCode(97 + index)} `, index === 1 ? 5 : 9.7);
	const text = `${row(0)} ${row(1)} ${row(2)}`;
	const items = [item({ text }), ...rows(6).slice(3)];
	const { said } = await run(items, { maxSegmentCharacters: 160, concurrency: 1 });
	expect(said[0].warnings).toMatchObject([{ segment: 2 }]);
	expect(warned(said)).toEqual([0]);
});

test('other voices and speeds tell nothing', async () => {
	for (let index = 0; index < 5; index++)
		speak(`row ${String.fromCharCode(97 + index)} `, index === 0 ? 5.3 : 9.7);
	const items = rows(5).map(({ json }, index) => item({ ...json, speed: index === 0 ? 1 : 1.1 }));
	expect(warned((await run(items, { speed: '={{ $json.speed }}' })).said)).toEqual([]);
});

test.each([
	['less than half of its estimate', 4.5, true],
	['half of its estimate', 4.8, false],
])('a text alone of 100 letters and more: %s', async (_, seconds, isTold) => {
	speak('row a', seconds);
	const { said, hints } = await run(rows(1));
	expect(warned(said)).toEqual(isTold ? [0] : []);
	expect(hints.join().includes('may have broken off')).toBe(isTold);
});

test('a short text alone is not judged', async () => {
	const text = 'This is row a of the rows, and this text has less than a hundred letters.';
	speak('row a', 2.2);
	expect(warned((await run([item({ text })])).said)).toEqual([]);
});
