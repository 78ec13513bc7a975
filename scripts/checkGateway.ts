/* eslint-disable no-console -- runs outside n8n */
import { parseArgs } from 'node:util'; // eslint-disable-line @n8n/community-nodes/no-restricted-imports -- runs outside n8n
import { sniffAudioFormat } from '../nodes/SpeechGateway/audio';
import { authorization } from '../nodes/SpeechGateway/core/apiKey';
import { baseOf, rootOf } from '../nodes/SpeechGateway/gateway/baseUrl';
import { capabilitiesOf } from '../nodes/SpeechGateway/gateway/models';
import { readList } from '../nodes/SpeechGateway/gateway/readList';
import { chosenService, type ChosenService, VARIABLES } from './service';

export interface CheckOptions extends ChosenService {
	/**
	 * It speaks one word if that costs no more, by the document's rules; 0: it sends nothing that costs. Without a key it
	 * speaks.
	 */
	tokens: number;
	/** Of one request. */
	timeoutMs: number;
}

/** What was found out, and what a person enters: rows of a name and what is so. */
export type Report = Array<[name: string, found: string]>;

interface Answer {
	status: number;
	headers: Headers;
	bytes: Buffer;
	text: string;
	json: Json;
}

type Json = Record<string, unknown>;

const WORD = 'Hello.';
/** By the rules at 250 characters a minute, twice: nobody knows how slowly the model speaks. */
const WORD_TOKENS = 2 * Math.ceil((WORD.length / 250) * 1000) + WORD.length;
/** What the gateway recommends for speech. */
const TIME_OUT_MS = 180_000;
const NOBODY = '000000000000000000000000';
const WRONG_KEY = 'sk-wrong';
const MOST_SHOWN_NAMES = 5;

const HELP = `npm run check:gateway [-- --tokens ${WORD_TOKENS}]
It takes ${VARIABLES}.`;

/** `npm run check:gateway`: tells what a service has and what to enter for it; it costs nothing without `--tokens`. */
export async function main(args: string[]): Promise<number> {
	const { values } = parseArgs({ args, options: { tokens: { type: 'string', default: '0' } } });
	const service = chosenService();
	const tokens = Number(values.tokens);
	if (!service || !(tokens >= 0)) throw new Error(HELP);
	for (const [name, found] of await checkGateway({ ...service, tokens, timeoutMs: TIME_OUT_MS }))
		console.log(`${name.padEnd(16)}${found}`);
	return 0;
}

/** Asks everything once, in order. Whatever goes wrong is an answer, too. */
export async function checkGateway(options: CheckOptions): Promise<Report> {
	const { tokens, apiKey } = options;
	const get = async (path: string, key?: string) => await ask(options, 'GET', path, { key });
	const models = await get('/models');
	const wrongKey = await get('/models', WRONG_KEY);
	const nowhere = await get(`/${NOBODY}`);
	const model = modelOf(options, listIn(models));
	const voicesAt = await get(`/audio/voices?model=${encodeURIComponent(model.id ?? '')}`);
	const voices = listIn(voicesAt) ?? listIn(await get('/voices'));
	const prices = await get('/api/pricing');
	const log = await get('/api/log/token');
	/** A thing that is not there is told from an address that is not there by what is said of it. */
	const has = async (path: string) => {
		const answer = await get(path);
		const isNothing = Object.keys(answer.json).length === 0 || saysSame(answer, nowhere);
		return isNothing ? 'no' : `yes, as far as one can see (${said(answer)})`;
	};
	const jobs = await has(`/audio/speech/jobs/spj_${NOBODY}`);
	const voice = voiceOf(options, voices);
	const rows: Report = [
		['Service', dialectOf([models, wrongKey, voicesAt], jobs !== 'no')],
		['Models', `${said(models)}; ${listIn(models)?.length ?? 'no list'}`],
		['Wrong key', said(wrongKey)],
		['Request id', tracesOf(models).join(', ') || 'none'],
		['Speech jobs', jobs],
		['Voices', voices ? `yes, ${voices.length}` : 'no'],
		['Videos', await has(`/videos/video_${NOBODY}`)],
		['Price list', Array.isArray(prices.json.data) ? 'yes' : 'no'],
		['Usage log', usageLog(log)],
	];
	if (tokens < WORD_TOKENS && apiKey !== '')
		rows.push(['Speech', `not asked: with --tokens ${WORD_TOKENS}, it speaks one word`]);
	else {
		const named = { model: model.id, ...(voice.id !== undefined && { voice: voice.id }) };
		const body = { ...named, input: WORD, response_format: 'mp3' };
		const speech = await ask(options, 'POST', '/audio/speech', { body });
		const format = sniffAudioFormat(speech.bytes);
		rows.push(['Speech', format ? `${speech.bytes.length} bytes of ${format}` : said(speech)]);
	}
	rows.push(
		['Not asked', 'chats, clones, jobs and videos; what lost and cut requests cost'],
		['Enter', 'in the credential and the node:'],
		['  Base URL', baseOf(options.baseUrl)],
		['  API Key', keyOf(options, listIn(wrongKey) !== undefined)],
		['  Costs Nothing', apiKey === '' ? 'on' : 'on if the server is your own, else off'],
		['  Model', model.says],
		['  Voice', voice.says],
	);
	return rows;
}

/** The entries of a list, in any form that the node reads; undefined where there is none. */
function listIn({ status, text }: Answer): Json[] | undefined {
	if (status !== 200) return undefined;
	try {
		return readList(JSON.parse(text));
	} catch {
		return undefined;
	}
}

const namesOf = (entry: Json): string[] =>
	['id', '_id', 'voice_id', 'name', 'model', 'title'].flatMap((key) =>
		typeof entry[key] === 'string' ? [entry[key]] : [],
	);

