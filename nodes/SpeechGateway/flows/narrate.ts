import type { IDataObject } from 'n8n-workflow';
import { joinBlocker } from '../core/audio';
import {
	type AttachedFiles,
	GatewayError,
	NotStartedError,
	OutcomeUnknownError,
} from '../core/errors';
import type { StoredAudio } from './files/storeAudio';
import type { ItemRequests, RequestGroup } from '../run/requests/itemRequests';
import { errorText } from '../run/outputItems';
import { joinStored } from './files/joinStored';

/** A stretch of the text and how to speak it; offsets are UTF-16 units of the source. */
export interface NarrationPart {
	start: number;
	end: number;
	speak: (group: RequestGroup) => Promise<StoredAudio>;
}

export interface Narration {
	source: string;
	parts: NarrationPart[];
	fileName: string;
	pauseMilliseconds: number;
}

type PartResult =
	| { status: 'done'; audio: StoredAudio }
	| { status: 'unknown' | 'notSent'; error: unknown };

/**
 * Speaks all parts, concurrently within the run's limit, and joins them in order. After the first failure no further
 * part is started and those in flight are awaited. Nothing paid for is lost: what is done goes along with the error,
 * joined run by run, as does the text that remains.
 */
export async function narrate(
	item: ItemRequests,
	narration: Narration,
): Promise<StoredAudio & { starts: number[] }> {
	const { parts, fileName, pauseMilliseconds } = narration;
	const group: RequestGroup = { failed: false };
	const results = await Promise.all(
		parts.map(async ({ speak }): Promise<PartResult> => {
			try {
				return { status: 'done', audio: await speak(group) };
			} catch (error) {
				group.failed = true;
				// A job that was accepted is paid for, whatever became of it.
				const paid = error instanceof OutcomeUnknownError || jobIdOf(error);
				return { status: paid ? 'unknown' : 'notSent', error };
			}
		}),
	);
	item.session.transport.cancel?.throwIfAborted();
	if (group.failed) throw await firstError(item, narration, results);
	const audio = results.flatMap((result) => (result.status === 'done' ? [result.audio] : []));
	try {
		return await joinStored(item, audio, fileName, pauseMilliseconds);
	} catch (error) {
		throw notJoined(error, await describeRemains(item, narration, results));
	}
}

const notJoined = (error: unknown, { json, files }: Remains) =>
	new GatewayError(
		`The parts could not be joined: ${errorText(error).message}`,
		'They are attached, as far as they fit together.',
		json,
		files,
	);

/** The first failure that says something, an unknown one before all, with what is done and what remains. */
async function firstError(
	item: ItemRequests,
	narration: Narration,
	results: PartResult[],
): Promise<unknown> {
	const errors = results.flatMap((result) => (result.status === 'done' ? [] : [result.error]));
	const unknown = errors.find((error) => error instanceof OutcomeUnknownError);
	const first = unknown ?? errors.find((error) => !(error instanceof NotStartedError)) ?? errors[0];
	if (narration.parts.length === 1 || first instanceof NotStartedError) return first;
	const { json, files } = await describeRemains(item, narration, results);
	if (first instanceof OutcomeUnknownError) {
		return new OutcomeUnknownError(first.facts, json, { ...first.files, ...files });
	}
	const { message, description, details } = errorText(first);
	return new GatewayError(message, description, { ...details, ...json }, files);
}

interface Remains {
	json: IDataObject;
	files: AttachedFiles;
}

/** Runs of parts in order: what is done as one file each, what is not as text. */
async function describeRemains(
	item: ItemRequests,
	{ source, parts, fileName, pauseMilliseconds }: Narration,
	results: PartResult[],
): Promise<Remains> {
	const files: AttachedFiles = {};
	const remaining: string[] = [];
	const described: IDataObject[] = [];
	for (let from = 0, to = 0; from < results.length; from = to + 1) {
		const result = results[from];
		to = from;
		while (joins(results[to], results[to + 1])) to++;
		const run: IDataObject = { from: from + 1, to: to + 1, status: result.status };
		described.push(run);
		if (result.status !== 'done') {
			run.text = source.slice(parts[from].start, parts[to].end);
			const jobId = jobIdOf(result.error);
			if (jobId) run.jobId = jobId;
			remaining.push(run.text as string);
			continue;
		}
		run.binary = from === 0 ? 'completed' : `completed_${from + 1}`;
		const audio = results
			.slice(from, to + 1)
			.flatMap((result) => (result.status === 'done' ? [result.audio] : []));
		const name = `${fileName}-part-${from + 1}`;
		files[run.binary as string] = (await joinStored(item, audio, name, pauseMilliseconds)).binary;
	}
	const count = (status: PartResult['status']) =>
		results.filter((result) => result.status === status).length;
	const segments = { total: results.length, completed: count('done'), unknown: count('unknown') };
	return { json: { segments, parts: described, remainingText: remaining.join('\n') }, files };
}

const jobIdOf = (error: unknown): string | undefined => errorText(error).details.jobId;

/** Whether two neighbours belong to one run; files of different kinds cannot be joined. */
function joins(one: PartResult, next: PartResult | undefined): boolean {
	if (one.status === 'done' || next?.status === 'done') {
		return (
			one.status === 'done' &&
			next?.status === 'done' &&
			joinBlocker(one.audio.info, next.audio.info) === undefined
		);
	}
	return one.status === next?.status && !jobIdOf(one.error) && !jobIdOf(next.error);
}
