/** What the model test makes up: items, what happens to each of their requests, and what the user does about it. */
import fc from 'fast-check';
import type { IDataObject, OnError } from 'n8n-workflow';
import type { Fault, SimulatorOptions } from '../../support/simulator';
import { RECORDED } from '../../support/simulator/answers';

export type Kind =
	| 'generate'
	| 'dialogue'
	| 'createJob'
	| 'createAndWait'
	| 'chat'
	| 'voice'
	| 'createVideo'
	| 'video';

/** How each sentence begins: faults go by it, and the judge knows it by it. */
export const mark = (round: number, item: number, part: number): string =>
	`Round ${round} item ${item} part ${part},`;

/** Stands in each sentence; where a text is made anew for each attempt, it is another number each time. */
const TAKE = '100000';
const NEW_TAKE = 'String(100001 + Math.floor(899999 * Math.random()))';

/** The whole of a request, or one sentence of it: about 113 characters, so that a cut leaves one or two to a segment. */
export const sentence = (round: number, item: number, part: number): string =>
	`${mark(round, item, part)} take ${TAKE}, went along the river at night, and nobody was surprised that it rained again.`;

/** Kinds whose text is cut into requests, with the sound of all of them in one file. */
export const isCut = (kind: Kind): boolean => kind === 'generate' || kind === 'dialogue';

/** The same sentences as a script of two speakers, each of whom says two of them. */
export const scriptOf = (sentences: string[]): string =>
	sentences
		.map((text, part) => (part % 2 > 0 ? ` ${text}` : `\n${part % 4 ? 'Ben' : 'Anna'}: ${text}`))
		.join('');

export interface Trouble {
	/** What happens to the requests that carry the sentence, one after the other; after that, all is well. */
	faults: Fault[];
}

export interface Previous {
	/** Of the item's sentences, these are in it. */
	parts: number[];
	/** The gateway has cut its first request: its segments have one or two sentences. */
	isCut: boolean;
}

export interface ItemPlan {
	/** Of each sentence of the item's text (of other resources: of its one request). */
	sentences: Trouble[];
	/** The item comes with a file made before. */
	previous?: Previous;
	/** Which of two accounts pays, where there are two. */
	payer: 0 | 1;
	/** Of its job or video: polls, download, and the thing itself. */
	polls: Fault[];
	downloads: Fault[];
	task?: Pick<Fault, 'jobFails' | 'jobSeconds'>;
}

export interface Settings {
	onError: OnError;
	/** Retry On Fail; unset: off. */
	maxTries?: number;
	maxRetries: number;
	concurrency: number;
	maxSegmentCharacters: number;
	longText?: 'auto' | 'single';
	/** The text of every item is another. */
	changedText?: boolean;
	/** An expression makes it anew each time that it is read. */
	anew?: boolean;
	speed?: number;
	title?: string;
	whenMaxWaitReached?: 'fail' | 'stillProcessing';
	/** The file has another name each time that it is asked for. */
	everNewName?: boolean;
	key: 'none' | 'each' | 'twins' | 'blank';
	/** What was sent with a key before is given again. */
	again?: boolean;
	/** Spending limit, tokens: enough for a few sentences. */
	limit?: number;
}

export interface Step {
	/** Which of the executions that failed before is retried, counted from the newest, modulo their number. */
	retryOf: number;
	/** What the user changed in the workflow before. */
	changes: Partial<Settings>;
	/** Stopped when so many events (requests, charges, answers) were seen in this execution. */
	stopAt?: number;
	/** The credential is broken from so many requests on. */
	credentialBreaksAt?: number;
	/** The n-th use of the key store fails. */
	keyFault?: { nth: number; when: 'before' | 'after' };
	/** The n-th file cannot be stored. */
	storeFaultAt?: number;
	/** The files that the execution to be retried has paid for were deleted. */
	filesDeleted?: boolean;
	/** The node was switched to the operation that is most like its own. */
	switched?: boolean;
	/** The workflow's timeout, seconds. */
	timeout?: number;
	/** The machine's clock is stepped by so many ms when so many events were seen. */
	clockStep?: { at: number; ms: number };
}

/** What is the next best to do with the same items. */
export const LIKE: Partial<Record<Kind, Kind>> = {
	generate: 'dialogue',
	dialogue: 'generate',
	createJob: 'createAndWait',
	createAndWait: 'createJob',
	createVideo: 'video',
	video: 'createVideo',
};

