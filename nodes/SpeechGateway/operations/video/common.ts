import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { endpoints } from '../../gateway/endpoints';
import { storeVideo } from '../../flows/files/storeVideo';
import type { ItemRequests } from '../../run/requests/itemRequests';
import { contentOf, readAccepted, rememberId } from '../../flows/tasks';
import type { Parameters } from '../../run/fields/parameters';
import { additionalBodyOption, modelField } from '../fields';

export interface VideoInput {
	model: string;
	prompt: string;
	additionalBody: IDataObject;
}

export interface VideoTarget {
	fileName: string;
	binaryPropertyName: string;
}

export const videoFields: INodeProperties[] = [
	modelField('The model that makes the video. The list shows the models of your account.'),
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'e.g. A paper boat sails down a rainy street, close up',
		description: 'What the video shows',
	},
];

export const videoIdField: INodeProperties = {
	displayName: 'Video ID',
	name: 'videoId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. video_0123456789',
	description: 'The ID of a video, as "Create" returned it',
};

export const readVideoInput = (parameters: Parameters): VideoInput => ({
	model: parameters.locator('model', 'Model'),
	prompt: parameters.text('prompt', 'Prompt'),
	additionalBody: parameters.objectOption('additionalBody', additionalBodyOption.displayName),
});

/** Submits a video; billed. Its id is on record before anything else happens. */
export async function submitVideo(
	item: ItemRequests,
	{ model, prompt, additionalBody }: VideoInput,
): Promise<IDataObject & { id: string }> {
	const created = await item.billed({
		name: 'video',
		endpoint: endpoints.createVideo,
		input: { ...additionalBody, model, prompt },
		about: { model },
		read: readAccepted(item),
	});
	const id = String(created.id);
	rememberId(item, video(id));
	return { ...created, id };
}

export const video = (id: string) => ({ thing: 'video', id }) as const;

/** Downloads a finished video into the item. */
export async function withVideo(
	item: ItemRequests,
	id: string,
	target: VideoTarget,
	json: IDataObject,
): Promise<INodeExecutionData> {
	const task = video(id);
	const { binary, bytes } = await item.free(
		contentOf(task),
		async (reply) => await storeVideo(item, reply, target.fileName),
		task,
	);
	return { json: { ...json, bytes }, binary: { [target.binaryPropertyName]: binary } };
}
