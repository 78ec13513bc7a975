import { firstJsonOf } from '../../nodes/SpeechGateway/gateway/readBody';
import { keysOf } from '../../nodes/SpeechGateway/core/json';
import type { Endpoint } from '../../nodes/SpeechGateway/gateway/endpoints';
import { Redactor } from '../../nodes/SpeechGateway/gateway/redact';
import {
	type About,
	type Answer,
	explainAnswer,
	type Failure,
} from '../../nodes/SpeechGateway/requests/explain';
import {
	isFree,
	mayGoAgain,
	OUTCOMES,
	type Ruling,
	RULES,
	type Who,
} from '../../nodes/SpeechGateway/requests/outcome';
import { RECORDED, wireBody } from '../support/simulator/answers';

const gateway = {
	addressOf: ({ path }: Pick<Endpoint, 'path'>) => `https://gateway.example${path}`,
	redactor: new Redactor('sk-abcdefgxyz'),
};
const SPEECH = 'POST /v1/audio/speech';
const REQUESTS: Record<string, string> = {
	speech: SPEECH,
	job: 'POST /v1/audio/speech/jobs',
	voice: 'POST /v1/audio/voices',
	chat: 'POST /v1/chat/completions',
	video: 'POST /v1/videos',
};
const KINDS: Array<[part: string, kind: Endpoint['kind']]> = [
	['/jobs', 'job'],
	['/speech', 'speech'],
	['/voices', 'voice'],
	['/chat/', 'chat'],
	['/videos', 'video'],
];

/** What is made of an answer to a request such as `POST /v1/videos`. */
function judge(
	request: string,
	status: number,
	sent: unknown,
	{
		elsewhere,
		documented,
		costsNothing,
		models,
		...about
	}: About & { elsewhere?: boolean } & Pick<Answer, 'documented' | 'costsNothing' | 'models'> = {},
	headers: Record<string, string | undefined> = {},
) {
	const [method, path] = request.split(' ');
	const billed = method === 'POST';
	const kind = KINDS.find(([part]) => path.includes(part))?.[1] ?? 'model';
	const endpoint = { kind, method, path, billed, ...(elsewhere && { url: path }) } as Endpoint;
	const body = typeof sent === 'string' ? (firstJsonOf(Buffer.from(sent)) ?? sent) : sent;
	const known = { documented, costsNothing, models };
	const answer = { status, body, ...known, headers: { 'x-request-id': 'req_1', ...headers } };
	const model = billed ? { model: 'my-model' } : {};
	return explainAnswer(gateway, endpoint, { ...model, ...about }, answer);
}

describe.each(keysOf(OUTCOMES))('after %s', (state) => {
	const { charged, inRun, onRetry, byHand } = OUTCOMES[state];

	test('what may have been charged is never sent again', () => {
		expect(isFree(state)).toBe(charged === 'no');
		if (!isFree(state)) expect([inRun, onRetry, byHand]).toEqual(['never', 'never', 'never']);
	});

	test('what this run may send again, a retry may, too', () => {
		if (inRun === 'again' || inRun === 'slower')
			expect([onRetry, byHand]).toEqual(['again', 'again']);
	});
});

/** All that real gateways answered, by what brought it about. */
const CASES: Array<[cases: RegExp, outcome: Ruling, who: Who, message: string]> = [
	[/panic/, 'unknown', 'operator', 'The gateway failed, and may keep'],
	[/408|504|upstream 524, page 408/, 'unknown', 'nobody', ''],
	[/rate limit|429, rate|mapped to 429/, 'throttled', 'nobody', 'too many requests'],
	[/upstream 401 401|402|upstream 403|429, quota/, 'refused', 'provider', 'A provider refuses'],
	[/wrong key|(disabled|expired) key|key used up/, 'refused', 'key', 'not accept the API key'],
	[/hold over|balance used up/, 'held', 'balance', 'The account balance is too low'],
	[/no voice 400|upstream 400 400/, 'wrong', 'workflow', 'This gateway has no default voice'],
	[/unknown model 400|upstream 404 404/, 'wrong', 'workflow', 'no model "my-model" that can'],
	[/unknown model|no channel/, 'refused', 'operator', 'no provider for the model "my-model"'],
	[/mapping|without price|not implemented/, 'refused', 'operator', 'not set up for this request'],
	[/sensitive words/, 'wrong', 'workflow', 'The gateway refuses the words'],
	[/text too long/, 'wrong', 'workflow', 'The text is too long'],
	[/address not for|user banned/, 'refused', 'account', 'blocks this account, or the address'],
	[/(channel|model) not for/, 'refused', 'rights', 'lacks the capability'],
	[/no route 404|upstream 524, page 404/, 'wrong', 'workflow', 'This gateway has no '],
	[/422/, 'wrong', 'workflow', 'a parameter of this request (422)'],
	[/400/, 'wrong', 'workflow', 'The gateway refused the request (400)'],
];
/** Those that mean something else where they come from one gateway, or for one kind of request. */
const SPECIAL: Array<[which: RegExp, outcome: Ruling, who: Who, message: string]> = [
	[/portkey chat .*524/, 'unknown', 'nobody', 'cut the request after about 100 seconds'],
	[/portkey .*(hangs up|no voice|no route|with tools) 500/, 'unknown', 'nobody', 'not the gate'],
	[/portkey .*502/, 'unknown', 'nobody', "not the gateway's own answer (502)"],
	[/one-api chat .*(hangs up|refuses|slow|the body) 500/, 'unknown', 'operator', 'may keep'],
	[/one-api other upstream (refuses|has no address) 500/, 'transient', 'nobody', 'not begin'],
	[/litellm .*upstream 502, page 502/, 'unknown', 'nobody', 'or behind it failed (502): "litellm'],
	[/litellm .*hangs up 500/, 'unknown', 'nobody', 'or behind it failed (500): "litellm'],
	[/524, page 524/, 'cut', 'workflow', 'cut the request after about 100 seconds (524)'],
];
const OTHERS: (typeof CASES)[number] = [/5../, 'transient', 'nobody', 'The gateway had an error'];

const nameOf = ({ gateway, request, case: brought, status }: (typeof RECORDED)[number]) =>
	`${gateway} ${request.includes('chat') ? 'chat' : 'other'} ${brought} ${status}`;
const expectedFor = (name: string) =>
	[...SPECIAL, ...CASES, OTHERS].find(([which]) => which.test(name));
const REFUSALS = RECORDED.filter(({ status }) => status >= 300);

test.each(REFUSALS.map((answer) => [nameOf(answer), answer] as const))('%s', (name, answer) => {
	const [, outcome, who, message] = expectedFor(name) ?? [];
	const judged = judge(answer.request, answer.status, wireBody(answer));
	const isFree = answer.request.startsWith('GET');
	expect([judged.outcome, judged.who]).toEqual([isFree ? 'refused' : outcome, who]);
	expect(judged.error.message).toContain(message);
	// The gateway's own books.
	if (answer.charged === 'hold' || answer.charged === 'yes') expect(judged.outcome).toBe('unknown');
});

