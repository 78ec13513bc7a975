/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { parseArgs } from 'node:util'; // eslint-disable-line @n8n/community-nodes/no-restricted-imports -- runs outside n8n
import { sniffAudioFormat } from '../nodes/SpeechGateway/audio';
import { baseOf, rootOf } from '../nodes/SpeechGateway/gateway/baseUrl';

export interface CheckOptions {
	apiKey: string;
	/** In any form that the credential takes. */
	baseUrl: string;
	/** It speaks one word if that costs no more, by the document's rules; 0: it sends nothing that costs. */
	tokens: number;
	model: string;
	voice?: string;
	/** Of one request. */
	timeoutMs: number;
}

/** What was found out: rows of a name and what is so. */
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

const HELP = `npm run check:gateway -- --base-url https://host [--tokens ${WORD_TOKENS}] [--model ID] [--voice ID]
The API key is read from the variable SPEECH_GATEWAY_KEY.`;

/** `npm run check:gateway`: tells which gateway this is and what it has; it costs nothing without `--tokens`. */
export async function main(args: string[]): Promise<number> {
	const { values } = parseArgs({
		args,
		options: {
			'base-url': { type: 'string' },
			tokens: { type: 'string', default: '0' },
			model: { type: 'string', default: 'fish-speech' },
			voice: { type: 'string' },
		},
	});
	const { 'base-url': baseUrl, model, voice } = values;
	const { SPEECH_GATEWAY_KEY: apiKey } = process.env;
	const tokens = Number(values.tokens);
	if (!apiKey || !baseUrl || !(tokens >= 0)) throw new Error(HELP);
	const options = { apiKey, baseUrl, tokens, model, voice, timeoutMs: TIME_OUT_MS };
	for (const [name, found] of await checkGateway(options))
		console.log(`${name.padEnd(16)}${found}`);
	return 0;
}

/** Asks everything once, in order. Whatever goes wrong is an answer, too. */
export async function checkGateway(options: CheckOptions): Promise<Report> {
	const { model, voice, tokens } = options;
	const get = async (path: string, key?: string) => await ask(options, 'GET', path, { key });
	const models = await get('/models');
	const wrongKey = await get('/models', 'sk-wrong');
	const nowhere = await get(`/${NOBODY}`);
	const voices = await get(`/audio/voices?model=${encodeURIComponent(model)}`);
	const prices = await get('/api/pricing');
	const log = await get('/api/log/token');
	/** A thing that is not there is told from an address that is not there by what is said of it. */
	const has = async (path: string) => {
		const answer = await get(path);
		const isNothing = Object.keys(answer.json).length === 0 || saysSame(answer, nowhere);
		return isNothing ? 'no' : `yes, as far as one can see (${said(answer)})`;
	};
	const jobs = await has(`/audio/speech/jobs/spj_${NOBODY}`);
	const ids = listOf(models.json.data).map((one) => String(fieldsOf(one).id));
	const rows: Report = [
		['Gateway', dialectOf([models, wrongKey], jobs !== 'no')],
		[
			'Models',
			`${said(models)}; ${ids.length}, ${ids.includes(model) ? 'with' : 'without'} ${model}`,
		],
		['Wrong key', said(wrongKey)],
		['Request id', tracesOf(models).join(', ') || 'none'],
		['Speech jobs', jobs],
		['Voices', Array.isArray(voices.json.items) ? `yes, ${voices.json.items.length}` : 'no'],
		['Videos', await has(`/videos/video_${NOBODY}`)],
		['Price list', Array.isArray(prices.json.data) ? 'yes' : 'no'],
		['Usage log', usageLog(log)],
	];
	if (tokens < WORD_TOKENS)
		rows.push(['Speech', `not asked: with --tokens ${WORD_TOKENS}, it speaks one word`]);
	else {
		const body = { model, input: WORD, response_format: 'mp3', ...(voice && { voice }) };
		const speech = await ask(options, 'POST', '/audio/speech', { body });
		const format = sniffAudioFormat(speech.bytes);
		rows.push(['Speech', format ? `${speech.bytes.length} bytes of ${format}` : said(speech)]);
	}
	rows.push(['Not asked', 'chats, clones, jobs and videos; what lost and cut requests cost']);
	return rows;
}

/** Sends one request, once. */
async function ask(
	{ baseUrl, apiKey, timeoutMs }: CheckOptions,
	method: string,
	path: string,
	{ key = apiKey, body }: { key?: string; body?: object },
): Promise<Answer> {
	const clean = (text: string) => text.replaceAll(apiKey, '***');
	const base = baseOf(baseUrl);
	try {
		const response = await fetch((path.startsWith('/api/') ? rootOf(base) : base) + path, {
			method,
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
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

function dialectOf(answers: Answer[], hasJobs: boolean): string {
	const signs = answers.flatMap(({ headers, text }) => [...headers.keys(), text]).join();
	if (signs.includes('x-litellm')) return 'LiteLLM';
	if (signs.includes('x-portkey')) return 'Portkey';
	if (signs.includes('new_api_error')) return 'new-api, or one made from it';
	if (signs.includes('one_api_error')) return 'one-api, or one made from it';
	if (hasJobs) return "the API document's own";
	return 'none that is known here';
}

function usageLog({ status, json }: Answer): string {
	if (status !== 200 || json.success !== true) return 'no';
	if (listOf(json.data).length > 0) return 'yes';
	return 'empty: nothing yet, or it wants the key in the address (Settle: Key in Address)';
}
