import type { OperationDescription } from '../fields/form';
import { audioJoin } from './audio/join.form';
import { chatComplete } from './chat/complete.form';
import { modelGetMany } from './model/getMany.form';
import { speechDialogue } from './speech/dialogue.form';
import { speechEstimate } from './speech/estimate.form';
import { speechGenerate } from './speech/generate.form';
import { speechJob } from './speechJob/speechJob.form';
import { video } from './video/video.form';
import { voiceCreate } from './voice/create.form';
import { voiceDelete } from './voice/delete.form';
import { voiceGetMany } from './voice/getMany.form';

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
