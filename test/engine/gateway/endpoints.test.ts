import type { IDataObject } from 'n8n-workflow';
import { type Endpoint, endpoints } from '../../../nodes/SpeechGateway/gateway/endpoints';
import { descriptions } from '../../../nodes/SpeechGateway/operations/forms';
import type { ItemRequests } from '../../../nodes/SpeechGateway/requests/itemRequests';
import { renderAudio } from '../../support/simulator/audio';
import { fitting } from '../form';
import { runNode, useSimulator } from '../support';

const sim = useSimulator({ latencyMs: 1, jobSeconds: 0.05 });

const MODELS: Record<string, string> = { chat: 'sim-chat', video: 'sim-video' };
const recording = Buffer.concat([...renderAudio('A recording.', 31, 'wav').chunks()]);

/** What Settle takes. */
const UNKNOWN = {
	outcome: 'unknown',
	reason: 'connection_lost',
	model: 'fish-speech',
	sentAt: '2026-01-01',
	endedAt: '2026-01-01',
};

async function run(name: string, given: IDataObject = {}): Promise<IDataObject | undefined> {
	const [resource, operation] = name.split('.');
	const binary = {
		data: { data: recording.toString('base64'), mimeType: 'audio/wav', fileName: 'a.wav' },
	};
	const { outputs } = await runNode({
		url: sim.url,
		apiKey: sim.apiKey,
		items: [{ json: { speech: UNKNOWN }, binary }],
		parameters: fitting(resource, operation, {
			model: MODELS[resource] ?? 'fish-speech',
			text: 'Good morning!',
			script: 'Ben: Good morning!',
			prompt: 'A boat',
			messages: { values: [{ role: 'user', content: 'Hello' }] },
			title: 'Anna',
			binaryPropertyName: 'data',
			returnAll: true,
			options: { pollInterval: 1, reuseExisting: true },
			...given,
		}),
	});
	return outputs[0]?.[0]?.json;
}

const ids = new Set<string>();

/** An id that the simulator knows, for operations that take one. */
async function existingId(name: string): Promise<IDataObject> {
	const id = async (operation: string) => String((await run(operation))?.id);
	// By its title, so that the list of voices is asked, too.
	const byTitle = { __rl: true, mode: 'title', value: 'Anna' };
	if (/^(voice\.delete|speech\.(generate|dialogue)|speechJob\.create)/.test(name)) {
		ids.add(String((await run('voice.create'))?._id));
		return { voice: byTitle, speakers: { values: [{ name: 'Ben', voice: byTitle }] } };
	}
	if (/^speechJob\.(get|wait)/.test(name)) return { jobId: await id('speechJob.create') };
	if (/^video\.(get|wait)/.test(name)) return { videoId: await id('video.create') };
	if (name === 'speechJob.download') return { jobId: await id('speechJob.createAndWait') };
	if (name === 'video.download') return { videoId: await id('video.createAndWait') };
	return {};
}

const names = descriptions.map(({ resource, operation }) => `${resource}.${operation}`);

test.each(names)('%s sends to the endpoints that it declares, and to no other', async (name) => {
	const existing = await existingId(name);
	for (const id of Object.values(existing)) ids.add(String(id));
	const before = sim.requests.length;
	// Such an item fails, but has asked for a job that cannot be.
	if (/speech\.(generate|dialogue)/.test(name))
		sim.fault({ path: '/v1/audio/speech', status: 524 });
	await run(name, existing);

	const isId = (part: string) => ids.has(part) || /^(spj|video)_/.test(part);
	const sent = sim.requests.slice(before).map(({ method, path }) => {
		const parts = path.split('/').map((part) => (isId(part) ? 'ID' : part));
		return `${method} ${parts.join('/')}`;
	});
	const { sends } = descriptions[names.indexOf(name)];
	const declared = sends.map((endpoint) => {
		const { method, path, ...where }: Endpoint =
			typeof endpoint === 'function' ? endpoint('ID', 'model') : endpoint;
		const base = 'atRoot' in where && where.atRoot ? '' : '/v1';
		return `${method} ${base}${path.split('?')[0]}`;
	});
	expect([...new Set(sent)].sort()).toEqual(declared.sort());
});

/** Never called: the compiler is the test, and fails where an expected error is missing. */
export function billedIsNeverFree(item: ItemRequests): void {
	const read = async () => ({});
	void item.free({ endpoint: endpoints.models, read });
	// @ts-expect-error -- a free request is repeated, so a billed endpoint must not become one
	void item.free({ endpoint: endpoints.speech, read });
	// @ts-expect-error -- the same
	void item.freeOnce({ endpoint: endpoints.createJob, read }, 0);
	// @ts-expect-error -- the same
	void item.delete(endpoints.createVoice, {});
	// @ts-expect-error -- what costs nothing needs no record
	void item.billed({ name: 'models', endpoint: endpoints.models, input: {}, read });
}
