import { defineOperation } from '../../run/operation';
import { checkBudget } from '../fields/speech';
import { whileWaitingForJobs } from '../fields/wait';
import type { InputOf } from '../../run/fields/field';
import { longTextFields, type LongTextInput, speechOf, withLength } from './longText';
import { tokensOf } from './parts';
import { sentBySpeakParts, speakParts, withNewTarget } from './speakParts';

/** Requests longer than this come near the gateway's limit of about 100 seconds. */
const NEAR_THE_LIMIT_CHARACTERS = 1310;

const fields = { ...longTextFields, whileWaiting: whileWaitingForJobs };

type Input = InputOf<typeof fields> & LongTextInput;

export const generate = defineOperation({
	resource: 'speech',
	operation: 'generate',
	name: 'Generate',
	action: 'Generate speech from text',
	description: 'Turn text of any length into an audio file; charged by the minute of audio',
	sends: sentBySpeakParts,
	input: fields,
	prepare: (given): Input => ({ ...withLength(given), whileWaiting: given.whileWaiting }),
	checkAll: (all) => checkBudget(all, (input) => tokensOf(input, speechOf(input))),
	describe: (input) => ({
		input: input.text,
		fileName: input.fileName,
		characters: input.characters,
		estimatedTokens: tokensOf(input, speechOf(input)),
	}),
	retryWith: withNewTarget,

	async execute(input, item) {
		if (input.longText === 'single' && input.characters > NEAR_THE_LIMIT_CHARACTERS) {
			item.session.hints.add(
				`Texts above ${NEAR_THE_LIMIT_CHARACTERS} characters come near the gateway's limit of about 100 seconds in a single request; "Long Text: Automatic" splits them.`,
			);
		}
		return await speakParts(item, input, speechOf(input), (voiceOf) => ({
			voice: voiceOf(input.voice),
		}));
	},
});
