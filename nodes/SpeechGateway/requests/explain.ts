import { GatewayError, RequestCutError } from '../core/errors';
import { isRecord } from '../core/json';
import type { taskEndpoints } from '../gateway/endpoints';
import { type GatewayWords, gatewayWords, isGatewayError, isPage } from '../gateway/gatewayWords';
import { DEFAULT_SPEECH_MODEL } from '../gateway/models';
import { NO_ROUTE, outcomeOf, ruleFor, type Ruling, type Who } from './outcome';
import { type Facts, type Kind, SAYS } from './signs';

export interface Subject {
	/** As the user knows it: "the job", "the voice" … only used where the request is about one thing. */
	thing?: keyof typeof taskEndpoints | 'voice';
	id?: string;
	model?: string;
	voice?: string;
	/** Its file is asked for at the address that its status gives. */
	elsewhere?: boolean;
	url: string;
	billed: boolean;
}

/** An answer, with a body without the key. */
export interface Answer {
	status: number;
	body?: unknown;
	requestId?: string;
	/** What it asks to wait, ms. */
	retryAfter?: number;
	location?: string;
	/** Its words name an API key that is not the credential's. */
	otherKey?: boolean;
	/** It was the gateway's own, as the ledger says; its body is no longer there. */
	onRecord?: boolean;
}

/** An answer that is no success: what it means, who must act, and the error that says so. */
export interface Refusal {
	outcome: Ruling;
	who: Who;
	retryAfter?: number;
	error: GatewayError;
	/** The gateway has nothing of the kind: no jobs, voices or videos. */
	noRoute: boolean;
}

/** The rule for an answer that is no success, put into words about this request. */
export function explainAnswer(answer: Answer, subject: Subject): Refusal {
	const words = gatewayWords(answer.body);
	const facts = factsOf(answer, subject, words);
	const outcome = outcomeOf(facts);
	const rule = ruleFor(facts);
	const { who, words: said } = rule;
	const [what, todo = ''] = said.map(filler(answer, subject, words));
	const happened = `${what} (${answer.status})`;
	const speaker = isRecord(answer.body) ? 'The gateway says' : 'The answer says';
	const isUnknown = outcome === 'unknown';
	// An item of unknown outcome has no description: what is known of the cause stands in its message.
	const message = isUnknown && words.message ? `${happened}: "${words.message}"` : happened;
	const description = [
		todo,
		LAST_WORDS[who],
		facts.has.billed && NOT_CHARGED.has(outcome) && 'This request was not charged.',
		!isUnknown && words.message && `${speaker}: "${words.message.replace(/\.$/, '')}".`,
	];
	const { requestId, retryAfter, location } = answer;
	const details = {
		httpCode: String(answer.status),
		...(requestId && { requestId }),
		...(words.code && { code: words.code }),
		...(location && { location }),
	};
	const ErrorKind = outcome === 'cut' ? RequestCutError : GatewayError;
	return {
		outcome,
		who,
		retryAfter,
		noRoute: rule === NO_ROUTE,
		error: new ErrorKind(message, description.filter(Boolean).join(' '), details),
	};
}

const LAST_WORDS: Partial<Record<Who, string>> = {
	provider: 'Only the operator of the gateway can put this right.',
	operator: 'Ask the operator of the gateway.',
};

/** Where the words do not say it themselves. */
const NOT_CHARGED = new Set<Ruling>(['throttled', 'transient', 'held', 'refused']);

function factsOf(answer: Answer, subject: Subject, words: GatewayWords): Facts {
	const { status, body, location, otherKey, onRecord } = answer;
	const { thing, model, voice, elsewhere, url, billed } = subject;
	const { type = '', code = '', param = '', message: said = '' } = words;
	// A model may have any word that a rule looks for in its name.
	const message = model ? said.replaceAll(model, '') : said;
	const [, to = 'model'] = kindOf(url);
	const says = `${type}\n${code}\nparam=${param}\n${message}`;
	return {
		status,
		says,
		from: onRecord || isGatewayError(body) ? 'gateway' : isPage(body) ? 'page' : 'other',
		to,
		has: {
			billed,
			passedOn: otherKey === true || SAYS.passedOn.test(says),
			thing: thing !== undefined,
			elsewhere,
			model: model !== undefined,
			voice: voice !== undefined,
			voiceNamed: voice !== undefined && (/voice|音色/i.test(message) || message.includes(voice)),
			sameElsewhere: location !== undefined && isSameElsewhere(location, url),
		},
	};
}

/** What is asked for, by the path of its address, and what users call it. */
const KINDS: Array<[path: RegExp, to: Kind, things?: string]> = [
	[/\/v1\/audio\/speech\/jobs/, 'job', 'speech jobs'],
	[/\/v1\/audio\/speech$/, 'speech'],
	[/\/v1\/audio\/voices/, 'voice', 'voices'],
	[/\/v1\/chat\//, 'chat'],
	[/\/v1\/videos/, 'video', 'videos'],
];

const kindOf = (url: string) => KINDS.find(([path]) => path.test(url)) ?? [];

function isSameElsewhere(location: string, url: string): boolean {
	if (!URL.canParse(location, url)) return false;
	const [to, from] = [new URL(location, url), new URL(url)];
	return to.origin !== from.origin && to.pathname === from.pathname;
}

function filler({ retryAfter }: Answer, subject: Subject, { param }: GatewayWords) {
	const { thing, id, model, voice, url } = subject;
	// LiteLLM names the status.
	const isNamed = param !== undefined && /\D/.test(param);
	const [, to = 'model', things] = kindOf(url);
	const [able, another] = ABILITIES[to] ?? ['that can speak', OTHER_SPEAKER];
	const facts: Record<string, string | undefined> = {
		thing,
		things,
		id,
		model,
		voice: thing === 'voice' ? id : voice,
		url,
		parameter: isNamed ? `the parameter "${param}" as given` : 'a parameter of this request',
		able,
		another: another.includes(`"${model}"`)
			? 'This account may not have it: look it up with Model → Get Many'
			: another,
		address: `check the base URL in the credential: the address called was ${url} (it should have exactly one /v1).`,
		orVoice: voice ? `, or check that the voice "${voice}" belongs to this account` : '',
		wait: retryAfter ? ` (it asks to wait ${Math.ceil(retryAfter / 1000)} seconds)` : '',
	};
	return (text = '') => text.replace(/\{(\w+)\}/g, (_, name: string) => facts[name] ?? '');
}

const OTHER_SPEAKER = `Not every model of the list can speak: try "${DEFAULT_SPEECH_MODEL}"`;

/** What the model of a request must be able to do, and which one to try; all others are to speak. */
const ABILITIES: Partial<Record<Kind, [able: string, another: string]>> = {
	chat: ['that can chat', 'Not every model of the list can chat: pick another one'],
	video: ['that makes videos', 'Not every model of the list makes videos: pick another one'],
};
