/** What differs from gateway to gateway, as data. Their answers are in answers.jsonl. */
import { RECORDED, type RecordedAnswer } from './answers';
import { errorBody } from './errors';
import type { ChargeKind, SimRequest } from './world';

export type DialectName = 'document' | 'new-api' | 'one-api' | 'litellm';

export interface Dialect {
	answers: RecordedAnswer[];
	/** The header that names an answer. */
	idHeader: string;
	/** What exists; all else is an address that the gateway does not know. */
	paths: RegExp;
	/** The body of a refusal that was not recorded. */
	errorBody(status: number, message?: string, code?: string | null, param?: string): object;
	/** What the list of models has besides `data`, and each model besides its id. */
	list: object;
	model(id: string): object;
	/**
	 * Tokens set aside for each request in flight, whatever it will cost; without, its price. Accounts (`trusts`: and keys)
	 * that have more than a hundred times as much are spared that.
	 */
	hold?: { tokens: Partial<Record<ChargeKind, number>>; trusts: 'account' | 'account and key' };
	/** What is charged although nobody is there any more for the answer. */
	chargesUnread: ChargeKind[];
	/** Text longer than this many bytes is refused. */
	maxBytes?: number;
	needsVoice?: boolean;
}

const OF_OPENAI = /^\/v1\/(audio\/speech|chat\/completions|models)$/;

/** new-api comes from one-api, and both answer alike. */
const family = (gateway: 'new-api' | 'one-api', type: string) => ({
	answers: RECORDED.filter((answer) => answer.gateway === gateway),
	idHeader: 'x-oneapi-request-id',
	errorBody: (status: number, message?: string, code?: string | null, param?: string) => ({
		error:
			code == null
				? {
						message: `the upstream answered ${status} (request id: <id>)`,
						type: 'upstream_error',
						param: String(status),
						code: 'bad_response_status_code',
					}
				: { message: `${message} (request id: <id>)`, type, param: param ?? '', code },
	}),
});

export const DIALECTS: Record<DialectName, Dialect> = {
	document: {
		answers: [],
		idHeader: 'x-request-id',
		paths: /^/,
		errorBody,
		list: {},
		model: () => ({ owned_by: 'simulator' }),
		chargesUnread: ['speech', 'job', 'voice', 'chat', 'video'],
	},
	'new-api': {
		...family('new-api', 'new_api_error'),
		paths: new RegExp(`${OF_OPENAI.source}|^/api/`),
		list: { success: true },
		model: () => ({ owned_by: 'custom', supported_endpoint_types: ['openai'] }),
		hold: { tokens: { speech: 500, chat: 625 }, trusts: 'account and key' },
		chargesUnread: ['chat'],
	},
	'one-api': {
		...family('one-api', 'one_api_error'),
		paths: OF_OPENAI,
		list: { success: true },
		model: (id) => ({ owned_by: 'custom', permission: [], root: id, parent: null }),
		hold: { tokens: { speech: 500, chat: 638 }, trusts: 'account' },
		chargesUnread: ['speech', 'chat'],
		maxBytes: 4096,
	},
	litellm: {
		answers: RECORDED.filter(({ gateway }) => gateway === 'litellm'),
		idHeader: 'x-litellm-call-id',
		paths: OF_OPENAI,
		errorBody: (status, message = '', _code, param = undefined) => ({
			error: {
				message: `litellm.APIError: ${message}`,
				type: null,
				param: param ?? null,
				code: String(status),
			},
		}),
		list: {},
		model: () => ({ owned_by: 'openai' }),
		chargesUnread: ['speech', 'chat'],
		needsVoice: true,
	},
};

/** The cases in which our own refusals have been recorded, by their codes. */
const CASES: Record<string, string> = {
	invalid_url: 'no route',
	invalid_api_key: 'wrong key',
	model_not_found: 'unknown model',
	insufficient_user_quota: 'hold over balance',
	balance_used_up: 'balance used up',
	pre_consume_token_quota_failed: 'hold over key quota',
	key_used_up: 'key used up',
	text_too_long: 'text too long',
	voice_required: 'no voice',
};

const routeOf = ({ method, path }: SimRequest) => `${method} ${path}`;

/** The answer recorded for a case, with the request's own address and model in it; that of any request where there is none for its own. */
export function recordedAnswer(
	{ answers }: Dialect,
	request: SimRequest,
	name: string,
): RecordedAnswer | undefined {
	const wanted = CASES[name] ?? name;
	const found = answers.filter((answer) => answer.case === wanted);
	const answer = found.find((one) => one.request === routeOf(request)) ?? found[0];
	if (!answer) return undefined;
	const { model = 'no-such-model' } = (request.body ?? {}) as { model?: string };
	const text = JSON.stringify(answer.body)
		.replace(/Invalid URL \([^)]*\)/, `Invalid URL (${routeOf(request)})`)
		.replace('no-such-model', () => JSON.stringify(String(model)).slice(1, -1));
	return { ...answer, body: JSON.parse(text) as unknown };
}
