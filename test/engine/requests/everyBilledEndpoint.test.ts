import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { endpoints } from '../../../nodes/SpeechGateway/gateway/endpoints';
import type { Fault } from '../../support/simulator';
import { renderAudio } from '../../support/simulator/audio';
import { type EngineResult, type EngineRun, runNode, saved, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0 });

/** The name in gateway/endpoints.ts. */
type Name = keyof typeof endpoints;

const speech = { model: 'fish-speech', text: '={{ $json.text }}', responseFormat: 'mp3' };
const messages = { values: [{ role: 'user', content: '={{ $json.text }}' }] };
const video = { model: 'sim-video', prompt: '={{ $json.text }}' };
const voice = { model: 'fish-speech', title: '={{ $json.text }}', binaryPropertyName: 'data' };

/** Every way in which the node can spend money. An endpoint that is billed and has no row fails below. */
const TABLE = (
	[
		['speech', '/v1/audio/speech', 'speech.generate', speech],
		['createJob', '/v1/audio/speech/jobs', 'speechJob.create', speech],
		['createJob', '/v1/audio/speech/jobs', 'speechJob.createAndWait', speech],
		['createVoice', '/v1/audio/voices', 'voice.create', voice],
		['chat', '/v1/chat/completions', 'chat.complete', { model: 'sim-chat', messages }],
		['createVideo', '/v1/videos', 'video.create', video],
		['createVideo', '/v1/videos', 'video.createAndWait', video],
	] as Array<[Name, string, string, IDataObject]>
).map(([endpoint, path, name, given]) => {
	const [resource, operation] = name.split('.');
	/** A job or video, whose id must be in whatever comes of it. */
	const isTask = resource === 'speechJob' || resource === 'video';
	return { endpoint, path, parameters: { resource, operation, ...given } as IDataObject, isTask };
});
type Row = (typeof TABLE)[number];

const recording = Buffer.concat([...renderAudio('A recording.', 1, 'wav').chunks()]);
const binary = {
	data: { data: recording.toString('base64'), mimeType: 'audio/wav', fileName: 'me.wav' },
};
/** Of virtual time, many steps of the node's clock: one moment in which a busy machine seems to rest ends no request. */
const timeout = 60;

/** After these nobody may send the request again; by the reason that is told. */
const UNKNOWN: Record<string, Fault[]> = {
	upstream_outcome_unknown: [
		{ status: 504, charge: true },
		{ status: 504, charge: true, body: '' },
		{ status: 502, charge: true, proxy: 'page' },
		{ status: 500, charge: true, body: '' },
		{ status: 503, charge: true, proxy: 'json' },
		{ status: 503, charge: true, proxy: 'spring' },
		{ status: 503, charge: true, proxy: 'google' },
		{ status: 499, charge: true },
		{ status: 408, charge: true },
	],
	connection_lost: [{ connection: 'reset-before-work' }, { connection: 'reset-after-work' }],
	client_timeout: [{ connection: 'stall' }],
	damaged_response: [
		{ truncate: 'half' },
		{ truncate: 'half', truncateClean: true },
		{ truncate: 0, truncateClean: true },
		{ corrupt: true },
	],
};
/** These cost nothing, and pass … */
const PASSING = [429, 503, 500];
/** … but for one, after which the same request never goes again within one attempt. */
const REFUSED = 403;

/** What happens to an item: how it ends, and how often it is sent. */
interface Fate {
	fault?: Fault;
	/** `done`, the reason of an unknown outcome, or the code of an error. */
	ends: string;
	sent: number;
}

const GOOD: Fate = { ends: 'done', sent: 1 };
/** Two unknown outcomes are never in a row, which would trip the circuit breaker. */
const unknown = Object.entries(UNKNOWN).flatMap(([ends, faults]) =>
	faults.flatMap((fault): Fate[] => [
		{ fault: { ...fault, times: Infinity }, ends, sent: 1 },
		GOOD,
	]),
);
const passing = PASSING.map(
	(status): Fate => ({ fault: { status, times: 2 }, ends: 'done', sent: 3 }),
);
const lasting = [REFUSED, ...PASSING].map(
	(status): Fate => ({
		fault: { status, times: Infinity },
		ends: String(status),
		sent: status === REFUSED ? 1 : 3,
	}),
);

const textOf = (index: number) => `This is text number ${String(index).padStart(2, '0')}.`;

/** Gives each item its fate; returns what runs them, one request at a time, in their order. */
function prepared({ path, parameters }: Row, fates: Fate[]) {
	for (const [index, { fault }] of fates.entries())
		if (fault) sim.fault({ path, method: 'POST', input: textOf(index), ...fault });
	const items = fates.map(
		(_, index): INodeExecutionData => ({ json: { text: textOf(index) }, binary }),
	);
	return async (more: Partial<EngineRun> = {}, options: IDataObject = {}) =>
		await runNode({
			parameters: {
				...parameters,
				options: { maxRetries: 0, concurrency: 1, timeout, ...options },
			},
			url: sim.url,
			apiKey: sim.apiKey,
			items,
			...more,
		});
}

/** How often each text is among requests or charges. */
const times = (all: Array<{ input?: string }>, { length }: unknown[]) =>
	Array.from({ length }, (_, index) => all.filter(({ input }) => input === textOf(index)).length);