describe('the models that can be chosen, where the gateway lists them', () => {
	const KOKORO = { id: 'kokoro', task: 'text-to-speech' };
	const GPT = { id: 'gpt-4o' };
	const told = (models: Answer['models'], request = SPEECH, model = 'my-model') => {
		const error = { message: 'No such model' };
		const { description } = judge(request, 404, { error }, { model, models }).error;
		return description!
			.replace(/^This request was not charged\. /, '')
			.replace(/ The gateway says: .*/, '');
	};

	test.each<[string, Answer['models'], string]>([
		['nothing is known', undefined, 'Model → Get Many lists the models of the gateway.'],
		['none', [], 'Model → Get Many lists the models of the gateway.'],
		['only models for other things', [GPT], 'Model → Get Many lists the models of the gateway.'],
		[
			'those that speak',
			[GPT, KOKORO, { id: 'tts-1' }],
			'Models that can speak: "kokoro", "tts-1".',
		],
		[
			'those of unknown purpose',
			[{ id: 'xx' }, { name: 'yy' }, { id: {} }],
			'Models that can speak: "xx", "yy".',
		],
		[
			'not the one that was asked for',
			[{ id: 'my-model', type: 'tts' }, KOKORO],
			'It is listed, but this account may not have it. Models that can speak: "kokoro".',
		],
		[
			'five',
			[1, 2, 3, 4, 5, 6].map((one) => ({ id: `tts-${one}` })),
			'Models that can speak: "tts-1", "tts-2", "tts-3", "tts-4", "tts-5", ….',
		],
	])('%s', (_, models, words) => {
		expect(told(models)).toBe(`Check the field "Model". ${words}`);
	});

	test('for a chat, those that can chat; for a video, those that make videos', () => {
		const models = [GPT, KOKORO, { id: 'sora-2' }];
		expect(told(models, REQUESTS.chat)).toContain('Models that can chat: "gpt-4o".');
		expect(told(models, REQUESTS.video)).toContain('Models that can make videos: "sora-2".');
	});

	test('they are asked for only where the words would name them', () => {
		const asks = (status: number, message: string, about = {}) =>
			judge(SPEECH, status, { error: { message } }, about).asksForModels;
		for (const status of [400, 404, 422]) expect(asks(status, 'no such model')).toBe(true);
		expect(asks(400, 'The model is asleep')).toBe(true);
		expect(asks(404, 'x')).toBe(true);
		expect(asks(503, 'No available channel')).toBe(true);
		expect(asks(400, 'the voice is hoarse')).toBe(false);
		expect(asks(500, 'The model is asleep')).toBe(false);
		expect(judge('GET /v1/models', 404, { error: { message: 'no model' } }).asksForModels).toBe(
			false,
		);
	});
});

const PAGE = '<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>';
const ofJob = { kind: 'job', id: 'spj_1' } as const;

/**
 * What the gateway's document says, what proxies send, and what was read in the sources of other gateways: the request, the
 * answer (E: the gateway's `error` object), what was asked for, what it means, and expressions for message and description.
 */
