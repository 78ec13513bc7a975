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

const messages = { values: [{ role: 'user', content: 'Hello.' }] };
const speech = { model: 'fish-speech', text: 'Hello.' };
const chat = {
	resource: 'chat',
	operation: 'complete',
	model: 'chat',
	messages,
};
const wait = { pollInterval: 1, maxWait: 1 };
const recording = {
	data: {
		data: Buffer.from('RIFF').toString('base64'),
		mimeType: 'audio/wav',
		fileName: 'me.wav',
	},
};

export const ASKED: Asked[] = [
	{
		name: 'speech',
		target: /^POST \/v1\/audio\/speech$/,
		parameters: { resource: 'speech', operation: 'generate', ...speech },
	},
	{
		name: 'job: create',
		target: /^POST \/v1\/audio\/speech\/jobs$/,
		parameters: { resource: 'speechJob', operation: 'create', ...speech },
	},
	{
		name: 'job: poll',
		target: /^GET \/v1\/audio\/speech\/jobs\/[^/]+$|login/,
		parameters: {
			resource: 'speechJob',
			operation: 'createAndWait',
			...speech,
		},
		options: wait,
		id: JOB_ID,
	},
	{
		name: 'job: audio',
		target: /^GET .*\/content$|login/,
		parameters: {
			resource: 'speechJob',
			operation: 'createAndWait',
			...speech,
		},
		options: wait,
		id: JOB_ID,
	},
	{
		name: 'voice: create',
		target: /^POST \/v1\/audio\/voices$/,
		parameters: {
			resource: 'voice',
			operation: 'create',
			model: 'fish-speech',
			title: 'Anna',
		},
		binary: recording,
	},
	{
		name: 'voice: list',
		target: /^GET \/v1\/audio\/voices|login/,
		parameters: {
			resource: 'voice',
			operation: 'getMany',
			model: 'fish-speech',
			returnAll: true,
		},
	},
	{
		name: 'voice: delete',
		target: /^DELETE |login/,
		parameters: {
			resource: 'voice',
			operation: 'delete',
			model: 'fish-speech',
			voice: 'voice_1',
		},
	},
	{ name: 'chat', target: /^POST \/v1\/chat/, parameters: chat },
	{
		name: 'chat, streamed',
		target: /^POST \/v1\/chat/,
		parameters: chat,
		options: { stream: true },
	},
	{
		name: 'models',
		target: /^GET \/v1\/models$|login/,
		parameters: { resource: 'model', operation: 'getMany', returnAll: true },
	},
	{
		name: 'video: create',
		target: /^POST \/v1\/videos$/,
		parameters: {
			resource: 'video',
			operation: 'create',
			model: 'video',
			prompt: 'A boat',
		},
	},
	{
		name: 'video: file',
		target: /^GET .*\/content$|login/,
		parameters: {
			resource: 'video',
			operation: 'createAndWait',
			model: 'video',
			prompt: 'A boat',
		},
		options: wait,
		id: VIDEO_ID,
	},
];
