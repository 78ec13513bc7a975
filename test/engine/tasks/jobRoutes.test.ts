import type { DialectName, Fault } from '../../support/simulator';
import { runNode, speechNode, texts, useSimulator } from '../support';

/** Whose page of 524 it is decides whether the request was charged: the gateway of the document is known by its job routes. */
const sim = useSimulator({ latencyMs: 1 });

const PAGE: Fault = { path: '/v1/audio/speech', status: 524, times: Infinity };
const own = (message: string, more: object = {}) => ({ error: { message, ...more } });
const asked = () => sim.requests.filter(({ method }) => method === 'GET');
const sent = () => sim.requests.filter(({ method }) => method === 'POST');

async function run(cut: Fault = PAGE, items = texts(1), voice = 'default') {
	sim.fault(cut);
	const { outputs } = await runNode({
		parameters: speechNode({ maxRetries: 4 }, { voice }),
		url: sim.url,
		apiKey: sim.apiKey,
		items,
		onError: 'continueErrorOutput',
		retryOnFail: true,
		maxTries: 2,
	});
	return outputs;
}

/** What a gateway without job routes says to somebody who asks for a job. */
const ELSEWHERE: Array<[what: string, answer: Fault]> = [
	['new-api, one-api', { status: 404, body: own('Invalid URL (GET /v1/audio/speech/jobs/x)') }],
	['FastAPI', { status: 404, body: { detail: 'Not Found' } }],
	['vLLM', { status: 404, body: own('Not Found', { type: 'NotFoundError', code: 404 }) }],
	['NestJS', { status: 404, body: { message: 'Cannot GET /v1', error: 'Not Found' } }],
	['Express', { status: 404, body: '<html><body>Cannot GET /v1/audio</body></html>' }],
	['Gin', { status: 404, body: '404 page not found' }],
	['Fastify, wrapped', { status: 404, body: own('Route GET:/v1/audio/speech/jobs not found') }],
	['a catch-all', { status: 200, body: '<html><body>Console</body></html>' }],
	['nothing', { status: 404, body: '' }],
	['another method', { status: 405, body: own('Nope') }],
	['not implemented', { status: 501, body: own('Nope') }],
	['AWS', { status: 403, body: { message: 'Missing Authentication Token' } }],
	['a proxy', { status: 502, proxy: 'page' }],
	['a proxy, in JSON', { status: 503, proxy: 'envoy' }],
	['a lost connection', { connection: 'reset-before-work' }],
	// What says nothing about jobs.
	['no right', { status: 403, body: own('This key may not read jobs') }],
	['a wrong key', { status: 401, body: own('No job for this key') }],
	['no money', { status: 402, body: own('Pay for jobs') }],
	['too often', { status: 429, body: own('Too many jobs', { code: 'rate_limit_exceeded' }) }],
	['trouble', { status: 500, body: own('The job failed') }],
	['a name of Google', { status: 404, body: own('Resource not found') }],
	[
		'an address in the words',
		{ status: 404, body: own('/v1/audio/speech/jobs/spj_none: nothing') },
	],
	['a malformed ID', { status: 400, body: own('The id is malformed') }],
	['a success that is no job', { status: 200, body: { jobs: [] } }],
	['an address of jobs that is unknown', { status: 404, body: own('The job endpoint is unknown') }],
];

test.each(ELSEWHERE)('a page, and %s has no jobs: unknown', async (_, answer) => {
	sim.fault({ method: 'GET', path: /jobs/, times: Infinity, ...answer });
	const [success, unknown, failed] = await run({ ...PAGE, charge: true });
	expect([success.length, unknown.length, failed.length]).toEqual([0, 1, 0]);
	expect([asked().length, sent().length]).toEqual([1, 1]);
});

test.each<DialectName>(['new-api', 'one-api', 'litellm'])('a page before %s', async (dialect) => {
	Object.assign(sim.options, { dialect });
	const outputs = await run({ ...PAGE, charge: true }, texts(1), 'alloy');
	Object.assign(sim.options, { dialect: 'document' });
	expect(outputs.map(({ length }) => length)).toEqual([0, 1, 0]);
	expect(sent()).toHaveLength(1);
});

/** What the document's gateway may say. */
test.each<[string, Fault]>([
	['no such job', { status: 404, body: own('No such job', { code: 'job_not_found' }) }],
	['no such task', {}],
	['a rule for ids', { status: 400, body: own('"spj_none" is malformed') }],
	['a code alone', { status: 404, body: own('x', { code: 'task_not_exist' }) }],
	['a code in other letters', { status: 400, body: own('x', { code: 'speechJobNotFound' }) }],
	['FastAPI', { status: 404, body: { detail: 'Job not found' } }],
	['a job', { status: 200, body: { id: 'spj_none', status: 'failed' } }],
])('a page, and the gateway has jobs, by %s: not charged', async (_, answer) => {
	if (answer.status) sim.fault({ method: 'GET', path: /jobs/, ...answer });
	const [success, unknown, failed] = await run();
	expect([success.length, unknown.length, failed.length]).toEqual([0, 0, 1]);
	const { description } = failed[0].json.error as { description: string };
	expect(description).toContain("It was not charged, by the gateway's API document.");
	expect([asked().length, sent().length]).toEqual([1, 1]);
});

test("the gateway's own words need no asking", async () => {
	const [, , failed] = await run({ ...PAGE, body: own('cut') });
	expect([failed.length, asked().length]).toEqual([1, 0]);
});

test('it is asked once a run, however many requests are cut', async () => {
	const [, , failed] = await run(PAGE, texts(5));
	expect(failed).toHaveLength(5);
	expect([asked().length, sent().length]).toEqual([1, 5]);
});
