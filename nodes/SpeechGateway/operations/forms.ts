import type { OperationDescription } from '../fields/form';
import type { Capability } from '../gateway/models';
import { account } from './account/account.form';
import { audio } from './audio/audio.form';
import { chat } from './chat/chat.form';
import { model } from './model/model.form';
import { speech } from './speech/speech.form';
import { speechJob } from './speechJob/speechJob.form';
import { video } from './video/video.form';
import { voice } from './voice/voice.form';

interface Resource {
	value: string;
	name: string;
	operations: Record<string, OperationDescription>;
	/** What its models must be able to do: these come first in the list. */
	models: Capability;
}

/** What the dropdown "Resource" offers, in its order. */
export const resources: Resource[] = [
	{ value: 'speech', name: 'Speech', operations: speech, models: 'speech' },
	{ value: 'speechJob', name: 'Speech Job', operations: speechJob, models: 'speech' },
	{ value: 'voice', name: 'Voice', operations: voice, models: 'speech' },
	{ value: 'chat', name: 'Chat', operations: chat, models: 'chat' },
	{ value: 'audio', name: 'Audio', operations: audio, models: 'other' },
	{ value: 'video', name: 'Video', operations: video, models: 'video' },
	{ value: 'model', name: 'Model', operations: model, models: 'other' },
	{ value: 'account', name: 'Account', operations: account, models: 'other' },
];

/** Everything a user can click. The fields and the branches are derived from this list. */
export const descriptions: OperationDescription[] = resources.flatMap(({ operations }) =>
	Object.values(operations),
);
