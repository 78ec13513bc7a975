/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { ServerResponse } from 'node:http';

import type { SimRequest } from './world';

/** What is to go wrong, and with which requests. The first fault added that applies to a request is the one used. */
export interface Fault {
	method?: string;
	/** The whole pathname, or an expression. */
	path?: string | RegExp;
	/** Part of the text (see SimRequest.input), or an expression. */
	input?: string | RegExp;
	/** Of the account that asks. */
	apiKey?: string;
	/** The first matching request concerned, from 1. */
	nth?: number;
	/** How many requests are concerned: 1. */
	times?: number;

	/** What befalls the key or the upstream, as a case of answers.jsonl; the dialect says what is answered and charged then. */
	case?: string;
	/** Answered instead; without `body`, with the error body that belongs to it. */
	status?: number;
	body?: string | object | Buffer;
	headers?: Record<string, string>;
	/**
	 * With `status`: answered by a proxy in front of the gateway, which knows nothing of what the gateway did; with `charge`,
	 * the work was done. `page` is nginx's, `json` Kong's and AWS's, `spring` and `text` those of Spring and Envoy. The others
	 * look like the gateway's own: `google` is gRPC's, `envoy` wraps Envoy's words, `late` and `socket` those of a program.
	 */
	proxy?: 'page' | 'empty' | 'json' | 'spring' | 'text' | 'google' | 'envoy' | 'late' | 'socket';
	/** With `status`: the work was done and charged all the same. With `stall`: false when it was not (default: it was). */
	charge?: boolean;
	/**
	 * `reset-before-work`: connection reset once the request is read. `reset-after-work`: reset when the work is done and
	 * charged. `stall`: the work is done and charged, but never answered.
	 */
	connection?: 'reset-before-work' | 'reset-after-work' | 'stall';
	/** Sends what it likes in place of the answer; the work is done and charged. */
	answer?: (response: ServerResponse, good: { contentType: string; body: Buffer }) => void;
	/** Bytes of the body that are sent before the connection breaks. */
	truncate?: number | 'half';
	/** The truncated body is sent as if it were whole. */
	truncateClean?: boolean;
	/** The body is replaced with as many bytes of rubbish. */
	corrupt?: boolean;
	contentType?: string;
	/** Real ms before the headers. */
	delayMs?: number;
	/** Real ms between pieces of the body (of a stream, its events). */
	dripMs?: number;
	/** Header Retry-After; alone, of a 429. */
	retryAfter?: string | number;
	/** Location; the status is 307 when none is given. */
	redirect?: string;

	/** On the creation of a job or video: it fails. */
	jobFails?: boolean | { code: string; message: string };
	/** On the creation of a job or video: the real seconds it takes; Infinity: it never ends. */
	jobSeconds?: number;
	/** On the creation of a job or video, or on the download: the content is about so big (and valid all the same). */
	contentBytes?: number;
}

interface Counted extends Fault {
	seen?: number;
	used?: number;
}

const matches = (wanted: string | RegExp, text: string, whole: boolean) =>
	typeof wanted === 'string'
		? whole
			? text === wanted
			: text.includes(wanted)
		: wanted.test(text);

/** The fault that applies to a request, if any. Every fault counts the requests that match it. */
export function findFault(faults: Fault[], request: SimRequest): Fault | undefined {
	let found: Fault | undefined;
	for (const fault of faults as Counted[]) {
		if (fault.method && fault.method.toUpperCase() !== request.method) continue;
		if (fault.path && !matches(fault.path, request.path, true)) continue;
		if (fault.input && !matches(fault.input, request.input ?? '', false)) continue;
		if (fault.apiKey && fault.apiKey !== request.apiKey) continue;
		fault.seen = (fault.seen ?? 0) + 1;
		if (found || fault.seen < (fault.nth ?? 1) || (fault.used ?? 0) >= (fault.times ?? 1)) continue;
		fault.used = (fault.used ?? 0) + 1;
		found = fault;
	}
	return found;
}

/** The status answered instead of doing the work, or undefined when the request is to be worked on. */
export function statusInstead(fault: Fault | undefined): number | undefined {
	if (!fault) return undefined;
	if (fault.status !== undefined) return fault.status;
	if (fault.redirect !== undefined) return 307;
	if (fault.retryAfter !== undefined) return 429;
	return undefined;
}
