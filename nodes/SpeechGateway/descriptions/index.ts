import type { OperationDescription } from '../run/description';
import { audioJoin } from './audio';
import { chatComplete } from './chat';
import { modelGetMany } from './model';
import { speechEstimate, speechDialogue, speechGenerate } from './speech';
import { speechJob } from './speechJob';
import { video } from './video';
import { voiceCreate, voiceDelete, voiceGetMany } from './voice';

/** Everything a user can click. The dropdowns, the fields and the branches are derived from this list. */
export const descriptions: OperationDescription[] = [
	speechGenerate,
	speechDialogue,
	speechEstimate,
	...Object.values(speechJob),
	voiceCreate,
	voiceDelete,
	voiceGetMany,
	chatComplete,
	audioJoin,
	...Object.values(video),
	modelGetMany,
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
