/**
 * Every endpoint of the gateway: method and path below the base URL. Whether a call costs money is in the type, so that
 * what is billed cannot be sent as something free.
 */
export type Endpoint = BilledEndpoint | FreeEndpoint;

export interface BilledEndpoint {
	readonly method: 'POST';
	readonly path: string;
	readonly billed: true;
}

export interface FreeEndpoint {
	readonly method: 'GET' | 'DELETE';
	readonly path: string;
	readonly billed: false;
}

const free = (path: string, method: FreeEndpoint['method'] = 'GET'): FreeEndpoint => ({
	method,
	path,
	billed: false,
});
const billed = (path: string): BilledEndpoint => ({ method: 'POST', path, billed: true });

export const endpoints = {
	speech: billed('/v1/audio/speech'),
	createJob: billed('/v1/audio/speech/jobs'),
	job: (id: string) => free(`/v1/audio/speech/jobs/${segment(id)}`),
	jobContent: (id: string) => free(`/v1/audio/speech/jobs/${segment(id)}/content`),
	createVoice: billed('/v1/audio/voices'),
	voices: (model: string) => free(`/v1/audio/voices?model=${encodeURIComponent(model)}`),
	deleteVoice: (id: string, model: string) =>
		free(`/v1/audio/voices/${segment(id)}?model=${encodeURIComponent(model)}`, 'DELETE'),
	chat: billed('/v1/chat/completions'),
	models: free('/v1/models'),
	createVideo: billed('/v1/videos'),
	video: (id: string) => free(`/v1/videos/${segment(id)}`),
	videoContent: (id: string) => free(`/v1/videos/${segment(id)}/content`),
} as const;

/** An id as one path segment: it can never reach another path. `.` and `..` are refused where parameters are read. */
function segment(id: string): string {
	return encodeURIComponent(id);
}
