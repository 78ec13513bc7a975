import { InputError } from '../core/errors';

/**
 * Every endpoint of the gateway: method and path below the base URL. Whether a call costs money is in the type, so that
 * what is billed cannot be sent as something free.
 */
export type Endpoint = BilledEndpoint | FreeEndpoint;

/** What a request is to those that let requests start: free ones may pass where billed ones wait. */
export type Billing = 'billed' | 'free';

/** A call that costs money. */
export interface BilledEndpoint {
	readonly kind: 'speech' | 'job' | 'voice' | 'chat' | 'video';
	readonly method: 'POST';
	/** Behind the base URL. */
	readonly path: string;
	readonly billed: true;
}

/** A call that costs nothing, and may be repeated. */
export interface FreeEndpoint {
	/** What it is about; `model` for all that no rule for answers asks for. */
	readonly kind: BilledEndpoint['kind'] | 'model';
	readonly method: 'GET' | 'DELETE';
	/** Behind the base URL. */
	readonly path: string;
	readonly billed: false;
	/** The path stands behind the root, which has no version at its end. */
	readonly atRoot?: boolean;
	/** The API key is sent in the address, too; such a request follows no redirect. */
	readonly keyInAddress?: boolean;
	/** In place of the path: an address that the gateway has given. It is called without the key. */
	readonly url?: string;
}

const free = (
	kind: FreeEndpoint['kind'],
	path: string,
	method: FreeEndpoint['method'] = 'GET',
): FreeEndpoint => ({ kind, method, path, billed: false });

const atRoot = (path: string): FreeEndpoint => ({ ...free('model', path), atRoot: true });

const billed = (kind: BilledEndpoint['kind'], path: string): BilledEndpoint => {
	return { kind, method: 'POST', path, billed: true };
};

/** Every endpoint by what it does. Those with an ID in their path are functions of it. */
export const endpoints = {
	speech: billed('speech', '/audio/speech'),
	createJob: billed('job', '/audio/speech/jobs'),
	job: (id: string) => free('job', `/audio/speech/jobs/${segment(id)}`),
	jobContent: (id: string) => free('job', `/audio/speech/jobs/${segment(id)}/content`),
	createVoice: billed('voice', '/audio/voices'),
	voices: (model: string) => free('voice', `/audio/voices?model=${encodeURIComponent(model)}`),
	/** Where home servers have their voices. */
	otherVoices: free('voice', '/voices'),
	deleteVoice: (id: string, model: string) =>
		free('voice', `/audio/voices/${segment(id)}?model=${encodeURIComponent(model)}`, 'DELETE'),
	chat: billed('chat', '/chat/completions'),
	models: free('model', '/models'),
	/** Of routers whose list has only models that write, until it is asked for others. */
	modelsThatSpeak: free('model', '/models?output_modalities=speech'),
	createVideo: billed('video', '/videos'),
	video: (id: string) => free('video', `/videos/${segment(id)}`),
	videoContent: (id: string) => free('video', `/videos/${segment(id)}/content`),
	prices: atRoot('/api/pricing'),
	usageLog: atRoot('/api/log/token'),
	usage: atRoot('/api/usage/token/'),
} as const;

/** A file at an address that the gateway has given, in an answer from `base`; undefined if that is none. */
export function fileAt(url: unknown, base: string): FreeEndpoint | undefined {
	if (typeof url !== 'string' || url === '' || !URL.canParse(url, base)) return undefined;
	const { protocol, href } = new URL(url, base);
	return /^https?:$/.test(protocol) ? { ...free('model', '/'), url: href } : undefined;
}

/** The kinds of tasks, which are submitted, waited for and fetched in the same way; a row each. */
export const taskEndpoints = {
	job: { create: endpoints.createJob, status: endpoints.job, content: endpoints.jobContent },
	video: {
		create: endpoints.createVideo,
		status: endpoints.video,
		content: endpoints.videoContent,
	},
};

/** Longest percent-encoded path that servers accept; a longer ID cannot be theirs. */
const MAX_SEGMENT = 4_000;

/** An id as one path segment: it can never reach another path. Throws InputError when it cannot be one. */
function segment(id: string): string {
	try {
		const encoded = encodeURIComponent(id);
		// `.` and `..` mean another path even when they are encoded.
		if (!/^\.{0,2}$/.test(id) && encoded.length <= MAX_SEGMENT) return encoded;
	} catch {
		// Half of a surrogate pair.
	}
	throw new InputError(`No address can be made of the ID ${JSON.stringify(id.slice(0, 80))}`);
}
