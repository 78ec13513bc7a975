/**
 * What became of a request, and what may be done with it then: nothing else in the package decides whether a request may be
 * sent again. Below `OUTCOMES` stand the rules that give an answer its outcome, by the signs of `signs.ts`; `explain.ts` puts
 * a rule into words about one request.
 */
import { MAY_BE_A_WEBSITE } from '../gateway/gatewayWords';
import type { TransportFailure } from '../gateway/transportFailure';
import { type Facts, fits, SAYS, type Sign } from './signs';

/** What follows from an outcome. */
interface Consequences {
	/** Whether the request was charged. `fee`: it was, for nothing. */
	charged: 'no' | 'maybe' | 'yes' | 'fee';
	/**
	 * What this run does with it. `again`: after a pause. `slower`: with fewer at once, too. `afterOthers`: when the requests in
	 * flight have freed the money that is set aside for them. `shorter`: never, but its words go in shorter segments where an
	 * operation can.
	 */
	inRun: 'again' | 'slower' | 'afterOthers' | 'shorter' | 'never';
	/** Whether it goes again when n8n runs the node again (Retry On Fail). What does not stays on record. */
	onRetry: 'again' | 'never';
	/** Whether it goes again when somebody retries the execution. */
	byHand: 'again' | 'never';
	/** What it says of the gateway: `nothing` where the gateway itself has not spoken. */
	says: 'works' | 'nothing' | 'fails';
}

/** All that can become of a request. A new outcome is a row: whoever asks what follows from it asks this table. */
const ROWS = {
	// A success, whose result is on record.
	done: { charged: 'yes', inRun: 'never', onRetry: 'never', byHand: 'never', says: 'works' },
	// In flight, or interrupted there.
	sending: { charged: 'maybe', inRun: 'never', onRetry: 'never', byHand: 'never', says: 'nothing' },
	// No success, and it may have been charged.
	unknown: { charged: 'maybe', inRun: 'never', onRetry: 'never', byHand: 'never', says: 'fails' },
	// Certain that nothing left this machine.
	notSent: { charged: 'no', inRun: 'again', onRetry: 'again', byHand: 'again', says: 'nothing' },
	// Too many requests.
	throttled: { charged: 'no', inRun: 'slower', onRetry: 'again', byHand: 'again', says: 'works' },
	// An error that may pass.
	transient: { charged: 'no', inRun: 'again', onRetry: 'again', byHand: 'again', says: 'works' },
	// Too little money, as long as some is set aside for other requests.
	held: { charged: 'no', inRun: 'afterOthers', onRetry: 'again', byHand: 'again', says: 'works' },
	// 524: the same request would be cut again.
	cut: { charged: 'no', inRun: 'shorter', onRetry: 'never', byHand: 'never', says: 'nothing' },
	// A refusal that the workflow must mend: its text, voice, model or settings.
	wrong: { charged: 'no', inRun: 'never', onRetry: 'never', byHand: 'again', says: 'works' },
	// A refusal for which the gateway charges a fee, each time.
	fined: { charged: 'fee', inRun: 'never', onRetry: 'never', byHand: 'never', says: 'works' },
	// A refusal that somebody else can lift.
	refused: { charged: 'no', inRun: 'never', onRetry: 'again', byHand: 'again', says: 'works' },
} as const satisfies Record<string, Consequences>;

/** What has become of a request on record, or on its way. */
export type State = keyof typeof ROWS;

/** What follows from each. */
export const OUTCOMES: Record<State, Consequences> = ROWS;

/** What became of a request that brought no success. */
export type Outcome = Exclude<State, 'done' | 'sending'>;

/** Outcomes after which the request stays on record, not to be sent again by Retry On Fail. */
export type Final = {
	[O in Outcome]: (typeof ROWS)[O]['onRetry'] extends 'never' ? O : never;
}[Outcome];

/** Whether a request with this outcome was certainly not charged. */
export const isFree = (state: State): boolean => OUTCOMES[state].charged === 'no';

