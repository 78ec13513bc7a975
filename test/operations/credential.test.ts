import { SpeechGatewayApi } from '../../credentials/SpeechGatewayApi.credentials';
import { gatewayRoot } from '../../nodes/SpeechGateway/gateway/baseUrl';
import { evaluate } from '../support/expressions';

/** The address of the credential's test, as n8n evaluates it. */
const testAddress = (baseUrl: string) =>
	evaluate(new SpeechGatewayApi().test.request.baseURL!, {}, { $credentials: { baseUrl } });

test.each([
	'https://host',
	'https://host/',
	' https://host/v1 ',
	'https://host/V1/',
	'https://host/v1/v1/',
	'https://host/gateway/v1',
	'https://host/gateway//v1//',
	'https://host/v1?x=1#y',
	'https://host?x=/v1',
	'https://user:pass@host/v1',
	'http://127.0.0.1:8080/v1',
	'gateway.example.com',
	'gateway.example.com/v1',
	'gateway.example.com:8443/prefix/v1/',
	'localhost:8080',
])('the test of the credential calls the address that the node calls: %s', (baseUrl) => {
	expect(testAddress(baseUrl)).toBe(gatewayRoot(baseUrl));
});
