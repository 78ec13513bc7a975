/**
 * The rule of `outcome.ts` for an answer, in words about this request; `gatewayWords.ts` reads the answer, `signs.ts`
 * says what counts.
 */
import type { IDataObject } from 'n8n-workflow';
import { GatewayError, RequestCutError, type UnknownReason } from '../core/errors';
import { defined, idIn, isRecord } from '../core/json';
import type { Endpoint, taskEndpoints } from '../gateway/endpoints';
import {
	type GatewayWords,
	gatewayWords,
	isGatewayError,
	isPage,
	isTaskError,
	plain,
	saysStatusAlone,
	textsIn,
} from '../gateway/gatewayWords';
import { capabilitiesOf } from '../gateway/models';
import type { GatewayResponse, Transport } from '../gateway/transport';
import { beginningOf } from '../text/characters';
import { type Outcome, OUTCOMES, outcomeOf, ruleFor, type Who } from './outcome';
import { retryAfterMs, waitInWords } from './retryPolicy';
import { type Facts, isBroken, isNotBegun, type Kind, SAYS } from './signs';
import { choicesIn, whatToSet } from './whatToSet';

/** What a request is about. */
export interface About {
	/** As the user knows it; only where the request is about one thing. */
	kind?: keyof typeof taskEndpoints | 'voice';
	id?: string;
	model?: string;
	voice?: string;
}

/** An answer that is no success, with a body without the key. */
export interface Answer {
	status: number;
	headers?: GatewayResponse['headers'];
	body?: unknown;
	/** The gateway is the one of the API document, as `hasJobRoutes` has found. */
	documented?: boolean;
	/** The service charges for nothing. */
	costsNothing?: boolean;
	/** What the gateway lists, where that was asked for. */
	models?: IDataObject[];
}

/** One HTTP exchange that brought no result, and the error that says why. */
export interface Failure {
	outcome: Outcome;
	error: GatewayError;
	/** Why a billed request without an answer is unknown. */
	reason?: UnknownReason;
	/** A success by its status that has nothing of what was asked for. */
	isNothing?: boolean;
	/** Who must act, where the gateway or a proxy has answered. */
	who?: Who;
	/** The header that has the request's ID. */
	idHeader?: string;
	/** What the answer asks to wait, ms. */
	retryAfter?: number;
	/** The gateway itself refuses: the body of its 4xx is JSON, and not the page of a proxy. */
	byGateway?: boolean;
	/** The error can name the models that the gateway lists, if they are asked for. */
	asksForModels?: boolean;
}

interface Request {
	endpoint: Endpoint;
	about: About;
	url: string;
}

/** The rule for an answer that is no success, put into words about this request. */
export function explainAnswer(
	transport: Pick<Transport, 'addressOf' | 'redactor'>,
	endpoint: Endpoint,
	about: About,
	answer: Answer,
): Failure {
	const { status, headers = {}, body } = answer;
	const { location } = headers;
	const request = { endpoint, about, url: transport.addressOf(endpoint) };
	const words = gatewayWords(body);
	const facts = factsOf(request, answer, words, transport.redactor.isOther(words.message ?? ''));
	const outcome = outcomeOf(facts);
	const rule = ruleFor(facts);
	const { who } = rule;
	const inWords = status === 429 ? waitInWords(words.message ?? '') : undefined;
	const retryAfter = retryAfterMs(headers['retry-after'], Date.now()) ?? inWords;
	const { fill, asksForModels } = filler(request, words, retryAfter, answer.models);
	const [what, todo = ''] = rule.words.map(fill);
	const happened = `${what} (${status})`;
	const isJson = isRecord(body);
	const speaker = isJson ? 'The gateway says' : 'The answer says';
	const { charged, inRun } = OUTCOMES[outcome];
	const isUnknown = charged === 'maybe';
	// Unknown items show no description, so the cause goes into the message.
	const longest = isPage(body) ? MOST_OF_A_PAGE : Infinity;
	const said = words.message && beginningOf(withoutUnderscores(words.message), longest);
	const message = isUnknown && said ? `${happened}: "${said}"` : happened;
	const description = [
		// The words of a request that was cut say it themselves.
		endpoint.billed && charged === 'no' && inRun !== 'shorter' && 'This request was not charged.',
		todo,
		LAST_WORDS[who],
		!isUnknown && said && `${speaker}: "${said.replace(/\.$/, '')}".`,
	];
	const { error, request_id: outside } = isJson ? body : {};
	const id = requestIdIn(headers) ?? outside ?? (isRecord(error) ? error.request_id : undefined);
	const details = defined({
		httpCode: String(status),
		requestId: typeof id === 'string' && id ? id : undefined,
		code: words.code,
		location,
	});
	const ErrorKind = inRun === 'shorter' ? RequestCutError : GatewayError;
	return {
		outcome,
		who,
		retryAfter,
		idHeader: idHeaderIn(headers),
		byGateway: status >= 400 && isJson,
		asksForModels: asksForModels(rule.words[1]),
		error: new ErrorKind(message, description.filter(Boolean).join(' '), details),
	};
}

