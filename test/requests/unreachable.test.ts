import { unreachable } from '../../nodes/SpeechGateway/requests/unreachable';

const ROOT = 'https://gateway.example';

test.each([
	['timeout', 'The gateway did not answer in time', 'Details: ETIMEDOUT: nothing came'],
	['lost', 'The connection to the gateway was lost', 'Details: ETIMEDOUT: nothing came'],
	['notSent', /^The gateway cannot be reached: /, 'Nothing was sent.'],
] as const)('%s: what happened, and what to do', (failure, message, advice) => {
	const said = unreachable({ failure, code: 'ETIMEDOUT', detail: ' nothing came ' }, ROOT);
	expect(said.message).toMatch(message);
	expect(said.description).toContain(advice);
});

test('a code that the words name is not said twice', () => {
	const failure = { failure: 'lost', code: 'ECONNRESET', detail: 'read ECONNRESET' } as const;
	expect(unreachable(failure, ROOT).description).toContain('Details: read ECONNRESET');
	expect(unreachable({ failure: 'lost', detail: 'gone' }, ROOT).description).toContain(
		'Details: gone',
	);
});

test('what is not known is said as it is, with the address', () => {
	const { message, description: advice } = unreachable(
		{ failure: 'notSent', detail: 'EODD' },
		ROOT,
	);
	expect(message).toBe('The gateway cannot be reached: the connection could not be made');
	expect(advice).toMatch(/The address is https:\/\/gateway\.example\. Details: EODD$/);
});

test.each([
	['http://localhost:8880/v1', true],
	['http://127.0.0.1:8880', true],
	['http://[::1]:8880', true],
	['http://kokoro:8880', false],
	['https://localhost.example', false],
])('a refused connection to %s: Docker is named: %s', (root, isNamed) => {
	const refused = { failure: 'notSent', code: 'ECONNREFUSED', detail: '' } as const;
	const { message, description } = unreachable(refused, root);
	expect(message).toMatch(/nothing is listening at this address \(connection refused\)$/);
	expect(description?.includes('host.docker.internal')).toBe(isNamed);
});