/** Whether something that is paid for may come of it. */
export const mayBring = (state: State): boolean =>
	OUTCOMES[state].charged === 'maybe' || OUTCOMES[state].charged === 'yes';

/** Whether it stays on record. */
export const isFinal = (outcome: Outcome): outcome is Final =>
	OUTCOMES[outcome].onRetry === 'never';

/** Whether this run sends the same request again, after a pause. */
export const mayGoAgain = (outcome: Outcome): boolean =>
	OUTCOMES[outcome].inRun === 'again' || OUTCOMES[outcome].inRun === 'slower';

/**
 * Who must act. `key`, `balance`, `account` (shut out) and `provider` (the gateway's own account there) concern every other
 * request, too.
 */
export type Who =
	| 'key'
	| 'balance'
	| 'account'
	| 'provider'
	| 'rights' /* of the key or the account, in the gateway's console */
	| 'operator' /* of the gateway */
	| 'workflow'
	| 'network' /* addresses, proxies */
	| 'nobody'; /* only time helps */

/** What a rule can say of an answer. */
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
	with: 'named',
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
const NOT_TAKEN: Words = ['The gateway refused the request', '{set}'];
const NOT_OWN_ANSWER = "A server error that is not the gateway's own answer";

/** This gateway has no endpoint of the kind: Gin's answer, FastAPI's, and Flask's page. */
export const NO_ROUTE = rule(
	[
		{ status: '404', says: /invalid url \(\w+ \/v1\//i, to: 'job voice video' },
		{
			status: '404',
			says: /^not found$/im,
			from: 'other',
			to: 'job voice video',
			without: 'named',
		},
		{ status: '404', from: 'page', to: 'job voice video', without: 'named' },
	],
	'wrong',
	'workflow',
	['This gateway has no {plural}', 'If its other addresses are not found, either, {address}'],
);

/**
 * What an answer other than a success means: the first rule that fits. Each names the answer that it is for, of a real gateway
 * or by the gateway's document; test/requests/outcome.test.ts has them.
 */
export const RULES = [
	// The document's 504, and its code wherever it is passed on.
	rule({ status: 'any', says: /^upstream_outcome_unknown$/m }, 'unknown', 'nobody', [
		'The gateway lost track of the request',
	]),
	// A panic of new-api or one-api; one-api's chat when its upstream failed; Portkey's check of a finished answer.
	rule(
		[
			{ status: '5xx', says: /_panic$/m },
			{
				status: '500',
				says: /^one_api_error\n(?:do_request|read_response_body)_failed$/m,
				to: 'chat',
			},
			'446',
		],
		'unknown',
		'operator',
		['The gateway failed, and may keep what it had set aside for the request'],
	),
	// new-api's penalty for a text.
	rule({ status: '4xx', says: /^violation_fee/m }, 'fined', 'workflow', [
		'The gateway refuses this request, and has charged a fee for it',
		'A fee was charged, and would be again: change the text.',
	]),

	// A gateway's or proxy's time-out, LiteLLM's for whatever its provider did.
	rule('408 504', 'unknown', 'nobody', [
		'The request timed out at the gateway or a proxy in front of it',
		LATER,
	]),
	// AWS's load balancer, and nginx: the client is gone, or Google's CANCELLED.
	rule('460 499', 'unknown', 'nobody', [
		'A proxy in front of the gateway ended the request before it was answered',
		LATER,
	]),
	// Cut by the gateway itself, or by Cloudflare in front of the document's gateway or of one's own server, which alone charge
	// nothing then.
	rule(
		[
			{ status: '524', to: 'speech job', from: 'gateway', with: 'billed' },
			{ status: '524', to: 'speech job', with: 'documented' },
			{ status: '524', to: 'speech', with: 'costsNothing' },
		],
		'cut',
		'workflow',
		[
			CUT,
			`${CUT_AGAIN} use a shorter text, let "Long Text" split it, or use Speech Job. Where even short texts are cut, the gateway is down: try again later.`,
		],
	),
	// new-api and one-api, whose upstream's Cloudflare has cut it.
	rule({ status: '524', from: 'gateway', with: 'billed' }, 'cut', 'workflow', [
		CUT,
		`${CUT_AGAIN} ask for less at once.`,
	]),
	// Cloudflare in front of any other gateway, which works on and charges.
	rule('524', 'unknown', 'nobody', [CUT, LATER]),

	// A storage, whose link to a finished file has expired.
	rule({ status: '401 403 404 410', with: 'elsewhere' }, 'refused', 'operator', [
		'The file of the {kind} "{id}" is not at the address that its status gives',
		'The {kind} is done and charged, but such an address may expire. The operation "Get" shows it as "url", for nothing.',
	]),

	// A limit of requests, though it speaks of a quota.
	rule({ status: '429', says: SAYS.rateLimit }, 'throttled', 'nobody', TOO_MANY),
	// OpenAI's words, which it says of the gateway's account as of one's own.
	rule({ status: '402 429', says: SAYS.noCredit, without: 'passedOn' }, 'refused', 'balance', [
		'The account that pays has no credit',
		"It is yours, or the gateway's at its provider: top it up, or ask the operator of the gateway.",
	]),
	// The provider's refusal of the gateway's own account, passed on by new-api, one-api and LiteLLM.
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
	// The document's 401; LiteLLM without its database; new-api's disabled key, and Speaches.
	rule(
		[
			'401',
			{ status: '400', says: /^no_db_connection$/m },
			{ status: '403', says: SAYS.keyRefused, with: 'json' },
			{ status: '403', with: 'challenged' },
		],
		'refused',
		'key',
		[
			'The gateway does not accept the API key',
			'Check the API key in the credential: it may be mistyped, revoked, expired, used up or from another gateway.',
		],
	),
	// The document's 402.
	rule('402', 'refused', 'balance', NO_MONEY),
	// new-api, one-api, sub2api: too little money for what is set aside; by code, and in words.
	rule({ status: '4xx 5xx', says: SAYS.moneyCode }, 'held', 'balance', NO_MONEY),
	rule({ status: '400 403 412 429', says: SAYS.tooLittleMoney }, 'held', 'balance', NO_MONEY),
	// The document's 429, and new-api's without a body.
	rule('429', 'throttled', 'nobody', TOO_MANY),

	// new-api's and one-api's filter of words.
	rule({ status: '4xx 5xx', says: /sensitive.word|敏感词/i }, 'wrong', 'workflow', [
		'The gateway refuses the words of this request',
		'Change the text.',
	]),
	// one-api, which counts bytes.
	rule({ status: '4xx', says: /^text_too_long$/m }, 'wrong', 'workflow', [
		'The text is too long for the gateway',
		'{set} It may count bytes, of which a Chinese character has three.',
	]),
	// LiteLLM, FastAPI and providers without a default voice.
	rule(
		{ status: '400 404 422', says: SAYS.needsVoice, to: 'speech job', without: 'voice' },
		'wrong',
		'workflow',
		[
			'This gateway has no default voice',
			'It needs one: pick it by ID in the field "Voice"{choices}.',
		],
	),
	// new-api, one-api, FastAPI: no jobs, voices or videos.
	NO_ROUTE,
	// A voice, and then a model, that is not there, in the words of providers.
	rule({ status: '404', with: 'voiceNamed' }, 'wrong', 'workflow', [
		'The gateway has no voice "{voice}"',
		`{set} ${PICK_VOICE}`,
	]),
	rule({ status: '400 404 422', says: SAYS.noSuchModel, with: 'model' }, 'wrong', 'workflow', [
		'The gateway has no model "{model}" {able}',
		'Check the field "Model". {models}',
	]),
	// new-api's and one-api's 503 for an unknown model, or one without a channel.
	rule({ status: '5xx', says: SAYS.noChannel }, 'refused', 'operator', [
		'The gateway has no provider for the model "{model}"',
		'Check the field "Model". {models}',
	]),
	// new-api's codes for what its operator has not set up.
	rule([{ status: '400 5xx', says: SAYS.notSetUp }, '501'], 'refused', 'operator', [
		'The gateway is not set up for this request',
	]),

	// CloudFront, Cloudflare, firewalls: a page, a word or nothing.
	rule({ status: '403', without: 'json' }, 'refused', 'network', [
		'A proxy or firewall between n8n and the gateway refuses the request',
		'The answer is not JSON, so it is not from the gateway. Allow n8n to call {url} there, and check the base URL in the credential.',
	]),
	// The document's 403 for a voice of another account; for a task, just below.
	rule(
		[
			{ status: '403', with: 'voiceNamed' },
			{ status: '403', to: 'voice', with: 'named' },
		],
		'refused',
		'workflow',
		[
			'The voice "{voice}" does not belong to this account',
			`Voices can only be used by the account that created them, with the same provider. ${PICK_VOICE}`,
		],
	),
	rule({ status: '403', with: 'named' }, 'refused', 'rights', [
		'This key may not access the {kind} "{id}"',
		'Use the credential of the account that created the {kind}.',
	]),
	// new-api's and one-api's blocked addresses and users.
	rule({ status: '403', says: SAYS.shutOut }, 'refused', 'account', [
		'The gateway blocks this account, or the address of this n8n',
		'See the state of the account and the addresses that the key may be used from, in the console of the gateway.',
	]),
	// The document's 403 for a capability.
	rule('403', 'refused', 'rights', [
		'This API key, account or channel lacks the capability',
		'Allow it in the console of the gateway (permissions and models of the key, state of the account){orVoice}.',
	]),

	// A job, video or voice that is unknown, by new-api with 400; then a base URL that is wrong, or a model.
	rule(
		[
			{ status: '404', with: 'named' },
			{ status: '400', says: /^task_not_exist$/m, with: 'named' },
		],
		'refused',
		'workflow',
		[
			'The gateway has no {kind} "{id}"',
			'Check the ID, and that the credential belongs to the account that created the {kind}.',
		],
	),
	rule({ status: '404 405', from: 'page' }, 'refused', 'network', [
		'There is no gateway at this base URL',
		`It answers with a web page. It ${MAY_BE_A_WEBSITE} Please {address}`,
	]),
	rule({ status: '404', with: 'model' }, 'wrong', 'workflow', [
		'The gateway has no such address, or no model "{model}" {able}',
		'Check {voiceAndModel}. {models} If that is right, {address}',
	]),
	rule('404', 'refused', 'network', ['The gateway has no such address', 'Please {address}']),
	// new-api's 400 for a file that is asked for too early.
	rule([NOT_COMPLETED, { status: '409', with: 'named' }], 'refused', 'nobody', [
		'The {kind} "{id}" is not ready yet',
		'Wait until its status is "completed".',
	]),

	// A proxy of the company.
	rule('407', 'refused', 'network', [
		'A proxy between n8n and the gateway asks for a login',
		'The request did not reach the gateway. Put the user and password into the address of the proxy that n8n uses (HTTPS_PROXY), or let n8n call the gateway without it (NO_PROXY).',
	]),
	// nginx; then the gateway itself.
	rule({ status: '413', from: 'page' }, 'wrong', 'network', [
		'The request is too large for a proxy between n8n and the gateway',
		'The request did not reach the gateway. Let the proxy take larger requests (nginx: client_max_body_size), or send a smaller file.',
	]),
	rule('413', 'wrong', 'workflow', [
		'The request is too large for the gateway',
		'Send a shorter text or a smaller file.',
	]),
	// The document's 422; FastAPI's names the field.
	rule('422', 'wrong', 'workflow', ['The gateway does not support {parameter}', '{set}']),
	// http instead of https, or a host that has moved.
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
	// new-api's MiniMax, which is charged and leads to its file.
	rule('3xx', 'unknown', 'network', ['The gateway redirects to another address']),

	// Laws, or the rules of a provider.
	rule('451', 'wrong', 'workflow', [
		'The gateway may not carry out this request, for legal reasons',
		'Change the text, the voice or the model.',
	]),
	// Refused by any gateway, by new-api as a 500.
	rule(['400', { status: '5xx', says: /^invalid_request$/m }], 'wrong', 'workflow', NOT_TAKEN),
	rule('4xx', 'refused', 'workflow', NOT_TAKEN),
	// Cloudflare's, from before the gateway had anything.
	rule('521 523 525 526', 'transient', 'nobody', [
		NOT_OWN_ANSWER,
		`A proxy in front of the gateway could not reach it. ${LATER}`,
	]),
	// Nobody was there behind the gateway, or the model is still to be loaded.
	rule({ status: '5xx', from: 'gateway', with: 'notBegun' }, 'transient', 'nobody', [
		'The gateway could not begin the request',
		LATER,
	]),
	// Envoy, Google's proxies and broken upstreams in JSON like the gateway's, after the work was done.
	rule(
		{ status: '5xx', from: 'gateway', with: 'broken', without: 'ownCode' },
		'unknown',
		'nobody',
		['A connection to the gateway or behind it failed', LATER],
	),
	// The gateway's own errors, and new-api's and one-api's when their upstream failed: nothing is charged.
	rule({ status: '5xx', from: 'gateway' }, 'transient', 'nobody', [
		'The gateway had an error',
		LATER,
	]),
];

/** Heroku, Azure Front Door, Kong, nginx: a page, text or other JSON, while the gateway may work on. */
const OTHERWISE = rule([], 'unknown', 'nobody', [
	NOT_OWN_ANSWER,
	`It comes from a proxy in front of the gateway, or the gateway has crashed. ${LATER}`,
]);

/** The rule for an answer that is no success. */
export const ruleFor = (facts: Facts) =>
	RULES.find(({ signs }) => signs.some((sign) => fits(sign, facts))) ?? OTHERWISE;

/** Whether an answer is a success by its status; its body may still say otherwise. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * The outcome where the service charges for nothing: a request of unknown outcome may be sent again there, like one whose
 * error may pass.
 */
const atNoCharge = <O extends Outcome>(outcome: O, costsNothing = false) =>
	costsNothing && outcome === 'unknown' ? 'transient' : outcome;

/** The outcome of an answer that is no success. Free requests are never unknown: whatever may pass is asked again. */
export function outcomeOf(facts: Facts): Ruling {
	const { status, has } = facts;
	if (has.billed) return atNoCharge(ruleFor(facts).outcome, has.costsNothing);
	if (status === 429) return 'throttled';
	// A conflict, too early, a time-out, given up by a proxy.
	const mayPass =
		status >= 500 || [408, 409, 425, 460, 499].includes(status) || fits(NOT_COMPLETED, facts);
	return mayPass ? 'transient' : 'refused';
}

/** The outcome of a request that got no answer. */
export const outcomeOfFailure = (
	failure: TransportFailure,
	billed: boolean,
	costsNothing?: boolean,
) => (failure === 'notSent' ? failure : billed ? atNoCharge('unknown', costsNothing) : 'transient');

/** The outcome of a billed request whose answer is a success, and damaged. */
export const outcomeOfDamage = (costsNothing: boolean): Outcome =>
	atNoCharge('unknown', costsNothing);

/** Whether every other billed request of the run would be refused, too. */
export const isAccountWide = (who: Who | undefined): boolean =>
	who !== undefined && ACCOUNT_WIDE.includes(who);

const ACCOUNT_WIDE: Who[] = ['key', 'balance', 'account', 'provider'];