const DOCUMENTED = String.raw`
speech | 504 | E {"message":"?","code":"upstream_outcome_unknown"} |  | unknown, nobody | : "\?"$
speech | 502 | {"code":"upstream_outcome_unknown"} |  | unknown, nobody | lost track
video | 500 | E {"message":"x","type":"some_panic"} |  | unknown, operator | failed
chat | 500 | E {"message":"x","type":"x_one_api_error","code":"do_request_failed"} |  | transient, nobody | had an error
chat | 500 | E {"message":"x","type":"one_api_error","code":"do_request_failed_x"} |  | transient, nobody | had an error
chat | 502 | E {"message":"x","type":"one_api_error","code":"do_request_failed"} |  | transient, nobody | had an error
chat | 400 | E {"message":"x","code":"violation_fee.a.b"} |  | fined, workflow | charged a fee | ^A fee was charged, and would be again: change the text\.\s*The gateway says
speech | 451 | E {"message":"x"} |  | wrong, workflow | legal reasons | was not charged.*Change the text
speech | 409 | E {"message":"x"} |  | refused, workflow | refused the request | Check
chat | 446 | {} |  | unknown, operator | keep
speech | 499 | E {"message":"The operation was cancelled","code":"overloaded"} |  | unknown, nobody | ended the request before .* \(499\): "The op
job | 460 | PAGE |  | unknown, nobody | ended the request before
GET /v1/models | 499 | E {"message":"x"} |  | transient, nobody | ended the request before
speech | 503 | E {"code":503,"status":"UNAVAILABLE","message":"upstream connect error"} |  | unknown, nobody | or behind it failed \(503\): "upst
speech | 503 | E {"message":"connection reset by peer","code":"overloaded"} |  | transient, nobody | had an error | not charged
speech | 521 | E {"message":"connection refused"} |  | transient, nobody | own answer \(521\) | not charged
speech | 524 | PAGE |  | unknown, nobody | 100 seconds \(524\): "502 Bad
speech | 524 | PAGE | {"documented":true} | cut, workflow | 100 seconds | ^It was not charged, by the gateway's API document\..*Speech Job\.
job | 524 |  | {"documented":true} | cut, workflow | 100 seconds | Speech Job
chat | 524 | PAGE | {"documented":true} | unknown, nobody | 100 seconds
speech | 524 | E {"message":"cut"} |  | cut, workflow | 100 seconds | Speech Job
speech | 524 | PAGE | {"costsNothing":true} | cut, workflow | 100 seconds | shorter text
chat | 524 | PAGE | {"costsNothing":true} | transient, nobody | 100 seconds | later
job | 524 | PAGE | {"costsNothing":true} | transient, nobody | 100 seconds | later
speech | 504 | PAGE | {"costsNothing":true} | transient, nobody | timed out | later
speech | 501 | PAGE | {"costsNothing":true} | refused, operator | not set up | operator
speech | 429 |  | {"costsNothing":true} | throttled, nobody | too many | later
video | 524 | E {"message":"cut"} |  | cut, workflow | 100 seconds | cut again: ask for less
voice | 524 | PAGE |  | unknown, nobody | 100 seconds \(524\): "502 Bad
GET /v1/videos/1 | 524 | E {"message":"cut"} | {"kind":"video","id":"1"} | transient, nobody | 100 sec | ^Such
GET /v1/audio/speech/jobs/spj_1 | 524 | PAGE | JOB | transient, nobody | 100 sec | ^Such
GET /v1/videos/1 | 524 | PAGE | {"kind":"video","id":"1"} | transient, nobody | 100 sec | ^Such.*later\. The
speech | 401 | E {"message":"No."} |  | refused, key | API key | was not charged.*credential: .*used up.*says: "No"\.$
speech | 401 | E {"message":"x","code":"bad_response_status_code","param":"401"} |  | refused, provider | provider | neither|not the cause
speech | 401 | E {"message":"key sk-zz***ww is wrong"} |  | refused, provider | provider | operator of the gateway can
speech | 401 | E {"message":"[sk-abc***xyz] is used up"} |  | refused, key | API key | used up
speech | 403 | E {"message":"Invalid API key"} |  | refused, key | API key | used up
speech | 402 | E {"message":"x"} |  | refused, balance | ^The account balance is too low \(402\)$ | Top up.*or the key's own quota
speech | 401 | E {"message":"x","type":"x_upstream_error"} |  | refused, key | API key | used up
speech | 400 | E {"message":"Your credit balance is too low","type":"upstream_error"} |  | refused, provider | provider | your balance
speech | 412 | E {"message":"x.SomeException - no credits: 0 is not enough"} |  | refused, provider | provider | your balance
speech | 429 | E {"message":"You exceeded your current quota, please check your plan.","code":"insufficient_quota"} |  | refused, balance | account that pays has no credit \(429\) | It is yours, or the gateway's at its provider
speech | 402 | E {"message":"You exceeded your current quota, please check your plan.","type":"insufficient_quota"} |  | refused, balance | account that pays has no credit | was not charged
speech | 429 | E {"message":"x","code":"insufficient_quota"} |  | refused, provider | provider | operator of the gateway can
speech | 429 | E {"message":"litellm: OpenAIException - You exceeded your current quota","type":"insufficient_quota"} |  | refused, provider | provider | not the cause
speech | 400 | E {"message":"x","code":"model_price_error"} |  | refused, operator | not set up | operator
job | 404 | <html><h1>Not Found</h1></html> |  | wrong, workflow | has no speech jobs | base URL
GET /v1/audio/speech/jobs/spj_1 | 404 | PAGE | JOB | refused, workflow | no job "spj_1" | Check the ID
speech | 404 | PAGE |  | refused, network | ^There is no gateway at this base URL \(404\)$ | It answers with a web page.*address called was
chat | 404 | PAGE |  | refused, network | ^There is no gateway at this base URL | console of the service
speech | 405 | PAGE | {"voice":"v1"} | refused, network | ^There is no gateway at this base URL | web page
GET /v1/models | 404 | PAGE |  | refused, network | ^There is no gateway at this base URL | web page
speech | 502 | E {"message":"OpenAIException - <html><title>502 Bad Gateway</title>"} |  | unknown, nobody | or behind it failed
speech | 502 | E {"message":"<!DOCTYPE html><html>","code":"bad_response_status_code"} |  | transient, nobody | had an error | not charged
speech | 400 | E {"message":"x","type":"unknown_error"} |  | wrong, workflow | refused the request | Check
speech | 400 | E {"message":"x","code":"unsupported_country"} |  | wrong, workflow | refused the request | Check
speech | 403 | E {"message":"x","type":"no_db_connection"} |  | refused, rights | lacks the capability | console
speech | 403 | E {"message":"x","code":"insufficient_quota"} |  | held, balance | balance | Top up
speech | 429 | E {"message":"x","code":"user_insufficient_quota"} |  | held, balance | balance | Top up
speech | 500 | E {"message":"insufficient_quota, said somebody"} |  | transient, nobody | had an error | later
speech | 402 | E {"message":"x","code":"insufficient_balance"} |  | refused, balance | balance is too low \(402\) | Top up
speech | 429 | E {"message":"quota of 3 requests per minute exceeded","type":"upstream_error"} |  | throttled, nobody | too many | not charged
speech | 402 | E {"message":"x","type":"upstream_error"} |  | refused, provider | provider | your balance
speech | 401 | E {"message":"Your api key: ****WXYZ is invalid"} |  | refused, provider | provider | operator of the gateway can
speech | 401 | E {"message":"Your api key: ****gxyz is invalid"} |  | refused, key | API key | used up
speech | 429 | E {"message":"账户余额不足","type":"upstream_error"} |  | refused, provider | provider | your balance
speech | 429 | E {"message":"Quota of key sk-zz***ww is exhausted"} |  | refused, provider | provider | your balance
speech | 429 | E {"message":"busy","type":"upstream_error"} |  | throttled, nobody | too many | not charged
speech | 403 | E {"message":"x","type":"billing_error"} |  | held, balance | balance | was not charged.*Top up
speech | 400 | E {"message":"Budget has been exceeded! 2 of 1"} |  | held, balance | balance | own quota
speech | 412 | E {"message":"out of credits"} |  | held, balance | balance | own quota
speech | 429 | E {"message":"quota exceeded","code":"rate_limit_exceeded"} |  | throttled, nobody | too many | not charged
speech | 400 | E {"message":"rate limits are numbers"} |  | wrong, workflow | refused the request | Check
speech | 403 | E {"message":"The balance of light is bad"} |  | refused, rights | lacks the capability | console
speech | 422 | E {"message":"balance must be a number","param":"balance"} |  | wrong, workflow | "balance" | Change or remove
speech | 403 | E {"message":"voice of another account"} | {"voice":"v1"} | refused, workflow | voice "v1" does not belong | Pick one
DELETE /v1/audio/voices/v2 | 400 | E {"message":"No"} | {"kind":"voice","id":"v2"} | refused, workflow | refused the request | Check
speech | 400 | E {"message":"voice v1 is hoarse"} | {"voice":"v1"} | wrong, workflow | refused the request | Check
speech | 400 | E {"message":"the voice is hoarse"} |  | wrong, workflow | refused the request | Check
speech | 400 | E {"message":"IP"} |  | wrong, workflow | refused the request | Check
DELETE /v1/audio/voices/v2 | 403 | E {"message":"Forbidden"} | {"kind":"voice","id":"v2"} | refused, workflow | voice "v2" does not belong | Pick
voice | 403 | E {"message":"x"} |  | refused, rights | lacks the capability | console
speech | 403 | E {"message":"x"} |  | refused, rights | lacks the capability | console
speech | 403 | E {"message":"x"} | {"voice":"v1"} | refused, rights | lacks the capability | check that the voice "v1"
GET /v1/audio/speech/jobs/spj_1 | 403 | E {"message":"x"} | JOB | refused, rights | access the job "spj_1" | account that created
speech | 403 |  | {"voice":"v1"} | refused, network | proxy or firewall | not JSON
job | 403 | Forbidden |  | refused, network | proxy or firewall | The answer says: "Forbidden"
GET /v1/audio/speech/jobs/spj_1 | 403 | <!DOCTYPE html><html><title>Just a moment...</title></html> | JOB | refused, network | proxy or firewall | Just a moment
speech | 403 | {"message":"no"} |  | refused, rights | lacks the capability | console
speech | 504 | E {"message":"upstream_outcome_unknown"} |  | unknown, nobody | : "upstream outcome unknown"$
speech | 400 | E {"message":"bad_speed"} |  | wrong, workflow | refused the request | says: "bad speed"\.
speech | 403 | <html>voice</html> | {"voice":"v1"} | refused, network | proxy or firewall | Allow n8n
speech | 403 | <html>no</html> |  | refused, network | proxy or firewall | The answer says: "no"
speech | 403 | E {"message":"account suspended"} |  | refused, account | blocks this account | state of the account
speech | 404 | E {"message":"The model 'my-model' does not exist"} |  | wrong, workflow | ^The gateway has no model "my-model" that can speak \(404\)$ | not charged\. Check the field "Model"\. Model → Get Many lists 
speech | 404 | E {"message":"my-model isn't a model: model not found"} |  | wrong, workflow | no model | ^(?!.*base URL)
chat | 404 | E {"message":"x","code":"model_not_found"} |  | wrong, workflow | that can chat \(404\)$ | not charged\. Check the field "Model"\. Model → Get Many lists 
speech | 404 | E {"message":"Route not found; see the list of models"} |  | wrong, workflow | no such address, or no model "my-model" that | such as \/v1
speech | 404 | {} | {"model":"fish-speech"} | wrong, workflow | no model "fish-speech" | not charged\. Check the field "Model"\. Model → Get Many .* If that is right, check the base URL
GET /v1/models | 404 | E {"message":"no such model"} |  | refused, network | ^The gateway has no such address | such as \/v1
video | 404 | {"detail":"Not Found"} |  | wrong, workflow | has no videos | base URL
video | 404 | {"detail":"Not found: your plan"} |  | wrong, workflow | no such address, or no model | base URL
voice | 404 | {"detail":"Route was not found"} |  | wrong, workflow | no such address, or no model | base URL
GET /v1/audio/speech/jobs/spj_1 | 404 | {"detail":"Not Found"} | JOB | refused, workflow | no job "spj_1" | Check the ID
GET /v1/models | 404 |  |  | refused, network | ^The gateway has no such address \(404\)$ | such as \/v1
speech | 404 | E {"message":"model my-model: v1 not found"} | {"voice":"v1"} | wrong, workflow | no voice "v1" | Pick one
speech | 404 | E {"message":"model my-model not found"} | {"voice":"v1"} | wrong, workflow | no model
speech | 403 | E {"message":"v1 is not yours"} | {"voice":"v1"} | refused, workflow | voice "v1" does not belong
speech | 404 | E {"message":"音色不存在"} | {"voice":"v1"} | wrong, workflow | no voice "v1" | Pick one
speech | 503 | E {"message":"No available channel for model my-model"} |  | refused, operator | no provider | Get Many
GET /v1/audio/speech/jobs/spj_1 | 404 | E {"message":"Not found"} | JOB | refused, workflow | no job "spj_1" | Check the ID
GET /v1/videos/1 | 400 | {"code":"task_not_exist","message":"task_not_exist","data":null} | {"kind":"video","id":"1"} | refused, workflow | no video "1" | Check the ID
GET /v1/videos/1/content | 400 | E {"message":"Task is not completed yet"} | {"kind":"video","id":"1"} | transient, nobody | video "1" is not ready | Wait
GET /v1/videos/1/content | 400 | E {"message":"The video has not been finished"} | {"kind":"video","id":"1"} | transient, nobody | video "1" is not ready | Wait
GET / | 401 | <html>No</html> | {"kind":"job","id":"spj_1","elsewhere":true} | refused, operator | file of the job "spj_1" is not at | "Get"
GET / | 403 | PAGE | {"kind":"job","id":"spj_1","elsewhere":true} | refused, operator | file of the job "spj_1" is not at | "Get"
GET / | 404 | {} | {"kind":"video","id":"1","elsewhere":true} | refused, operator | file of the video "1" is not at | "Get"
GET / | 410 |  | {"kind":"job","id":"spj_1","elsewhere":true} | refused, operator | file of the job "spj_1" is not at | "Get"
speech | 409 | E {"message":"x"} |  | refused, workflow | refused the request | Check
GET /v1/audio/speech/jobs/spj_1/content | 409 | E {"message":"x"} | JOB | transient, nobody | job "spj_1" is not ready | Wait
speech | 407 |  |  | refused, network | proxy .* asks for a login | HTTPS_PROXY
speech | 414 | PAGE |  | refused, workflow | refused the request | Check
speech | 413 | PAGE |  | wrong, network | too large for a proxy | client_max_body_size
speech | 413 | E {"message":"x"} |  | wrong, workflow | too large for the gateway | shorter
speech | 422 | E {"message":"no","param":"speed"} |  | wrong, workflow | parameter "speed" | The gateway says: "no"
speech | 422 | E {"parameter":"speed"} |  | wrong, workflow | parameter "speed" | Check the option "Speed"
speech | 422 | {"errors":[{"field":"speed","message":"no"}]} |  | wrong, workflow | "speed" | says: "no"
speech | 422 | {"detail":[{"loc":["body","voice"],"msg":"Field required"}]} |  | wrong, workflow | no default voice | by ID
speech | 400 | {"detail":{"error":{"message":"Voice 'default' not found"}}} |  | wrong, workflow | no default voice | by ID
speech | 422 | {"detail":{"msg":"voice must be provided"}} |  | wrong, workflow | no default voice | by ID
speech | 404 | E {"message":"Voice default does not exist"} |  | wrong, workflow | no default voice | by ID
job | 404 | E {"message":"x","code":"voice_not_found"} |  | wrong, workflow | no default voice | by ID
chat | 404 | E {"message":"Voice default does not exist"} |  | wrong, workflow | no model "my-model" that can chat | base URL
speech | 404 | E {"message":"The model my-voice does not exist"} | {"model":"my-voice"} | wrong, workflow | no model "my-voice" that can speak \(404\) | Check the field "Model"
speech | 404 | E {"message":"The model my-voice does not exist"} | {"model":"my-voice","voice":"v1"} | wrong, workflow | no model "my-voice" that can | Check the field "Model"
speech | 404 | E {"message":"The model open/tts does not exist"} | {"model":"open/tts"} | wrong, workflow | no model "open/tts" that can speak \(404\) | Check the field "Model"
speech | 404 | E {"message":"Invalid URL (POST /v1/v1/audio/speech)"} |  | wrong, workflow | no such address, or no model | such as \/v1
job | 405 | E {"message":"Invalid URL (POST /v1/audio/speech/jobs)"} |  | refused, workflow | refused the request | Check
job | 405 | {"detail":"Not Found"} |  | refused, workflow | refused the request | Check
job | 404 | E {"message":"Not Found"} |  | wrong, workflow | no such address, or no model | such as \/v1
chat | 404 | {"detail":"Not Found"} |  | wrong, workflow | no such address, or no model | such as \/v1
voice | 404 | {"detail":"Not Found"} |  | wrong, workflow | has no voices | base URL
job | 404 | E {"message":"Invalid URL (POST /v1/audio/speech/jobs)"} | {"voice":"v1"} | wrong, workflow | has no speech jobs | base URL
speech | 500 | E {"message":"x","code":"channel:no_available_key"} |  | refused, operator | not set up | operator
speech | 500 | E {"message":"x","code":"api_not_implemented"} |  | refused, operator | not set up | operator
speech | 501 | PAGE |  | refused, operator | not set up | not charged
speech | 503 | E {"message":"x","code":"model_not_found"} |  | refused, operator | no provider | Get Many
speech | 500 | E {"message":"x","code":"sensitive_words_detected"} |  | wrong, workflow | words | Change the text
speech | 500 | E {"message":"x","code":"invalid_request"} |  | wrong, workflow | refused the request | Check
speech | 418 | E {"message":"x"} |  | refused, workflow | refused the request \(418\) | Check
speech | 500 | E {"message":"x"} |  | transient, nobody | ^The gateway had an error \(500\)$ | was not charged.* later\. The
speech | 521 | <html>down</html> |  | transient, nobody | not the gateway's own answer \(521\) | not charged
speech | 503 | PAGE |  | unknown, nobody | own answer \(503\): "502 Bad Gateway nginx"$ | ^(?!.*(charged|Bad))
GET /v1/models | 503 | PAGE |  | transient, nobody | own answer \(503\)$ | ^(?!.*charged)
`
	.trim()
	.split('\n')
	.map((line): [string, string, ...string[]] => {
		const [request, status, ...rest] = line.split(' | ');
		return [REQUESTS[request] ?? request, status, ...rest];
	});

