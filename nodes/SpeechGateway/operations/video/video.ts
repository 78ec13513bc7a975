/**
 * Videos: `POST /v1/videos` with model, prompt and any more fields, charged when it is submitted; a spending limit
 * cannot know the price. The file is stored as it comes and labelled by its Content-Type; only an empty one, or a
 * message in its place, is refused.
 */
import { video } from './video.form';
import { storeVideo } from '../../files/storeVideo';
import { fetchFile, submitTask } from '../../tasks/task';
import { taskOperations } from '../taskOperations';

/** What the forms of `video.form.ts` do. */
export const videoOperations = taskOperations(video, {
	kind: 'video',
	stem: 'video',
	about: ({ prompt }) => ({ input: prompt }),

	async submit(item, { model, prompt, additionalBody }) {
		return await submitTask(item, 'video', {
			input: { ...additionalBody, model, prompt },
			about: { model },
		});
	},

	async save(item, id, { fileName, binaryPropertyName }, json) {
		const { binary, bytes } = await fetchFile(
			item,
			{ kind: 'video', id },
			async (response) => await storeVideo(item, response, fileName),
		);
		return { json: { ...json, bytes }, binary: { [binaryPropertyName]: binary } };
	},
});
