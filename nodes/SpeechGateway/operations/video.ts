import { video } from '../descriptions/video';
import { storeVideo } from '../flows/files/storeVideo';
import { contentOf, readAccepted, rememberId, type Task } from '../flows/tasks';
import { endpoints } from '../gateway/endpoints';
import { taskOperations } from './tasks';

const videoTask = (id: string): Task => ({ thing: 'video', id });

export const videoOperations = taskOperations(video, {
	thing: 'video',
	about: ({ prompt }) => ({ input: prompt }),

	async submit(item, { model, prompt, additionalBody }) {
		const created = await item.billed({
			name: 'video',
			endpoint: endpoints.createVideo,
			input: { ...additionalBody, model, prompt },
			about: { model },
			read: readAccepted(item),
		});
		const id = String(created.id);
		rememberId(item, videoTask(id));
		return { ...created, id };
	},

	async save(item, id, { fileName, binaryPropertyName }, json) {
		const { binary, bytes } = await item.free(
			contentOf(videoTask(id)),
			async (reply) => await storeVideo(item, reply, fileName),
			videoTask(id),
		);
		return { json: { ...json, bytes }, binary: { [binaryPropertyName]: binary } };
	},
});
