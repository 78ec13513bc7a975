import { taskEndpoints } from '../../gateway/endpoints';
import { textField } from '../../fields/kinds';
import { additionalBodyOption } from '../../fields/shared';
import { fileFields } from '../../fields/files';
import { modelField } from '../../fields/model';
import { describeTasks } from '../taskForms';

const fields = {
	model: modelField('The model that makes the video, from those your account can use'),
	prompt: textField({
		displayName: 'Prompt',
		name: 'prompt',
		typeOptions: { rows: 4 },
		placeholder: 'e.g. A paper boat sails down a rainy street, close up',
		description: 'What the video should show',
	}),
	additionalBody: additionalBodyOption(),
};

/** The resource Video. Fields that models differ in, such as size and length, go into "Additional Body Fields". */
export const video = describeTasks({
	resource: 'video',
	endpoints: taskEndpoints.video,
	price: 'one video per item. See the pricing page of the gateway.',
	words: {
		createAndWait: {
			action: 'Create video and wait for file',
			description:
				'Submit a prompt, wait until the video is ready, and download it. Charged when it is submitted.',
		},
		create: {
			action: 'Create video',
			description:
				'Submit a prompt and continue immediately. Fetch the video later with "Wait". Charged when it is submitted.',
		},
		get: { action: 'Get video', description: 'Get the status of a video. Free.' },
		wait: {
			action: 'Wait for video',
			description: 'Wait until a video is ready and download it. Free.',
		},
		download: {
			action: 'Download video',
			description: 'Download the file of a completed video. Free, as often as you like.',
		},
	},
	id: {
		displayName: 'Video ID',
		name: 'videoId',
		placeholder: 'e.g. video_0123456789',
		description: 'The ID of the video, as returned by "Create"',
	},
	fields: { create: fields, file: fileFields },
});
