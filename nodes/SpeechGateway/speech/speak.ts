import type { IDataObject } from 'n8n-workflow';
import type { AudioFormat } from '../audio';
import { MAX_AUDIO_BYTES, maxAudioBytes } from './maxBytes';
import { asError, GatewayError, RequestCutError } from '../core/errors';
import { endpoints } from '../gateway/endpoints';
import { fetchFile } from '../files/store';
import { isStoredAudio, storeAudio, type StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import type { SentPart } from '../requests/records';
import { requestKey, requestName } from '../requests/requestKey';
import { spendExtra } from '../requests/session';
import { fileRequest, submitTask, withTaskId } from '../tasks/task';
import { estimateOf, requestTokens } from './price';
import type { WaitSettings } from '../fields/wait';
import { waitForTask } from '../tasks/wait';

/** One request body of speech and where its audio goes. */
export interface SpeechRequest {
	body: IDataObject;
	/** Which of several equal requests of the item it is, from 1. */
	number: number;
	part: SentPart;
	modelMultiplier?: number;
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
const boundOf = (body: IDataObject): number => maxAudioBytes(String(body.input), speedOf(body));

const speedOf = ({ speed }: IDataObject) => (typeof speed === 'number' ? speed : undefined);

/** What messages about a request name. */
const subjectOf = ({ model, voice }: IDataObject) => ({
	model: String(model),
	voice: typeof voice === 'string' ? voice : undefined,
});

/** The name of a request in the ledger, sent as it is or as a job. */
const nameAs = (kind: 'speech' | 'job', { body, number, part }: SpeechRequest): string =>
	requestName(requestKey(kind, body), number, part.take);

/** Whether it was sent before, or cut: what has become of it is on record. */
export const isOnRecord = ({ ledger }: ItemRequests, request: SpeechRequest): boolean =>
	ledger.has(nameAs('speech', request));

/** Whether a request went on as a job, or was one from the start: those are charged by their characters. */
export const isSpokenAsJob = (item: ItemRequests, request: SpeechRequest): boolean =>
	item.ledger.has(nameAs('job', request));

/** The audio of a request that is done, spoken synchronously or as a job. */
export function keptAudio(
	{ ledger }: ItemRequests,
	request: SpeechRequest,
): StoredAudio | undefined {
	const spoken = ledger.entry(nameAs('speech', request));
	if (spoken?.state === 'done' && isStoredAudio(spoken.value)) return spoken.value;
	const job = ledger.entry(nameAs('job', request));
	if (job?.state === 'done' && job.made && isStoredAudio(job.made)) return job.made;
	return undefined;
}

/** Speaks synchronously. Billed. With `asJob`, a request that the gateway cuts (524) goes on as a job. */
export async function speak(
	item: ItemRequests,
	request: SpeechRequest,
	asJob?: AsJob,
): Promise<StoredAudio> {
	const { body, number, part, modelMultiplier, format, fileName } = request;
	const text = String(body.input);
	try {
		return await item.billed({
			endpoint: endpoints.speech,
			input: body,
			number,
			part,
			about: subjectOf(body),
			fallsBackOn524: asJob !== undefined,
			price: {
				estimate: estimateOf({ speed: speedOf(body), modelMultiplier }, text).estimatedTokens,
				of: ({ info: { seconds } }) =>
					seconds === undefined ? undefined : requestTokens(text, seconds, modelMultiplier),
			},
			isResult: isStoredAudio,
			read: async (response) =>
				await storeAudio(item, response, format, fileName, {
					maxBytes: boundOf(body),
					keepDamaged: true,
				}),
		});
	} catch (error) {
		if (!(error instanceof RequestCutError) || !asJob) throw asError(error);
		const { extraTokens, tokensToSpare } = asJob;
		const isNew = !isSpokenAsJob(item, request);
		const beyond = isNew ? spendExtra(item.session, extraTokens, tokensToSpare) : 0;
		if (beyond > 0) throw tooDear(beyond);
		try {
			return await speakAsJob(item, request, asJob.wait);
		} catch (asJobError) {
			throw withoutJobs(asError(asJobError));
		}
	}
}

/** A gateway without jobs: the error of the request that was cut, with what else helps. */
function withoutJobs(error: Error): Error {
	if (!(error instanceof GatewayError)) return error;
	const { httpCode, jobId } = error.details;
	if (httpCode !== '404' || jobId !== undefined) return error;
	return new GatewayError(
		'The gateway cut the request after about 100 seconds (524), and has no speech jobs (404)',
		'Set "Long Text" to "Split" and lower "Max Segment Characters". The request was not charged, according to the gateway.',
		error.details,
	);
}

/** A job is charged by its characters, which may be more than the audio of a synchronous request would cost. */
const tooDear = (tokens: number) =>
	new GatewayError(
		`As a job, the text would pass "Spending Limit (Tokens)" by ${tokens} tokens`,
		'The gateway cut the request after about 100 seconds (524) and did not charge it; the job was not submitted. Raise the limit, or lower "Max Segment Characters".',
	);

/** Submits a job, as `submitTask` does. */
export const submitJob = async (
	item: ItemRequests,
	request: Pick<SpeechRequest, 'body'> & Partial<SpeechRequest>,
): Promise<IDataObject & { id: string }> =>
	await submitTask(item, 'job', {
		input: request.body,
		number: request.number,
		part: request.part,
		about: subjectOf(request.body),
		price: {
			estimate: estimateOf(request, String(request.body.input)).estimatedTokensAsJob,
			isExact: true,
		},
	});

/** Submits, waits and downloads; `maxWait` reached is always an error here, and a retry goes on with the same job. */
export async function speakAsJob(
	item: ItemRequests,
	request: SpeechRequest,
	wait: WaitSettings,
): Promise<StoredAudio> {
	const { body, format, fileName } = request;
	const name = nameAs('job', request);
	const resumed = item.ledger.has(name);
	const known = await submitJob(item, request);
	const task = { thing: 'job', id: known.id } as const;
	await waitForTask(item, task, { ...wait, whenMaxWaitReached: 'fail' }, { known, resumed });
	// While other jobs of the item are still being waited for, this may be called again: the file is fetched once.
	const audio = await withTaskId(
		item,
		task,
		async () => await downloadAudio(item, task.id, format, fileName, boundOf(body)),
	);
	item.ledger.keep(name, audio);
	return audio;
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
	return await fetchFile(item, {
		...fileRequest(item, task),
		read: async (response) => await storeAudio(item, response, format, fileName, { maxBytes }),
	});
}
