import { GatewayError, RequestCutError } from '../core/errors';
import type { taskEndpoints } from '../gateway/endpoints';
import { type GatewayWords, gatewayWords, isPage, plain } from '../gateway/gatewayWords';
import { isRecord } from '../core/json';
import { DEFAULT_SPEECH_MODEL } from '../gateway/models';
import { classifyStatus, isGatewayError } from './outcome';

/** What a request was about, for words that name it. */
export interface Subject {
	/** As the user knows it: "the job", "the voice" … only used where the request is about one thing. */
	thing?: keyof typeof taskEndpoints | 'voice';
	id?: string;
	model?: string;
	voice?: string;
	url: string;
}

export interface Refusal {
	status: number;
	body: unknown;
	requestId?: string;
	retryAfter?: string;
}

/** The error of an answer that is no success; the words say what happened and what to do next. */
export function explainRefusal(refusal: Refusal, subject: Subject): GatewayError {
	const words = gatewayWords(refusal.body);
	const [what, advice] = wordsFor(refusal, subject, words);
	const speaker = isRecord(refusal.body) ? 'The gateway says' : 'The answer says';
	// An item of unknown outcome has no description: what is known of the cause stands in its message.
	const unknown = meaning(refusal) === 'unknown' && words.message;
	const message = unknown ? `${what}: "${words.message}"` : what;
	const quoted =
		words.message && !unknown ? `${speaker}: "${words.message.replace(/\.$/, '')}".` : '';
	const details = {
		httpCode: String(refusal.status),
		...(refusal.requestId && { requestId: refusal.requestId }),
		...(words.code && { code: words.code }),
	};
	const description = [advice, quoted].filter(Boolean).join(' ');
	return refusal.status === 524
		? new RequestCutError(message, description, details)
		: new GatewayError(message, description, details);
}

/** What the answer means for money, if the request is a billed one. */
const meaning = ({ status, body }: Refusal) => classifyStatus(status, true, body);

function wordsFor(refusal: Refusal, subject: Subject, words: GatewayWords): [string, string] {
	const { status, retryAfter, body } = refusal;
	const said = `${words.code ?? ''} ${words.message ?? ''}`;
	const { thing, id, voice, url } = subject;
	switch (status) {
		case 401:
			return [
				'The gateway does not accept the API key (401)',
				'Check the API key in the credential "Speech Gateway API": it may be mistyped, revoked or from another gateway.',
			];
		case 402:
			return [
				'The account balance is too low (402)',
				'Top up the account in the console of the gateway. This request was not charged.',
			];
		case 403:
			if (isPage(body)) {
				return [
					'A proxy or firewall between n8n and the gateway refuses the request (403)',
					`It answered with a web page, so this is not the gateway. Allow n8n to call ${url} there, and check the base URL in the credential.`,
				];
			}
			if (thing === 'voice' || (voice && /voice/i.test(said))) {
				return [
					`The voice "${thing === 'voice' ? id : voice}" does not belong to this account (403)`,
					'Voices can only be used by the account that created them, with the same provider. Pick one from the list, use "Default", or give its title in the mode "By Title".',
				];
			}
			if (thing) {
				return [
					`This key may not access the ${thing} "${id}" (403)`,
					`Use the credential of the account that created the ${thing}.`,
				];
			}
			return [
				'This API key, account or channel lacks the capability (403)',
				`Allow it in the console of the gateway (permissions of the key, state of the account)${
					voice ? `, or check that the voice "${voice}" belongs to this account` : ''
				}.`,
			];
		case 404:
			if (thing) {
				return [
					`The gateway has no ${thing} "${id}" (404)`,
					`Check the ID, and that the credential belongs to the account that created the ${thing}.`,
				];
			}
			return unknownModel(subject, said);
		case 407:
			return [
				'A proxy between n8n and the gateway asks for a login (407)',
				'The request did not reach the gateway and was not charged. Put the user and password into the address of the proxy that n8n uses (HTTPS_PROXY), or let n8n call the gateway without it (NO_PROXY).',
			];
		case 408:
			return ['The request timed out at the gateway (408)', 'Try again later.'];
		case 409:
			if (!thing) break;
			return [
				`The ${thing} "${id}" is not ready yet (409)`,
				'Wait until its status is "completed", then try again.',
			];
		case 413:
			if (isPage(body)) {
				return [
					'The request is too large for a proxy between n8n and the gateway (413)',
					'The request did not reach the gateway and was not charged. Let the proxy take larger requests (nginx: client_max_body_size), or send a smaller file.',
				];
			}
			return [
				'The request is too large for the gateway (413)',
				'Send a shorter text or a smaller file.',
			];
		case 422:
			return [
				words.param
					? `The gateway does not support the parameter "${words.param}" as given (422)`
					: 'The gateway does not support a parameter of this request (422)',
				'Change or remove the parameter the gateway names. Options and "Additional Body Fields" are sent unchanged.',
			];
		case 429:
			return [
				'The gateway is receiving too many requests (429)',
				`Lower the option "Concurrency", raise "Max Retries", or try again later${
					retryAfter ? ` (it asks to wait ${waitWords(retryAfter)})` : ''
				}. This request was not charged.`,
			];
		case 524:
			return [
				'The gateway cut the request after about 100 seconds (524)',
				`It was not charged. ${adviceAfterCut(subject)}`,
			];
	}
	if (status >= 300 && status < 400) {
		return [
			`The gateway redirects to another address (${status})`,
			'Set the base URL in the credential to the final address. Only requests that read data follow redirects.',
		];
	}
	if (status >= 500) {
		const charge = meaning(refusal) === 'transient' ? ' This request was not charged.' : '';
		return isGatewayError(body)
			? [
					`The gateway had an error (${status})`,
					`Such errors are usually temporary: try again later.${charge}`,
				]
			: [
					`A server error that is not the gateway's own answer (${status})`,
					`It comes from a proxy in front of the gateway, or the gateway has crashed. Such errors are usually temporary: try again later.${charge}`,
				];
	}
	return [`The gateway refused the request (${status})`, 'Check the parameters.'];
}

