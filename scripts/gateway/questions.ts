/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { setTimeout as wait } from 'node:timers/promises';
import { sniffAudioFormat } from '../../nodes/SpeechGateway/audio';
import { CLONE_TOKENS } from '../../nodes/SpeechGateway/core/limits';
import { type Answer, type Gateway, NotSent } from './client';

/** What the nodes assume of the gateway, and how to find out. */
export interface Question {
	question: string;
	assumed: string;
	ask(): Promise<{ found: string; asAssumed: boolean }>;
}

export interface QuestionOptions {
	speechModel: string;
	/** Without it, the first of the list that does not look like a model for speech, pictures or videos. */
	chatModel?: string;
	/** Between looks at the job. */
	pollMs: number;
}

const TEXT = 'Hello.';
/** Words that are read out in full would be longer than this, compared with the text alone. */
const TAGS = { round: '(whispering) ', square: '[whispering] ' };
const MOST_WITH_TAG = 1.5;
/** By the billing rules at 250 characters a minute, twice: nobody knows how slowly the model speaks. */
const SPEECH = { tokens: 2 * Math.ceil((TEXT.length / 250) * 1000) + TEXT.length };
/** A handful of tokens in and out, and some more where `max_tokens` counts for nothing. */
const CHAT = { tokens: 200 };
const CLONE = { tokens: CLONE_TOKENS, isMultiplied: false };
/** Looks at a job of one word. */
const MAX_POLLS = 60;
/** Names of headers that a request is found by. */
const TRACES = /request|trace|ray/;
const NO_CHAT = /speech|tts|voice|audio|whisper|video|image|embed|rerank/i;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** What a value is made of: `{ data: [{ id, object }] }`. */
function shapeOf(value: unknown): string {
	if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${shapeOf(value[0])}]`;
	if (!isObject(value)) return typeof value;
	const fields = Object.entries(value).map(([name, inner]) =>
		typeof inner === 'object' && inner !== null ? `${name}: ${shapeOf(inner)}` : name,
	);
	return `{ ${fields.join(', ')} }`;
}

const looks = ({ status, json, headers, bytes }: Answer): string =>
	json === undefined
		? `${status}, ${headers.get('content-type') ?? 'no type'}, ${bytes.length} bytes`
		: `${status} ${shapeOf(json)}`;

const errorMessage = ({ json }: Answer) => fieldsOf(fieldsOf(json).error).message;

/** All questions in the order in which they are asked: what is free first, the voice last but for the chat. */
export function questions(
	gateway: Gateway,
	{ speechModel, chatModel, pollMs }: QuestionOptions,
): Question[] {
	const all: Question[] = [];
	const add = (
		question: string,
		assumed: string,
		request: () => Promise<Answer>,
		holds: (answer: Answer) => boolean,
		show = looks,
	) =>
		all.push({
			question,
			assumed,
			async ask() {
				const answer = await request();
				return { found: show(answer), asAssumed: holds(answer) };
			},
		});

	const get = async (path: string) => await gateway.free('GET', path);
	const voicesPath = (id = '') => `/v1/audio/voices${id}?model=${encodeURIComponent(speechModel)}`;

	let models: string[] = [];
	add(
		'List of models',
		'200 { data: [{ id }] }',
		async () => {
			const answer = await get('/v1/models');
			models = listOf(fieldsOf(answer.json).data).map((model) => String(fieldsOf(model).id));
			return answer;
		},
		({ status, json }) =>
			status === 200 && typeof fieldsOf(listOf(fieldsOf(json).data)[0]).id === 'string',
	);
	const traces = ({ headers }: Answer) => [...headers.keys()].filter((name) => TRACES.test(name));
	add(
		'The request id of an answer',
		'x-request-id',
		async () => await get('/v1/models'),
		({ headers }) => headers.has('x-request-id'),
		(answer) => traces(answer).join(', ') || 'none',
	);
	add(
		'What tells a refusal of the gateway from one of a proxy',
		'JSON with error, and the request id',
		async () => await gateway.free('GET', '/v1/models', 'sk-wrong'),
		(answer) => isObject(fieldsOf(answer.json).error) && traces(answer).length > 0,
		(answer) =>
			[...traces(answer), ...['server', 'via'].filter((name) => answer.headers.has(name))]
				.map((name) => (TRACES.test(name) ? name : `${name}: ${answer.headers.get(name)}`))
				.join(', ') || 'nothing',
	);
	add(
		'A wrong key',
		'401 { error: { message } }',
		async () => await gateway.free('GET', '/v1/models', 'sk-wrong'),
		(answer) => answer.status === 401 && typeof errorMessage(answer) === 'string',
	);
	add(
		'An address with /v1 twice',
		'404',
		async () => await get('/v1/v1/models'),
		({ status }) => status === 404,
	);

	const isMissing = ({ status }: Answer) => status === 404 || status === 403;
	for (const [thing, path] of [
		['A job', '/v1/audio/speech/jobs/spj_000000000000000000000000'],
		['The audio of a job', '/v1/audio/speech/jobs/spj_000000000000000000000000/content'],
		['A video', '/v1/videos/video_000000000000000000000000'],
		['The file of a video', '/v1/videos/video_000000000000000000000000/content'],
	])
		add(`${thing} that is not there`, '404 or 403', async () => await get(path), isMissing);
	add(
		'Deleting a voice that is not there',
		'404 or 403',
		async () => await gateway.free('DELETE', voicesPath('/000000000000000000000000')),
		isMissing,
	);
	add(
		'List of voices',
		'200 { items: [{ _id, title, created_at }] }',
		async () => await get(voicesPath()),
		({ status, json }) => {
			const { items } = fieldsOf(json);
			return (
				status === 200 &&
				Array.isArray(items) &&
				items.every((voice) => typeof fieldsOf(voice)._id === 'string')
			);
		},
	);

	const speech = (more: Json) => ({ model: speechModel, input: TEXT, ...more });
	const speak = async (more: Json) =>
		await gateway.billed('/v1/audio/speech', speech(more), SPEECH);
	for (const [what, more, statuses] of [
		['A model that is not there', { model: 'no-such-model' }, [404]],
		['A speed of 9', { speed: 9 }, [422, 400]],
		['A voice that is not there', { voice: '000000000000000000000000' }, [403, 404]],
	] as const)
		add(
			what,
			`${statuses.join(' or ')} { error: { message } }`,
			async () => await speak(more),
			(answer) =>
				statuses.some((status) => status === answer.status) &&
				typeof errorMessage(answer) === 'string',
		);

	let recording: Buffer | undefined;
	for (const [format, mimeType] of [
		['mp3', 'audio/mpeg'],
		['wav', 'audio/wav'],
		['opus', 'audio/ogg'],
		['pcm', undefined],
	] as const)
		add(
			`Speech as ${format}`,
			`200, ${mimeType ?? 'bare samples'}`,
			async () => {
				const answer = await speak({ response_format: format });
				if (answer.status === 200 && format === 'wav') recording = answer.bytes;
				return answer;
			},
			({ status, bytes }) =>
				status === 200 &&
				bytes.length > 0 &&
				sniffAudioFormat(bytes) === (format === 'pcm' ? undefined : format),
			(answer) => `${looks(answer)}, really ${sniffAudioFormat(answer.bytes) ?? 'no container'}`,
		);

	all.push({
		question: 'Tone tags in round and in square brackets',
		assumed: 'one kind or both are not read out',
		async ask() {
			if (!recording) throw new NotSent('not asked: there is nothing to compare with');
			const lengths: string[] = [];
			let shortest = Infinity;
			for (const [kind, tag] of Object.entries(TAGS)) {
				const { status, bytes } = await speak({ input: tag + TEXT, response_format: 'wav' });
				const ratio = status === 200 ? bytes.length / recording.length : Infinity;
				shortest = Math.min(shortest, ratio);
				lengths.push(`${kind}: ${status === 200 ? `${ratio.toFixed(1)} × as long` : status}`);
			}
			return { found: lengths.join(', '), asAssumed: shortest < MOST_WITH_TAG };
		},
	});

	let jobId: string | undefined;
	const job = async (end = '') => {
		if (jobId === undefined) throw new NotSent('not asked: there is no job');
		return await get(`/v1/audio/speech/jobs/${encodeURIComponent(jobId)}${end}`);
	};
	add(
		'Making a job',
		'200 { id: spj_…, status: pending }',
		async () => {
			const answer = await gateway.billed('/v1/audio/speech/jobs', speech({}), SPEECH);
			const { id } = fieldsOf(answer.json);
			if (typeof id === 'string') jobId = id;
			return answer;
		},
		({ json }) => /^spj_/.test(String(fieldsOf(json).id)) && fieldsOf(json).status === 'pending',
	);
	add(
		'The audio of a job, at once',
		'409 or 404, as long as it is not completed',
		async () => await job('/content'),
		({ status }) => status === 409 || status === 404,
	);
	const seen: string[] = [];
	add(
		'A job, until it ends',
		'pending, processing, completed; error: null',
		async () => {
			for (let polls = 1; ; polls++) {
				const answer = await job();
				const status = String(fieldsOf(answer.json).status);
				if (seen.at(-1) !== status) seen.push(status);
				if (/^(completed|failed)$/.test(status) || polls === MAX_POLLS) return answer;
				await wait(pollMs);
			}
		},
		({ json }) =>
			seen.every((status) => /^(pending|processing|completed)$/.test(status)) &&
			seen.at(-1) === 'completed' &&
			(fieldsOf(json).error ?? null) === null,
		(answer) => `${seen.join(', ')}: ${looks(answer)}`,
	);
	add(
		'The audio of a job',
		'200, audio/mpeg',
		async () => await job('/content'),
		({ status, bytes }) => status === 200 && sniffAudioFormat(bytes) === 'mp3',
	);

	const title = `check:gateway ${Date.now()}`;
	let voiceId: string | undefined;
	add(
		'Cloning a voice, from a second of its own speech',
		'2xx { _id }',
		async () => {
			if (!recording) throw new NotSent('not asked: there is no recording');
			const form = new FormData();
			form.append('model', speechModel);
			form.append('title', title);
			form.append('audio', new Blob([new Uint8Array(recording)], { type: 'audio/wav' }), 'a.wav');
			const answer = await gateway.billed('/v1/audio/voices', form, CLONE);
			const { _id } = fieldsOf(answer.json);
			if (typeof _id === 'string') voiceId = _id;
			return answer;
		},
		({ status, json }) => status >= 200 && status < 300 && typeof fieldsOf(json)._id === 'string',
	);
	/** Also when no answer came: the title tells it. */
	const clonedVoices = async () => {
		const voices = listOf(fieldsOf((await get(voicesPath())).json).items).map(fieldsOf);
		return voices.filter((voice) => voice.title === title).map(({ _id }) => String(_id));
	};
	const remove = async (id: string) => {
		const path = voicesPath(`/${encodeURIComponent(id)}`);
		return await gateway.free('DELETE', path).then(
			({ status }) => String(status),
			() => 'no answer',
		);
	};
	all.push({
		question: 'Deleting that voice, and once more',
		assumed: '2xx, then 404',
		async ask() {
			const ids = new Set([
				...(voiceId ? [voiceId] : []),
				...(await clonedVoices().catch(() => [])),
			]);
			if (ids.size === 0) throw new NotSent('not asked: there is no voice');
			const statuses: string[] = [];
			for (const id of ids) statuses.push(await remove(id), await remove(id));
			const left = await clonedVoices().catch(() => [...ids]);
			return {
				found: `${statuses.join(', then ')}${left.length > 0 ? `; delete it yourself: ${left.join(', ')}` : ''}`,
				asAssumed: /^2\d\d,404$/.test(statuses.join()) && left.length === 0,
			};
		},
	});

	const chat = async (more: Json) => {
		const model = chatModel ?? models.find((id) => !NO_CHAT.test(id));
		if (model === undefined) throw new NotSent('not asked: the list has no model for chats');
		const messages = [{ role: 'user', content: 'Say yes.' }];
		return await gateway.billed(
			'/v1/chat/completions',
			{ model, messages, max_tokens: 16, ...more },
			CHAT,
		);
	};
	add(
		'A chat',
		'200 { choices: [{ message: { content }, finish_reason }], usage }',
		async () => await chat({}),
		({ status, json }) => {
			const choice = fieldsOf(listOf(fieldsOf(json).choices)[0]);
			return (
				status === 200 &&
				typeof fieldsOf(choice.message).content === 'string' &&
				isObject(fieldsOf(json).usage)
			);
		},
	);
	const events = ({ bytes }: Answer) =>
		[...bytes.toString().matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data.trim());
	add(
		'A chat as a stream',
		'chunks with choices[].delta, then [DONE]; usage only where it is asked for',
		async () => await chat({ stream: true }),
		(answer) =>
			answer.status === 200 &&
			events(answer).at(-1) === '[DONE]' &&
			!/"usage":\s*\{/.test(answer.bytes.toString()),
		(answer) => {
			const data = events(answer);
			const usage = /"usage":\s*\{/.test(answer.bytes.toString()) ? 'with usage' : 'no usage';
			return data.length === 0
				? looks(answer)
				: `${answer.status}, ${data.length} events, the last ${data.at(-1)!.slice(0, 40)}, ${usage}`;
		},
	);
	return all;
}
