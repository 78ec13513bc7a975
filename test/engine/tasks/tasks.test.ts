import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../support/simulator';
import { fitting } from '../form';
import { type EngineRun, item, runNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

/** What speech jobs and videos have in common, and what differs. */
const KINDS = [
	{
		resource: 'speechJob',
		made: { model: 'fish-speech', text: 'Hello.' },
		path: '/v1/audio/speech/jobs',
		idField: 'jobId',
		id: /^spj_/,
		errorField: 'jobError',
		ownField: 'speech',
		text: 'text',
		mimeType: 'audio/mpeg',
	},
	{
		resource: 'video',
		made: { model: 'sim-video', prompt: 'A boat' },
		path: '/v1/videos',
		idField: 'videoId',
		id: /^video_/,
		errorField: 'videoError',
		ownField: 'video',
		text: 'prompt',
		mimeType: 'video/mp4',
	},
];

const USUAL = { options: { maxRetries: 0, pollInterval: 1 } };
const run = async (parameters: IDataObject, more: Partial<EngineRun> = {}) =>
	await runNode({ parameters, url: sim.url, apiKey: sim.apiKey, items: [item({})], ...more });
const polls = () =>
	sim.requests.filter(({ method, path }) => method === 'GET' && !/content$/.test(path));

describe.each(KINDS)('$resource', (kind) => {
	const { resource, made, path, idField, id, errorField, ownField, text, mimeType } = kind;
	const node = (operation: string, more: IDataObject = {}, options: IDataObject = {}) =>
		fitting(resource, operation, USUAL, { ...more, options });
	const onSubmit = (fault: Fault) => sim.fault({ path, method: 'POST', ...fault });
	const create = async () => (await run(node('create', made))).outputs[0][0].json.id as string;

	test('get, wait and download by id', async () => {
		const made = await create();
		expect(made).toMatch(id);
		const got = await run(node('get', { [idField]: made }));
		expect(got.outputs[0][0].json).toMatchObject({ id: made, status: 'completed' });
		expect(got.outputs[0][0].binary).toBeUndefined();
		for (const operation of ['wait', 'download']) {
			const { outputs } = await run(node(operation, { [idField]: made }));
			expect(outputs[0][0].json.id).toBe(made);
			expect(outputs[0][0].binary?.data).toMatchObject({ mimeType });
		}
	});

	test('one that failed: get gives an item, wait an error with the id, neither has a key "error"', async () => {
		onSubmit({ jobFails: { code: 'bad', message: 'It broke' } });
		const made = await create();
		const more = { onError: 'continueRegularOutput', retryOnFail: true } as const;
		const { outputs } = await run(node('get', { [idField]: made }), more);
		const { json } = outputs[0][0];
		expect(json).toMatchObject({ status: 'failed', [errorField]: { message: 'It broke' } });
		expect(json).not.toHaveProperty('error');
		const waited = await run(node('wait', { [idField]: made }));
		expect(waited.error?.message).toContain('It broke');
		expect(waited.error?.context?.jobId).toBe(made);
	});

	test('words of other gateways: not completed is asked again, unknown goes on, fail has failed', async () => {
		const made = await create();
		const body = { error: { message: 'Task is not completed yet', type: 'invalid_request_error' } };
		sim.fault({ path: /content$/, status: 400, body, times: 2 });
		const options = { maxRetries: 2 };
		const { outputs } = await run(node('download', { [idField]: made }, options));
		expect(Object.keys(outputs[0][0].binary ?? {})).toEqual(['data']);
		sim.fault({ method: 'GET', status: 200, body: { id: made, status: 'unknown' } });
		sim.fault({ method: 'GET', status: 200, body: { id: made, status: 'FAIL' }, nth: 1 });
		const { error } = await run(node('wait', { [idField]: made }));
		expect(error?.message).toContain(`"${made}" failed`);
		expect(error?.description).toContain('may have been refunded: see the usage log');
	});

	test.each<Fault>([
		{ status: 403 },
		{ status: 200, body: 'rubbish' },
		{ connection: 'reset-before-work' },
		{ redirect: 'http://[' },
	])('%j: the error of get, wait and download has the id', async (fault) => {
		sim.fault({ method: 'GET', times: Infinity, ...fault });
		for (const operation of ['get', 'wait', 'download']) {
			const options = operation === 'wait' ? { maxWait: 1 } : {};
			const { error } = await run(node(operation, { [idField]: 'made_up' }, options));
			expect(error?.context?.jobId).toBe('made_up');
		}
	});

	test('Max Wait 0 looks once, and goes on to Waiting, the second output of Wait', async () => {
		onSubmit({ jobSeconds: Infinity });
		const made = await create();
		sim.requests.length = 0;
		const options = { maxWait: 0, whenMaxWaitReached: 'stillProcessing' };
		const { outputs } = await run(node('wait', { [idField]: made }, options));
		expect(outputs.map(({ length }) => length)).toEqual([0, 1]);
		expect(outputs[1][0].json).toMatchObject({ id: made, waitedSeconds: 0 });
		expect(sim.requests).toHaveLength(1);
	});

	describe('an item from Waiting that is led back into Create and Wait', () => {
		const parameters = node('createAndWait', { ...made, [text]: '={{ $json.text }}' });
		const said = { id: 'task-1', status: 'processing', waitedSeconds: 0 };
		const back = item({ text: 'Led back.', [ownField]: said });
		const wanted = {
			message: expect.stringMatching(/left a node on "Waiting": its (job|video) "task-1"/),
			description: expect.stringContaining('the operation "Wait" and this ID'),
		};

		test('ends the run before anything is sent', async () => {
			const { error } = await run(parameters, { items: [item({ text: 'New.' }), back] });
			expect(error).toMatchObject(wanted);
			expect(error?.description).toMatch(/Nothing was sent for this item\.$/);
			expect(error?.context?.jobId).toBe('task-1');
			expect(sim.requests).toEqual([]);
		});

		test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
			'%s: is an error item; the others are sent',
			async (onError) => {
				const items = [back, item({ text: 'New.' })];
				const { outputs } = await run(parameters, { items, onError });
				const all = outputs.flat().map(({ json }) => json);
				expect(all.filter(({ error }) => error)).toMatchObject([
					{ error: { ...wanted, jobId: 'task-1' } },
				]);
				expect(all).toHaveLength(2);
				expect(sim.charged()).toEqual(['New.']);
			},
		);

		test.each([
			['without that field', { id: 'task-1', waitedSeconds: 0 }],
			[
				'with that field of another resource',
				{ [ownField === 'video' ? 'speech' : 'video']: said },
			],
			['that has not waited', { [ownField]: { id: 'task-1' } }],
			['without an ID', { [ownField]: { waitedSeconds: 0 } }],
		])('%s is a new one', async (_, json) => {
			const { outputs } = await run(parameters, { items: [item({ text: 'New.', ...json })] });
			expect(outputs[0]).toHaveLength(1);
			expect(sim.charged()).toEqual(['New.']);
		});

		test('as the node has handed it out: its job is charged once', async () => {
			onSubmit({ jobSeconds: Infinity });
			const options = { maxWait: 0, whenMaxWaitReached: 'stillProcessing' };
			const waits = { ...parameters, options: { ...parameters.options, ...options } };
			const { left } = await run(waits, { items: [item({ id: 7, text: 'New.' })] });
			const again = await run(waits, { items: left[2] });
			const [{ id: task = '' }] = [...sim.jobs, ...sim.videos];
			expect(again.error?.message).toContain(`"${task}"`);
			expect(sim.charged()).toEqual(['New.']);
		});

		test('is what Wait takes', async () => {
			onSubmit({ jobSeconds: 0 });
			const task = await create();
			const items = [item({ [ownField]: { ...said, id: task } })];
			const idOf = { [idField]: `={{ $json.${ownField}.id }}` };
			const { outputs } = await run(node('wait', idOf), { items });
			expect(outputs[0][0].binary?.data).toMatchObject({ mimeType });
		});
	});

	test('Max Wait is half an hour by default', async () => {
		onSubmit({ jobSeconds: Infinity });
		const { error } = await run({ ...node('createAndWait', made), options: {} });
		expect(error?.message).toMatch(/still "\w+" after 18\d\d(\.\d)? seconds/);
		expect(error?.context?.jobId).toMatch(id);
		const all = polls();
		expect(all.length).toBeGreaterThan(100);
		const gaps = all.slice(1).map(({ at }, index) => at - all[index].at);
		// Poll Interval 2 s at first, then slower, Max Poll Interval 15 s at the most (and some spread).
		expect(gaps[0]).toBeLessThan(4_000);
		expect(Math.max(...gaps)).toBeLessThan(20_000);
		expect(Math.max(...gaps)).toBeGreaterThan(10_000);
	});

	test('an id that is a number which JavaScript would round is kept digit by digit', async () => {
		const body = '{"id": 9007199254740993 ,"status":"pending"}';
		onSubmit({ status: 200, charge: true, body });
		const { outputs } = await run(node('create', made));
		expect(outputs[0][0].json.id).toBe('9007199254740993');
	});

	test('an id that is nothing but markup stands in the error as it is, not in its words', async () => {
		onSubmit({ status: 200, charge: true, body: { id: '<b>', status: 'pending' } });
		sim.fault({ method: 'GET', status: 200, body: { id: '<b>', status: 'failed' } });
		const { error } = await run(node('createAndWait', made));
		expect(error?.message).toMatch(/^The (job|video) "" failed$/);
		expect(error?.context?.jobId).toBe('<b>');
	});

	test('the execution is found by the ids of what its first ten items have submitted', async () => {
		const { outputs, run: done } = await run(node('create', made), { items: texts(11) });
		const thing = resource === 'video' ? 'video' : 'job';
		const ids = outputs[0]
			.slice(0, 10)
			.map(({ json }, index) => [`${thing}_${index + 1}`, json.id]);
		expect(done.data.resultData.metadata).toEqual(Object.fromEntries(ids));
	});

	test('an accepted one without an id is unknown: it was paid for and cannot be found again', async () => {
		onSubmit({ status: 200, charge: true, body: { status: 'pending' }, times: 2 });
		for (const operation of ['create', 'createAndWait']) {
			const { outputs } = await run(node(operation, made));
			expect(outputs[1][0].json.reason).toBe('damaged_response');
		}
	});
});

