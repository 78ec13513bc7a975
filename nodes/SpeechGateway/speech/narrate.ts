import { AsleepError, GatewayError, OutcomeUnknownError } from '../core/errors';
import { errorText } from '../run/errors';
import type { ItemRequests } from '../requests/itemRequests';
import { type JoinedFile, joinStored } from '../files/joinStored';
import type { StoredAudio } from '../files/storeAudio';
import { isDone, type Narration, type NarrationPart, type PartResult, seams } from './narration';
import { describeRemains, firstError, jobIdOf, type Remains } from './remains';

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
		const joined = await joinStored(item.session, audio, fileName, {
			...seams(narration, 0, parts.length),
			metadata: await narration.metadata?.(),
			recordOf: narration.recordOf,
		});
		return { ...joined, spoken: audio };
	} catch (error) {
		throw notJoined(error, await describeRemains(item, narration, results));
	}
}

/** A part has a result, or its job is being waited for asleep. */
type Progress = PartResult | { status: 'asleep'; error: AsleepError };

/** Throws AsleepError as long as jobs of parts are being waited for and no part has failed. */
async function speakAll(item: ItemRequests, parts: NarrationPart[]): Promise<PartResult[]> {
	const speakOne = async ({ speak }: NarrationPart): Promise<Progress> => {
		try {
			return { status: 'done', audio: await speak() };
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
				result.status === 'asleep' ? await speakOne(parts[index]) : result,
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

const notJoined = (error: unknown, { json, files }: Remains) =>
	new GatewayError(
		`The parts could not be joined: ${errorText(error).message}`,
		'All of them were paid for, and nothing is missing: each is a file of the error item, which there is with "On Error" set to "Continue (using error output)".',
		json,
		files,
	);
