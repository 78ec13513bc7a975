/**
 * What an answer and its request show (`Facts`), and what a rule of `outcome.ts` asks of them (`Sign`); `explain.ts`
 * finds the facts.
 */
import type { Endpoint } from '../gateway/endpoints';

/** Who speaks: the gateway (JSON with an `error` object), a web page, or anything else. */
type Origin = 'gateway' | 'page' | 'other';

/** What a request asks for, as rules tell endpoints apart. */
export type Kind = Endpoint['kind'];

type Trait =
	| 'billed'
	| 'costsNothing' /* the service is one's own, and charges for nothing */
	| 'json' /* the answer is a JSON object */
	| 'named' /* one job, video or voice is asked for, by its ID */
	| 'elsewhere' /* its file is asked for, at the address that its status gives */
	| 'model'
	| 'voice'
	| 'voiceNamed' /* there is one, and the words speak of it */
	| 'passedOn' /* what a provider said to the gateway: by a code, or the words name a key that is not the credential's */
	| 'broken' /* a proxy or an upstream failed, by words anywhere in the answer */
	| 'notBegun' /* the work did not begin, by code or words anywhere in the answer, and nothing in it broke */
	| 'challenged' /* asks for a key (WWW-Authenticate) */
	| 'ownCode' /* by its code, nothing was begun or all was given back */
	| 'documented' /* the gateway is known to be the one of the API document */
	| 'sameElsewhere'; /* a redirect to the same path elsewhere */

/** What a rule can ask of an answer that is no success, and of the request. */
export interface Facts {
	status: number;
	/** Type, code, `param=` and the words of the error, a line each. */
	says: string;
	from: Origin;
	to: Kind;
	has: Partial<Record<Trait, boolean>>;
}

/** An answer; each field that is set must hold. `status`: one, several, or a class of them: `404`, `400 422`, `5xx`, `any`. */
export interface Sign {
	status: string;
	says?: RegExp;
	from?: Origin;
	/** One kind, or several: `job video`. */
	to?: string;
	with?: Trait;
	without?: Trait;
}

/** Whether an answer has all the signs that a rule asks for. */
export function fits({ status, says, from, to, ...sign }: Sign, facts: Facts): boolean {
	const exact = String(facts.status);
	const names = ['any', exact, `${exact[0]}xx`];
	return (
		status.split(' ').some((one) => names.includes(one)) &&
		(says?.test(facts.says) ?? true) &&
		(from ?? facts.from) === facts.from &&
		(to?.split(' ').includes(facts.to) ?? true) &&
		(!sign.with || facts.has[sign.with] === true) &&
		(!sign.without || facts.has[sign.without] !== true)
	);
}

/** Two kinds of words within a sentence, or something that says it alone. */
function bothOf(one: string, other: string, alone: string): RegExp {
	return new RegExp(`(?:${one}).{0,60}(?:${other})|(?:${other}).{0,60}(?:${one})|${alone}`, 'im');
}

/** What answers say, in codes or in words. */
export const SAYS = {
	rateLimit:
		/rate(?:[ _-]limit|limit_)|too.?many.?requests|(?<![a-z])per.?(?:sec|min|hour|day)|\bRPM\b|concurren|分钟|每秒|频率|并发|resources?.{0,12}exhausted/i,
	/** The gateway passes on what its provider said: new-api's and one-api's codes, LiteLLM's words. */
	passedOn:
		/^(?:upstream_error|bad_response(?:_status_code)?|fail_to_fetch_task)$|\w+Exception - |\w error: -?\d+ - /m,
	/** The key is none, or may not be used at all: by code, or in words. */
	keyRefused:
		/\b(?:invalid|incorrect|wrong|missing|disabled|revoked|expired|no) (?:api[ _-]?)?(?:key|token)\b(?! for)|\b(?:api[ _-]?key|token)(?: provided)?(?: is| status is| was| has been)? (?:\w+ )?(?:invalid|incorrect|missing|required|disabled|revoked|expired|unavailable)\b|令牌.{0,8}(?:不可用|无效|禁用|过期)/i,
	/** The account or the address of the caller is shut out. */
	shutOut:
		/^access_denied$|\bIP\b|网段|banned|suspended|(?:account|user|address).{0,30}blocked|封/im,
	noCredit: /^insufficient_quota$[^]*exceeded your current quota/im,
	moneyCode:
		/^billing_error$|^(?=\w*(?:quota|balance|budget|credit))(?=\w*(?:insufficient|exceed|exhaust|pre_consume))\w+$/im,
	tooLittleMoney: bothOf(
		'balance|quota|budget(?!_)|credits?\\b|funds|spend\\w* limit',
		'insufficient|enough|exceed|exhaust|deplet|used up|too low|r[au]n out|out of|reached|need|zero|negative|is 0',
		'额度|余额|欠费|充值|recharge',
	),
	/** Gateways that never began, and new-api and one-api when their upstream failed. */
	ownCode:
		/^(?:\w*(?:overload|rate_?limit|too_many|capacity|busy|queue_full)\w*|model_not_found|(?:do_request|\w+_response_body)_failed|bad_response\w*|empty_response|fail_to_fetch_task)$/im,
	needsVoice: bothOf(
		'voice|音色',
		'require|missing|not.(?:supported|found|exist)|no such|invalid|unknown|must|empty|specif|provide|need|不存在|指定|必|缺',
		'^param=voice$',
	),
	noSuchModel:
		/\bmodels?\b(?! list)[^/]{0,80}?(?:not (?:found|available|supported|installed|downloaded)|n.t exist|unknown|unavailable)|^model_not_found$|模型.{0,80}不存在|(?:unknown|no such|no available|invalid|unsupported) (?:\w+ )?models?\b/im,
	noChannel: /^model_not_found$|无可用渠道|no available channel/im,
	notSetUp:
		/^(?:model_price_error|model_mapped_error|convert_request_failed|api_not_implemented|channel:.*)$/m,
};

