import { InputError } from '../core/errors';

/** Ends of addresses that people copy: an endpoint, which is called by itself, or a page of a console. */
const ENDPOINT = /\/(?:audio\/speech|chat\/completions)$/i;
const OTHER_ENDS = /\/(?:audio\/voices|models|console(?:\/.*)?)$/i;

/** A segment of a path that names a version: `v1`, `V1`, `v1.1`, `v1beta1`. */
const API_VERSION = /^v\d+(?:\.\d+)*(?:(?:alpha|beta)\d*)?$/i;

/** Without a protocol: a host with a top-level domain, an address, `localhost`, or anything with a port. */
const HOST =
	/^(?:(?:[a-z0-9_-]{1,63}\.)+(?:[a-z]{2,}|\d+)|localhost|\[[\da-f:.]+\]|[a-z0-9._-]+(?=:))(?::\d+)?$/i;

/** Hosts of a machine or network of one's own, which have no certificates: `http` is meant. */
const OWN_HOST =
	/^(?:[^.:]+|.*\.(?:local|localhost|lan|internal|svc|home\.arpa)|(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[(?:::1|f[cd].*|fe[89ab].*)\])$/i;

/**
 * The address in front of `/audio/speech`, `/models` …, from any form of the credential's base URL. A known ending is
 * taken off; behind an endpoint, or with a version anywhere, the rest is used as it is; else `/v1` is added. A login, a
 * query and a fragment are left out. Without a protocol, `http` is taken for hosts of one's own, else `https`. Throws
 * InputError on what is no http(s) address; it does not repeat what was given, as that may be the API key in the wrong
 * field.
 */
export function baseOf(baseUrl: string): string {
	const { protocol, origin, pathname } = parsed(baseUrl.trim());
	if (!/^https?:$/.test(protocol)) refuse('must begin with https:// or http://');
	const path = pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
	if (ENDPOINT.test(path)) return `${origin}${path.replace(ENDPOINT, '')}`;
	const segments = path.replace(OTHER_ENDS, '').split('/').slice(1);
	while (segments.length > 1 && API_VERSION.test(segments.at(-1)!) && isTwice(segments))
		segments.pop();
	if (!segments.some((segment) => API_VERSION.test(segment))) segments.push('v1');
	return [origin, ...segments].join('/');
}

/** The same without a version at its end: new-api has its price list and usage log there. */
export const rootOf = (base: string): string => {
	const { origin, pathname } = new URL(base);
	const segments = pathname.replace(/\/$/, '').split('/');
	if (API_VERSION.test(segments.at(-1)!)) segments.pop();
	return `${origin}${segments.join('/')}`;
};

const isTwice = (segments: string[]) =>
	segments.at(-1)!.toLowerCase() === segments.at(-2)!.toLowerCase();

function parsed(text: string): URL {
	const host = text.split(/[/?#]/, 1)[0];
	const isBare = HOST.test(host);
	const protocol = OWN_HOST.test(host.replace(/:\d+$/, '')) ? 'http' : 'https';
	const address = isBare ? `${protocol}://${text}` : text;
	return URL.canParse(address) ? new URL(address) : refuse('is not a web address');
}

function refuse(problem: string): never {
	const advice = 'It should look like https://host/v1. Nothing was sent.';
	throw new InputError(`The base URL in the credential ${problem}`, advice);
}
