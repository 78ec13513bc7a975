import type { OperationDescription } from '../fields/form';
import type { Capability } from '../gateway/models';
import { accountGetPrices } from './account/getPrices.form';
import { accountSettle } from './account/settle.form';
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
	accountGetPrices,
	accountSettle,
];

interface Resource {
	value: string;
	name: string;
	defaultOperation: string;
	/** What its models must be able to do: these come first in the list. */
	models: Capability;
}

export const resources: Resource[] = [
	{ value: 'speech', name: 'Speech', defaultOperation: 'generate', models: 'speech' },
	{ value: 'speechJob', name: 'Speech Job', defaultOperation: 'createAndWait', models: 'speech' },
	{ value: 'voice', name: 'Voice', defaultOperation: 'create', models: 'speech' },
	{ value: 'chat', name: 'Chat', defaultOperation: 'complete', models: 'chat' },
	{ value: 'audio', name: 'Audio', defaultOperation: 'join', models: 'other' },
	{ value: 'video', name: 'Video', defaultOperation: 'createAndWait', models: 'video' },
	{ value: 'model', name: 'Model', defaultOperation: 'getMany', models: 'other' },
	{ value: 'account', name: 'Account', defaultOperation: 'getPrices', models: 'other' },
];