/** The gateway that a story plays at: its dialect, what money there is, how long it works, and how many requests it lets in. */
export type Gateway = Required<
	Pick<SimulatorOptions, 'dialect' | 'balanceTokens' | 'keyTokens'>
> & { latencyMs: number } & Pick<SimulatorOptions, 'rateLimit'> & {
		/** So slow that it cuts texts of more characters (524). */
		cutsAbove?: number;
	};

export interface Scenario {
	kind: Kind;
	at: Gateway;
	rounds: ItemPlan[][];
	settings: Settings;
	/** The first execution, and retries of executions that failed. */
	steps: Step[];
	/** The first is started twice at once, where Send Once Keys tell the items. */
	twice: boolean;
	/** An execution has failed before it came to the node: the first one is a retry of that. */
	failedBefore: boolean;
	/** The server costs nothing, and the credential says so. */
	costsNothing?: true;
	/** The credential is an expression: some rows are paid by another account, which has so much money. */
	second?: Pick<Gateway, 'balanceTokens' | 'keyTokens'>;
	/** From one billed request on, a proxy answers some in place of the gateway, which may work on; for one account or all. */
	outage?: {
		from: number;
		times: number;
		charge: boolean;
		proxy: NonNullable<Fault['proxy']>;
		of?: 0 | 1;
	};
}

const one = <T>(...values: T[]) => fc.constantFrom(...values);

