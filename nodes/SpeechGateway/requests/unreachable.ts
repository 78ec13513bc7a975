import { GatewayError } from '../core/errors';
import { defined } from '../core/json';
import type { TransportError } from '../gateway/transport';

type Unanswered = Pick<TransportError, 'failure' | 'code' | 'detail' | 'proxyStatus'>;

const CHECK_ADDRESS = 'Check the base URL in the credential';
const NO_PROXY = 'or let n8n call the gateway without it (NO_PROXY).';

/** Where n8n runs in a container, these are the container itself. */
const OWN_MACHINE = /^https?:\/\/(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[::1\])(?:[:/]|$)/i;
const REFUSED = 'nothing is listening at this address (connection refused)';

/**
 * Why a connection was not made: what to look for in code and text, what happened, what to do, and at which addresses
 * (absent: at all). The first that fits counts.
 */
const CAUSES: Array<[sign: RegExp, what: string, advice: string, at?: RegExp]> = [
	[
		/^proxy: 407$/,
		'the proxy asks for a login',
		`Put the user and password into the address of the proxy that n8n uses (HTTPS_PROXY), ${NO_PROXY}`,
	],
	[
		// A refusal with a status, or an HTTPS proxy that has closed the connection instead.
		/^proxy: \d+$|CONNECT response/,
		'the proxy made no connection to it',
		`Check the proxy that n8n uses (HTTPS_PROXY) and whether it allows this address, ${NO_PROXY}`,
	],
	[
		/ssrf|blocked|domain not allowed/i,
		'n8n blocks this address (SSRF protection)',
		'Ask the administrator of this n8n to allow the address of the gateway (N8N_SSRF_ALLOWED_HOSTNAMES).',
	],
	[
		/ENOTFOUND/,
		'its host name is not known (DNS)',
		`${CHECK_ADDRESS} for typos, and that the machine that runs n8n can resolve this name.`,
	],
	[
		/EAI_/,
		'the name server did not answer (DNS)',
		'Check the network of the machine that runs n8n, and try again.',
	],
	[
		/ECONNREFUSED/,
		REFUSED,
		`${CHECK_ADDRESS} (host and port), and that the server is running. If n8n runs in Docker, this address is n8n's own container: put host.docker.internal in its place, or the name of the server's container, such as http://kokoro:8880.`,
		OWN_MACHINE,
	],
	[/ECONNREFUSED/, REFUSED, `${CHECK_ADDRESS} (host and port), and that the gateway is running.`],
	[
		/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
		'its certificate has expired or is not valid yet',
		'Renew the certificate of the gateway, and check the clock of the machine that runs n8n.',
	],
	[
		/ALTNAME|HOSTNAME_MISMATCH/,
		'its certificate is for another host name',
		`${CHECK_ADDRESS}: use the name that the certificate is made out to.`,
	],
	[
		/CERT|ISSUER|SIGNATURE|INVALID_(CA|PURPOSE)|PATH_LENGTH/,
		'n8n does not trust its certificate',
		'If the certificate comes from an authority of your own, give its file to n8n in the environment variable NODE_EXTRA_CA_CERTS and restart n8n.',
	],
	[
		/wrong version number/i,
		'it does not speak TLS (https) at this address',
		`${CHECK_ADDRESS}: http:// or another port may be right.`,
	],
	[
		/EPROTO|SSL|TLS/,
		'the TLS handshake failed',
		`${CHECK_ADDRESS} (host and port), and that the gateway and this n8n have a version of TLS in common.`,
	],
];

/** Why a connection to an address was not made, and what to do. `facts`: the code and words of the system. */
export const causeOf = (facts: string, address: string): { what: string; advice: string } => {
	const fits = ([sign, , , at]: (typeof CAUSES)[number]) =>
		sign.test(facts) && (at === undefined || at.test(address));
	const [, what, advice] = CAUSES.find(fits) ?? [
		undefined,
		'the connection could not be made',
		`${CHECK_ADDRESS}, and that this n8n can reach and may call it.`,
	];
	return { what, advice };
};

/**
 * The error of a request without an answer. Causes are only told of a request that certainly did not leave: one that
 * was lost or timed out may have arrived. `root` is the address that was called.
 */
export function unreachable(
	{ failure, code, detail, proxyStatus }: Unanswered,
	root: string,
): GatewayError {
	const httpCode = proxyStatus === undefined ? undefined : String(proxyStatus);
	const because = (message: string, description: string) =>
		new GatewayError(message, description, defined({ code, httpCode }));
	const words = detail.trim();
	// A code that is not in the text yet, as it is in "read ECONNRESET".
	const cause = code && !words.includes(code) ? `${code}: ${words}` : words;
	if (failure === 'timeout')
		return because(
			'The gateway did not answer in time',
			`Raise the option "Timeout", or try again later. Details: ${cause}`,
		);
	if (failure === 'lost')
		return because('The connection to the gateway was lost', `Try again later. Details: ${cause}`);
	const facts = httpCode === undefined ? cause : `proxy: ${httpCode}`;
	const { what, advice } = causeOf(facts, root);
	const [status, said] =
		httpCode === undefined
			? ['', ` Details: ${cause}`]
			: [` (${httpCode})`, detail && ` The proxy says: "${detail}"`];
	return because(
		`The gateway cannot be reached: ${what}${status}`,
		`Nothing was sent. ${advice} The address is ${root}.${said}`,
	);
}
