import { InputError } from '../core/errors';

/** A host with a dot and a top-level domain, an IPv4 address, localhost, or anything with a port; never a pasted key. */
const HOST = /^([a-z0-9-]{1,63}\.)+([a-z]{2,}|\d+)(:\d+)?$|^localhost$|^[a-z0-9.-]+:\d+$/i;

/**
 * The address in front of `/v1/…`, from any form of the credential's base URL: `https://host`, `https://host/`,
 * `https://host/v1`, `https://host/v1/`, and all of them behind a path prefix or without `https://`. A login, a query and
 * a fragment are left out, here as in the credential's test. Throws InputError on what is no http(s) address; it does not
 * repeat what was given, as that may be the API key in the wrong field.
 */
export function gatewayRoot(baseUrl: string): string {
	const given = baseUrl.trim();
	const address = HOST.test(given.split(/[/?#]/, 1)[0]) ? `https://${given}` : given;
	if (!URL.canParse(address)) {
		throw new InputError(
			'The base URL in the credential is not a web address',
			'It should look like https://host/v1. Nothing was sent.',
		);
	}
	const { protocol, origin, pathname } = new URL(address);
	if (protocol !== 'https:' && protocol !== 'http:') {
		throw new InputError(
			'The base URL in the credential must begin with https:// or http://',
			'It should look like https://host/v1. Nothing was sent.',
		);
	}
	const path = pathname
		.replace(/\/+$/, '')
		.replace(/(\/v1)+$/i, '')
		.replace(/\/+$/, '');
	return `${origin}${path}`;
}
