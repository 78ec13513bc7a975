import type { TransportFailure } from '../gateway/transportFailure';
import { type Facts, fits, SAYS, type Sign } from './signs';

/** What became of a request that brought no success. Nothing else in the package decides whether a request may be sent again. */
export type Outcome =
	| 'notSent' /* certain that nothing left this machine: retry */
	| 'throttled' /* too many requests, not charged: slow down, retry */
	| 'transient' /* not charged: retry a few times */
	| 'held' /* too little money, not charged: again when the requests in flight have freed what is set aside for them */
	| 'cut' /* not charged, but the same request would be cut again */
	| 'refused' /* not charged, and a retry changes nothing */
	| 'unknown'; /* it may have been charged: never again */

/** Who must act. `key`, `balance` and `provider` (the gateway's own account there) concern every other request, too. */
export type Who =
	| 'key'
	| 'balance'
	| 'provider'
	| 'rights' /* of the key or the account, in the gateway's console */
	| 'operator' /* of the gateway */
	| 'workflow'
	| 'network' /* addresses, proxies */
	| 'nobody'; /* only time helps */

export type Ruling = Exclude<Outcome, 'notSent'>;

type Signs = Sign | string | Array<Sign | string>;

/** What happened, to which the status is added, and what to do; `{name}` is a fact of the request. */
type Words = [what: string, todo?: string];

/** `signs`: the answers that it is for, each a status or more. `outcome`: of a billed request. */
const rule = (signs: Signs, outcome: Ruling, who: Who, words: Words) => ({
	signs: [signs].flat().map((sign) => (typeof sign === 'string' ? { status: sign } : sign)),
	outcome,
	who,
	words,
});

