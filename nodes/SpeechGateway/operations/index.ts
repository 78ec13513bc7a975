import type { Operation } from '../run/operation';
import { join as joinAudio } from './audio/join';
import { complete as completeChat } from './chat/complete';
import { getMany as getModels } from './model/getMany';
import { dialogue } from './speech/dialogue';
import { estimate } from './speech/estimate';
import { generate } from './speech/generate';
import { speechJobOperations } from './speechJob';
import { videoOperations } from './video';
import { create as createVoice } from './voice/create';
import { deleteVoice } from './voice/delete';
import { getMany as getVoices } from './voice/getMany';

/** Everything a user can click. The dropdowns, the fields and the branches are derived from this list. */
export const operations: Operation[] = [
	generate,
	dialogue,
	estimate,
	...speechJobOperations,
	createVoice,
	deleteVoice,
	getVoices,
	completeChat,
	joinAudio,
	...videoOperations,
	getModels,
];

export const resources = [
	{ value: 'speech', name: 'Speech', defaultOperation: 'generate' },
	{ value: 'speechJob', name: 'Speech Job', defaultOperation: 'createAndWait' },
	{ value: 'voice', name: 'Voice', defaultOperation: 'create' },
	{ value: 'chat', name: 'Chat', defaultOperation: 'complete' },
	{ value: 'audio', name: 'Audio', defaultOperation: 'join' },
	{ value: 'video', name: 'Video', defaultOperation: 'createAndWait' },
	{ value: 'model', name: 'Model', defaultOperation: 'getMany' },
];

export function findOperation(resource: string, operation: string): Operation | undefined {
	return operations.find((known) => known.resource === resource && known.operation === operation);
}