/** Answers after which a request may be sent again: the gateway says that nothing was charged. */
const PASSING: Fault[] = [
	{ status: 429, retryAfter: 0 },
	{ status: 503, retryAfter: 0 },
	{ status: 500, retryAfter: 0 },
	{ status: 502, retryAfter: 0 },
	{ status: 521, proxy: 'page', retryAfter: 0 },
	{ status: 429, retryAfter: -5 },
	{ status: 429, retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' },
	{ status: 503, retryAfter: 60 },
	{ status: 429, retryAfter: 7 },
];
const REFUSALS: Fault[] = [
	{ status: 402 },
	{ status: 422 },
	{ status: 401 },
	{ status: 402, delayMs: 15 },
	{ status: 413 },
	{ status: 429, retryAfter: 5000 },
	{ status: 308, redirect: 'https://elsewhere.example/v1/audio/speech' },
];
/** Nobody can know whether these were charged; whether they were is for the simulator to say. */
const UNKNOWN: Fault[] = [
	{ status: 504, charge: true },
	{ status: 504, charge: false },
	{ status: 504, charge: true, delayMs: 10 },
	{ status: 408, charge: true },
	{ status: 499, charge: true },
	{ status: 460, charge: true, proxy: 'empty' },
	{ status: 499, charge: false, proxy: 'late' },
	{ redirect: '/v1/elsewhere' },
	{ status: 303, redirect: '/v1/audio/speech' },
	{ connection: 'reset-before-work' },
	{ connection: 'reset-after-work' },
	{ truncate: 'half' },
	{ truncate: 'half', truncateClean: true },
	{ truncate: 0, truncateClean: true },
	{ corrupt: true },
	{ corrupt: true, headers: { 'content-encoding': 'gzip' } },
	{ truncate: 'half', contentType: 'text/html' },
	{ connection: 'stall' },
	{ connection: 'stall', charge: false },
	{ delayMs: 200_000 },
	{ dripMs: 200_000 },
	{ status: 200, body: { note: 'It was done.' }, charge: true },
	{ status: 202, body: '', charge: true },
	{ status: 200, body: '<html>Please log in</html>', charge: true },
];
/** Nor after a server error that is not the gateway's own. */
const proxied: fc.Arbitrary<Fault> = fc.record({
	status: one(500, 502, 503, 504, 520, 522),
	proxy: one<Fault['proxy']>(
		...(['page', 'empty', 'json', 'text', 'spring'] as const),
		...(['google', 'envoy', 'late', 'socket'] as const),
	),
	charge: fc.boolean(),
});
/** Of the gateway itself, whichever it is: it has charged nothing. */
export const OWN_CUT: Fault = {
	status: 524,
	body: { error: { message: 'It took too long', code: 'cut' } },
};
/** Only the document's own gateway charges nothing when the proxy in front of it cuts a request. */
const cuts = (dialect: Gateway['dialect']): Fault[] => [
	OWN_CUT,
	dialect === 'document' ? { status: 524 } : { status: 524, proxy: 'page', charge: true },
];

/** What was recorded of a gateway; streams are not asked for here, and two channels in one body sound like nothing sent. */
function recorded(kind: Kind, dialect: Gateway['dialect']): Fault[] {
	const request = `POST /v1/${kind === 'chat' ? 'chat/completions' : 'audio/speech'}`;
	return RECORDED.filter((answer) => answer.gateway === dialect && answer.request === request)
		.filter((answer) => !/^stream|two channels/.test(answer.case))
		.map((answer): Fault => ({ case: answer.case }));
}

function trouble(kind: Kind, dialect: Gateway['dialect']): fc.Arbitrary<Trouble> {
	const cases = recorded(kind, dialect);
	const fault = fc.oneof(
		{ weight: 5, arbitrary: one(...PASSING) },
		{ weight: 4, arbitrary: one(...REFUSALS) },
		{ weight: 4, arbitrary: one(...UNKNOWN) },
		{ weight: 2, arbitrary: proxied },
		{ weight: isCut(kind) ? 5 : 2, arbitrary: one(...cuts(dialect)) },
		{
			weight: 2,
			arbitrary: fc.integer({ min: 1, max: 20 }).map((delayMs): Fault => ({ delayMs })),
		},
		...(cases.length > 0 ? [{ weight: 9, arbitrary: one(...cases) }] : []),
	);
	return fc.record({
		faults: fc.oneof(
			{ weight: 3, arbitrary: fc.constant<Fault[]>([]) },
			{ weight: 2, arbitrary: fc.array(fault, { minLength: 1, maxLength: 3 }) },
		),
	});
}

const freeFault = one<Fault>(
	{ status: 429, retryAfter: 0 },
	{ status: 503 },
	{ status: 504 },
	{ status: 502, proxy: 'page' },
	{ connection: 'reset-after-work' },
	{ status: 200, body: 'not json' },
	{ truncate: 'half' },
	{ truncate: 'half', truncateClean: true },
	{ corrupt: true },
	{ status: 404 },
	{ status: 401 },
);

const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
	fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
	fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const previous: fc.Arbitrary<Previous> = fc
	.record({ parts: fc.subarray([0, 1, 2, 3, 4]), isCut: fc.boolean() })
	.map(({ parts, isCut }) => {
		const [first = 0] = parts;
		// Sentences that follow each other in the text.
		return { parts: isCut ? parts.map((_, index) => first + index) : parts, isCut };
	});

const task = fc.oneof(
	{ weight: 6, arbitrary: fc.constant(undefined) },
	{ weight: 1, arbitrary: fc.constant({ jobFails: true }) },
	{ weight: 1, arbitrary: fc.constant({ jobSeconds: Infinity }) },
);

export const itemPlan = (
	kind: Kind,
	dialect: Gateway['dialect'] = 'document',
): fc.Arbitrary<ItemPlan> => {
	const waits = kind === 'createAndWait' || kind === 'video';
	const most = isCut(kind) ? 5 : 1;
	return fc.record({
		sentences: fc.array(trouble(kind, dialect), { minLength: 1, maxLength: most }),
		payer: one<0 | 1>(0, 1),
		previous: isCut(kind) ? sometimes(previous) : fc.constant(undefined),
		polls: waits ? fc.array(freeFault, { maxLength: 1 }) : fc.constant([]),
		downloads: waits ? fc.array(freeFault, { maxLength: 2 }) : fc.constant([]),
		task: waits ? task : fc.constant(undefined),
	});
};

const settings: fc.Arbitrary<Settings> = fc.record({
	onError: one<OnError>(
		'stopWorkflow',
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	),
	maxTries: one(undefined, undefined, 2, 3),
	maxRetries: one(0, 1, 2),
	concurrency: one(1, 2, 4, 8),
	maxSegmentCharacters: one(120, 240, 480, 1000),
	longText: one(undefined, undefined, undefined, 'auto', 'single'),
	whenMaxWaitReached: one(undefined, 'fail', 'stillProcessing'),
	everNewName: one(undefined, undefined, true),
	anew: one(undefined, undefined, undefined, true),
	again: one(undefined, true),
	key: one('none', 'none', 'none', 'each', 'twins', 'blank'),
	limit: rarely(one(500, 2_000, 7_500)),
});

const changes: fc.Arbitrary<Partial<Settings>> = fc.oneof(
	{ weight: 3, arbitrary: fc.constant({}) },
	{
		weight: 2,
		arbitrary: fc.oneof(
			one<Partial<Settings>>(
				{ maxSegmentCharacters: 120 },
				{ maxSegmentCharacters: 240 },
				{ maxSegmentCharacters: 1000 },
				{ longText: 'auto' },
				{ longText: 'single' },
				{ changedText: true },
				{ speed: 2 },
				{ title: 'Renamed' },
				{ everNewName: true },
				{ onError: 'continueRegularOutput' },
				{ onError: 'continueErrorOutput' },
				{ concurrency: 1 },
				{ key: 'each' },
				{ key: 'none' },
			),
		),
	},
);

const step: fc.Arbitrary<Step> = fc.record({
	retryOf: fc.nat({ max: 2 }),
	changes,
	stopAt: fc.oneof(
		{ weight: 5, arbitrary: fc.constant(undefined) },
		{ weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) },
	),
	credentialBreaksAt: rarely(fc.integer({ min: 0, max: 6 })),
	keyFault: rarely(
		fc.record({ nth: fc.integer({ min: 1, max: 6 }), when: one('before', 'after') }),
	),
	storeFaultAt: rarely(fc.integer({ min: 1, max: 8 })),
	filesDeleted: rarely(fc.constant(true)),
	switched: rarely(fc.constant(true)),
	timeout: rarely(one(1, 30, 100)),
	clockStep: rarely(fc.record({ at: fc.integer({ min: 1, max: 12 }), ms: one(300_000, -300_000) })),
});

