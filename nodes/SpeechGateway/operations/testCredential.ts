import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { asError, InputError } from '../core/errors';
import { idIn, isRecord } from '../core/json';
import { SERVICE } from '../core/service';
import { gatewayRoot } from '../gateway/account';
import { endpoints } from '../gateway/endpoints';
import { readList } from '../gateway/readList';
import { transportFailure } from '../gateway/transportFailure';
import { causeOf, unreachable } from '../requests/unreachable';

/** Longest wait for the answer: the dialog in which the user saves the credential is open meanwhile. */
const TIMEOUT_MS = 20_000;

/** What a status means where a list of models was asked for. */
const REFUSALS: Record<number, string> = {
	401: 'The gateway does not accept this API key: it may be mistyped, revoked or from another gateway',
	403: 'This API key may not list models: allow it in the console of the gateway',
	404: `There is no gateway at this base URL: enter the address of its API, such as ${SERVICE.exampleUrl}, and nothing behind /v1`,
	407: 'A proxy between n8n and the gateway asks for a login: this is not about the API key',
};

const REFUSED_BY_PROXY =
	'A proxy or firewall between n8n and the gateway refuses the request: this is not about the API key';

const NO_LIST =
	'There is no gateway at this base URL: it does not answer with a list of models. It may be the address of a website, such as the console of the gateway; the right one is in the console, beside the API key.';

const FOR_EACH_ITEM =
	'The API key or the base URL is an expression that has a value in a running workflow only, so it cannot be tested here. The credential can be saved and used.';

const testFailed = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/** Asks the gateway of a credential for its models; free. Nothing of what it answers is shown, as that may quote the key. */
export async function testCredential(
	{ helpers }: ICredentialTestFunctions,
	{ apiKey, baseUrl }: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	if (apiKey === undefined || baseUrl === undefined) return testFailed(FOR_EACH_ITEM);
	let root = '';
	try {
		root = gatewayRoot(String(baseUrl ?? ''));
		// The only helper that n8n gives to a credential's test.
		const answer: { statusCode: number; body: unknown } = await helpers.request({
			method: endpoints.models.method,
			uri: `${root}${endpoints.models.path}`,
			headers: { Authorization: `Bearer ${String(apiKey ?? '').trim()}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			// The key stays with this address, and billed requests do not follow redirects, either.
			followRedirect: false,
			timeout: TIMEOUT_MS,
		});
		return testResult(answer.statusCode, answer.body);
	} catch (error) {
		return testFailed(root === '' ? inFull(asError(error)) : whyUnanswered(error, root));
	}
}

/** Says what an answer means. A success is one only if it is a list: websites answer any address with a page. */
function testResult(status: number, body: unknown): INodeCredentialTestResult {
	if (status >= 300 && status < 400)
		return testFailed(`This base URL redirects to another address (${status}): enter that one`);
	if (status === 403 && !isRecord(body)) return testFailed(`${REFUSED_BY_PROXY} (403)`);
	if (status >= 400)
		return testFailed(REFUSALS[status] ?? `The gateway answered with an error (${status})`);
	return isModelList(body)
		? { status: 'OK', message: 'Connection successful!' }
		: testFailed(NO_LIST);
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
function whyUnanswered(error: unknown, root: string): string {
	const { message, cause } = asError(error);
	const code = codeOf(error) ?? codeOf(cause);
	const facts = `${code}: ${message}`;
	const failure = TLS_FAILED.test(facts) ? 'notSent' : transportFailure({ code, message });
	const { message: what } = unreachable({ failure, code, detail: message }, root);
	return failure === 'notSent' ? `${what}. ${causeOf(facts).advice}` : what;
}
