/** The types that the server and the resources (speech, jobs, voices, …) share. */
import type { Content } from './audio';
import type { Price } from './billing';
import { ApiError } from './errors';
import type { Fault } from './faults';
import type { Account, SimRequest, World } from './world';

/** One authenticated request on its way to a resource. */
export interface Call {
	world: World;
	request: SimRequest;
	account: Account;
	/** Id in the path, if the route has one. */
	id: string;
	fault: Fault;
}

export interface Reply {
	status?: number;
	contentType: string;
	/** Buffer or string: as it is. Content: generated while it is sent. */
	body: string | Buffer | Content;
	/** Sent without content-length, one chunk an event. */
	stream?: boolean;
	/** In place of the header that names an answer. */
	headers?: Record<string, string>;
}

/** What a resource makes of a valid request. Nothing has happened yet: that is up to `reply`, called when the work is done. */
export interface Work {
	/** Real ms that the work takes. */
	milliseconds?: number;
	/** Cut with 524 when it takes too long. */
	limited?: boolean;
	price?: Price;
	reply(): Reply;
}

export const json = (value: unknown): Reply => ({
	contentType: 'application/json',
	body: JSON.stringify(value),
});

/** The JSON body as an object. Throws 400. */
export function jsonBody({ request }: Call): Record<string, unknown> {
	const { body } = request;
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		throw new ApiError(400, 'The body must be a JSON object', 'invalid_json');
	}
	return body as Record<string, unknown>;
}