/** What may have been begun, as gRPC and Google's APIs put it. */
const GRPC =
	'(?:unavailable|cancell?ed|aborted|internal|unknown|data[ _]?loss|resource[ _]?exhausted)';

/** Words of proxies, and of programs whose connection broke: none of them knows what became of the request. */
const BROKEN = [
	// `error.status`, alone in its line, and as it is quoted by programs.
	new RegExp(`^${GRPC}$`, 'im'),
	new RegExp(`(?:code ?= ?|StatusCode\\.|status['"\\\\]*: ?['"\\\\]*)${GRPC}\\b`, 'i'),
	new RegExp(`\\d ${GRPC}[:.]`, 'i'),
	// Envoy, nginx, Apache, Kong, the load balancers of clouds.
	/(?:upstream|backend|origin)[\s_-](?:[a-z0-9]{1,20}[\s_-]){0,3}(?:connect|reset|clos|disconnect|unavailable|unreachable)/i,
	/before headers|reset reason|(?:healthy|live) (?:upstream|backend)|ring-balancer|remote server|invalid response/i,
	/(?:no|not|n't) (?:\w+ ){0,4}response from|empty (?:reply|response) from|without (?:a |any )?response/i,
	// Sockets and streams, in whatever language the program is written.
	/(?:connection|socket|stream|peer|channel|transport|transfer)\b(?:[ :][\w-]{1,20}){0,3}[ :](?:reset|closed|closing|abort|terminat|broke|lost|drop|interrupt|refused|cancell?ed|error: (?!bad))/i,
	/\b(?:reset|clos|abort|terminat|broke|lost|lose|losing|drop|interrupt)\w{0,5}(?: [\w-]{1,20}){0,3} (?:connection|socket|stream|transfer)/i,
	/\b(?:econn(?:reset|aborted|refused)|epipe|enetreset|ehostunreach|und_err_\w+|err_stream_\w+|rst_stream|goaway|eof)\b/i,
	/socket hang ?up|hung up|broken pipe|fetch failed|forcibly closed|disconnected|premature|incomplete(?: chunked)? ?read|side closed/i,
	/(?:protocol|read|write|payload)error\b/i,
	// What LiteLLM says of a connection that broke within the answer, and of a page or text of something in front of the provider.
	/\bconnection error\b|\berror code: 5\d\d\.?\s*$/im,
	/<(?:!doctype html|html|head|body)\b/i,
	/(?:context|operation|request) (?:\w+ ){0,2}(?:cancell?ed|abort|interrupt|terminat)|deadline[ _-]?(?:has been |was )?exceeded/i,
	/tim(?:ed|e|ing)[ _-]?outs?\b(?!: none)/i,
	/超时|(?:连接|链接).{0,6}(?:重置|中断|断开|关闭|失败)|(?:重置|中断|断开).{0,4}(?:连接|链接)/,
];

/** Whether texts of an answer tell of a connection that broke, so that nobody knows what became of the request. */
export const isBroken = (texts: string): boolean => BROKEN.some((words) => words.test(texts));

/** What says that the work did not begin: nobody to give it to, a connect that failed, a model that is still to be loaded. */
const NOT_BEGUN = [
	/\bno (?:healthy|live) (?:upstream|backend)s?\b/gi,
	/\bmodels?\b[^.\n]{0,60}?(?:\bnot (?:yet |been )*loaded|\b(?:is|are) (?:currently |still )*(?:being )?load(?:ing|ed))\b/gi,
	/(?<!\b(?:read|write) )\b(?:econnrefused|enotfound|ehostunreach)\b/gi,
	/\bconnection (?:was )?refused\b|\bno such host\b|\bfailed to connect\b/gi,
	/\bdial tcp\b[^\n]{0,200}?\brefused\b/gi,
];
/** Words of programs around a connect that failed, and of any other failure. */
const WRAPPERS_OF_FAILURES = /\b(?:fetch failed|connection error)\b/gi;

/** A 503 by whose code nobody was there. gRPC's own word says less: what was begun ends so, too. */
const UNAVAILABLE = /^(?!unavailable$)\w*unavailable\w*$/im;

/**
 * Whether the work did not begin, by all texts of an answer and, of a 503, by its type and code. Where anything else in
 * the same answer tells of a connection that broke, or of time that ran out, it may have begun.
 */
export function isNotBegun(texts: string, codes = ''): boolean {
	const [code] = UNAVAILABLE.exec(codes) ?? [];
	const rest = NOT_BEGUN.reduce((left, words) => left.replace(words, ''), texts);
	if (code === undefined && rest === texts) return false;
	const others = code === undefined ? rest : rest.replaceAll(code, '');
	return !isBroken(rest === texts ? others : others.replace(WRAPPERS_OF_FAILURES, ''));
}