/** A file is asked for before it is there. */
const NOT_COMPLETED: Sign = {
	status: '400',
	says: /n[o'’]t (?:yet |been )*(?:complete|finish|ready|done)/i,
	with: 'thing',
};

const LATER = 'Such errors are usually temporary: try again later.';
const CUT = 'The gateway cut the request after about 100 seconds';
const CUT_AGAIN =
	"It was not charged, by the gateway's API document. The same request would be cut again:";
const NO_MONEY: Words = [
	'The account balance is too low',
	"Top up the account, or the key's own quota, in the console of the gateway.",
];
const TOO_MANY: Words = [
	'The gateway is receiving too many requests',
	'Lower the option "Concurrency", raise "Max Retries", or try again later{wait}.',
];
const PICK_VOICE =
	'Pick one from the list, use "Default", or give its title in the mode "By Title".';
const NOT_OWN_ANSWER = "A server error that is not the gateway's own answer";

/** This gateway has no endpoint of the kind: Gin's answer, and FastAPI's. */
export const NO_ROUTE = rule(
	[
		{ status: '404', says: /invalid url \(\w+ \/v1\//i, to: 'job voice video' },
		{
			status: '404',
			says: /^not found$/im,
			from: 'other',
			to: 'job voice video',
			without: 'thing',
		},
	],
	'refused',
	'workflow',
	['This gateway has no {things}', 'If its other addresses are not found, either, {address}'],
);

/**
 * What an answer other than a success means: the first rule that fits. Each rule has the answer of a real gateway or a line
 * of the gateway's document behind it; test/requests/outcome.test.ts names them.
 */
export const RULES = [
	// It may have been charged.
	rule({ status: 'any', says: /^upstream_outcome_unknown$/m }, 'unknown', 'nobody', [
		'The gateway does not know what became of the request',
	]),
	rule(
		[
			{ status: '5xx', says: /_panic$/m },
			{
				status: '500',
				says: /^one_api_error\n(?:do_request|read_response_body)_failed$/m,
				to: 'chat',
			},
			{ status: '4xx', says: /^violation_fee/m },
			'446',
		],
		'unknown',
		'operator',
		['The gateway failed, and may keep what it had set aside for the request'],
	),

	// Time limits.
	rule('408 504', 'unknown', 'nobody', [
		'The request timed out at the gateway or a proxy in front of it',
		LATER,
	]),
	rule('460 499', 'unknown', 'nobody', [
		'A proxy in front of the gateway ended the request before it was answered',
		LATER,
	]),
	// A page of 524 is a proxy's, whose gateway works on: the document's alone charges nothing then.
	rule(
		[
			{ status: '524', to: 'speech job', from: 'gateway', with: 'billed' },
			{ status: '524', to: 'speech job', with: 'documented' },
		],
		'cut',
		'workflow',
		[CUT, `${CUT_AGAIN} use a shorter text, let "Long Text" split it, or use Speech Job.`],
	),
	rule({ status: '524', from: 'gateway', with: 'billed' }, 'cut', 'workflow', [
		CUT,
		`${CUT_AGAIN} ask for less at once.`,
	]),
	rule('524', 'unknown', 'nobody', [CUT, LATER]),

	rule({ status: '401 403 404 410', with: 'elsewhere' }, 'refused', 'operator', [
		'The file of the {thing} "{id}" is not at the address that its status gives',
		'The {thing} is done and charged, but such an address may expire. The operation "Get" shows it as "url", for nothing.',
	]),

	// Limits of requests, the key, the balance, and the gateway's own account at a provider.
	rule({ status: '429', says: SAYS.rateLimit }, 'throttled', 'nobody', TOO_MANY),
	rule(
		[
			{ status: '401 402 403', with: 'passedOn' },
			{ status: '400 412 429', says: SAYS.tooLittleMoney, with: 'passedOn' },
			{ status: '402', says: /^unknown_error$/m },
			{ status: '403', says: /^unsupported_country/m },
			{ status: '429', says: /^insufficient_quota$|Exception - .*quota|current quota/im },
		],
		'refused',
		'provider',
		[
			'A provider refuses the account of the gateway',
			'Your API key and your balance are not the cause.',
		],
	),
	rule(['401', { status: '400', says: /^no_db_connection$/m }], 'refused', 'key', [
		'The gateway does not accept the API key',
		'Check the API key in the credential "Speech Gateway API": it may be mistyped, revoked, expired, used up or from another gateway.',
	]),
	rule('402', 'refused', 'balance', NO_MONEY),
	rule({ status: '4xx 5xx', says: SAYS.moneyCode }, 'held', 'balance', NO_MONEY),
	rule({ status: '400 403 412 429', says: SAYS.tooLittleMoney }, 'held', 'balance', NO_MONEY),
	rule('429', 'throttled', 'nobody', TOO_MANY),

	// What is asked for.
	rule({ status: '4xx 5xx', says: /sensitive.word|敏感词/i }, 'refused', 'workflow', [
		'The gateway refuses the words of this request',
		'Change the text.',
	]),
	rule({ status: '4xx', says: /^text_too_long$/m }, 'refused', 'workflow', [
		'The text is too long for the gateway',
		'Lower the option "Max Segment Characters": the gateway may count bytes, of which a Chinese character has three.',
	]),
	rule(
		{ status: '400 404 422', says: SAYS.needsVoice, to: 'speech job', without: 'voice' },
		'refused',
		'workflow',
		['This gateway has no default voice', 'It needs one: pick it by ID in the field "Voice".'],
	),
	NO_ROUTE,
	rule({ status: '404', with: 'voiceNamed' }, 'refused', 'workflow', [
		'The gateway has no voice "{voice}"',
		PICK_VOICE,
	]),
	rule({ status: '400 404', says: SAYS.noSuchModel, with: 'model' }, 'refused', 'workflow', [
		'The gateway has no model "{model}" {able}',
		'{another}.',
	]),
	rule({ status: '5xx', says: SAYS.noChannel }, 'refused', 'operator', [
		'The gateway has no provider for the model "{model}"',
		'Check its name: Model → Get Many lists the models of the gateway.',
	]),
	rule([{ status: '5xx', says: SAYS.notSetUp }, '501'], 'refused', 'operator', [
		'The gateway is not set up for this request',
	]),

	// What the key may do.
	rule({ status: '403', without: 'json' }, 'refused', 'network', [
		'A proxy or firewall between n8n and the gateway refuses the request',
		'The answer is not JSON, so it is not from the gateway. Allow n8n to call {url} there, and check the base URL in the credential.',
	]),
	rule(
		[
			{ status: '403', with: 'voiceNamed' },
			{ status: '403', to: 'voice', with: 'thing' },
		],
		'refused',
		'workflow',
		[
			'The voice "{voice}" does not belong to this account',
			`Voices can only be used by the account that created them, with the same provider. ${PICK_VOICE}`,
		],
	),
	rule({ status: '403', with: 'thing' }, 'refused', 'rights', [
		'This key may not access the {thing} "{id}"',
		'Use the credential of the account that created the {thing}.',
	]),
	rule(
		{
			status: '403',
			says: /\bIP\b|网段|banned|suspended|(?:account|user|address).{0,30}blocked|封/i,
		},
		'refused',
		'rights',
		[
			'The gateway blocks this account, or the address of this n8n',
			'See the state of the account and the addresses that the key may be used from, in the console of the gateway.',
		],
	),
	rule('403', 'refused', 'rights', [
		'This API key, account or channel lacks the capability',
		'Allow it in the console of the gateway (permissions and models of the key, state of the account){orVoice}.',
	]),

	// What is not there, or not yet.
	rule({ status: '404', with: 'thing' }, 'refused', 'workflow', [
		'The gateway has no {thing} "{id}"',
		'Check the ID, and that the credential belongs to the account that created the {thing}.',
	]),
	rule({ status: '404', with: 'model' }, 'refused', 'workflow', [
		'The gateway has no such address, or no model "{model}" {able}',
		'{another}, and {address}',
	]),
	rule('404', 'refused', 'network', ['The gateway has no such address', 'Please {address}']),
	rule([NOT_COMPLETED, { status: '409', with: 'thing' }], 'refused', 'nobody', [
		'The {thing} "{id}" is not ready yet',
		'Wait until its status is "completed".',
	]),

	// What a proxy or the gateway cannot take.
	rule('407', 'refused', 'network', [
		'A proxy between n8n and the gateway asks for a login',
		'The request did not reach the gateway. Put the user and password into the address of the proxy that n8n uses (HTTPS_PROXY), or let n8n call the gateway without it (NO_PROXY).',
	]),
	rule({ status: '413', from: 'page' }, 'refused', 'network', [
		'The request is too large for a proxy between n8n and the gateway',
		'The request did not reach the gateway. Let the proxy take larger requests (nginx: client_max_body_size), or send a smaller file.',
	]),
	rule('413', 'refused', 'workflow', [
		'The request is too large for the gateway',
		'Send a shorter text or a smaller file.',
	]),
	rule('422', 'refused', 'workflow', [
		'The gateway does not support {parameter}',
		'Change or remove it. Options and "Additional Body Fields" are sent unchanged.',
	]),
	rule(
		[
			{ status: '301 308', with: 'sameElsewhere' },
			{ status: '3xx', without: 'billed' },
		],
		'refused',
		'network',
		[
			'The gateway redirects to another address',
			'Set the base URL in the credential to the final address. Only requests that read data follow redirects.',
		],
	),
	rule('3xx', 'unknown', 'network', ['The gateway redirects to another address']),

	// All others. After a server error, only the gateway knows what was charged: Heroku, Azure Front Door and Envoy send a 503
	// while it works on. Cloudflare's 521, 523, 525 and 526 are from before the gateway had anything.
	rule(['4xx', { status: '5xx', says: /^invalid_request$/m }], 'refused', 'workflow', [
		'The gateway refused the request',
		'Check the parameters.',
	]),
	rule('521 523 525 526', 'transient', 'nobody', [
		NOT_OWN_ANSWER,
		`A proxy in front of the gateway could not reach it. ${LATER}`,
	]),
	rule(
		{ status: '5xx', from: 'gateway', with: 'broken', without: 'ownCode' },
		'unknown',
		'nobody',
		['A connection to the gateway or behind it failed', LATER],
	),
	rule({ status: '5xx', from: 'gateway' }, 'transient', 'nobody', [
		'The gateway had an error',
		LATER,
	]),
];

const OTHERWISE = rule([], 'unknown', 'nobody', [
	NOT_OWN_ANSWER,
	`It comes from a proxy in front of the gateway, or the gateway has crashed. ${LATER}`,
]);

/** The rule for an answer that is no success. */
export const ruleFor = (facts: Facts) =>
	RULES.find(({ signs }) => signs.some((sign) => fits(sign, facts))) ?? OTHERWISE;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The outcome of an answer that is no success. Free requests are never unknown: whatever may pass is asked again. */
export function outcomeOf(facts: Facts): Ruling {
	const { status, has } = facts;
	if (has.billed) return ruleFor(facts).outcome;
	if (status === 429) return 'throttled';
	// A conflict, too early, a time-out, given up by a proxy.
	const mayPass =
		status >= 500 || [408, 409, 425, 460, 499].includes(status) || fits(NOT_COMPLETED, facts);
	return mayPass ? 'transient' : 'refused';
}

/** The outcome of a request that got no answer. */
export const outcomeOfFailure = (failure: TransportFailure, billed: boolean) =>
	failure === 'notSent' ? failure : billed ? 'unknown' : 'transient';

export const mayBeSentAgain = (outcome: Outcome): boolean =>
	outcome === 'notSent' || outcome === 'throttled' || outcome === 'transient';

/** Whether every other billed request of the run would be refused, too. */
export const isAccountWide = (who: Who | undefined): boolean =>
	who === 'key' || who === 'balance' || who === 'provider';
