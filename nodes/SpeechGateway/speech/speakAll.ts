import { joinBlocker } from '../audio';
import { AsleepError, OutcomeUnknownError } from '../core/errors';
import { errorText } from '../run/errors';
import type { ItemRequests } from '../requests/itemRequests';
import type { StoredAudio } from '../files/storeAudio';
import type { PlannedPart } from './plan';

/** What has become of one part. */
export type PartResult =
	| { status: 'done'; audio: StoredAudio }
	| { status: 'unknown' | 'notSent'; error: unknown };

export const asDone = (audio: StoredAudio): PartResult => ({ status: 'done', audio });

/** Whether there is audio of it, spoken or not. */
export const isDone = (result: PartResult): result is PartResult & { audio: StoredAudio } =>
	'audio' in result;

/** A part has a result, or its job is being waited for asleep. */
type Progress = PartResult | { status: 'asleep'; error: AsleepError };

/**
 * Speaks all parts but those that are `kept`, concurrently within the run's limit. After the first failure, or audio that cannot
 * be joined with the rest, no further part is started and those in flight are awaited. Throws AsleepError as long as jobs of
 * parts are being waited for and no part has failed.
 */
export async function speakAll(
	item: ItemRequests,
	parts: PlannedPart[],
	kept: (part: PlannedPart, index: number) => StoredAudio | undefined,
	speak: (part: PlannedPart, index: number) => Promise<StoredAudio>,
): Promise<PartResult[]> {
	let first: StoredAudio | undefined;
	const mustFit = (audio: StoredAudio) => {
		first ??= audio;
		if (parts.length > 1 && joinBlocker(first.info, audio.info)) item.fail();
		return audio;
	};
	const finished = parts.map(kept);
	for (const audio of finished) if (audio) mustFit(audio);
	const speakOne = async (part: PlannedPart, index: number): Promise<Progress> => {
		try {
			return { status: 'done', audio: finished[index] ?? mustFit(await speak(part, index)) };
		} catch (error) {
			if (error instanceof AsleepError) return { status: 'asleep', error };
			item.giveUp();
			// A job that was accepted is paid for, whatever became of it.
			const paid = error instanceof OutcomeUnknownError || jobIdOf(error);
			return { status: paid ? 'unknown' : 'notSent', error };
		}
	};
	let all = await Promise.all(parts.map(speakOne));
	if (all.some(({ status }) => status === 'unknown' || status === 'notSent')) {
		// After a sleep, what has not been sent would be sent. So the jobs that go on are waited for here.
		item.stayAwake();
		all = await Promise.all(
			all.map(async (result, index) =>
				result.status === 'asleep' ? await speakOne(parts[index], index) : result,
			),
		);
	}
	const asleep = all.flatMap((result) => (result.status === 'asleep' ? [result.error] : []));
	if (asleep.length === 0) return all.filter((result) => result.status !== 'asleep');
	throw new AsleepError(
		asleep.flatMap(({ tasks }) => tasks),
		Math.min(...asleep.map(({ wakeAt }) => wakeAt)),
	);
}

export function jobIdOf(error: unknown): string | undefined {
	const id =
		error instanceof OutcomeUnknownError ? error.details.jobId : errorText(error).details.jobId;
	return typeof id === 'string' ? id : undefined;
}
