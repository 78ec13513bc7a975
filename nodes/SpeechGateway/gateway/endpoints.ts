/** Every endpoint of the gateway: method, path below the base URL, and whether a call costs money. */
export interface Endpoint {
	readonly method: 'GET' | 'POST' | 'DELETE';
	readonly path: string;
	readonly billed: boolean;
}

const free = (path: string, method: Endpoint['method'] = 'GET'): Endpoint => ({
	method,
	path,
	billed: false,
});
const billed = (path: string): Endpoint => ({ method: 'POST', path, billed: true });

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
