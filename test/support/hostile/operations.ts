import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { fitting } from '../../engine/form';
import type { Fault } from '../simulator';

/** A request of an operation that can be answered badly. */
export interface Asked {
	name: string;
	/** Which of its requests is answered badly. */
	target: Pick<Fault, 'method' | 'path'>;
	parameters: IDataObject;
	options?: IDataObject;
	binary?: IBinaryKeyData;
}

const data = Buffer.from('\0\0\0\x18ftypM4A ').toString('base64');
const binary = { data: { data, mimeType: 'audio/mp4', fileName: 'me.m4a' } };
const waits = { options: { pollInterval: 1, maxWait: 1 } };

type Row = [name: string, method: string, path: RegExp, operation: string, more?: Partial<Asked>];

const ROWS: Row[] = [
	['speech', 'POST', /\/speech$/, 'speech.generate'],
	['job: create', 'POST', /\/jobs$/, 'speechJob.create'],
	['job: poll', 'GET', /\/jobs\/[^/]+$|login/, 'speechJob.createAndWait', waits],
	['job: audio', 'GET', /\/content$|login/, 'speechJob.createAndWait', waits],
	['voice: create', 'POST', /\/voices$/, 'voice.create', { binary }],
	['voice: list', 'GET', /\/voices$|login/, 'voice.getMany'],
	['voice: delete', 'DELETE', /\/voices\/|login/, 'voice.delete'],
	['chat', 'POST', /\/chat\//, 'chat.complete'],
	['chat, streamed', 'POST', /\/chat\//, 'chat.complete', { options: { stream: true } }],
	['models', 'GET', /\/models$|login/, 'model.getMany'],
	['video: create', 'POST', /\/videos$/, 'video.create'],
	['video: file', 'GET', /\/content$|login/, 'video.createAndWait', waits],
];

/** What the operations ask for; each takes what it has a field for. */
const given = (resource: string): IDataObject => ({
	model: { chat: 'sim-chat', video: 'sim-video' }[resource] ?? 'fish-speech',
	text: 'Hello.',
	title: 'Anna',
	voice: resource === 'voice' ? 'anna' : 'default',
	returnAll: true,
	prompt: 'A boat',
	messages: { values: [{ role: 'user', content: 'Hello.' }] },
});

export const ASKED: Asked[] = ROWS.map(([name, method, path, of, more]) => {
	const [resource, operation] = of.split('.');
	const parameters = fitting(resource, operation, given(resource));
	return { name, target: { method, path }, parameters, ...more };
});
