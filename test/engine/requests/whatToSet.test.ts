/** A refusal names what to set; where that is the model, those that the gateway lists, asked for once a run. */
import { runnerOf, speechNode, texts, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1 });
const run = runnerOf(sim, () => ({ items: texts(3), onError: 'continueErrorOutput' }));
const unknownModel = { model: { __rl: true, mode: 'id', value: 'no-such-model' } };
const refused = { path: '/v1/audio/speech', status: 404, times: Infinity };
const noModel = { ...refused, body: { error: { message: 'No such model' } } };
const lists = () => sim.requests.filter(({ method }) => method === 'GET');

const told = async (parameters = speechNode({}, unknownModel)) => {
	const { outputs } = await run({ parameters });
	expect(outputs.map(({ length }) => length)).toEqual([0, 0, 3]);
	const errors = outputs[2].map(
		({ json }) => json.error as { message: string; description: string },
	);
	expect(new Set(errors.map(({ description }) => description)).size).toBe(1);
	return errors[0];
};

test('its models that can speak', async () => {
	sim.fault(noModel);
	sim.fault({
		path: '/v1/models',
		status: 200,
		body: { data: [{ id: 'kokoro', task: 'text-to-speech' }, { id: 'gpt-4o' }] },
		times: Infinity,
	});
	expect(await told()).toEqual(
		expect.objectContaining({
			message: 'The gateway has no model "no-such-model" that can speak (404)',
			description: expect.stringMatching(
				/^This request was not charged\. Check the field "Model"\. Models that can speak: "kokoro"\./,
			),
		}),
	);
	expect(lists().map(({ path }) => path)).toEqual(['/v1/models']);
	expect(sim.charges).toEqual([]);
});

test.each([
	['no list', { status: 404 }],
	['a page', { status: 200, body: '<html></html>' }],
	['no answer', { connection: 'reset-before-work' as const }],
	['one that never comes', { delayMs: 3_600_000 }],
])('%s: the words do without', async (_, fault) => {
	sim.fault(noModel);
	sim.fault({ path: '/v1/models', times: Infinity, ...fault });
	expect((await told()).description).toMatch(
		/^This request was not charged\. Check the field "Model"\. Model → Get Many lists/,
	);
	expect(lists()).toHaveLength(1);
});

test('no list is asked for where the words would name none', async () => {
	sim.fault({
		...refused,
		status: 400,
		body: { detail: "Voice 'x' not found. Available voices: anna, ben" },
	});
	expect((await told(speechNode({}, { voice: 'x' }))).description).toMatch(
		/^This request was not charged\. Check the field "Voice" \("x"\): the gateway names anna, ben\./,
	);
	expect(lists()).toEqual([]);
});