const job = (operation: string, options: IDataObject = {}, resource = 'speechJob') =>
	fitting(resource, operation, USUAL, {
		model: 'fish-speech',
		text: '={{ $json.text }}',
		options,
	});

const video = (options: IDataObject = {}): IDataObject => ({
	resource: 'video',
	operation: 'createAndWait',
	...KINDS[1].made,
	options: { maxRetries: 0, pollInterval: 1, ...options },
});

test('a video that comes too slowly is given up, with its id', async () => {
	sim.fault({ path: /content$/, contentBytes: 400_000, dripMs: 40_000, times: Infinity });
	const { error } = await run(video({ timeout: 3600 }));
	expect(error?.message).toMatch(/comes too slowly: \d{3,6} bytes in \d{2,3} s/);
	expect(error?.context?.jobId).toBe(sim.videos[0].id);
});

test('a video that takes more than a minute at a fair pace is stored whole', async () => {
	sim.fault({ path: /content$/, contentBytes: 100_000, dripMs: 5_000 });
	const { outputs } = await run(video({ maxRetries: 2 }));
	expect(outputs[0][0].json.bytes).toBe(100_000);
});

test('a hint tells what the jobs of a run cost, and what Generate would', async () => {
	const items = texts(2);
	const asSpeech = await run(job('create'), { items });
	const estimated = await run(job('estimate', {}, 'speech'), { items });
	const sum = (name: string) =>
		estimated.outputs[0].reduce((total, { json }) => total + Number(json[name]), 0);
	const [hint] = asSpeech.hints;
	expect(hint).toContain(`about ${sum('estimatedTokensAsJob')} tokens: `);
	expect(hint).toContain(`about ${sum('estimatedTokens')} tokens.`);
	expect(asSpeech.hints).toEqual([hint]);
	expect(sim.charges.map(({ tokens }) => tokens).reduce((a, b) => a + b)).toBeCloseTo(
		sum('estimatedTokensAsJob'),
		-1,
	);
});

