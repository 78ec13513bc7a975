/* Without a File Name, files of different words have different names: nothing behind overwrites one by another. */
import type { INodeExecutionData } from 'n8n-workflow';
import { item, jobNode, runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 1 });
const run = runnerOf(sim);

const nameOf = ({ binary }: INodeExecutionData) => binary!.data.fileName!;
const spoken = async (...words: string[]) => {
	const { outputs } = await run({ items: words.map((text) => item({ text })) });
	return outputs[0].map(nameOf);
};

test('in rounds of a loop, and in other executions: the same words keep their name', async () => {
	const items = texts(4);
	const { rounds } = await run({ items: undefined, rounds: [items.slice(0, 2), items.slice(2)] });
	const names = rounds.flatMap(([done]) => done.map(nameOf));
	expect(new Set(names).size).toBe(4);
	expect(names).toEqual([1, 2, 1, 2].map((n) => expect.stringMatching(name('speech', n))));
	expect(await spoken(...items.slice(0, 2).map(({ json }) => String(json.text)))).toEqual(
		names.slice(0, 2),
	);
	const [other] = await spoken('Something else.');
	expect(names).not.toContain(other);
});

test('what belongs to a file keeps its stem, and the hash is that of its content', async () => {
	sim.fault({ input: 'Third', status: 504 });
	const parameters = speechNode({ subtitles: 'srt', maxSegmentCharacters: 10, concurrency: 1 });
	const one = await run({ parameters, items: [item({ text: 'First one. Next one.' })] });
	const [{ json, binary }] = one.outputs[0];
	const stem = `speech-1-${String(json.contentHash).slice(0, 8)}`;
	expect(nameOf(one.outputs[0][0])).toBe(`${stem}.mp3`);
	expect(binary!.subtitles.fileName).toBe(`${stem}.srt`);
	const text = 'First one. Next one. Third one.';
	const { outputs } = await run({ parameters, items: [item({ text })] });
	expect(outputs[1][0].binary!.completed.fileName).toMatch(/^speech-1-[0-9a-f]{8}-part-1\.mp3$/);
});

test('of a job or video: by what was asked for, or by its ID where it was made elsewhere', async () => {
	const made = await run({ parameters: jobNode(), items: texts(2) });
	const names = made.outputs[0].map(nameOf);
	expect(names).toEqual([1, 2].map((n) => expect.stringMatching(name('speech', n))));
	expect(names[0].slice(8)).not.toBe(names[1].slice(8));
	const jobs = made.outputs[0].map(({ json: { id } }) => item({ id }));
	const fetch = {
		resource: 'speechJob',
		operation: 'download',
		jobId: '={{ $json.id }}',
		options: {},
	};
	const fetched = await run({ parameters: fetch, items: jobs });
	expect(new Set([...names, ...fetched.outputs[0].map(nameOf)]).size).toBe(4);
	const again = await run({ parameters: fetch, items: jobs });
	expect(again.outputs[0].map(nameOf)).toEqual(fetched.outputs[0].map(nameOf));
	const video = {
		resource: 'video',
		operation: 'createAndWait',
		prompt: '={{ $json.text }}',
		options: {},
		model: { __rl: true, mode: 'id', value: 'sim-video' },
	};
	const videos = await run({ parameters: video, items: texts(2) });
	expect(videos.outputs[0].map(nameOf)).toEqual(
		[1, 2].map((n) => expect.stringMatching(name('video', n))),
	);
});

test('of joined files: by their bytes', async () => {
	const { outputs } = await run({ items: texts(3) });
	const join = {
		resource: 'audio',
		operation: 'join',
		combine: 'allItems',
		binaryPropertyName: 'data',
		options: {},
	};
	const joined = async (...items: INodeExecutionData[]) => {
		const result = await run({ parameters: join, items });
		return nameOf(result.outputs[0][0]);
	};
	const [a, b, c] = outputs[0].map(({ binary }) => ({ json: {}, binary }));
	const name1 = await joined(a, b);
	expect(name1).toMatch(name('joined', 1));
	expect(await joined(a, b)).toBe(name1);
	expect(await joined(a, c)).not.toBe(name1);
});

const name = (stem: string, n: number) => new RegExp(`^${stem}-${n}-[0-9a-f]{8}\\.\\w+$`);
