import { checkGateway, type CheckOptions } from '../../scripts/checkGateway';
import { PlayedService } from '../services/service';
import { type Service, SERVICES } from '../services/table';
import { type DialectName, type Fault, type Simulator, startSimulator } from '../support/simulator';

let sim: Simulator;
beforeAll(async () => void (sim = await startSimulator({ latencyMs: 1 })));
beforeEach(() => {
	sim.options.dialect = 'document';
	sim.reset();
});
afterAll(async () => await sim.close());

async function check(options: Partial<CheckOptions> = {}) {
	const report = await checkGateway({
		...{ apiKey: sim.apiKey, baseUrl: `${sim.url}/v1/`, model: 'fish-speech' },
		...{ tokens: 0, timeoutMs: 300_000, ...options },
	});
	expect(JSON.stringify(report)).not.toContain(sim.apiKey);
	expect(report.length).toBeLessThan(24);
	return Object.fromEntries(report);
}
const posts = () => sim.requests.filter(({ method }) => method === 'POST');

const YES = expect.stringMatching(/^yes/) as string;

test.each<[DialectName, object]>([
	['document', { Service: "the API document's own", 'Speech jobs': YES, Voices: YES, Videos: YES }],
	['new-api', { Service: expect.stringContaining('new-api') as string, 'Price list': YES }],
	['one-api', { Service: expect.stringContaining('one-api') as string, 'Price list': 'no' }],
	['litellm', { Service: 'LiteLLM', 'Price list': 'no', 'Usage log': 'no' }],
])('%s: it is recognised, and told what it has, for nothing', async (dialect, expected) => {
	sim.options.dialect = dialect;
	const report = await check();
	const lacks = { 'Speech jobs': 'no', Voices: 'no', Videos: 'no' };
	expect(report).toMatchObject({ ...lacks, ...expected });
	expect(report.Speech).toMatch(/not asked/);
	expect(posts()).toEqual([]);
	expect(sim.charges).toEqual([]);
});

test('within a limit of tokens it speaks one word', async () => {
	expect((await check({ tokens: 100 })).Speech).toMatch(/bytes of mp3/);
	expect(sim.charges).toHaveLength(1);
	expect(sim.charges[0].tokens).toBeLessThan(100);
	sim.options.dialect = 'litellm';
	expect((await check({ tokens: 100 })).Speech).toMatch(/voice.*required/);
	expect((await check({ tokens: 100, voice: 'alloy' })).Speech).toMatch(/bytes of mp3/);
});

const MISBEHAVIOURS: Record<string, Fault> = {
	'answers nothing': { connection: 'stall' },
	'loses the connection': { connection: 'reset-after-work' },
	'answers with the page of a proxy': { status: 502, proxy: 'page' },
	'sends rubbish': { corrupt: true },
	'redirects to somewhere else': { redirect: 'http://127.0.0.1:9/' },
	'repeats the key': { status: 400, body: { error: { message: 'KEY' } } },
};

test.each(Object.entries(MISBEHAVIOURS))(
	'a gateway that %s: nothing is sent twice, and nothing taken for what it is not',
	async (_, fault) => {
		const body = JSON.parse(JSON.stringify(fault.body ?? null).replace('KEY', sim.apiKey)) as
			| object
			| null;
		sim.fault({ ...fault, ...(body && { body }), times: Infinity });
		const report = await check({ timeoutMs: 200, tokens: 100 });
		expect(Object.values(report).join()).not.toMatch(/yes|mp3/);
		expect(posts()).toHaveLength(1);
	},
);

describe.each(Object.entries<Service>(SERVICES))('%s', (name, entered) => {
	let played: PlayedService;
	beforeEach(async () => void (played = await new PlayedService(name).listen()));
	afterEach(async () => await played.close());

	const asked = async (more: Partial<CheckOptions> = {}) => {
		const apiKey = entered.apiKey === 'none' ? '' : played.apiKey;
		const options = { apiKey, baseUrl: played.url.replace('/v1', ''), tokens: 100 };
		return Object.fromEntries(await checkGateway({ ...options, timeoutMs: 300_000, ...more }));
	};

	test('what the page says is what it says to enter, and speaks', async () => {
		const { model, voice } = entered;
		const report = await asked({ model, voice });
		expect(report['  Base URL']).toBe(played.url);
		expect(report['  API Key']).toMatch(entered.apiKey === 'none' ? /^none/ : /^that of/);
		expect(report['  Costs Nothing']).toMatch(/^on/);
		expect(report['  Model']).toBe(model);
		expect(report['  Voice']).toMatch(new RegExp(`^${voice}(, By ID)?$`));
		expect(report.Speech).toMatch(/^\d+ bytes of (mp3|wav)$/);
		expect(played.bodies).toEqual([
			{ model, voice, input: expect.any(String) as string, response_format: 'mp3' },
		]);
	});

	test('without a model and a voice, it names those that are listed', async () => {
		const report = await asked();
		const { models, voices } = entered.cells;
		const lists = (cell: typeof models) =>
			cell && 'says' in cell && cell.branch === 'Success' && !cell.shown;
		expect(report['  Model']).toMatch(lists(models) ? /; those that can speak: / : /^By ID/);
		expect(report['  Voice']).toMatch(lists(voices) ? /or of the list: / : /^Default, or By ID$/);
	});

	test('what is not listed is told, with what is', async () => {
		const report = await asked({ model: 'nothing-like-it', voice: 'nobody', tokens: 0 });
		if (entered.cells.models && !('shown' in entered.cells.models))
			expect(report['  Model']).toMatch(/^nothing-like-it, which is not listed; those /);
		expect(report['  Voice']).toMatch(/^nobody, (which is not listed: \w|By ID)/);
	});
});

test('without a key it speaks, and no key is sent', async () => {
	const played = await new PlayedService('kokoro-fastapi').listen();
	const options = { apiKey: '', baseUrl: played.url, tokens: 0, timeoutMs: 300_000 };
	const report = Object.fromEntries(await checkGateway({ ...options, model: 'kokoro' }));
	await played.close();
	expect(report.Service).toBe('Kokoro-FastAPI');
	expect(report.Speech).toMatch(/bytes of mp3/);
	expect(report['  API Key']).toMatch(/^none; models are listed to anybody/);
	expect(played.keys).toEqual(new Set([undefined, 'Bearer sk-wrong']));
});