/** Two lines of an error in the editor, characters. */
const MOST_OF_A_PAGE = 160;

/** Words for people: a bare code, such as `upstream_outcome_unknown`, without its underscores. */
const withoutUnderscores = (words: string): string =>
	/^\w+$/.test(words) ? words.replaceAll('_', ' ') : words;

/** Names of the request's ID, the best first; gateways have many, such as `x-oneapi-request-id` and `x-amzn-requestid`. */
const REQUEST_IDS = [
	/^x-request-id$/,
	/request-?id$/,
	/^x-correlation-id$/,
	/^x-litellm-call-id$/,
	/^x-generation-id$/,
	/-trace-id$/,
	/^cf-ray$/,
];

/** The ID under which the gateway knows a request, for its log and its operator; undefined if no header has one. */
export const requestIdIn = (headers: GatewayResponse['headers']): string | undefined =>
	headers[idHeaderIn(headers) ?? ''];

/** The header that has it; IDs from two headers cannot be compared. */
export function idHeaderIn(headers: GatewayResponse['headers']): string | undefined {
	const names = Object.keys(headers);
	const found = REQUEST_IDS.map((id) => names.find((name) => id.test(name) && headers[name]));
	return found.find((name) => name !== undefined);
}

const LAST_WORDS: Partial<Record<Who, string>> = {
	provider: 'Only the operator of the gateway can put this right.',
	operator: 'Ask the operator of the gateway.',
};

function factsOf(
	{ endpoint, about, url }: Request,
	{ status, headers, body, documented, costsNothing }: Answer,
	{ type = '', code = '', param = '', message: said = '' }: GatewayWords,
	otherKey: boolean,
): Facts {
	const { kind, model, voice } = about;
	// A model may have any word that a rule looks for in its name.
	const withoutModel = (text: string) => (model ? text.replaceAll(model, '') : text);
	const message = withoutModel(said);
	const says = `${type}\n${code}\nparam=${param}\n${message}`;
	const location = headers?.location;
	const texts = status >= 500 ? withoutModel(textsIn(body)) : '';
	const codes = `${type}\n${code}`;
	return {
		status,
		says,
		from: isOwnError(endpoint, status, body) ? 'gateway' : isPage(body) ? 'page' : 'other',
		to: endpoint.kind,
		has: {
			billed: endpoint.billed,
			json: isRecord(body),
			passedOn: otherKey || SAYS.passedOn.test(says) || isOfOtherRequest(said, headers),
			broken: isBroken(texts),
			notBegun: isNotBegun(texts, status === 503 ? codes : ''),
			ownCode: SAYS.ownCode.test(codes),
			challenged: headers?.['www-authenticate'] !== undefined,
			documented,
			costsNothing,
			named: kind !== undefined,
			elsewhere: 'url' in endpoint,
			model: model !== undefined,
			voice: voice !== undefined,
			voiceNamed: voice !== undefined && (/voice|音色/i.test(message) || message.includes(voice)),
			sameElsewhere: location !== undefined && isSameElsewhere(location, url),
		},
	};
}

/** Whether an error is the gateway's own. A 524 that says no more than its number is a page of something behind it. */
export const isOwnError = ({ kind }: Endpoint, status: number, body: unknown): boolean =>
	(isGatewayError(body) && !(status === 524 && saysStatusAlone(body))) ||
	((kind === 'job' || kind === 'video') && isTaskError(body));