/** An answer of the table. */
const judgeRow = ([request, status, sent, about]: string[]) => {
	const json = sent.startsWith('E ') ? `{"error":${sent.slice(2)}}` : sent;
	return judge(request, Number(status), sent === 'PAGE' ? PAGE : json, parsed(about));
};
const parsed = (about: string) =>
	about === 'JOB' ? ofJob : about ? (JSON.parse(about) as Parameters<typeof judge>[3]) : {};

test.each(DOCUMENTED)('%s %s %s %s: %s', (...row) => {
	const [, status, , , expected, message, description = ''] = row;
	const { outcome, who, error } = judgeRow(row);
	expect(`${outcome}, ${who}`).toBe(expected);
	expect(error.message).toMatch(new RegExp(message));
	expect(error.description).toMatch(new RegExp(description));
	expect(error.details).toMatchObject({ httpCode: status, requestId: 'req_1' });
});

/** The words by which a rule knows an answer in the gateway's `error`, each alone enough: what brings it, and all of them. */
const WORDS = `
speech | 403 | held | balance is too low | insufficient credit; Not enough quota; The budget is depleted; Credits used up; quota too low
speech | 403 | held | balance is too low | you ran out of credits; your quota has run out; quota reached; quota 1, need 2; zero balance
speech | 403 | held | balance is too low | your balance is 0; EXHAUSTED QUOTA; Insufficient funds; Spend limit reached; the spending limit is exceeded
speech | 403 | held | balance is too low | 该用户额度不够; 余额为负; 账户已欠费; 请先充值; Recharge your account
speech | 429 | throttled | too many requests | rate limit: quota exceeded; quota exceeded (RPM); concurrency quota reached; 9 per second quota exceeded
speech | 429 | throttled | too many requests | quota exceeded: 5 per hour; Quota exceeded: 50 per day; RATE LIMIT: quota reached; ratelimit_exceeded: quota
speech | 429 | throttled | too many requests | rate-limit quota reached; Too many requests: quota exceeded; Resource has been exhausted (check quota)
speech | 429 | throttled | too many requests | 额度：每分钟 6 次; 每秒额度; 请求频率超过额度; 并发额度已满
speech | 429 | refused | A provider refuses | You exceeded your current quota; SomeException - your Quota is gone
speech | 403 | refused | blocks this account, or the address | Your IP may not; 不在网段内; User banned; the account was blocked; address is blocked
speech | 403 | refused | blocks this account, or the address | user 7 blocked; SUSPENDED; 已封
speech | 400 | wrong | no default voice | missing voice; invalid voice; unknown voice; A voice must be; voice is empty; specify a voice; provide a voice
speech | 400 | wrong | no default voice | need a voice; voice not supported; VOICE required; 音色不存在; 请指定音色; 音色必填; 缺少 voice
speech | 404 | wrong | The gateway has no model "my-model" | Model not exist; model not available; this model is not supported; Model unknown
speech | 404 | wrong | The gateway has no model "my-model" | model doesn't exist; model unavailable; unknown model; no available model; 模型 x 不存在
speech | 404 | wrong | The gateway has no model "my-model" | invalid model; Unsupported chat model; no available models; NO SUCH MODEL
speech | 500 | wrong | words of this request | a Sensitive Word was found; sensitive words; 内容有敏感词
GET /v1/videos/1/content | 400 | transient | not ready yet | Not yet complete; it isn’t ready; Video hasn't been done; not done; NOT FINISHED
`
	.trim()
	.split('\n')
	.flatMap((line) => {
		const [request, status, outcome, says, texts] = line.split(' | ');
		return texts.split('; ').map((text) => [text, request, status, outcome, says]);
	});

