import type { IDataObject } from 'n8n-workflow';
import type { AudioFormat } from '../core/audio';
import { asError, RequestCutError } from '../core/errors';
import { endpoints } from '../gateway/endpoints';
import { storeAudio, type StoredAudio } from './files/storeAudio';
import type { ItemRequests, RequestGroup } from '../run/requests/itemRequests';
import {
	contentOf,
	readAccepted,
	rememberId,
	type WaitSettings,
	waitForTask,
	withTaskId,
} from './tasks';

/** One request body of speech and where its audio goes. */
export interface SpeechRequest {
	/** Which request of the item it is, for the ledger. */
	name: string;
	body: IDataObject;
	format: AudioFormat;
	fileName: string;
	/** All segments of one text. */
	group?: RequestGroup;
}

const asStored = (value: IDataObject) => value as unknown as StoredAudio;

/** Speaks synchronously. Billed. With `orAsJob`, a request that the gateway cuts (524) goes on as a job. */
export async function speak(
	item: ItemRequests,
	request: SpeechRequest,
	orAsJob?: WaitSettings,
): Promise<StoredAudio> {
	const { name, body, format, fileName, group } = request;
	try {
		const value = await item.billed({
			name,
			endpoint: endpoints.speech,
			input: body,
			about: { model: String(body.model), voice: body.voice as string | undefined },
			group,
			hasWayAroundCut: orAsJob !== undefined,
			read: async (reply) =>
				(await storeAudio(item, reply, format, fileName, true)) as unknown as IDataObject,
		});
		return asStored(value);
	} catch (error) {
		if (!(error instanceof RequestCutError) || !orAsJob) throw asError(error);
		return await speakAsJob(item, { ...request, name: `${name} as job` }, orAsJob);
	}
}

/** Submits a job: billed, up front. Returns the job's body; its id is on record before anything else happens. */
export async function submitJob(
	item: ItemRequests,
	{ name, body, group }: SpeechRequest,
): Promise<IDataObject & { id: string }> {
	const job = await item.billed({
		name,
		endpoint: endpoints.createJob,
		input: body,
		about: { model: String(body.model), voice: body.voice as string | undefined },
		group,
		read: readAccepted(item),
	});
	rememberId(item, { thing: 'job', id: String(job.id) });
	return { ...job, id: String(job.id) };
}

/** Submits, waits and downloads; `maxWait` reached is always an error here, and a retry goes on with the same job. */
export async function speakAsJob(
	item: ItemRequests,
	request: SpeechRequest,
	wait: WaitSettings,
): Promise<StoredAudio> {
	const resumed = item.record.requests[request.name] !== undefined;
	const { id } = await submitJob(item, request);
	const task = { thing: 'job', id } as const;
	const look = { atOnce: resumed, submitted: true };
	await waitForTask(item, task, { ...wait, whenMaxWaitReached: 'fail' }, look);
	return await withTaskId(
		item,
		task,
		async () => await downloadAudio(item, id, request.format, request.fileName),
	);
}

/** Fetches a finished job's audio; free, so a download that is cut short or damaged is fetched again. */
export async function downloadAudio(
	item: ItemRequests,
	id: string,
	format: AudioFormat,
	fileName: string,
): Promise<StoredAudio> {
	const task = { thing: 'job', id } as const;
	return await item.free(
		contentOf(task),
		async (reply) => await storeAudio(item, reply, format, fileName),
		task,
	);
}
