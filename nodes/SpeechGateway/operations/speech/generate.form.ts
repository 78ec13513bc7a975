import type { InputOf } from '../../fields/field';
import { describeOperation } from '../../fields/form';
import { longTextFields } from '../../fields/longText';
import { whileWaitingForJobs } from '../../fields/wait';
import { speakingEndpoints, speakingPrice } from './speaking.form';

const fields = { ...longTextFields, whileWaiting: whileWaitingForJobs };

export type GenerateValues = InputOf<typeof fields>;

export const speechGenerate = describeOperation({
	resource: 'speech',
	operation: 'generate',
	name: 'Generate',
	action: 'Generate speech from text',
	description: 'Turn text of any length into an audio file. Charged per minute of audio.',
	sends: speakingEndpoints,
	price: speakingPrice,
	input: fields,
});