test.each(WORDS)('%s: %s %s is %s', (message, request, status, outcome, says) => {
	const about = { ...(request.startsWith('GET') && { kind: 'video' as const, id: '1' }) };
	const judged = judge(REQUESTS[request] ?? request, Number(status), { error: { message } }, about);
	expect(judged.outcome).toBe(outcome);
	expect(judged.error.message).toContain(says);
});

/** What proxies and broken connections put into JSON like the gateway's own, each of which alone may follow the whole work. */
const BROKEN: unknown[] = [
	'UNAVAILABLE',
	'DEADLINE_EXCEEDED',
	'CANCELLED',
	'ABORTED',
	'INTERNAL',
	'UNKNOWN',
	'DATA_LOSS',
	'RESOURCE_EXHAUSTED',
	'unavailable',
	'Canceled',
	'Deadline Exceeded',
].flatMap((status) => [
	{ message: 'x', code: 503, status },
	{ message: 'x', code: status },
	{ message: 'x', type: status },
	{ message: `{"error":{"code":503,"message":"x","status":"${status}"}}` },
	{ message: `503 ${status}. {'error': {'status': '${status}'}}` },
	{ message: `rpc error: code = ${status} desc = x` },
	{ message: `<StatusCode.${status}: (14, 'x')>` },
	{ message: `14 ${status}: x` },
]);
const BROKEN_WORDS = `
upstream connect error; disconnect/reset before headers; reset reason: overflow; upstream request timeout
upstream_reset_after_response_started; Upstream prematurely closed connection
The server did not receive a response from an upstream server; did not receive a timely response from the upstream
Received an invalid response from the upstream; the origin closed; backend_connection_closed; Backend unreachable
An invalid response was received; failure to get a peer from the ring-balancer; Error reading from remote server
didn't get any response from the model; No response from model server; worker died without response; empty reply from server
read tcp 10.0.0.7:43210->10.0.0.9:443: read: connection reset by peer; Connection was closed; the connection has been lost
connection termination; CONNECTION ABORTED.; stream was terminated; transport is closing; channel closed; socket closed
stream error: stream ID 3; Request was aborted; the request has been cancelled; peer closed connection without sending
Remote end closed connection without response; Server disconnected; server closed the stream; lost the connection
broke its connection; transfer closed; Lost connection to MySQL server; dropped our connection; reset the stream
ECONNRESET; read ECONNABORTED; write EPIPE; ETIMEDOUT; ESOCKETTIMEDOUT; UND_ERR_SOCKET
ERR_STREAM_PREMATURE_CLOSE; RST_STREAM received; http2: server sent GOAWAY; unexpected EOF; post: EOF; broken pipe
socket hang up; the worker hung up; TypeError: fetch failed; forcibly closed by the remote host; Premature close
incomplete chunked read; IncompleteRead(0 bytes); other side closed; RemoteProtocolError; ReadTimeout: x; ReadError; WriteError
ClientPayloadError; RemoteDisconnected; context canceled; The operation was aborted; The operation was cancelled
Deadline exceeded while waiting; deadline_exceeded: x; the deadline has been exceeded; request timed out; i/o timeout
upstream was terminated; upstream disconnect; Upstream unavailable; ended without a response
without any response; empty response from the model; the connection broke down; connection dropped; stream interrupted
stream canceled; peer is closing; closed the socket; aborted the stream; terminated our connection
OpenAIException - Connection error.; OpenAIException - Error code: 502; Error code: 524.; <html><head>; <!doctype html>; lose the connection; losing its connection; interrupted a transfer; ENETRESET; ERR_STREAM_DESTROYED
request was interrupted; operation terminated; deadline was exceeded; timing out; 连接中断; 链接已关闭; 连接失败; 重置了连接
断开连接; 中断链接; timeout awaiting response headers; Timed-out; TIMEOUT; Endpoint request timed out; 上游超时; 连接被重置; 连接已断开; 中断了连接
`
	.trim()
	.split(/; |\n/);

