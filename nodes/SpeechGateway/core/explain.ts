import { GatewayError, RequestCutError } from './errors';

/** What a request was about, for words that name it. */
export interface Subject {
	/** As the user knows it: "the job", "the voice" … only used where the request is about one thing. */
	thing?: 'job' | 'video' | 'voice';
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

/** The gateway's own words: message, code and the parameter it names, wherever an error body keeps them. */
export interface GatewayWords {
	message?: string;
	code?: string;
	param?: string;
}

/** Longest text of the gateway that is repeated to the user. */
const MAX_WORDS = 500;

/** Error bodies are not documented: read `{ error: { message, code, param } }`, flatter shapes, and plain text. */
export function gatewayWords(body: unknown): GatewayWords {
	if (typeof body === 'string') return { message: plain(body) };
	if (!isRecord(body)) return {};
	const inner = isRecord(body.error) ? body.error : body;
	const text = (...values: unknown[]) =>
		values.find((value) => typeof value === 'string' && value !== '');
	const detail = Array.isArray(body.detail) ? firstDetail(body.detail) : undefined;
	return {
		message: plain(
			text(inner.message, detail?.message, body.error, body.message, body.detail, body.msg),
		),
		code: plain(text(inner.code, inner.type, body.code)),
		param: plain(text(inner.param, detail?.param, inner.field)),
	};
}

/** The error of an answer that is no success; the words say what happened and what to do next. */
export function explainRefusal(refusal: Refusal, subject: Subject): GatewayError {
	const words = gatewayWords(refusal.body);
	const [message, advice] = wordsFor(refusal, subject, words);
	const quoted = words.message ? `The gateway says: "${words.message}"` : '';
	const details = {
		httpCode: String(refusal.status),
		...(refusal.requestId && { requestId: refusal.requestId }),
		...(words.code && { code: words.code }),
		...(subject.thing && subject.thing !== 'voice' && subject.id && { jobId: subject.id }),
	};
	const description = [advice, quoted].filter(Boolean).join(' ');
	return refusal.status === 524
		? new RequestCutError(message, description, details)
		: new GatewayError(message, description, details);
}

function wordsFor(
	{ status, retryAfter }: Refusal,
	subject: Subject,
	words: GatewayWords,
): [string, string] {
	const said = `${words.code ?? ''} ${words.message ?? ''}`;
	const { thing, id, model, voice, url } = subject;
	switch (status) {
		case 401:
			return [
				'The gateway does not accept the API key (401)',
				'Check the API key in the credential "Speech Gateway API": it may be mistyped, revoked or of another gateway.',
			];
		case 402:
			return [
				'The account balance is too low (402)',
				'Top up the account in the console of the gateway, then run again. This request was not charged.',
			];
		case 403:
			if (thing === 'voice' || (voice && /voice/i.test(said))) {
				return [
					`The voice "${thing === 'voice' ? id : voice}" does not belong to this account (403)`,
					'Voices can only be used by the account that created them, with the same provider. Pick one from the list or use "Default".',
				];
			}
			if (thing) {
				return [
					`This key may not access the ${thing} "${id}" (403)`,
					`Use the credential of the account that created the ${thing}.`,
				];
			}
			return [
				'This account, key or channel lacks the capability (403)',
				`Allow it in the console of the gateway (permissions of the key, state of the account)${
					voice ? `, or check that the voice "${voice}" belongs to this account` : ''
				}.`,
			];
		case 404:
			if (thing) {
				return [
					`The gateway knows no ${thing} "${id}" (404)`,
					`Check the id, and that the credential is of the account that created the ${thing}.`,
				];
			}
			return [
				model && /model/i.test(said)
					? `The gateway knows no model "${model}" (404)`
					: `The gateway knows no such address${model ? ` or no model "${model}"` : ''} (404)`,
				`Pick the model from the list, and check the base URL in the credential: it was called as ${url} (exactly one /v1).`,
			];
		case 409:
			if (!thing) break;
			return [
				`The ${thing} "${id}" is not ready yet (409)`,
				'Wait until its status is "completed", then try again.',
			];
		case 413:
			return [
				'The gateway finds the request too large (413)',
				'Send a shorter text or a smaller file.',
			];
		case 422:
			return [
				words.param
					? `The gateway does not support the parameter "${words.param}" as given (422)`
					: 'The gateway does not support a parameter of this request (422)',
				'Change or remove the parameter that the gateway names; "Additional Body Fields" and options are sent as they are.',
			];
		case 429:
			return [
				'The gateway is receiving too many requests (429)',
				`Lower the option "Concurrency", raise "Max Retries", or run it later${
					retryAfter ? ` (it asks to wait: ${plain(retryAfter)})` : ''
				}. This request was not charged.`,
			];
		case 524:
			return [
				'The gateway cut the request after about 100 seconds (524)',
				'It was not charged. The same request would be cut again: use a shorter text, let "Long Text" split it, or use Speech Job.',
			];
	}
	if (status >= 300 && status < 400) {
		return [
			`The gateway redirects to another address (${status})`,
			'Set the base URL in the credential to the final address. Billed requests do not follow redirects.',
		];
	}
	if (status >= 500) {
		return [
			`The gateway had an error (${status})`,
			'Such errors pass: run it again later. This request was not charged.',
		];
	}
	return [`The gateway refused the request (${status})`, 'Check the parameters.'];
}

/** Readable in one line: no markup, no control characters, bounded; "canceled" would make n8n end the run as canceled. */
export function plain(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const text = value
		.slice(0, 20_000)
		.replace(/<(style|script)\b[^]*?<\/\1>/gi, ' ')
		.replace(/<[^<>]*>/g, ' ')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.replace(/canceled/gi, 'cancelled')
		.trim();
	return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}…` : text || undefined;
}

function firstDetail(details: unknown[]): { message?: unknown; param?: unknown } | undefined {
	const [first] = details;
	if (!isRecord(first)) return undefined;
	return {
		message: first.msg,
		param: Array.isArray(first.loc) ? String(first.loc.at(-1)) : undefined,
	};
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
