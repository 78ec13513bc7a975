import { taskEndpoints } from '../gateway/endpoints';
import type { InputOf } from '../run/fields/field';
import { textField } from '../run/fields/kinds';
import { additionalBodyOption } from './fields/additionalBody';
import { fileFields } from './fields/files';
import { modelField } from './fields/model';
import { describeTasks } from './tasks';

const fields = {
	model: modelField('The model that makes the video. The list shows the models of your account.'),
	prompt: textField({
		displayName: 'Prompt',
		name: 'prompt',
		typeOptions: { rows: 4 },
		placeholder: 'e.g. A paper boat sails down a rainy street, close up',
		description: 'What the video shows',
	}),
	additionalBody: additionalBodyOption('The documentation of the model says which there are.'),
};

const videoFile = fileFields('video');

export const video = describeTasks<InputOf<typeof fields>, InputOf<typeof videoFile>>({
	resource: 'video',
	endpoints: taskEndpoints.video,
	words: {
		createAndWait: {
			action: 'Create video and wait for file',
			description: 'Submit a prompt, wait until the video is made, and download it',
		},
		create: {
			action: 'Create video',
			description: 'Submit a prompt and go on at once; fetch the video later with "Wait"',
		},
		get: {
			action: 'Get video',
			description: 'Look up the status of a video; free',
		},
		wait: {
			action: 'Wait for video',
			description: 'Wait until a video is completed and download it; free',
		},
		download: {
			action: 'Download video',
			description: 'Fetch the file of a completed video; free, as often as you like',
		},
	},
	id: {
		displayName: 'Video ID',
		name: 'videoId',
		placeholder: 'e.g. video_0123456789',
		description: 'The ID of a video, as "Create" returned it',
	},
	fields: { create: fields, createAndWait: { ...fields, ...videoFile }, file: videoFile },
});
