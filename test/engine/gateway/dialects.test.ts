import type { IDataObject } from 'n8n-workflow';
import type { DialectName, SimulatorOptions } from '../../support/simulator';
import { isCharged, RECORDED, type RecordedAnswer } from '../../support/simulator/answers';
import { type EngineRun, item, runNode, speechNode, texts, useSimulator } from '../support';

/** What the node makes of gateways that do not do what the document says, judged by their own books. */
const sim = useSimulator({ latencyMs: 1, wavHeader: 'streaming' });

const behaveAs = (dialect: DialectName, options: SimulatorOptions = {}) => {
	const unlimited = { keyTokens: Infinity, balanceTokens: 1e12, rateLimit: undefined };
	Object.assign(sim.options, { dialect, ...unlimited, ...options });
	sim.reset();
};

const chatNode = (options: IDataObject = {}): IDataObject => ({
	resource: 'chat',
	operation: 'complete',
	model: 'sim-chat',
	messages: { values: [{ role: 'user', content: '={{ $json.text }}' }] },
	options,
});
/** With the retries that a node has when nobody changed them. */
const speech = (options: IDataObject = {}, more: IDataObject = {}) =>
	speechNode({ maxRetries: 4, ...options }, { voice: 'alloy', ...more });

async function run(parameters: IDataObject, more: Partial<EngineRun> = {}) {
	const { outputs, hints } = await runNode({
		parameters,
		url: sim.url,
		apiKey: sim.apiKey,
		items: texts(1),
		onError: 'continueErrorOutput',
		retryOnFail: true,
		maxTries: 2,
		...more,
	});
	const [success, unknown, failed] = outputs.map((items) => items.map(({ json }) => json));
	const errors = failed.map(({ error }) => error as { message: string; description: string });
	return { success, unknown, errors, hints, posts: posts(), files: outputs[0] };
}
const posts = () => sim.requests.filter(({ method }) => method === 'POST').length;

/** What is wrong with what became of one item whose every request is answered so; of what is right, nothing. */
async function complaints(answer: RecordedAnswer): Promise<string[]> {
	sim.reset();
	sim.fault({ method: 'POST', case: answer.case, times: Infinity });
	const parameters = answer.request.includes('chat')
		? chatNode({ stream: answer.case.startsWith('stream') })
		: speech({}, { responseFormat: 'wav' });
	const { success, unknown, errors, hints } = await run(parameters);
	const wasCharged = isCharged(answer);
	const told = [success, unknown, errors].map(({ length }) => length).join(' + ');
	return [
		...(told.replace(/\D/g, '').includes('1') ? [] : [`it came out ${told} times`]),
		...(wasCharged && posts() > 1 ? [`it was charged and sent ${posts()} times`] : []),
		...(wasCharged && errors.length > 0 ? ['it was charged, and is an error'] : []),
		...(wasCharged && answer.body !== '<whole>' && success.length > 0 && hints.length === 0
			? ['half of it is a success']
			: []),
		...(answer.status >= 400 && success.length > 0 ? ['nothing is a success'] : []),
	].map((what) => `${answer.gateway}, ${answer.request}, ${answer.case}: ${what}`);
}

describe('each answer recorded, as the only one that an item gets', () => {
	for (const gateway of ['new-api', 'one-api', 'litellm'] as const)
		for (const request of ['POST /v1/audio/speech', 'POST /v1/chat/completions'])
			test(`${gateway}, ${request}`, async () => {
				behaveAs(gateway);
				const found: string[] = [];
				for (const answer of RECORDED)
					if (answer.gateway === gateway && answer.request === request)
						found.push(...(await complaints(answer)));
				expect(found).toEqual([]);
			});
});

describe('what breaks behind the gateway', () => {
	test.each(['wav', 'pcm', 'mp3'])(
		'%s with the error behind it is damaged, alone and in a long text',
		async (responseFormat) => {
			for (const text of ['One.', `${'One. '.repeat(10)}\n\n${'Two. '.repeat(10)}`]) {
				behaveAs('one-api');
				sim.fault({ case: 'upstream cut in the body', times: Infinity });
				const options = { maxSegmentCharacters: 60, concurrency: 1 };
				const { unknown } = await run(speech(options, { responseFormat }), {
					items: [item({ text })],
				});
				expect(unknown).toMatchObject([{ reason: 'damaged_response' }]);
				expect([posts(), sim.charges.length]).toEqual([1, 1]);
			}
		},
	);

	test.each(['wav', 'pcm', 'mp3', 'opus'])(
		'%s of two channels in one body is never a silent success',
		async (responseFormat) => {
			behaveAs('one-api');
			sim.fault({ case: 'first of two channels cut in the body' });
			const { success, unknown } = await run(speech({}, { responseFormat }));
			expect(posts()).toBe(1);
			expect(success.length + unknown.length).toBe(1);
			// Samples have no frames to tell it by.
			if (success.length > 0 && /mp3|opus/.test(responseFormat))
				expect(success[0].warnings).toBeDefined();
		},
	);

	test.each(['new-api', 'one-api'] as const)(
		'%s: a chat that stops is a success with a hint, or damaged when nothing came',
		async (dialect) => {
			behaveAs(dialect);
			sim.fault({ case: 'stream, upstream cut' });
			const cut = await run(chatNode({ stream: true }));
			expect(cut.success).toMatchObject([{ text: 'A few ' }]);
			expect(cut.hints.join()).toMatch(/cut short/);
			sim.fault({ case: 'stream, upstream cut at once' });
			const empty = await run(chatNode({ stream: true }));
			expect(empty.unknown).toMatchObject([{ reason: 'damaged_response' }]);
			expect(posts()).toBe(2);
		},
	);
});
