/** What an error body says, whatever its shape; `requests/explain.ts` makes it facts for the rules of `requests/outcome.ts`. */
import { isRecord, parseJson } from '../core/json';

/** The gateway's own words: message, code, type and the parameter it names, wherever an error body keeps them. */
export interface GatewayWords {
	message?: string;
	/** Its code, else its type. */
	code?: string;
	type?: string;
	param?: string;
}

const MAX_WORDS = 500;
const MAX_MARKUP = 20_000;

/** Error bodies are not documented: read `{ error: { message, type, code, param } }`, flatter shapes, and plain text. */
export function gatewayWords(body: unknown): GatewayWords {
	if (typeof body === 'string') return { message: plain(body) };
	if (!isRecord(body)) return {};
	const { error, detail: outer } = body;
	const inner = [error, isRecord(outer) && outer.error, outer].find(isRecord) ?? body;
	const text = (...values: unknown[]) =>
		values.find((value) => typeof value === 'string' && value !== '');
	// LiteLLM repeats the status as the code.
	const code = (...values: unknown[]) =>
		plain(values.find((value) => typeof value === 'string' && /[^\d\s]/.test(value)));
	const details = [body.detail, body.errors, inner.details].find(Array.isArray);
	const said = saidIn(body);
	return {
		message: said.find((words) => !GENERAL.test(words)) ?? said[0],
		// `status` is where Google's APIs have their code.
		code: code(inner.code, inner.type, inner.status, body.code),
		type: code(inner.type),
		param: plain(text(inner.param, inner.parameter, parameterIn(details ?? []), inner.field)),
	};
}

/** Where errors have their words, the likeliest first. */
const SAYING = [
	'error',
	'message',
	'msg',
	'detail',
	'details',
	'errors',
	'reason',
	'text',
	'html-message',
];
/** Fields within each other; more is no error of a gateway. */
const MAX_DEPTH = 5;

/** What an error says, in each of the fields that may hold its words, down to JSON within a text; the likeliest first. */
function saidIn(value: unknown, depth = 0): string[] {
	if (depth > MAX_DEPTH) return [];
	if (typeof value === 'string') {
		const inner = value.startsWith('{') ? saidIn(parseJson(value), depth + 1) : [];
		return inner.length > 0 ? inner : [plain(value)].filter((words) => words !== undefined);
	}
	if (Array.isArray(value)) return saidIn(value[0], depth + 1);
	return isRecord(value) ? SAYING.flatMap((field) => saidIn(value[field], depth + 1)) : [];
}

/** Words that say no more than that there was an error: a bare code, the name of a status. */
const GENERAL =
	/^\w+$|^(?:(?:an? )?(?:(?:unexpected|unknown|internal|server|api|request|validation) )*(?:error|failed|failure)(?: (?:has )?occurred)?|bad (?:request|gateway)|not found|service unavailable|gateway time-?out|too many requests|payment required|unprocessable \w+)[.!]?$/i;

/**
 * What the first of a list of errors names, as web frameworks report bad fields: `{ loc: ['body', 'speed'], msg }` or
 * `{ field, message }`.
 */
function parameterIn([first]: unknown[]): unknown {
	if (!isRecord(first)) return undefined;
	const at: unknown = Array.isArray(first.loc) ? first.loc.at(-1) : undefined;
	return typeof at === 'number' ? String(at) : (at ?? first.param ?? first.field);
}

/** All texts in an error body, however deep, a line each: gateways pass on what they were told in many ways. */
export function textsIn(body: unknown): string {
	const texts: string[] = [];
	JSON.stringify(body, (_, value: unknown) => {
		if (typeof value === 'string') texts.push(value);
		return value;
	});
	return texts.join('\n');
}

const ERROR_FIELDS = ['message', 'code', 'type'];

/**
 * Whether an error is the gateway's own: JSON whose `error` is an object that says something. Proxies send pages, text, or
 * JSON such as `{ "message": … }` (Kong, AWS) and `{ "error": "Service Unavailable" }` (Spring).
 */
export function isGatewayError(body: unknown): boolean {
	const error = isRecord(body) ? body.error : undefined;
	return isRecord(error) && ERROR_FIELDS.some((field) => isSaid(error[field]));
}

/** Whether an error of a task route is the gateway's own, as new-api writes them: `{ code, message, data }`, without `error`. */
export const isTaskError = (body: unknown): boolean =>
	isRecord(body) && 'data' in body && isSaid(body.code) && isSaid(body.message) && !body.error;

/** Whether an error says nothing but a status, as LiteLLM does of a page of something behind it. */
export const saysStatusAlone = (body: unknown): boolean =>
	/\berror code: \d{3}\.?\s*$/im.test(textsIn(body));

const isSaid = (value: unknown): boolean =>
	typeof value === 'string' ? value.trim() !== '' : typeof value === 'number';

/** Whether an answer is a web page, which the gateway never sends. */
export const isPage = (body: unknown): boolean =>
	typeof body === 'string' && /<(!doctype|html|head|body)\b/i.test(body);

/** What a page says of the base URL, behind its name. */
export const MAY_BE_A_WEBSITE =
	'may be the address of a website, such as the console of the service; the right one is in the console, beside the API key.';

/** Readable in one line: no markup, no control characters, bounded. */
export function plain(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const text = value
		.slice(0, MAX_MARKUP)
		.replace(MARKUP, ' ')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}…` : text || undefined;
}

/** A style or script, to the end of the page if it is never closed; or any tag. */
const MARKUP = /<(style|script)(?![a-z])[^<>]*>[^]*?(?:<\/\1(?![a-z])[^<>]*>|$)|<[^<>]*>/gi;
