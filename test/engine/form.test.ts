/* What a test cannot ask of the node, because no user can. */
import { fitting } from './form';
import { item, retrierOf, runnerOf, speechNode, texts, useSimulator } from './support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim);
const retry = retrierOf(run);

test('parameters and options that the form does not have are an error', async () => {
	const parameters = { ...speechNode({ pollInterval: 1 }), script: 'Anna: Hello.' };
	await expect(run({ parameters })).rejects.toThrow(
		'The form of speech.generate has no script, options.pollInterval',
	);
	expect((await run({ parameters, editedByHand: true })).error).toBeUndefined();
});

test('of a bag, an operation gets what its form has', () => {
	const bag = { text: 'Hello.', script: 'Anna: Hello.', options: { maxWait: 1, chapters: 'none' } };
	expect(fitting('speech', 'dialogue', bag, { options: { link: true } })).toEqual({
		resource: 'speech',
		operation: 'dialogue',
		script: 'Anna: Hello.',
		options: { chapters: 'none', link: true },
	});
});

test('a retry takes the items of the failed execution, and no others', async () => {
	const items = texts(2);
	sim.fault({ input: items[1].json.text as string, status: 402 });
	const failed = await run({ items });
	await expect(retry(failed, { items: [item({ text: 'Another.' })] })).rejects.toThrow(
		'A retry has the input of the failed execution',
	);
	expect((await retry(failed, { items })).outputs[0]).toHaveLength(2);
});
