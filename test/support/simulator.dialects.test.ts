import { type Account, type DialectName, startSimulator, type Simulator } from './simulator';
import { RECORDED, type RecordedAnswer, wireBody } from './simulator/answers';

let sim: Simulator;
afterEach(async () => await sim?.close());

const TEXT = 'Good morning.';

const send = async (request: string, key = sim.apiKey, more: object = {}, model?: string) => {
	const [method, path] = request.split(' ');
	const chat = path.includes('chat');
	const content = { role: 'user', content: TEXT };
	const body = chat ? { messages: [content] } : { input: TEXT, voice: 'alloy' };
	return await fetch(sim.url + path, {
		method,
		headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
		body:
			method === 'POST'
				? JSON.stringify({ model: model ?? (chat ? 'sim-chat' : 'fish-speech'), ...body, ...more })
				: undefined,
	});
};

/** The cases that come about by themselves. */
const BROUGHT_ABOUT: Record<string, (request: string) => Promise<Response>> = {
	'no route': send,
	'wrong key': async (request) => await send(request, 'sk-wrong'),
	'unknown model': async (request) => await send(request, undefined, {}, 'no-such-model'),
	'no voice': async (request) => await send(request, undefined, { voice: undefined }),
	'text too long': async (request) => await send(request, undefined, { input: '早'.repeat(1400) }),
	'key used up': async (request) => await sendWith(request, { keyTokens: 0 }),
	'balance used up': async (request) => await sendWith(request, { balanceTokens: 0 }),
	'hold over key quota': async (request) => await sendWith(request, { keyTokens: 499 }),
	'hold over balance': async (request) => await sendWith(request, { balanceTokens: 499 }),
	'rate limit, memory': async (request) => await tooMany(request, 'memory', { requests: 1 }),
	'rate limit': async (request) => await tooMany(request, 'redis', { requests: 1 }),
	'rate limit of successes': async (request) => await tooMany(request, 'redis', { successes: 1 }),
	'both rate limits': async (request) =>
		await tooMany(request, 'redis', { requests: 1, successes: 1 }),
};

const sendWith = async (request: string, account: Partial<Account>) =>
	await send(request, sim.addAccount(account).apiKey);

async function tooMany(request: string, where: 'memory' | 'redis', limit: object) {
	sim.options.rateLimit = { seconds: 60, in: where, ...limit };
	await (await send(request)).arrayBuffer();
	return await send(request);
}

/** A text without its words: of JSON the fields and what tells answers apart. */
function shape(text: string): unknown {
	const values = text === '' ? [] : text.replaceAll('}{', '}\n{').split('\n');
	return values.map((value) =>
		value.startsWith('{')
			? (JSON.parse(value, (key, inner: unknown) =>
					/^(type|code|param)$/.test(key) || typeof inner === 'object' ? inner : typeof inner,
				) as unknown)
			: value,
	);
}

/** All other cases are told to the simulator, which then sends what is recorded. */
const natural = RECORDED.filter(
	({ gateway, case: name }) => gateway !== 'portkey' && name in BROUGHT_ABOUT,
);

test.each(natural.map((answer): [string, RecordedAnswer] => [nameOf(answer), answer]))(
	'%s',
	async (_, answer) => {
		sim = await startSimulator({ dialect: answer.gateway as DialectName, latencyMs: 0 });
		const response = await BROUGHT_ABOUT[answer.case](answer.request);
		expect(response.status).toBe(answer.status);
		const text = await response.text();
		expect(shape(text)).toEqual(shape(wireBody(answer)));
		for (const [name, value] of Object.entries(answer.headers))
			expect(response.headers.get(name)).toMatch(value === '<id>' ? /^req_/ : value);
		const { requestId, charged } = sim.requests.at(-1)!;
		expect(text.includes(requestId)).toBe(wireBody(answer).includes('<id>'));
		expect(charged).toBe(0);
	},
);

function nameOf({ gateway, request, case: what }: RecordedAnswer): string {
	return `${gateway}, ${request}: ${what}`;
}
