import { describeResource } from '../../fields/form';
import type { InputOf } from '../../fields/field';
import { choiceField, fileField, textOption } from '../../fields/kinds';
import { fileNameOption } from '../../fields/files';
import { pauseOption } from '../../fields/shared';
import { chaptersOption, tagsOption } from '../../fields/podcast';

const fields = {
	binaryPropertyName: fileField({
		hint: 'The name of the input binary field with the audio. To join several, separate their names with commas.',
		description: 'The binary fields of the input items that contain the audio',
	}),
	combine: choiceField({
		displayName: 'Combine',
		name: 'combine',
		default: 'allItems',
		description: 'Which files to join into one',
		choices: {
			allItems: { name: 'All Items', description: 'Join the audio of all items into one file' },
			eachItem: {
				name: 'Each Item',
				description: 'Join the binary fields of each item into one file per item',
			},
		},
	}),
	pauseBetween: pauseOption({
		displayName: 'Pause Between Files',
		name: 'pauseBetween',
		description: 'Silence between the files',
	}),
	fileName: fileNameOption('e.g. episode-1'),
	outputBinaryPropertyName: textOption({
		displayName: 'Output Binary Field',
		name: 'outputBinaryPropertyName',
		default: 'data',
		description: 'The name of the output binary field to put the file in',
	}),
	chapters: chaptersOption<'files'>({
		headings: {
			name: 'One per File',
			description: 'Named after the field "title" of the item, or else the file',
		},
		files: {
			name: 'From the Files',
			description: 'The chapters that the files have; a file without any is one chapter',
		},
	}),
	tags: tagsOption,
};

/** The values of Audio → Join. */
export type JoinValues = InputOf<typeof fields>;

/** The resource Audio. It sends nothing, so it needs no credential and has no branch Unknown. */
export const audio = describeResource('audio', {
	join: {
		name: 'Join',
		action: 'Join audio files',
		description:
			'Join audio files of the same format into one, with pauses, chapters and tags. Free: nothing is sent.',
		sends: [],
		makesFile: true,
		input: fields,
	},
});
