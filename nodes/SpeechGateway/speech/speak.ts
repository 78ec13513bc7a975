import type { IDataObject } from 'n8n-workflow';
import type { AudioFormat } from '../audio';
import { MAX_AUDIO_BYTES, maxAudioBytes } from './maxBytes';
import { asError, GatewayError, RequestCutError } from '../core/errors';
import { endpoints } from '../gateway/endpoints';
import { isStoredAudio, storeAudio, type StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import { contentOf, submitTask, withTaskId } from '../tasks/task';
import type { WaitSettings } from '../fields/wait';
import { waitForTask } from '../tasks/wait';

/** One request body of speech and where its audio goes. */
export interface SpeechRequest {
	/** Which request of the item it is, for the ledger. */
	name: string;
	body: IDataObject;
	format: AudioFormat;
	fileName: string;
}

/** How a request that the gateway cuts goes on as a job. */
export interface AsJob {
	wait: WaitSettings;
	/** What the job costs beyond the estimate for a synchronous request, and what may be spent on that in this run. */
	extraTokens: number;
	tokensToSpare?: number;
}

/** The most bytes that the audio of a request can have. */
const boundOf = ({ input, speed }: IDataObject): number =>
	maxAudioBytes(String(input), typeof speed === 'number' ? speed : undefined);

/** What messages about a request name. */
const subjectOf = ({ model, voice }: IDataObject) => ({
	model: String(model),
	voice: typeof voice === 'string' ? voice : undefined,
});

/** Whether a request is still to be sent, as it is or as a job. */
export const isToBeSent = (item: ItemRequests, name: string): boolean =>
	!item.ledger.isSettled(name) && !item.ledger.isSettled(jobName(name));

/** Whether a request went on as a job, or was one from the start: those are charged by their characters. */
export const isSpokenAsJob = (item: ItemRequests, name: string): boolean =>
	item.ledger.has(jobName(name));

/** The audio of a request that is done, spoken synchronously or as a job. */
export function keptAudio({ ledger }: ItemRequests, name: string): StoredAudio | undefined {
	const entries = [name, audioName(name)].map((known) => ledger.entry(known));
	for (const entry of entries)
		if (entry?.state === 'done' && isStoredAudio(entry.value)) return entry.value;
	return undefined;
}

/** Speaks synchronously. Billed. With `asJob`, a request that the gateway cuts (524) goes on as a job. */
export async function speak(
	item: ItemRequests,
	request: SpeechRequest,
	asJob?: AsJob,
): Promise<StoredAudio> {
	const { name, body, format, fileName } = request;
	try {
		return await item.billed({
			name,
			endpoint: endpoints.speech,
			input: body,
			about: subjectOf(body),
			fallsBackOn524: asJob !== undefined,
			isResult: isStoredAudio,
			read: async (response) =>
				await storeAudio(item, response, format, fileName, {
					maxBytes: boundOf(body),
					keepDamaged: true,
				}),
		});
	} catch (error) {
		if (!(error instanceof RequestCutError) || !asJob) throw asError(error);
		if (!item.ledger.has(jobName(name))) spendExtra(item, asJob);
		return await speakAsJob(item, request, asJob.wait);
	}
}

/** A job is charged by its characters, which may be more than the audio of a synchronous request would cost. */
function spendExtra(
	{ session }: ItemRequests,
	{ extraTokens, tokensToSpare = Infinity }: AsJob,
): void {
	if (session.extraTokens + extraTokens > tokensToSpare) {
		throw new GatewayError(
			`As a job, the text would pass "Spending Limit (Tokens)" by ${session.extraTokens + extraTokens - tokensToSpare} tokens`,
			'The gateway cut the request after about 100 seconds (524) and did not charge it; the job was not submitted. Raise the limit, or lower "Max Segment Characters".',
		);
	}
	session.extraTokens += extraTokens;
}

/** A job has a name of its own in the ledger, beside the request that was cut. */
const jobName = (name: string) => `${name} as job`;

const audioName = (name: string) => `${jobName(name)}, audio`;

/** Submits a job, as `submitTask` does. */
export const submitJob = async (
	item: ItemRequests,
	{ name, body }: Pick<SpeechRequest, 'name' | 'body'>,
): Promise<IDataObject & { id: string }> =>
	await submitTask(item, 'job', { name, input: body, about: subjectOf(body) });

/** Submits, waits and downloads; `maxWait` reached is always an error here, and a retry goes on with the same job. */
export async function speakAsJob(
	item: ItemRequests,
	request: SpeechRequest,
	wait: WaitSettings,
): Promise<StoredAudio> {
	const name = jobName(request.name);
	const resumed = item.ledger.has(name);
	const known = await submitJob(item, { ...request, name });
	const { id } = known;
	const task = { thing: 'job', id } as const;
	// While other jobs of the item are still being waited for, this may be called again: the file is fetched once.
	return await item.remember(audioName(request.name), isStoredAudio, async () => {
		const size = String(request.body.input).length;
		const first = { atOnce: resumed, heard: true, known, size };
		await waitForTask(item, task, { ...wait, whenMaxWaitReached: 'fail' }, first);
		return await withTaskId(
			item,
			task,
			async () =>
				await downloadAudio(item, id, request.format, request.fileName, boundOf(request.body)),
		);
	});
}

/** Fetches a finished job's audio; free, so a download that is cut short or damaged is fetched again. */
export async function downloadAudio(
	item: ItemRequests,
	id: string,
	format: AudioFormat,
	fileName: string,
	maxBytes = MAX_AUDIO_BYTES,
): Promise<StoredAudio> {
	const task = { thing: 'job', id } as const;
	return await item.free({
		endpoint: contentOf(task),
		read: async (response) => await storeAudio(item, response, format, fileName, { maxBytes }),
		about: task,
	});
}
