import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { joinBlocker } from '../core/audio';
import {
	AsleepError,
	type AttachedFiles,
	GatewayError,
	NotStartedError,
	OutcomeUnknownError,
} from '../core/errors';
import { errorText } from '../run/errors';
import { completedField } from '../run/requests/itemLedger';
import type { ItemRequests } from '../run/requests/itemRequests';
import { type FileMetadata, type JoinedFile, joinStored } from './files/joinStored';
import type { StoredAudio } from './files/storeAudio';

/** One request of a narration. */
export interface NarrationPart {
	/** Silence behind it. */
	pauseAfterMs: number;
	speak: () => Promise<StoredAudio>;
}

export interface Narration {
	/** Silence before the first part. */
	pauseBeforeMs: number;
	parts: NarrationPart[];
	/** The words of the source for the parts from one index to another, both included. */
	wordsOf(from: number, to: number): string;
	fileName: string;
	trimSilence?: boolean;
	/** What the file is to say of itself; asked for once all is spoken. */
	metadata?: () => Promise<FileMetadata>;
}

type PartResult =
	| { status: 'done'; audio: StoredAudio }
	| { status: 'unknown' | 'notSent'; error: unknown };

/**
 * Speaks all parts, concurrently within the run's limit, and joins them in order. After the first failure no further
 * part is started and those in flight are awaited. Nothing paid for is lost: what is done goes along with the error,
 * joined run by run, as does the text that remains. `starts`: seconds; `spoken`: the parts one by one.
 */
export async function narrate(
	item: ItemRequests,
	narration: Narration,
): Promise<JoinedFile & { spoken: StoredAudio[] }> {
	const { parts, fileName } = narration;
	const results = await speakAll(item, parts);
	if (!results.every(isDone)) throw await firstError(item, narration, results);
	const audio = results.map((result) => result.audio);
	try {
		const joined = await joinStored(item, audio, fileName, {
			...seams(narration, 0, parts.length),
			metadata: await narration.metadata?.(),
		});
		return { ...joined, spoken: audio };
	} catch (error) {
		throw notJoined(error, await describeRemains(item, narration, results));
	}
}

/** How parts that follow each other are joined, from one index up to another. Pauses at a cut belong to what remains. */
function seams({ parts, pauseBeforeMs, trimSilence }: Narration, from: number, to: number) {
	const pauses = parts.slice(from, to).map(({ pauseAfterMs }) => pauseAfterMs);
	const last = pauses.pop();
	return {
		pauses: {
			before: from === 0 ? pauseBeforeMs : 0,
			between: pauses,
			after: to === parts.length ? last : 0,
		},
		trimSilence,
	};
}

/** Throws AsleepError as long as jobs of parts are being waited for and no part has failed. */
async function speakAll(item: ItemRequests, parts: NarrationPart[]): Promise<PartResult[]> {
	const speakOne = async ({ speak }: NarrationPart): Promise<PartResult | AsleepError> => {
		try {
			return { status: 'done', audio: await speak() };
		} catch (error) {
			if (error instanceof AsleepError) return error;
			item.giveUp();
			// A job that was accepted is paid for, whatever became of it.
			const paid = error instanceof OutcomeUnknownError || jobIdOf(error);
			return { status: paid ? 'unknown' : 'notSent', error };
		}
	};
	const results: PartResult[] = [];
	const asleep: AsleepError[] = [];
	let all = await Promise.all(parts.map(speakOne));
	if (all.some((result) => !(result instanceof AsleepError || isDone(result)))) {
		// After a sleep, what has not been sent would be sent. So the jobs that go on are waited for here.
		item.stayAwake();
		all = await Promise.all(
			all.map(async (result, index) =>
				result instanceof AsleepError ? await speakOne(parts[index]) : result,
			),
		);
	}
	for (const result of all) {
		if (result instanceof AsleepError) asleep.push(result);
		else results.push(result);
	}
	if (asleep.length === 0) return results;
	const [{ since, until }] = asleep;
	throw new AsleepError(
		asleep.flatMap(({ tasks }) => tasks),
		since,
		until,
	);
}

const isDone = (result: PartResult): result is PartResult & { status: 'done' } =>
	result.status === 'done';