/** Whether the words end with the ID of another request, which a gateway has made at its provider. */
function isOfOtherRequest(said: string, headers: GatewayResponse['headers'] = {}): boolean {
	const [, id] = /\(request[ _]id: ?([\w-]{8,})\)\W*$/i.exec(said) ?? [];
	const own = requestIdIn(headers);
	return id !== undefined && own !== undefined && id !== own;
}

function isSameElsewhere(location: string, url: string): boolean {
	if (!URL.canParse(location, url)) return false;
	const [to, from] = [new URL(location, url), new URL(url)];
	return to.origin !== from.origin && to.pathname === from.pathname;
}

/** What users call the resources that a gateway may lack. */
const PLURALS: Partial<Record<Kind, string>> = {
	job: 'speech jobs',
	voice: 'voices',
	video: 'videos',
};

/**
 * Puts the facts of a request into the words of a rule: `{model}`, `{address}` and the like; a fact that it lacks
 * leaves nothing.
 */
function filler(
	{ endpoint, about, url }: Request,
	words: GatewayWords,
	retryAfter: number | undefined,
	models: IDataObject[] | undefined,
) {
	const { kind, id, model, voice } = about;
	const { param } = words;
	// LiteLLM names the status.
	const isNamed = param !== undefined && /\D/.test(param);
	const facts: Record<string, string | undefined> = {
		kind,
		plural: PLURALS[endpoint.kind],
		id,
		model,
		voice: kind === 'voice' ? id : voice,
		url,
		parameter: isNamed ? `the parameter "${param}" as given` : 'a parameter of this request',
		able: ABLE[capabilityFor(endpoint.kind)],
		models: modelsToSet(endpoint.kind, model, models),
		choices: choicesIn(words),
		voiceAndModel: voice ? `the field "Voice" ("${voice}"), then "Model"` : 'the field "Model"',
		address: `check the base URL in the credential: the address called was ${url} (its version, such as /v1, should stand in it once).`,
		orVoice: voice ? `, or check that the voice "${voice}" belongs to this account` : '',
		wait: retryAfter ? ` (it asks to wait ${Math.ceil(retryAfter / 1000)} seconds)` : '',
	};
	const set = whatToSet({ kind: endpoint.kind, voice, words }) ?? 'Check the parameters.';
	return {
		fill: (text = '') =>
			text.replace(/\{(\w+)\}/g, (_, name: string) =>
				name === 'set' ? set.replace(MODELS, () => facts.models ?? '') : (facts[name] ?? ''),
			),
		asksForModels: (text = '') => (text.includes('{set}') ? set : text).includes(MODELS),
	};
}

/** Stands in words for the models that can be chosen. */
const MODELS = '{models}';
const MOST_MODELS = 5;

const capabilityFor = (kind: Kind): 'speech' | 'chat' | 'video' =>
	kind === 'chat' || kind === 'video' ? kind : 'speech';

/** What a model must be able to do. */
const ABLE = { speech: 'that can speak', chat: 'that can chat', video: 'that can make videos' };

/** Which models the gateway has for a request; those whose purpose is not known count if there are no others. */
function modelsToSet(kind: Kind, model?: string, models: IDataObject[] = []): string {
	const wanted = capabilityFor(kind);
	const listed = models.flatMap((entry) => {
		const id = plain(idIn(entry, 'id', 'name', 'model'));
		return id === undefined || id === model ? [] : [{ id, can: capabilitiesOf(entry) }];
	});
	const able = listed.filter(({ can }) => can.includes(wanted));
	const fit = able.length > 0 ? able : listed.filter(({ can }) => can.length === 0);
	if (fit.length === 0) return 'Model → Get Many lists the models of the gateway.';
	const isListed = models.some((entry) => idIn(entry, 'id', 'name', 'model') === model);
	const ids = fit.slice(0, MOST_MODELS).map(({ id }) => `"${id}"`);
	return `${isListed ? 'It is listed, but this account may not have it. ' : ''}Models ${ABLE[wanted]}: ${ids.join(', ')}${fit.length > MOST_MODELS ? ', …' : ''}.`;
}
