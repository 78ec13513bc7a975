import type { InputError } from '../../nodes/SpeechGateway/core/errors';
import { baseOf, rootOf } from '../../nodes/SpeechGateway/gateway/baseUrl';

test.each([
	// Without a version, /v1 is added.
	['https://host', 'https://host/v1'],
	['https://host/', 'https://host/v1'],
	['https://host/gateway', 'https://host/gateway/v1'],
	['https://host/vault', 'https://host/vault/v1'],
	// With one anywhere, it is used as it is.
	['https://host/v1', 'https://host/v1'],
	['https://host/v1/', 'https://host/v1'],
	['https://host/v1?x=1#y', 'https://host/v1'],
	['https://host/V1', 'https://host/V1'],
	['https://host/v10', 'https://host/v10'],
	['https://host/v1.1', 'https://host/v1.1'],
	['https://host/gateway//v1//', 'https://host/gateway/v1'],
	['https://host/v1/openai', 'https://host/v1/openai'],
	['https://host/v1beta/openai/', 'https://host/v1beta/openai'],
	['https://host/v1beta1/openai', 'https://host/v1beta1/openai'],
	['https://host/api/v3', 'https://host/api/v3'],
	['https://host/v1/account/gateway/openai', 'https://host/v1/account/gateway/openai'],
	// Several equal ones at its end are one.
	['https://host/v1/v1/', 'https://host/v1'],
	['https://host/Gateway/v1/v1/v1', 'https://host/Gateway/v1'],
	// What stands behind it in a browser or an example is taken off.
	['https://host/v1/audio/speech', 'https://host/v1'],
	['https://host/audio/speech/', 'https://host'],
	['https://host/openai/chat/completions', 'https://host/openai'],
	['https://host/v1/audio/voices', 'https://host/v1'],
	['https://host/v1/models', 'https://host/v1'],
	['https://host/models', 'https://host/v1'],
	['https://host/console', 'https://host/v1'],
	['https://host/console/token?tab=2', 'https://host/v1'],
	['https://user:secret@host/v1?key=secret#secret', 'https://host/v1'],
	// Without a protocol: https, but http for hosts of one's own.
	[' gateway.example.com\n', 'https://gateway.example.com/v1'],
	['gateway.example.com/prefix/v1', 'https://gateway.example.com/prefix/v1'],
	['gateway.example.com:8443/v1', 'https://gateway.example.com:8443/v1'],
	['192.0.2.1/v1', 'https://192.0.2.1/v1'],
	['[2001:db8::1]:8880', 'https://[2001:db8::1]:8880/v1'],
	['172.32.0.1:8880', 'https://172.32.0.1:8880/v1'],
	['localhost/v1', 'http://localhost/v1'],
	['localhost:8080', 'http://localhost:8080/v1'],
	['kokoro:8880', 'http://kokoro:8880/v1'],
	['my_tts:8880/v1', 'http://my_tts:8880/v1'],
	['host.docker.internal:8880', 'http://host.docker.internal:8880/v1'],
	['tts.local/v1', 'http://tts.local/v1'],
	['tts.default.svc:8880', 'http://tts.default.svc:8880/v1'],
	['nas.home.arpa', 'http://nas.home.arpa/v1'],
	['nas.lan', 'http://nas.lan/v1'],
	['192.168.1.20:8880', 'http://192.168.1.20:8880/v1'],
	['10.0.0.7', 'http://10.0.0.7/v1'],
	['172.16.0.1:8880', 'http://172.16.0.1:8880/v1'],
	['169.254.10.1', 'http://169.254.10.1/v1'],
	['127.0.0.1:8880', 'http://127.0.0.1:8880/v1'],
	['[::1]:8880', 'http://[::1]:8880/v1'],
	['[fd12:3456::1]:8880/v1', 'http://[fd12:3456::1]:8880/v1'],
	['[fe80::1]', 'http://[fe80::1]/v1'],
	// A protocol that is typed stays.
	['https://localhost:8443', 'https://localhost:8443/v1'],
	['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
])('%s → %s', (entered, base) => expect(baseOf(entered)).toBe(base));

test.each([
	['https://host/v1', 'https://host'],
	['https://host/gateway/v1', 'https://host/gateway'],
	['https://host/v1/openai', 'https://host/v1/openai'],
	['https://host/api/v3', 'https://host/api'],
	['https://host', 'https://host'],
])('the root of %s is %s', (base, root) => expect(rootOf(base)).toBe(root));

test.each([
	'',
	'host',
	'ftp://secret@host',
	'ftp://host/secret',
	'not a url secret',
	'sk-secret',
	'sk-secret/with+more=',
	'secret:sk-secret@host',
	'https://',
	'https://secret host/',
	'eyJhbGciOi.eyJzZWNyZXQ_.c2lnbmF0dXJl0',
])('"%s" is refused, and not repeated', (given) => {
	expect(() => baseOf(given)).toThrow(/base URL/);
	try {
		baseOf(given);
	} catch (error) {
		const { message, description } = error as InputError;
		expect(message + description).not.toMatch(/secret|eyJ/);
	}
});