const few = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 1, maxLength: 5 });
/** Enough that the limit of concurrency falls and rises. */
const many = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: 20, maxLength: 40 });

const outage = fc.record({
	from: fc.integer({ min: 1, max: 5 }),
	times: fc.integer({ min: 2, max: 9 }),
	charge: fc.boolean(),
	proxy: one<NonNullable<Fault['proxy']>>('page', 'json', 'spring', 'text', 'google', 'envoy'),
	of: one<0 | 1 | undefined>(undefined, 0, 1),
});

/** Money without end. */
export const RICH = { balanceTokens: 1e12, keyTokens: Infinity };

const money = {
	balanceTokens: one(RICH.balanceTokens, RICH.balanceTokens, 20_000, 4_000, 1_200),
	keyTokens: one(RICH.keyTokens, RICH.keyTokens, 20_000, 2_400, 600),
};

/** Only the document's own gateway has jobs, voices and videos. */
const gateway = (kind: Kind): fc.Arbitrary<Gateway> =>
	fc
		.record({
			dialect:
				isCut(kind) || kind === 'chat'
					? one<Gateway['dialect']>('document', 'document', 'new-api', 'one-api', 'litellm')
					: fc.constant<Gateway['dialect']>('document'),
			// So slow that money is set aside for several requests at once.
			latencyMs: one(1, 50),
			...money,
			rateLimit: rarely(
				fc.record({
					seconds: fc.constant(60),
					requests: one(undefined, 6),
					successes: one(undefined, 3),
					in: one<'memory' | 'redis'>('memory', 'redis'),
				}),
			),
			cutsAbove: isCut(kind) ? one(undefined, undefined, 150, 250, 400) : fc.constant(undefined),
		})
		.map((at) => (at.dialect === 'document' ? at : { ...at, cutsAbove: undefined }));

export const scenario: fc.Arbitrary<Scenario> = fc
	.oneof(
		{ weight: 7, arbitrary: fc.constant<Kind>('generate') },
		{ weight: 3, arbitrary: fc.constant<Kind>('dialogue') },
		{ weight: 2, arbitrary: fc.constant<Kind>('createJob') },
		{ weight: 2, arbitrary: fc.constant<Kind>('createAndWait') },
		{ weight: 2, arbitrary: fc.constant<Kind>('chat') },
		{ weight: 1, arbitrary: fc.constant<Kind>('voice') },
		{ weight: 1, arbitrary: fc.constant<Kind>('createVideo') },
		{ weight: 1, arbitrary: fc.constant<Kind>('video') },
	)
	.chain((kind) => fc.record({ kind: fc.constant(kind), at: gateway(kind) }))
	.chain(({ kind, at }) => {
		const item = itemPlan(kind, at.dialect);
		return fc.record({
			kind: fc.constant(kind),
			at: fc.constant(at),
			rounds: fc.oneof(
				{ weight: 12, arbitrary: fc.array(few(item), { minLength: 1, maxLength: 2 }) },
				{ weight: 1, arbitrary: fc.tuple(many(item)) },
			),
			settings,
			steps: fc.array(step, { minLength: 1, maxLength: 4 }),
			twice: one(false, false, true),
			failedBefore: one(false, false, false, true),
			costsNothing: fc.oneof(
				{ weight: 7, arbitrary: fc.constant(undefined) },
				{ weight: 1, arbitrary: fc.constant<true>(true) },
			),
			second: one(false, true).chain((has) => (has ? fc.record(money) : fc.constant(undefined))),
			outage: fc.oneof(
				{ weight: 4, arbitrary: fc.constant(undefined) },
				{ weight: 1, arbitrary: outage },
			),
		});
	});