test.each([
	...BROKEN,
	...BROKEN_WORDS.flatMap((words) => [
		{ message: `It says: ${words}` },
		{ message: 'x', code: words },
		{ message: 'x', details: [{ cause: { reason: words.toUpperCase() } }] },
	]),
])('%j in a 5xx may have been charged, unless the gateway itself began nothing', (error) => {
	const judged = (status: number, more: object = {}) =>
		judge(SPEECH, status, { error: { ...(error as object), ...more } });
	for (const status of [500, 502, 503, 520, 529]) expect(judged(status).outcome).toBe('unknown');
	for (const code of OWN_CODES) expect(judged(503, { code }).outcome).not.toBe('unknown');
	for (const status of [521, 523, 525, 526]) expect(judged(status).outcome).toBe('transient');
	expect(judged(400).outcome).not.toBe('unknown');
	expect(judge('GET /v1/models', 503, { error }).outcome).toBe('transient');
});

const OWN_CODES = [
	'overloaded',
	'overloaded_error',
	'engine_overloaded',
	'system_cpu_overloaded',
	'at_capacity',
	'rate_limit_exceeded',
	'ratelimit',
	'too_many_requests',
	'model_not_found',
	'server_busy',
	'do_request_failed',
	'read_response_body_failed',
	'bad_response_status_code',
	'bad_response',
	'empty_response',
	'insufficient_user_quota',
	'convert_request_failed',
	'queue_full',
];

/** Nobody was there to begin the work, in words. */
const NOT_BEGUN = `
no healthy upstream; NO LIVE UPSTREAMS; no live upstreams while connecting to upstream; no healthy backend
connect ECONNREFUSED 10.0.0.1:80; fetch failed: connect ECONNREFUSED 10.0.0.1:80; Connection error: connect ECONNREFUSED ::1:9000
Failed to establish a new connection: [Errno 111] Connection refused; connection was refused; getaddrinfo ENOTFOUND tts
dial tcp 10.0.0.7:9000: connect: connection refused; dial tcp: lookup tts on 127.0.0.11:53: no such host
dial tcp 10.0.0.7:9000: connectex: the target machine actively refused it; connect EHOSTUNREACH 10.0.0.1:80
connect() failed (111: Connection refused) while connecting to upstream; Failed to connect to 10.0.0.7 port 9000
Model not loaded; The model is not loaded yet; Model tts-1 is currently loading; models are still being loaded
`
	.trim()
	.split(/; |\n/);

test.each(NOT_BEGUN)('%j in the words of the gateway: not begun', (message) => {
	for (const status of [500, 502, 503, 529])
		for (const error of [{ message }, { message: 'x', details: [{ cause: message }] }]) {
			const judged = judge(SPEECH, status, { error });
			expect([judged.outcome, judged.who]).toEqual(['transient', 'nobody']);
			expect(judged.error.description).toContain('not charged');
		}
	// Not the gateway's own words, or the gateway itself does not know.
	expect(judge(SPEECH, 503, { message }).outcome).toBe('unknown');
	expect(judge(SPEECH, 504, { error: { message } }).outcome).toBe('unknown');
	const panic = { message, type: 'one_api_panic' };
	expect(judge(SPEECH, 500, { error: panic }).outcome).toBe('unknown');
	const held = { message, type: 'one_api_error', code: 'do_request_failed' };
	expect(judge(REQUESTS.chat, 500, { error: held }).outcome).toBe('unknown');
	for (const broken of BROKEN_BESIDE)
		for (const error of [{ message: `${message}; ${broken}` }, { message, cause: broken }])
			expect(judge(SPEECH, 503, { error }).outcome).toBe('unknown');
});

const BROKEN_BESIDE = [
	'read ECONNRESET',
	'timed out',
	'context deadline exceeded',
	'i/o timeout',
	'unexpected EOF',
	'socket hang up',
	'upstream connect error or disconnect/reset before headers',
	'broken pipe',
];

