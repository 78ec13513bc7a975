/** One request of a narration: spoken at once or as a job, and never paid for twice. */
import type { IDataObject } from 'n8n-workflow';
import type { AudioFormat } from '../audio';
import { asError, GatewayError, RequestCutError } from '../core/errors';
import { DEFAULT_WAIT } from '../fields/wait';
import { isStoredAudio, storeAudio, type StoredAudio } from '../files/storeAudio';
import { endpoints } from '../gateway/endpoints';
import type { ItemRequests } from '../requests/itemRequests';
import type { SentSegment } from '../requests/records';
import { requestKey, requestName } from '../requests/requestKey';
import { spendExtra } from '../requests/session';
import { fetchFile, submitTask } from '../tasks/task';
import { countCharacters } from '../text/characters';
import { waitForTask } from '../tasks/wait';
import type { NarrationInput, Plan } from './plan';
import { estimateOf, MAX_AUDIO_BYTES, maxAudioBytes, requestTokens } from './price';
import { canBeSplit, isTooLong, learn } from './shorter';

/** A plan that is being spoken, and the requests of its segments in order: one for each, even if it is not sent. */
export interface Narration {
	item: ItemRequests;
	input: NarrationInput;
	plan: Plan;
	requests: SpeechRequest[];
}

/** One request body of speech and where its audio goes. */
export interface SpeechRequest {
	body: IDataObject;
	/** What the ledger keeps of it, to find the segment in a changed text. */
	segment: SentSegment;
	fileName: string;
}

const wordsOfRequest = ({ body }: Pick<SpeechRequest, 'body'>): string => String(body.input);

/** What messages about a request name. */
const subjectOf = ({ model, voice }: IDataObject) => ({
	model: String(model),
	voice: typeof voice === 'string' ? voice : undefined,
});

/** The name of a request in the ledger, sent as it is or as a job. Both may be there: the request that was cut, and its job. */
const nameAs = (kind: 'speech' | 'job', { body, segment }: SpeechRequest): string =>
	requestName(requestKey(kind, body), segment);

/** Whether a request went on as a job, or was one from the start: jobs are charged by their characters. */
export const isSpokenAsJob = (item: ItemRequests, request: SpeechRequest): boolean =>
	item.ledger.entry(nameAs('job', request)) !== undefined;

/**
 * The stored audio of a request that is done, spoken synchronously or as a job; undefined: it is still to be fetched or
 * sent.
 */
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

/**
 * Speaks a segment; billed. When the gateway cuts it (524, not charged), this throws RequestCutError, and what is long
 * enough to be split goes again as shorter segments (`shorter.ts`). With `longText` = `auto`, what is too short goes on
 * as a job instead, unless the job's price would pass the spending limit.
 */
export async function speak(narration: Narration, request: SpeechRequest): Promise<StoredAudio> {
	const { item, input } = narration;
	if (input.longText === 'job') return await speakAsJob(narration, request);
	const { body, segment, fileName } = request;
	const text = wordsOfRequest(request);
	const estimate = estimateOf(input, text);
	const maxBytes = maxAudioBytes(text, input.speed);
	const characters = countCharacters(text);
	const isSplittable = canBeSplit(input, text);
	const becomesJob = input.longText === 'auto' && !isSplittable;
	try {
		return await item.billed({
			endpoint: endpoints.speech,
			input: body,
			segment,
			about: subjectOf(body),
			// Where neither helps, a cut is the end of the item.
			text:
				isSplittable || becomesJob
					? {
							characters,
							isTooLong: () => isSplittable && isTooLong(item, characters),
							wasCut: () => void (isSplittable && learn(item.session, characters)),
						}
					: undefined,
			price: {
				estimate: estimate.estimatedTokens,
				of: ({ info: { seconds } }) =>
					seconds === undefined ? undefined : requestTokens(text, seconds, input.modelMultiplier),
			},
			read: async (response) =>
				await storeAudio(item, response, input.responseFormat, fileName, {
					maxBytes,
					keepDamaged: true,
				}),
		});
	} catch (error) {
		if (!(error instanceof RequestCutError) || !becomesJob) throw asError(error);
	}
	// A job is charged by its characters, which may be more than the audio of this request would cost.
	const extraTokens = Math.max(0, estimate.estimatedTokensAsJob - estimate.estimatedTokens);
	const isNew = !isSpokenAsJob(item, request);
	const beyond = isNew ? spendExtra(item.session, extraTokens) : 0;
	if (beyond > 0) throw tooDear(beyond);
	try {
		return await speakAsJob(narration, request);
	} catch (error) {
		throw withoutJobs(asError(error));
	}
}

/** The error of a request that was cut, at a gateway without jobs (404): what else helps. Any other error stays as it is. */
function withoutJobs(error: Error): Error {
	if (!(error instanceof GatewayError)) return error;
	const { httpCode, jobId } = error.details;
	if (httpCode !== '404' || jobId !== undefined) return error;
	return new GatewayError(
		'The gateway cut the request after about 100 seconds (524), and has no speech jobs (404)',
		'Set "Long Text" to "Split" and lower "Max Segment Characters". The request was not charged, by the gateway\'s API document.',
		error.details,
	);
}

/** A request that was cut, and whose job would cost more than the spending limit has left. */
const tooDear = (tokens: number) =>
	new GatewayError(
		`As a job, the text would pass "Spending Limit (Tokens)" by ${tokens} tokens`,
		'The gateway cut the request after about 100 seconds (524) and did not charge it; the job was not submitted. Raise the limit, or lower "Max Segment Characters".',
	);

/** Submits a job, as `submitTask` does. Its price is exact before it is sent: it follows from the characters. */
export const submitJob = async (
	item: ItemRequests,
	modelMultiplier: number | undefined,
	{ body, segment }: Pick<SpeechRequest, 'body'> & Partial<SpeechRequest>,
): Promise<IDataObject & { id: string }> =>
	await submitTask(item, 'job', {
		input: body,
		segment,
		about: subjectOf(body),
		price: {
			estimate: estimateOf({ modelMultiplier }, wordsOfRequest({ body })).estimatedTokensAsJob,
			isExact: true,
		},
	});

/**
 * Submits a job, waits for it and downloads its audio. When Max Wait is reached, this throws; a retry goes on with the
 * same job, as it is paid for.
 */
async function speakAsJob(
	{ item, input }: Narration,
	request: SpeechRequest,
): Promise<StoredAudio> {
	const name = nameAs('job', request);
	const resumed = item.ledger.entry(name) !== undefined;
	const said = await submitJob(item, input.modelMultiplier, request);
	const task = { kind: 'job', id: said.id } as const;
	await waitForTask(item, task, DEFAULT_WAIT, { said, resumed });
	const maxBytes = maxAudioBytes(wordsOfRequest(request), input.speed);
	const { fileName } = request;
	const audio = await downloadAudio(item, task.id, input.responseFormat, fileName, maxBytes);
	// Where another segment fails, a retry need not fetch it again.
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
	return await fetchFile(
		item,
		{ kind: 'job', id },
		async (response) => await storeAudio(item, response, format, fileName, { maxBytes }),
	);
}
