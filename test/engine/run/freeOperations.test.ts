import type { IDataObject } from 'n8n-workflow';
import { fitting } from '../form';
import { type EngineRun, item, runNode, speechNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, secondsPerCharacter: 60 / 850 });

const run = async (parameters: IDataObject, more: Partial<EngineRun> = {}) =>
	await runNode({ parameters, url: sim.url, apiKey: sim.apiKey, items: [item({})], ...more });

describe('speech.estimate', () => {
	const estimate = async (options: IDataObject, text: string) => {
		const { outputs } = await run(speechNode(options, { operation: 'estimate', text }));
		return outputs[0][0].json as Record<string, number>;
	};
	const TEXT =
		'One sentence stands in here. Another one comes after it. And a third one ends it all.';

	test('all its fields, nothing sent', async () => {
		const json = await estimate({ modelMultiplier: 2, maxSegmentCharacters: 30, speed: 2 }, TEXT);
		expect(json).toMatchObject({ characters: 85, segments: 3, minutes: 85 / 850 / 2 });
		// Each of the three is charged in whole seconds.
		expect(json.audioTokens * 60).toBeCloseTo(3 * 1000, -1);
		expect(json.estimatedTokens).toBeCloseTo((json.audioTokens + json.textTokens) * 2, 0);
		// The job's estimate ignores the speed, as the gateway's does.
		expect(json.estimatedTokensAsJob).toBeCloseTo(((85 / 250) * 1000 + json.textTokens) * 2, 0);
		expect(sim.requests).toEqual([]);
	});

	test('what the gateway then charges is near it', async () => {
		const text = 'A sentence that is repeated. '.repeat(30).trim();
		const { estimatedTokens, estimatedTokensAsJob } = await estimate({}, text);
		await run(speechNode({ longText: 'single' }, { text }));
		expect(Math.abs(estimatedTokens / sim.charges[0].tokens - 1)).toBeLessThan(0.05);
		await run({ ...speechNode({}, { text }), resource: 'speechJob', operation: 'create' });
		expect(Math.abs(estimatedTokensAsJob / sim.charges[1].tokens - 1)).toBeLessThan(0.05);
	});
});

test('get many gives as many as asked for: 1, 50 by default, all', async () => {
	for (let index = 0; index < 60; index++) sim.addVoice(`Voice ${index}`);
	const count = async (more: IDataObject, resource = 'voice') => {
		const parameters = fitting(resource, 'getMany', { model: 'fish-speech' }, more);
		return (await run(parameters)).outputs[0].length;
	};
	expect(await count({ returnAll: false, limit: 1 })).toBe(1);
	expect(await count({ returnAll: false })).toBe(50);
	expect(await count({ returnAll: true })).toBe(60);
	expect(await count({ returnAll: false, limit: 1 }, 'model')).toBe(1);
});

const remove = {
	resource: 'voice',
	operation: 'delete',
	model: 'fish-speech',
	voice: 'anna',
	options: { maxRetries: 0 },
};

test.each([
	['says why', { deleted: false, message: 'It is in use' }, ' The answer says: "It is in use"'],
	['says no success', { success: false }, ''],
])('a deletion that is denied with a 2xx that %s is an error', async (_, body, words) => {
	sim.fault({ method: 'DELETE', status: 200, body });
	const { error } = await run(remove);
	expect(error?.message).toBe(
		'The voice "anna" was not deleted: the answer is not a success of the gateway (200)',
	);
	expect(error?.description).toMatch(
		new RegExp(`is in front of the gateway\\.${words}( \\(item 1\\))?$`),
	);
});

test('the error of a voice names no job', async () => {
	sim.fault({ method: 'DELETE', connection: 'reset-before-work' });
	const { outputs } = await run(remove, { onError: 'continueRegularOutput' });
	expect(outputs[0][0].json.error).not.toHaveProperty('jobId');
});

test('a redirect to no address is told in words', async () => {
	sim.fault({ method: 'GET', status: 302, headers: { location: 'http://[' } });
	const { error } = await run({ resource: 'model', operation: 'getMany', returnAll: true });
	expect(error?.message).toBe('The gateway redirects to another address (302)');
});