test.each([
	'upstream_unavailable',
	'service_unavailable',
	'ServiceUnavailableError',
	'backend_unavailable',
	'UPSTREAM_UNAVAILABLE',
	'model_unavailable_now',
])('a 503 by the code %s was not begun', (code) => {
	const judged = (status: number, error: object) => judge(SPEECH, status, { error }).outcome;
	for (const error of [
		{ message: 'Service Unavailable', code },
		{ message: 'x', type: code },
	]) {
		expect(judged(503, error)).toBe('transient');
		for (const message of BROKEN_BESIDE) expect(judged(503, { ...error, message })).toBe('unknown');
	}
	expect(judged(503, { message: 'x', code: 'unavailable', type: 'UNAVAILABLE' })).toBe('unknown');
});

test.each([
	['read ECONNREFUSED', 'unknown'],
	['write EHOSTUNREACH', 'unknown'],
	['upstream_unavailable', 'unknown'],
])('%s: nobody knows', (message, outcome) => {
	expect(judge(SPEECH, 502, { error: { message } }).outcome).toBe(outcome);
});

describe('a refusal of a provider', () => {
	const refused = (message: string, error: object = {}) =>
		judge(SPEECH, 403, { error: { message, ...error } }, {}, { 'x-request-id': 'req_own_1' }).who;

	test('its words end with the ID of another request', () => {
		expect(refused('Key disabled (request id: req_other_1)')).toBe('provider');
		expect(refused('Key disabled (request id: req_own_1)')).toBe('rights');
		expect(refused('See (request id: req_other_1) for more')).toBe('rights');
		const { who } = judge(
			SPEECH,
			403,
			{ error: { message: 'x (request id: req_other_1)' } },
			{},
			{
				'x-request-id': undefined,
			},
		);
		expect(who).toBe('rights');
	});

	test('its words name another program', () => {
		expect(refused('minimax TTS error: 1008 - insufficient balance')).toBe('provider');
		expect(refused('x', { code: 'bad_response' })).toBe('provider');
		const { who, outcome } = judge(SPEECH, 400, {
			error: { message: 'minimax TTS error: 1008 - insufficient balance', code: 'bad_response' },
		});
		expect([who, outcome]).toEqual(['provider', 'refused']);
	});
});

test.each([
	['This token status is unavailable', 'access_denied', 'key'],
	['Invalid API key. The provided API key is incorrect.', undefined, 'key'],
	['API key required. Please provide an API key', undefined, 'key'],
	['User has been banned', undefined, 'account'],
	['您的 IP 不在令牌允许访问的列表中', 'access_denied', 'account'],
	['x', 'access_denied', 'account'],
	['This token has no access to model fish-speech', undefined, 'rights'],
	['The key lacks a right', undefined, 'rights'],
])('403 %s: %s, %s', (message, code, who) => {
	for (const body of [{ error: { message, code } }, { message, code }, { detail: message, code }])
		expect(judge(SPEECH, 403, body).who).toBe(who);
});

describe('errors of task routes, as new-api writes them', () => {
	const flat = (code: string, message: string) => ({ code, message, data: null });
	const { video } = REQUESTS;

	test("are the gateway's own", () => {
		const page = '<html><head><title>502 Bad Gateway</title></head></html>';
		for (const body of [
			flat('do_request_failed', 'do request failed: upstream error: do request failed'),
			flat('fail_to_fetch_task', page),
			flat('fail_to_fetch_task', 'connection reset by peer'),
			flat('unmarshal_response_body_failed', 'body: : unexpected end of JSON input'),
		])
			expect(judge(video, 500, body).outcome).toBe('transient');
		expect(judge(video, 524, flat('fail_to_fetch_task', page)).outcome).toBe('cut');
		expect(judge(video, 504, flat('fail_to_fetch_task', page)).outcome).toBe('unknown');
		expect(judge(video, 401, flat('fail_to_fetch_task', 'Bad key')).who).toBe('provider');
		expect(judge(video, 403, flat('insufficient_user_quota', 'x')).outcome).toBe('held');
	});

	test('are nobody’s elsewhere, and without their data', () => {
		expect(judge(SPEECH, 500, flat('x', 'y')).outcome).toBe('unknown');
		expect(judge(video, 500, { code: 'x', message: 'y' }).outcome).toBe('unknown');
		expect(judge(video, 500, { ...flat('x', 'y'), error: 'z' }).outcome).toBe('unknown');
	});
});

test('a 524 that says no more than its number is a page of something behind the gateway', () => {
	const bare = { error: { message: 'APIError: Error code: 524\n\nNo fallback was attempted.' } };
	expect(judge(SPEECH, 524, bare).outcome).toBe('unknown');
	expect(judge(SPEECH, 524, bare, { documented: true }).outcome).toBe('cut');
	expect(judge(SPEECH, 524, { error: { message: 'Error code: 524 - too slow' } }).outcome).toBe(
		'cut',
	);
});

test.each([
	['Try again in 20 seconds.', undefined, 20_000],
	['Try again in 20 seconds.', '3', 3_000],
	['Slow down.', undefined, undefined],
])('429 %s with Retry-After %s: a wait of %s ms', (message, retryAfter, wait) => {
	const headers = { 'retry-after': retryAfter };
	expect(judge(SPEECH, 429, { error: { message } }, {}, headers).retryAfter).toBe(wait);
	expect(judge(SPEECH, 503, { error: { message } }).retryAfter).toBeUndefined();
});

/** What only sounds like it. */
test.each([
	'The server had an error while processing your request. Sorry about that!',
	'Upstream error',
	'Internal server error',
	'500 Internal Server Error',
	'internal_error',
	'Service temporarily unavailable',
	'The engine is currently overloaded',
	'Bad gateway',
	'request_timeout: None',

	'Your request was refused',
	'an unknown error',
	'an internal problem',
	'The provider is closed for today',
	'Try again',
])("%j in the gateway's own 5xx was not charged", (message) => {
	for (const error of [{ message }, { message, type: 'server_error', code: 'upstream_error' }])
		expect(judge(SPEECH, 500, { error }).outcome).toBe('transient');
});

test('an answer of one long word is read through once: one that is read again from each letter takes hours', () => {
	for (const word of [
		'upstream-',
		'reset',
		'no ',
		'connection:',
		'status"',
		'upstream a-b_c ',
		'-',
	])
		expect(judge(SPEECH, 500, { error: { message: word.repeat(8_000) } }).outcome).toBe(
			'transient',
		);
});

test('a model may be called what it likes', () => {
	const error = { message: 'The model socket-timeout failed' };
	expect(judge(SPEECH, 500, { error }, { model: 'socket-timeout' }).outcome).toBe('transient');
	expect(judge(SPEECH, 500, { error }).outcome).toBe('unknown');
});

