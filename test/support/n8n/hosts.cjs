/**
 * Loaded into n8n (`node --require`): leads requests for hosts that are fixed in n8n's nodes to servers of the tests, which stand
 * in `hosts.json` in n8n's user folder, a port of loopback for each host name.
 */
const { readFileSync } = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const path = require('node:path');
const { urlToHttpOptions } = require('node:url');

const FILE = path.join(process.env.N8N_USER_FOLDER ?? '', 'hosts.json');

function portOf(host) {
	try {
		return JSON.parse(readFileSync(FILE, 'utf8'))[host];
	} catch {
		return undefined; // no test has led any host anywhere
	}
}

const { request } = https;

https.request = (...args) => {
	const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
	const all = args.map((arg) =>
		typeof arg === 'string' || arg instanceof URL ? urlToHttpOptions(new URL(arg)) : arg,
	);
	const options = Object.assign({}, ...all);
	const host = options.hostname ?? String(options.host).replace(/:\d+$/, '');
	const port = portOf(host);
	if (port === undefined) return request(...args, ...(callback ? [callback] : []));
	const here = { protocol: 'http:', agent: undefined, host: '127.0.0.1', hostname: '127.0.0.1' };
	return http.request(
		{ ...options, ...here, port, headers: { ...options.headers, host } },
		callback,
	);
};
https.get = (...args) => {
	const call = https.request(...args);
	call.end();
	return call;
};
