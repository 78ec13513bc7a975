import { InputError } from './errors';

/**
 * The address in front of `/v1/…`, from any form of the credential's base URL: `https://host`, `https://host/`,
 * `https://host/v1`, `https://host/v1/`, and all of them behind a path prefix. Throws InputError on what is no http(s) address.
 */
export function gatewayRoot(baseUrl: string): string {
	const given = baseUrl.trim();
	if (!URL.canParse(given)) {
		throw new InputError(
			`The base URL "${baseUrl}" is not a web address`,
			'Set it in the credential; it looks like https://host/v1. Nothing was sent.',
		);
	}
	const url = new URL(given);
	if (url.protocol !== 'https:' && url.protocol !== 'http:') {
		throw new InputError(`The base URL "${baseUrl}" must begin with https:// or http://`);
	}
	const path = url.pathname
		.replace(/\/+$/, '')
		.replace(/(\/v1)+$/, '')
		.replace(/\/+$/, '');
	return `${url.origin}${path}`;
}