/** Codes by which a rule knows an answer, and those of other gateways that mean the same. */
const CODES: Array<[status: number, outcome: Ruling, codes: string[]]> = [
	[500, 'unknown', ['upstream_outcome_unknown', 'a_panic']],
	[400, 'fined', ['violation_fee.x']],
	[
		...([500, 'held'] as const),
		[
			'billing_error',
			'user_quota_exhausted',
			'insufficient_balance',
			'credit_exceeded',
			'pre_consume_token_quota_failed',
			'INSUFFICIENT_CREDITS',
			'budget_exceeded',
		],
	],
	[402, 'refused', ['unknown_error']],
	[403, 'refused', ['unsupported_country_x']],
	[400, 'refused', ['no_db_connection']],
	[400, 'wrong', ['text_too_long']],
	[500, 'wrong', ['invalid_request']],
	[500, 'refused', ['model_not_found', 'channel:x']],
	[500, 'refused', ['model_price_error', 'model_mapped_error', 'convert_request_failed']],
];

test.each(
	CODES.flatMap(([status, outcome, codes]) =>
		codes.map((code) => [code, status, outcome] as const),
	),
)('the code %s with %i is %s, and in the middle of a sentence nothing', (code, status, outcome) => {
	const said = (error: { message: string; code?: string }) => {
		const { who, outcome: became, error: told } = judge(SPEECH, status, { error });
		expect(told.details.code).toBe(error.code);
		return [became, who, told.message];
	};
	const other = said({ message: 'x' });
	expect(said({ message: 'x', code })[0]).toBe(outcome);
	expect(said({ message: 'x', code })).not.toEqual(other);
	expect(said({ message: `See also ${code} there` })).toEqual(other);
	for (const longer of [`x_${code}`, `${code}_x`])
		if (!code.endsWith('x') && !/^a_|quota|balance|credit|budget/i.test(code))
			expect(said({ message: 'x', code: longer })).toEqual(other);
});

test.each([
	[undefined, 'try again later.'],
	[0, 'try again later.'],
	[1_200, 'try again later (it asks to wait 2 seconds).'],
])('a wait of %j ms that is asked for stands in the words', (retryAfter, words) => {
	const headers = { 'retry-after': retryAfter === undefined ? undefined : `${retryAfter / 1000}` };
	const said = judge(SPEECH, 429, '', {}, headers);
	expect(said.error.description).toContain(words);
	expect(said.retryAfter).toBe(retryAfter);
});

/** Redirects of a billed request, by where they lead. */
const REDIRECTS: Array<[status: number, location: string | undefined, outcome: Ruling]> = [
	[301, 'https://elsewhere.example/v1/audio/speech', 'refused'],
	[308, 'http://gateway.example/v1/audio/speech', 'refused'],
	[302, 'https://elsewhere.example/v1/audio/speech', 'unknown'],
	[301, '/v1/audio/speech', 'unknown'],
	[301, 'https://cdn.example/file.mp3', 'unknown'],
	[308, 'https://[', 'unknown'],
	[301, undefined, 'unknown'],
];

test.each(REDIRECTS)('%i to %s: %s', (status, location, outcome) => {
	const { error, ...judged } = judge(SPEECH, status, '', {}, { location });
	expect([judged.outcome, judged.who]).toEqual([outcome, 'network']);
	expect(error.message).toContain(`redirects to another address (${status})`);
	expect(error.details.location).toBe(location);
	expect(judge('GET /v1/models', status, '', {}, { location }).outcome).toBe('refused');
});

/** What all answers mean, in one text. */
const verdicts = (): string => {
	const said = ({ outcome, who, error }: Failure) =>
		[outcome, who, error.message, error.description].join('|');
	return [
		judge(SPEECH, 403, { message: 'x' }, {}, { 'www-authenticate': 'Bearer' }),
		...REFUSALS.map((answer) => judge(answer.request, answer.status, wireBody(answer))),
		...DOCUMENTED.map(judgeRow),
		...REDIRECTS.flatMap(([status, location]) =>
			[SPEECH, 'GET /v1/models'].map((request) => judge(request, status, '', {}, { location })),
		),
	]
		.map(said)
		.join('\n');
};

test('without any one sign of any rule, an answer would mean something else', () => {
	const all = verdicts();
	const idle: unknown[] = [];
	for (const { signs, words } of RULES)
		for (const sign of signs) {
			const at = signs.indexOf(sign);
			signs.splice(at, 1);
			if (verdicts() === all) idle.push([words, sign]);
			signs.splice(at, 0, sign);
		}
	expect(idle).toEqual([]);
});

/** Answers of proxies, which do not know what the gateway did. */
const OF_PROXIES: unknown[] = [
	PAGE,
	'',
	'Bad Gateway',
	undefined,
	[],
	{},
	{ error: {} },
	{ error: [] },
	{ error: null },

	{ error: true },
	{ error: { message: ' ', code: null, type: {} } },
	{ error: { reason: '' } },
	{ errors: [{ message: 'no' }] },
	{ message: 'Internal server error' },
	{ msg: 'no' },
	{ status: 503, error: 'Service Unavailable' },
	{ detail: [{ msg: 'no' }] },
	{ code: 5000 },
	{ type: 'about:blank', title: 'Error 502', status: 502, detail: 'no', cloudflare_error: true },
];

test('every status: what may have been charged is never sent again', () => {
	const statuses = Array.from({ length: 900 }, (_, index) => 100 + index).filter(
		(status) => status < 200 || status >= 300,
	);
	/** The statuses after which a request may go again, with any of these bodies. */
	const again = (request: string, bodies: unknown[]) =>
		statuses.filter((status) =>
			bodies.some((body) => mayGoAgain(judge(request, status, body).outcome)),
		);
	expect(again(SPEECH, OF_PROXIES)).toEqual([429, 521, 523, 525, 526]);
	const servers = statuses.filter((status) => status >= 500 && status < 600);
	const gateways = servers.filter((status) => ![501, 504, 524].includes(status));
	expect(again(SPEECH, [{ error: { message: 'x' } }])).toEqual([429, ...gateways]);
	const server = statuses.filter((status) => status >= 500);
	expect(again('GET /v1/models', [PAGE])).toEqual([408, 409, 425, 429, 460, 499, ...server]);
});

test('explaining never throws', () => {
	const odd: unknown = { toString: 1, toJSON: 1, valueOf: null };
	const bodies = [
		{ detail: [{ loc: [odd], msg: odd }] },
		{ detail: [{ loc: [[odd]] }] },
		{ detail: [odd], error: odd, message: odd, code: odd, param: odd },
		{ error: { message: [odd], code: [odd], type: odd, param: 1 } },
		[odd],
		odd,
		12,
		true,
		{ detail: { error: odd, message: odd } },
	];
	for (const body of bodies)
		for (const status of [400, 403, 404, 422, 429, 500, 504])
			expect(judge(SPEECH, status, body, { voice: 'v' }).error).toBeDefined();
});
