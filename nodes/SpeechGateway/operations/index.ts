import type { Operation } from '../requests/operation';
import { getPrices, settle } from './account/account';
import { join as joinAudio } from './audio/join';
import { complete as completeChat } from './chat/complete';
import { getMany as getModels } from './model/getMany';
import { dialogue } from './speech/dialogue';
import { estimate, generate } from './speech/generate';
import { speechJobOperations } from './speechJob/speechJob';
import { videoOperations } from './video/video';
import { voiceOperations } from './voice/voice';

/**
 * Everything the node can do; `forms.ts` has what users see of it. Loaded by the first run of the node, not when n8n
 * starts. A form without a row here ends in "There is no operation …"; a test compares the two.
 */
export const operations: Operation[] = [
	generate,
	dialogue,
	estimate,
	...speechJobOperations,
	...voiceOperations,
	completeChat,
	joinAudio,
	...videoOperations,
	getModels,
	getPrices,
	settle,
];
