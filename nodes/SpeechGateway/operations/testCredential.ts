import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { asError, InputError } from '../core/errors';
import { idIn, isRecord } from '../core/json';
import { readKey } from '../gateway/account';
import { baseOf } from '../gateway/baseUrl';
import { authorization } from '../core/apiKey';
import { endpoints } from '../gateway/endpoints';
import { gatewayWords, isPage } from '../gateway/gatewayWords';
import { readList } from '../gateway/readList';
import { Redactor } from '../gateway/redact';
import { transportFailure } from '../gateway/transportFailure';
import { causeOf, unreachable } from '../requests/unreachable';

/** Longest wait for the answer: the dialog in which the user saves the credential is open meanwhile. */
const TIMEOUT_MS = 20_000;

const WRONG_KEY =
	'The gateway does not accept this API key: it may be mistyped, revoked, used up or from another service';

/** What a status means where a list of models was asked for. */
const REFUSALS: Record<number, string> = {
	401: WRONG_KEY,
	403: 'This API key may not list models: allow it in the console of the service',
	407: 'A proxy between n8n and the service asks for a login: this is not about the API key',
};

const REFUSED_BY_PROXY =
	'A proxy or firewall between n8n and the service refuses the request: this is not about the API key';

/** Home servers and some services; their speech may work all the same. */
const NO_LIST =
	'This service has no list of models, so the address cannot be tested. Save it and generate one sentence.';

const NO_API =
	'There is no gateway at this base URL: it does not answer with a list of models. It may be the address of a website, such as the console of the service; the right one is in the console, beside the API key.';

const FOR_EACH_ITEM =
	'The API key or the base URL is an expression that has a value in a running workflow only, so it cannot be tested here. The credential can be saved and used.';

const testFailed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/** Asks the service of a credential for its models; free. What it answers is shown without the key. */
export async function testCredential(
	{ helpers }: ICredentialTestFunctions,
	{ apiKey, baseUrl, costsNothing }: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	if (apiKey === undefined || baseUrl === undefined) return testFailed(FOR_EACH_ITEM);
	let base = '';
	try {
		const key = readKey(apiKey, costsNothing === true);
		base = baseOf(String(baseUrl ?? ''));
		// The only helper that n8n gives to a credential's test.
		const answer: { statusCode: number; body: unknown; headers?: Record<string, unknown> } =
			await helpers.request({
				method: endpoints.models.method,
				uri: `${base}${endpoints.models.path}`,
				headers: { ...authorization(key) },
				json: true,
				simple: false,
				resolveWithFullResponse: true,
				// The key stays with this address, and billed requests do not follow redirects, either.
				followRedirect: false,
				timeout: TIMEOUT_MS,
			});
		const { statusCode, body, headers } = answer;
		const { message } = gatewayWords(new Redactor(key).value(body));
		return testResult(statusCode, body, message, headers?.['www-authenticate']);
	} catch (error) {
		return testFailed(base === '' ? inFull(asError(error)) : whyUnanswered(error, base));
	}
}

/**
 * Says what an answer means, its own words first. A success is one only if it is a list: websites answer any address
 * with a page. `words`: what the service says, without the key.
 */
function testResult(
	status: number,
	body: unknown,
	words: string | undefined,
	challenge?: unknown,
): INodeCredentialTestResult {
	if (status >= 300 && status < 400)
		return testFailed(`This base URL redirects to another address (${status}): enter that one`);
	if (status === 404 || status === 405) return testFailed(isPage(body) ? NO_API : NO_LIST);
	if (status === 403 && !isRecord(body)) return testFailed(`${REFUSED_BY_PROXY} (403)`);
	if (status >= 400) {
		const isKey = status === 403 && (challenge !== undefined || KEY_REFUSED.test(words ?? ''));
		const advice = isKey ? WRONG_KEY : REFUSALS[status];
		const said = words && `The service says: "${words}" (${status})`;
		return testFailed(
			[said, advice ?? (said ? undefined : `The service answered with an error (${status})`)]
				.filter((one) => one !== undefined)
				.join('. '),
		);
	}
	return isModelList(body)
		? { status: 'OK', message: 'Connection successful!' }
		: testFailed(NO_API);
}

/** Words of a 403 that means what a 401 does. */
const KEY_REFUSED =
	/\b(?:invalid|missing|wrong|incorrect|unknown|bad|no)\b.{0,20}\b(?:api[ _-]?)?(?:key|token)\b|\b(?:key|token)\b.{0,30}\b(?:invalid|missing|required|incorrect|wrong|not valid)\b/i;

/** An empty list is a gateway's, too: that of a key without any model. */
function isModelList(body: unknown): boolean {
	try {
		const models = readList(body);
		return models.length === 0 || models.some((model) => idIn(model, 'id', 'name', 'model'));
	} catch {
		return false;
	}
}

const codeOf = (error: unknown): string | undefined =>
	isRecord(error) && typeof error.code === 'string' ? error.code : undefined;

/** What is wrong, and how it should be. */
const inFull = (error: Error): string =>
	error instanceof InputError ? `${error.message}. ${error.description}` : error.message;

/** Nothing is charged here: a handshake that failed need not be told from a connection that broke later. */
const TLS_FAILED = /EPROTO|SSL|TLS/;

/** Why there was no answer, in the words that a run would use. n8n's helper has the system's code on the error or its cause. */
function whyUnanswered(error: unknown, base: string): string {
	const { message, cause } = asError(error);
	const code = codeOf(error) ?? codeOf(cause);
	const facts = `${code}: ${message}`;
	const failure = TLS_FAILED.test(facts) ? 'notSent' : transportFailure({ code, message });
	const { message: what } = unreachable({ failure, code, detail: message }, base);
	return failure === 'notSent' ? `${what}. ${causeOf(facts, base).advice}` : what;
}
