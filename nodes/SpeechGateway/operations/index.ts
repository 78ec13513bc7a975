import type { Operation } from '../run/operation';
import { complete as completeChat } from './chat/complete';
import { getMany as getModels } from './model/getMany';
import { estimate } from './speech/estimate';
import { generate } from './speech/generate';
import { create as createJob } from './speechJob/create';
import { createAndWait as createJobAndWait } from './speechJob/createAndWait';
import { download as downloadJob } from './speechJob/download';
import { get as getJob } from './speechJob/get';
import { wait as waitForJob } from './speechJob/wait';
import { create as createVideo } from './video/create';
import { createAndWait as createVideoAndWait } from './video/createAndWait';
import { download as downloadVideo } from './video/download';
import { get as getVideo } from './video/get';
import { wait as waitForVideo } from './video/wait';
import { create as createVoice } from './voice/create';
import { deleteVoice } from './voice/delete';
import { getMany as getVoices } from './voice/getMany';

/** Everything a user can click. The dropdowns, the fields and the branches are derived from this list. */
export const operations = [
	generate,
	estimate,
	createJobAndWait,
	createJob,
	getJob,
	waitForJob,
	downloadJob,
	createVoice,
	deleteVoice,
	getVoices,
	completeChat,
	createVideoAndWait,
	createVideo,
	getVideo,
	waitForVideo,
	downloadVideo,
	getModels,
] as Array<Operation<unknown>>;

export const resources = [
	{ value: 'speech', name: 'Speech', defaultOperation: 'generate' },
	{ value: 'speechJob', name: 'Speech Job', defaultOperation: 'createAndWait' },
	{ value: 'voice', name: 'Voice', defaultOperation: 'create' },
	{ value: 'chat', name: 'Chat', defaultOperation: 'complete' },
	{ value: 'video', name: 'Video', defaultOperation: 'createAndWait' },
	{ value: 'model', name: 'Model', defaultOperation: 'getMany' },
];

export function findOperation(resource: string, operation: string): Operation | undefined {
	return operations.find((known) => known.resource === resource && known.operation === operation);
}