const sent = (fates: Fate[]) =>
	times(
		sim.requests.filter(({ method }) => method === 'POST'),
		fates,
	);

/** Each item that came out, by its position: how it ended, on which output. */
function endings({ outputs }: EngineResult): Array<[ends: unknown, output: number]> {
	const all: Array<[unknown, number]> = [];
	for (const [output, items] of outputs.entries()) {
		for (const { json, pairedItem } of items) {
			const { item } = pairedItem as { item: number };
			expect(all[item]).toBeUndefined();
			const { httpCode } = (json.error ?? {}) as IDataObject;
			all[item] = [json.outcome === 'unknown' ? json.reason : (httpCode ?? 'done'), output];
		}
	}
	return all;
}
const onOutput = (fates: Fate[], errors: number) =>
	fates.map(({ ends }) => [ends, ends === 'done' ? 0 : /^\d+$/.test(ends) ? errors : 1]);

test('every billed endpoint has a row', () => {
	const billed = Object.entries(endpoints).flatMap(([name, endpoint]) => {
		const made = typeof endpoint === 'function' ? endpoint('id', 'model') : endpoint;
		return made.billed ? [name] : [];
	});
	expect(new Set(TABLE.map(({ endpoint }) => endpoint))).toEqual(new Set(billed));
	for (const { endpoint, path } of TABLE)
		expect(endpoints[endpoint]).toMatchObject({ path: path.slice('/v1'.length) });
});

describe.each(TABLE)('$path by $parameters.resource: $parameters.operation', (row) => {
	test.each<[string, Fate[], Partial<EngineRun>, number]>([
		['stop', [GOOD, ...unknown, ...passing], {}, 0],
		[
			'continue',
			[GOOD, ...unknown, ...passing, ...lasting],
			{ onError: 'continueRegularOutput' },
			0,
		],
		['error output', [GOOD, ...unknown, ...lasting], { onError: 'continueErrorOutput' }, 2],
	])(
		'%s: each outcome goes where it belongs, and what may be charged never goes again',
		async (_, fates, mode, errors) => {
			const result = await prepared(row, fates)({ ...mode, retryOnFail: true }, { maxRetries: 2 });
			expect(result.error).toBeUndefined();
			expect(endings(result)).toEqual(onOutput(fates, errors));
			expect(sent(fates)).toEqual(fates.map((fate) => fate.sent));
			const charged = times(sim.charges, fates);
			for (const [index, { ends }] of fates.entries())
				if (ends === 'done' || /^\d+$/.test(ends))
					expect([index, charged[index]]).toEqual([index, ends === 'done' ? 1 : 0]);
			expect(result.context).toEqual({});
			const ids = result.outputs[0].flatMap(({ json }) => (json.error ? [] : json.id));
			if (row.isTask) for (const id of ids) expect(id).toMatch(/^(spj|video)_/);
			if (row.isTask)
				expect(new Set(ids).size).toBe(fates.filter(({ ends }) => ends === 'done').length);
		},
	);

	test('Retry On Fail sends only what was not charged', async () => {
		const fates = [
			GOOD,
			...[REFUSED, ...PASSING].map(
				(status): Fate => ({ fault: { status }, ends: 'done', sent: 2 }),
			),
		];
		const result = await prepared(row, fates)({ retryOnFail: true, maxTries: 5 });
		expect(endings(result)).toEqual(onOutput(fates, 0));
		expect(sent(fates)).toEqual(fates.map((fate) => fate.sent));
		expect(times(sim.charges, fates)).toEqual(fates.map(() => 1));
		expect(result.context).toEqual({});
	});

	test('Retry execution sends only what was not charged', async () => {
		const refused: Fate = { fault: { status: 402 }, ends: 'done', sent: 2 };
		const fates = [GOOD, ...unknown, refused, GOOD];
		const run = prepared(row, fates);
		const first = await run();
		expect(first.error?.message).toContain('402');
		expect(first.error?.message).toContain(`item ${fates.length - 1} of ${fates.length}`);
		const second = await run({ retryOf: saved(first.run), mode: 'retry' });
		expect(endings(second)).toEqual(onOutput(fates, 0));
		expect(sent(fates)).toEqual(fates.map((fate) => fate.sent));
		expect(second.context).toEqual({});
	});

	test('n8n dies while two are under way: Retry execution sends neither again', async () => {
		const fates: Fate[] = [
			{ fault: { connection: 'stall' }, ends: 'interrupted', sent: 1 },
			{ fault: { status: 402, delayMs: 1_000 }, ends: 'interrupted', sent: 1 },
		];
		const run = prepared(row, fates);
		let atDeath: object | undefined;
		const first = await run(
			{
				started: ({ data }) =>
					void sim.waitFor((all) => {
						if (all.length === 2) atDeath ??= structuredClone(data.executionData!.contextData);
						return atDeath !== undefined;
					}),
			},
			{ concurrency: 2 },
		);
		const broken = saved(first.run);
		Object.assign(broken.executionData!, { contextData: atDeath });
		const second = await run({ retryOf: broken, mode: 'retry' });
		expect(endings(second)).toEqual(onOutput(fates, 0));
		expect(sent(fates)).toEqual([1, 1]);
	});
});
