import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { InputError } from '../../core/errors';
import { isRecord } from '../../core/explain';
import { endpoints } from '../../gateway/endpoints';
import { storeVideo } from '../../run/files';
import type { ItemRun } from '../../run/itemRun';
import { withoutErrorKey } from '../../run/items';
import {
	contentOf,
	readAccepted,
	rememberId,
	type WaitSettings,
	waitForTask,
} from '../../run/jobs';
import type { Outcome } from '../../run/operation';
import type { Parameters } from '../../run/parameters';
import { modelField } from '../fields';

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
	additionalBody: readAdditionalBody(parameters),
});

export function readAdditionalBody(parameters: Parameters): IDataObject {
	const value = parameters.jsonOption('additionalBody', 'Additional Body Fields') ?? {};
	if (!isRecord(value))
		throw new InputError('"Additional Body Fields" must be a JSON object, such as {"seconds": 8}');
	return value as IDataObject;
}

/** Submits a video; billed. Its id is on record before anything else happens. */
export async function submitVideo(
	item: ItemRun,
	{ model, prompt, additionalBody }: VideoInput,
): Promise<IDataObject & { id: string }> {
	const video = await item.billed({
		name: 'video',
		endpoint: endpoints.createVideo,
		input: { ...additionalBody, model, prompt },
		about: { model },
		read: readAccepted(item),
	});
	rememberId(item, { thing: 'video', id: String(video.id) });
	return { ...video, id: String(video.id) };
}

export const videoJson = (video: IDataObject): IDataObject => withoutErrorKey(video, 'videoError');

export async function waitAndDownload(
	item: ItemRun,
	id: string,
	target: VideoTarget,
	wait: WaitSettings,
	{ pollAtOnce, known }: { pollAtOnce: boolean; known: IDataObject },
): Promise<Outcome> {
	const { completed, body, waitedSeconds } = await waitForTask(
		item,
		{ thing: 'video', id },
		wait,
		pollAtOnce,
	);
	const json = videoJson({ ...known, ...body });
	if (!completed) return { branch: 'waiting', items: [{ json: { ...json, waitedSeconds } }] };
	return { branch: 'success', items: [await withVideo(item, id, target, json)] };
}

export async function withVideo(
	item: ItemRun,
	id: string,
	target: VideoTarget,
	json: IDataObject,
): Promise<INodeExecutionData> {
	const task = { thing: 'video', id } as const;
	const { binary, bytes } = await item.free(
		contentOf(task),
		async (reply) => await storeVideo(item, reply, target.fileName),
		task,
	);
	return { json: { ...json, bytes }, binary: { [target.binaryPropertyName]: binary } };
}
