import type { IDataObject } from 'n8n-workflow';
import { endpoints } from '../../nodes/SpeechGateway/gateway/endpoints';
import { Transport } from '../../nodes/SpeechGateway/gateway/transport';

/** What becomes of an error that n8n's HTTP helper throws. */
async function failureOf(thrown: unknown): Promise<unknown> {
	const transport = await Transport.open({
		getNode: () => ({ name: 'Speech Gateway' }) as never,
		getCredentials: async () =>
			(await Promise.resolve({ apiKey: 'none', baseUrl: 'https://host' })) as never,
		helpers: {
			httpRequest: async () => await Promise.reject(thrown as Error),
			httpRequestWithAuthentication: async () => await Promise.reject(thrown as Error),
		},
	});
	return await transport.send(endpoints.speech, 1000).catch((error: unknown) => error);
}
const error = (message: string, more: IDataObject | { cause: unknown } = {}) =>
	Object.assign(new Error(message), more);

const REFUSED = 'connect ECONNREFUSED 127.0.0.1:9';
const refused = error(REFUSED, { code: 'ECONNREFUSED', syscall: 'connect' });

test.each<[string, unknown, object]>([
	[
		'n8n 2.41: the cause says what happened',
		error('The service refused the connection', { code: 'ERR_BAD_REQUEST', cause: refused }),
		{ failure: 'notSent', code: 'ECONNREFUSED', detail: REFUSED },
	],
	[
		'n8n 2.16: the code is in httpCode, and the words in messages',
		error('The service refused the connection', {
			httpCode: 'ECONNREFUSED',
			messages: [REFUSED, 'Try again'],
		}),
		{ failure: 'notSent', code: 'ECONNREFUSED', detail: REFUSED },
	],
	[
		'a status is no code',
		error('socket hang up', { httpCode: '502', code: 'ECONNRESET' }),
		{ failure: 'lost', code: 'ECONNRESET', detail: 'socket hang up' },
	],
	[
		'several addresses that failed: the first',
		error('failed', { cause: error('', { errors: [refused, error('connect EPERM')] as never }) }),
		{ failure: 'notSent', code: 'ECONNREFUSED', detail: REFUSED },
	],
	[
		'an outer message stays where the cause has none',
		error('socket hang up', { cause: error('', { code: 'ECONNRESET' }) }),
		{ failure: 'lost', code: 'ECONNRESET', detail: 'socket hang up' },
	],
	[
		"n8n's protection is told by the name of its error",
		error('No.', { cause: error('No.', { name: 'SsrfBlockedIpError' }) }),
		{ failure: 'notSent', detail: 'No.' },
	],
	[
		'a time-out of its own',
		error('timeout of 1000ms exceeded', { code: 'ECONNABORTED' }),
		{ failure: 'timeout', detail: 'timeout of 1000ms exceeded' },
	],
	['what is no error', 'nothing', { failure: 'lost', detail: 'the connection failed' }],
])('%s', async (_, thrown, facts) => {
	expect(await failureOf(thrown)).toMatchObject(facts);
});