/** What is to be entered, and what is said of it. */
interface ToEnter {
	id?: string;
	says: string;
}

/** The model that is named, else the first of the list that speaks. */
function modelOf({ model }: CheckOptions, models: Json[] = []): ToEnter {
	const ids = (list: Json[]) => list.flatMap((one) => namesOf(one).slice(0, 1));
	const speaking = ids(models.filter((one) => capabilitiesOf(one).includes('speech')));
	const others = `those that can speak: ${firstOf(speaking) || 'none that says so'}`;
	if (models.length === 0) return { id: model, says: model ?? 'By ID; no model is listed' };
	if (model === undefined) {
		const [first = ids(models)[0]] = speaking;
		return { id: first, says: `${first}; ${others}` };
	}
	const isListed = models.some((one) => namesOf(one).includes(model));
	return { id: model, says: isListed ? model : `${model}, which is not listed; ${others}` };
}

/** The voice that is named, else that of the service, with those that it lists. */
function voiceOf({ voice }: CheckOptions, voices?: Json[]): ToEnter {
	const listed = firstOf((voices ?? []).flatMap((one) => namesOf(one).slice(0, 1)));
	if (voice === undefined)
		return { says: listed ? `Default, or of the list: ${listed}` : 'Default, or By ID' };
	const isListed = voices?.some((one) => namesOf(one).includes(voice)) ?? true;
	if (isListed) return { id: voice, says: voices ? voice : `${voice}, By ID` };
	return { id: voice, says: `${voice}, which is not listed: ${listed}` };
}

const firstOf = (names: string[]): string =>
	names.slice(0, MOST_SHOWN_NAMES).join(', ') + (names.length > MOST_SHOWN_NAMES ? ' …' : '');

function keyOf({ apiKey }: CheckOptions, anyIsTaken: boolean): string {
	const given = apiKey === '' ? 'none' : 'that of SPEECH_GATEWAY_API_KEY';
	return anyIsTaken
		? `${given}; models are listed to anybody, so the test is green with any`
		: given;
}

/** Sends one request, once. */
async function ask(
	{ baseUrl, apiKey, timeoutMs }: CheckOptions,
	method: string,
	path: string,
	{ key = apiKey, body }: { key?: string; body?: object },
): Promise<Answer> {
	const clean = (text: string) => (apiKey === '' ? text : text.replaceAll(apiKey, '***'));
	const base = baseOf(baseUrl);
	try {
		const response = await fetch((path.startsWith('/api/') ? rootOf(base) : base) + path, {
			method,
			headers: { ...authorization(key), 'content-type': 'application/json' },
			body: body && JSON.stringify(body),
			// What is billed must not be sent on, and a key not to another host.
			redirect: 'manual',
			signal: AbortSignal.timeout(timeoutMs),
		});
		const { status, headers } = response;
		const bytes = Buffer.from(await response.arrayBuffer());
		const text = clean(bytes.toString());
		return { status, headers, bytes, text, json: parsed(text) };
	} catch (error) {
		const text = clean(`no answer: ${(error as Error).message}`);
		return { status: 0, headers: new Headers(), bytes: Buffer.alloc(0), text, json: {} };
	}
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): Json =>
	typeof value === 'object' && value !== null ? (value as Json) : {};

function parsed(text: string): Json {
	try {
		return fieldsOf(JSON.parse(text));
	} catch {
		return {};
	}
}

/** Status and words of an answer, in one line. */
const said = (answer: Answer): string => wholly(answer).slice(0, 90);

function wholly({ status, text, json }: Answer): string {
	if (status === 200) return '200';
	const error = fieldsOf(json.error ?? json.detail ?? json);
	const words = [error.type, error.code, error.message ?? json.detail ?? text];
	const line = words.filter((word) => typeof word === 'string' && word !== '').join(', ');
	return `${status || ''} ${line.replace(/\s+/g, ' ')}`.trim();
}

/** What is said of an address, without the address and the ids. */
const gist = (answer: Answer): string =>
	wholly(answer).replace(/\/v1\/[^\s)"]*|\b(?:req_)?[\w-]{12,}/g, '');
const saysSame = (one: Answer, other: Answer): boolean => gist(one) === gist(other);

const tracesOf = ({ headers }: Answer): string[] =>
	[...headers.keys()].filter((name) => /request|trace|call-id|ray/.test(name));

/** What is said by one kind of service only, in the names of headers or in words. */
const SIGNS: Array<[sign: RegExp, name: string]> = [
	[/x-litellm|no_db_connection/, 'LiteLLM'],
	[/x-portkey/, 'Portkey'],
	[/x-new-api|new_api_error/, 'new-api, or one made from it'],
	[/one_api_error/, 'one-api, or one made from it'],
	[/"owned_by": ?"kokoro"/, 'Kokoro-FastAPI'],
	[/"owned_by": ?"resemble-ai"/, 'chatterbox-tts-api'],
	[/speaches-ai/, 'Speaches'],
	[/en-US-JennyNeural/, 'openai-edge-tts'],
	[/"tara"/, 'Orpheus-FastAPI'],
];

function dialectOf(answers: Answer[], hasJobs: boolean): string {
	const signs = answers.flatMap(({ headers, text }) => [...headers.keys(), text]).join();
	const [, name] = SIGNS.find(([sign]) => sign.test(signs)) ?? [];
	return name ?? (hasJobs ? "the API document's own" : 'none that is known here');
}

function usageLog({ status, json }: Answer): string {
	if (status !== 200 || json.success !== true) return 'no';
	if (listOf(json.data).length > 0) return 'yes';
	return 'empty: nothing yet, or it wants the key in the address (Settle: Key in Address)';
}