/** What to do about a 524: the same billed request would be cut again; a free one was already repeated. */
function adviceAfterCut({ thing, model, url }: Subject): string {
	if (thing || model === undefined) return 'Run it again later.';
	return /\/audio\/speech(\/jobs)?$/.test(url)
		? 'The same request would be cut again: use a shorter text, let "Long Text" split it, or use Speech Job.'
		: 'The same request would be cut again: ask for less at once.';
}

/** What the model of a request must be able to do, by the address of the request, and which one to try. */
const ABILITIES: Array<[RegExp, string, string]> = [
	[
		/\/audio\//,
		'that can speak',
		`Not every model of the list can speak: try "${DEFAULT_SPEECH_MODEL}"`,
	],
	[/\/chat\//, 'that can chat', 'Not every model of the list can chat: pick another one'],
	[/\/videos/, 'that makes videos', 'Not every model of the list makes videos: pick another one'],
];

/** Words that leave no doubt about the address: `The model "x" does not exist`, `model_not_found`, `No such model`. */
const NO_SUCH_MODEL =
	/\bmodels?\b(?! list)[^/]{0,80}?(?:not (?:exist|found|available|supported)|n.t exist|unknown|unavailable)|model_not_found|(?:unknown|no such|no available|invalid|unsupported) (?:\w+ )?models?\b/i;

/** A 404 means a wrong URL, an unknown model, or a model that cannot do this. */
function unknownModel({ model, url }: Subject, said: string): [string, string] {
	const address = `check the base URL in the credential: the address called was ${url} (it should have exactly one /v1).`;
	const ability = model ? ABILITIES.find(([path]) => path.test(url)) : undefined;
	if (!ability) return ['The gateway has no such address (404)', `Please ${address}`];
	const [, able, another] = ability;
	const advice = another.includes(`"${model}"`)
		? 'This account may not have it: look it up with Model → Get Many'
		: another;
	if (NO_SUCH_MODEL.test(said))
		return [`The gateway has no model "${model}" ${able} (404)`, `${advice}.`];
	return [
		/model/i.test(said)
			? `The gateway has no model "${model}" ${able} (404)`
			: `The gateway has no such address, or no model "${model}" ${able} (404)`,
		`${advice}, and ${address}`,
	];
}

/** What `Retry-After` says, in words: seconds, or a date. */
const waitWords = (retryAfter: string) =>
	/^\d+$/.test(retryAfter) ? `${retryAfter} seconds` : `until ${plain(retryAfter)}`;