const notJoined = (error: unknown, { json, files }: Remains) =>
	new GatewayError(
		`The parts could not be joined: ${errorText(error).message}`,
		'All of them were paid for, and nothing is missing: each is a file of the error item, which there is with "On Error" set to "Continue (using error output)".',
		json,
		files,
	);

/**
 * The first failure that says something, an unknown one before all, with what is done and what remains. When the run broke
 * off, that is an unknown one too, as soon as anything was paid for.
 */
async function firstError(
	item: ItemRequests,
	narration: Narration,
	results: PartResult[],
): Promise<unknown> {
	const errors = results.flatMap((result) => (isDone(result) ? [] : [result.error]));
	const unknown = errors.find((error) => error instanceof OutcomeUnknownError);
	const brokeOff = item.session.transport.cancel?.aborted ? item.ledger.interruption() : undefined;
	const first =
		unknown ?? brokeOff ?? errors.find((error) => !(error instanceof NotStartedError)) ?? errors[0];
	if (narration.parts.length === 1 || first instanceof NotStartedError) return first;
	const { json, files } = await describeRemains(item, narration, results);
	if (first instanceof OutcomeUnknownError) {
		return new OutcomeUnknownError(first.facts, { ...first.details, ...json }, files);
	}
	const { message, description, details } = errorText(first);
	return new GatewayError(message, description, { ...details, ...json }, files);
}

interface Remains {
	json: IDataObject;
	files: AttachedFiles;
}

/** Runs of parts in order: what is done as one file each, what is not as text, with whatever bytes came of it. */
async function describeRemains(
	item: ItemRequests,
	narration: Narration,
	results: PartResult[],
): Promise<Remains> {
	const { wordsOf, fileName } = narration;
	const files: AttachedFiles = {};
	const remaining: string[] = [];
	const described: IDataObject[] = [];
	const attach = (from: number, count: number, file: IBinaryData) => {
		const binary = completedField(from + 1);
		files[binary] = file;
		described.push({ from: from + 1, to: from + count, status: 'done', binary });
	};
	for (let from = 0, to = 0; from < results.length; from = to + 1) {
		const result = results[from];
		to = from;
		while (joins(results[to], results[to + 1])) to++;
		if (isDone(result)) {
			const run = results.slice(from, to + 1).filter(isDone);
			const audio = run.map((one) => one.audio);
			const name = `${fileName}-part-${from + 1}`;
			try {
				const how = seams(narration, from, from + run.length);
				attach(from, run.length, (await joinStored(item, audio, name, how)).binary);
			} catch {
				// What cannot be joined is handed over as it is stored; the first error is what counts.
				for (const [index, { binary }] of audio.entries()) attach(from + index, 1, binary);
			}
			continue;
		}
		const text = wordsOf(from, to);
		const jobId = jobIdOf(result.error);
		described.push({
			from: from + 1,
			to: to + 1,
			status: result.status,
			text,
			...(jobId && { jobId }),
		});
		remaining.push(text);
		for (const [index, one] of results.slice(from, to + 1).entries())
			Object.assign(files, receivedOf(one, from + index + 1));
	}
	const count = (status: PartResult['status']) =>
		results.filter((result) => result.status === status).length;
	const segments = { total: results.length, completed: count('done'), unknown: count('unknown') };
	return { json: { segments, parts: described, remainingText: remaining.join('\n') }, files };
}

/** The bytes of a segment that was paid for but came damaged, under a name of its own. */
function receivedOf(result: PartResult, segment: number): AttachedFiles {
	const error = isDone(result) ? undefined : result.error;
	const files = error instanceof OutcomeUnknownError ? error.files : {};
	return Object.fromEntries(
		Object.entries(files).map(([name, file]) => [`${name}_${segment}`, file]),
	);
}

function jobIdOf(error: unknown): string | undefined {
	const id =
		error instanceof OutcomeUnknownError ? error.details.jobId : errorText(error).details.jobId;
	return typeof id === 'string' ? id : undefined;
}

/** Whether two neighbours belong to one run; files of different kinds cannot be joined. */
function joins(one: PartResult, next: PartResult | undefined): boolean {
	if (!next) return false;
	if (isDone(one) || isDone(next))
		return isDone(one) && isDone(next) && !joinBlocker(one.audio.info, next.audio.info);
	return one.status === next.status && !jobIdOf(one.error) && !jobIdOf(next.error);
}
