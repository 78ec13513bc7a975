import { describeOperation } from '../run/description';
import type { InputOf } from '../run/fields/field';
import { choiceField, fileField, flagOption, textOption } from '../run/fields/kinds';
import { fileNameOption } from './fields/files';
import { pauseOption } from './fields/pause';
import { podcastFields } from './fields/podcast';

const fields = {
	binaryPropertyName: fileField({
		hint: 'The name of the field with the audio; several names, separated by commas, are joined in this order',
		description: 'The binary fields of the incoming items that hold the audio',
	}),
	combine: choiceField({
		displayName: 'Combine',
		name: 'combine',
		default: 'allItems',
		description: 'What becomes one file',
		choices: {
			allItems: { name: 'All Items', description: 'The audio of all items becomes one file' },
			eachItem: { name: 'Each Item', description: 'The fields of each item become one file' },
		},
	}),
	pauseBetween: pauseOption({
		displayName: 'Pause Between',
		name: 'pauseBetween',
		description: 'Silence between the files',
	}),
	trimSilence: flagOption({
		displayName: 'Trim Silence',
		name: 'trimSilence',
		default: false,
		description:
			'Whether to cut down silence at the start and the end of each file, to about 0.12 seconds',
	}),
	timings: flagOption({
		displayName: 'Timings',
		name: 'timings',
		default: false,
		description:
			'Whether to list the files with the seconds at which they start and end, in the field "parts"',
	}),
	fileName: fileNameOption('e.g. episode-1'),
	outputBinaryPropertyName: textOption({
		displayName: 'Output Binary Field',
		name: 'outputBinaryPropertyName',
		default: 'data',
		description: 'The field of the output item that holds the file',
	}),
	...podcastFields({
		name: 'One per File',
		description:
			'Named by the field "title" of the item where there is one, else by the name of the file',
	}),
};

export type JoinValues = InputOf<typeof fields>;

export const audioJoin = describeOperation({
	resource: 'audio',
	operation: 'join',
	name: 'Join',
	action: 'Join audio files',
	description:
		'Join audio files of one format into one, with pauses, chapters and tags; costs nothing',
	sends: [],
	input: fields,
});