const NEW_NAME = '={{ "at " + Math.random() }}';

/** Parameters that make the earlier file of an item. */
export const PREVIOUS_PARAMETERS: IDataObject = {
	resource: 'speech',
	operation: 'generate',
	model: 'fish-speech',
	responseFormat: 'wav',
	text: '={{ $json.text }}',
	options: { maxSegmentCharacters: '={{ $json.longest }}', previousBinaryPropertyName: '' },
};

/** LiteLLM has no voice of its own. */
export const voiceAt = ({ dialect }: Gateway): string | undefined =>
	dialect === 'litellm' ? 'alloy' : undefined;

const MAKES_FILE = new Set<Kind>(['generate', 'dialogue', 'createAndWait', 'video']);

/** The node's parameters, for a workflow with these settings. `name` keeps keys of different scenarios apart. */
export function parametersOf(
	kind: Kind,
	settings: Settings,
	name: string,
	voice?: string,
): IDataObject {
	const { maxRetries, concurrency, maxSegmentCharacters, speed, longText, title } = settings;
	const { changedText, anew, everNewName, whenMaxWaitReached } = settings;
	const taken = anew ? `.replaceAll('${TAKE}', ${NEW_TAKE})` : '';
	const text = `={{ $json.text${taken}${changedText ? '.toUpperCase()' : ''} }}`;
	const sendOnceKey = {
		none: undefined,
		each: `={{ ${JSON.stringify(name)} + $json.name }}`,
		twins: `={{ ${JSON.stringify(name)} + ($json.twin ?? $json.name) }}`,
		blank: `={{ $json.blank ? ' ' : ${JSON.stringify(name)} + $json.name }}`,
	}[settings.key];
	const options = {
		maxRetries,
		charges: true,
		...(sendOnceKey && { sendOnceKey }),
		...(settings.again && { whenSentBefore: 'again' }),
		...(everNewName && MAKES_FILE.has(kind) && { fileName: NEW_NAME }),
	};
	const previous = { previousBinaryPropertyName: '={{ $json.previous }}' };
	const waits = {
		pollInterval: 1,
		maxPollInterval: 1,
		maxWait: 2,
		...(whenMaxWaitReached && { whenMaxWaitReached }),
	};
	const speech = { model: 'fish-speech', responseFormat: 'wav' };
	const ofText = { ...speech, text, ...(voice && { voice }) };
	const limited = { ...options, ...(settings.limit && { maxEstimatedTokens: settings.limit }) };
	const spoken = {
		...limited,
		concurrency,
		maxSegmentCharacters,
		...previous,
		...(speed && { speed }),
	};
	switch (kind) {
		case 'generate':
			return {
				resource: 'speech',
				operation: 'generate',
				...ofText,
				options: { ...spoken, ...(longText && { longText }) },
			};
		case 'dialogue':
			return {
				resource: 'speech',
				operation: 'dialogue',
				...speech,
				script: text.replace('text', 'script'),
				speakers: { values: ['Anna', 'Ben'].map((name) => ({ name, voice: voice ?? 'default' })) },
				options: {
					...spoken,
					...(title && { tags: { values: { title } } }),
				},
			};
		case 'createJob':
		case 'createAndWait':
			return {
				resource: 'speechJob',
				operation: kind === 'createJob' ? 'create' : kind,
				...ofText,
				options: {
					...limited,
					concurrency,
					...(kind === 'createAndWait' && waits),
					...(speed && { speed }),
				},
			};
		case 'chat':
			return {
				resource: 'chat',
				operation: 'complete',
				model: 'sim-chat',
				messages: { values: [{ role: 'user', content: text }] },
				options: { ...options, concurrency },
			};
		case 'voice':
			return {
				resource: 'voice',
				operation: 'create',
				model: 'fish-speech',
				title: text,
				binaryPropertyName: 'data',
				options,
			};
		case 'createVideo':
		case 'video':
			return {
				resource: 'video',
				operation: kind === 'video' ? 'createAndWait' : 'create',
				model: 'sim-video',
				prompt: text,
				options: { ...options, ...(kind === 'video' && waits) },
			};
	}
}
