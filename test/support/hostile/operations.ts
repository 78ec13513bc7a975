import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { JOB_ID, VIDEO_ID } from './gateway';

/** A request of an operation that can be answered badly. */
export interface Asked {
	name: string;
	/** Which of its requests is answered badly, such as `POST /v1/audio/speech`. */
	target: RegExp;
	parameters: IDataObject;
	options?: IDataObject;
	/** What must be in every outcome: the id of what is paid for. */
	id?: string;
	binary?: IBinaryKeyData;
}

const data = Buffer.from('RIFF').toString('base64');
const binary = { data: { data, mimeType: 'audio/wav', fileName: 'me.wav' } };
const waits = { options: { pollInterval: 1, maxWait: 1 } };
const job = { ...waits, id: JOB_ID };

type Row = [name: string, target: RegExp, operation: string, more?: Partial<Asked>];

const ROWS: Row[] = [
	['speech', /^POST \/v1\/audio\/speech$/, 'speech.generate'],
	['job: create', /^POST \/v1\/audio\/speech\/jobs$/, 'speechJob.create'],
	['job: poll', /^GET \/v1\/audio\/speech\/jobs\/[^/]+$|login/, 'speechJob.createAndWait', job],
	['job: audio', /^GET .*\/content$|login/, 'speechJob.createAndWait', job],
	['voice: create', /^POST \/v1\/audio\/voices$/, 'voice.create', { binary }],
	['voice: list', /^GET \/v1\/audio\/voices|login/, 'voice.getMany'],
	['voice: delete', /^DELETE |login/, 'voice.delete'],
	['chat', /^POST \/v1\/chat/, 'chat.complete'],
	['chat, streamed', /^POST \/v1\/chat/, 'chat.complete', { options: { stream: true } }],
	['models', /^GET \/v1\/models$|login/, 'model.getMany'],
	['video: create', /^POST \/v1\/videos$/, 'video.create'],
	['video: file', /^GET .*\/content$|login/, 'video.createAndWait', { ...waits, id: VIDEO_ID }],
];

/** What the operations ask for; each takes what it has a field for. */
const given = (resource: string): IDataObject => ({
	model: resource === 'speech' || resource === 'speechJob' ? 'fish-speech' : resource,
	...{ text: 'Hello.', title: 'Anna', voice: resource === 'voice' ? 'voice_1' : 'default' },
	...{ returnAll: true, prompt: 'A boat' },
	messages: { values: [{ role: 'user', content: 'Hello.' }] },
});

export const ASKED: Asked[] = ROWS.map(([name, target, operation, more]) => {
	const [resource, what] = operation.split('.');
	return { name, target, parameters: { ...given(resource), resource, operation: what }, ...more };
});
