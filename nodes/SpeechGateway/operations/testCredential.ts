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
import { gatewayWords, isPage, MAY_BE_A_WEBSITE } from '../gateway/gatewayWords';
import { readList } from '../gateway/readList';
import { Redactor } from '../gateway/redact';
import { transportFailure } from '../gateway/transportFailure';
import { explainAnswer } from '../requests/explain';
import type { Who } from '../requests/outcome';
import { causeOf, unreachable } from '../requests/unreachable';

/** Longest wait for the answer: the dialog in which the user saves the credential is open meanwhile. */
const TIMEOUT_MS = 20_000;

const WRONG_KEY =
	'The gateway does not accept this API key: it may be mistyped, revoked, used up or from another service';

/** What a refusal means where a list of models was asked for, by who must act. */
const BY_WHO: Partial<Record<Who, string>> = {
	key: WRONG_KEY,
	balance: 'The account balance is too low, or the quota of the key',
	account: 'It blocks this account, or the address of this n8n: see its console',
	rights: 'This API key may not list models: allow it in the console of the service',
};

const LOGIN = 'A proxy between n8n and the service asks for a login: this is not about the API key';
const REFUSED_BY_PROXY =
	'A proxy or firewall between n8n and the service refuses the request: this is not about the API key';

/** Home servers and some services; their speech may work all the same. */
const NO_LIST =
	'This service has no list of models, so the address cannot be tested. Save it and generate one sentence.';

const NO_API = `There is no gateway at this base URL: it does not answer with a list of models. It ${MAY_BE_A_WEBSITE}`;

const FOR_EACH_ITEM =
	'The API key or the base URL is an expression that has a value in a running workflow only, so it cannot be tested here. The credential can be saved and used.';

interface ListAnswer {
	statusCode: number;
	body: unknown;
	headers?: Record<string, string | undefined>;
}

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
		const answer: ListAnswer = await helpers.request({
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
		return testResult(answer, new Redactor(key), base);
	} catch (error) {
		return testFailed(base === '' ? inFull(asError(error)) : whyUnanswered(error, base));
	}
}

/**
 * Says what an answer means, its own words first. A success is one only if it is a list: websites answer any address
 * with a page.
 */
function testResult(
	{ statusCode: status, body: raw, headers }: ListAnswer,
	redactor: Redactor,
	base: string,
): INodeCredentialTestResult {
	if (status >= 300 && status < 400)
		return testFailed(`This base URL redirects to another address (${status}): enter that one`);
	if (status === 404 || status === 405) return testFailed(isPage(raw) ? NO_API : NO_LIST);
	if (status === 407) return testFailed(LOGIN);
	if (status === 403 && !isRecord(raw)) return testFailed(`${REFUSED_BY_PROXY} (403)`);
	if (status < 400)
		return isModelList(raw)
			? { status: 'OK', message: 'Connection successful!' }
			: testFailed(NO_API);
	const asked = { addressOf: () => `${base}${endpoints.models.path}`, redactor };
	const body: unknown = redactor.value(raw);
	const { who } = explainAnswer(asked, endpoints.models, {}, { status, body, headers });
	const { message } = gatewayWords(body);
	const said = message && `The service says: "${message}" (${status})`;
	const advice = who && BY_WHO[who];
	const words = [said, advice].filter(Boolean).join('. ');
	return testFailed(words || `The service answered with an error (${status})`);
}

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
