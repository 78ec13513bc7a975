import { video } from './video.form';
import { storeVideo } from '../../files/storeVideo';
import { fetchFile, submitTask } from '../../tasks/task';
import { taskOperations } from '../taskOperations';

export const videoOperations = taskOperations(video, {
	kind: 'video',
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
