/** A base URL that is a website's: each way of asking says so, as the test of the credential does. */
import { searchModels } from '../../../nodes/SpeechGateway/operations/listSearch';
import { searchList } from '../searchList';
import { item, runnerOf, speechNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim, () => ({
	items: [item({ text: 'Hello.' })],
	onError: 'continueErrorOutput',
}));
const PAGE = '<!DOCTYPE html><html><head><title>Console</title></head><body></body></html>';
const WORDS = 'may be the address of a website, such as the console of the service';
const website = (status: number) => {
	for (const method of ['GET', 'POST']) sim.fault({ method, status, body: PAGE, times: Infinity });
};

const messages = { values: [{ role: 'user', content: 'Hi.' }] };
const FORMS = {
	'speech.generate': speechNode(),
	'speechJob.create': speechNode({}, { resource: 'speechJob', operation: 'create' }),
	'chat.complete': { resource: 'chat', operation: 'complete', model: 'gpt-4o', messages },
	'video.create': { resource: 'video', operation: 'create', model: 'sora-2', prompt: 'A boat.' },
	'model.getMany': { resource: 'model', operation: 'getMany' },
};

test.each(Object.entries(FORMS))('%s', async (_, parameters) => {
	website(200);
	const { outputs } = await run({ parameters });
	const [{ json }] = outputs.flat();
	expect(JSON.stringify(json)).toContain(WORDS);
	expect(JSON.stringify(json)).toContain('web page');
});

test.each([404, 405])('speech, with %i', async (status) => {
	website(status);
	const { outputs } = await run();
	expect(outputs[2][0].json.error).toMatchObject({
		message: `There is no gateway at this base URL (${status})`,
		description: expect.stringContaining(WORDS),
	});
	expect(sim.requests).toHaveLength(1);
});

test('the list of models in the editor', async () => {
	website(200);
	await expect(searchList(searchModels, { url: sim.url, apiKey: sim.apiKey })).rejects.toThrow(
		WORDS,
	);
});