test('jobs that were submitted are waited for after another item has failed', async () => {
	const path = '/v1/audio/speech/jobs';
	sim.fault({ path, method: 'POST', status: 402, input: 'number 1', delayMs: 500 });
	const { error } = await run(job('createAndWait'), { items: texts(2) });
	expect(error?.description).toContain('1 of 2 items is done, paid and kept');
});

test('a failed job ends each retry: the error says how the others get out', async () => {
	const path = '/v1/audio/speech/jobs';
	sim.fault({ path, method: 'POST', input: 'number 1', jobFails: true });
	const { error } = await run(job('createAndWait'), { items: texts(2) });
	expect(error?.description).toContain(
		'retry this execution, with the current workflow and "On Error" set to "Continue (using error output)", if it was saved: ',
	);
});

describe('a video of which the end is missing, though the answer ends properly', () => {
	const content = /^\/v1\/videos\/[^/]+\/content$/;
	const fetches = () => sim.requests.filter(({ path }) => content.test(path)).length;

	test('is fetched again, and is whole', async () => {
		sim.fault({ path: content, truncate: 'half', truncateClean: true });
		const { outputs } = await run(video({ maxRetries: 2 }));
		expect(outputs[0]).toHaveLength(1);
		expect(fetches()).toBe(2);
	});

	test('is an error with its ID in the end, and is charged once', async () => {
		sim.fault({ path: content, truncate: 'half', truncateClean: true, times: Infinity });
		const { error } = await run(video({ maxRetries: 2 }));
		expect(error?.message).toContain('bytes are missing');
		expect(error?.context?.jobId).toBe(sim.videos[0].id);
		expect(fetches()).toBeGreaterThan(1);
		expect(sim.charges).toHaveLength(1);
	});
});
