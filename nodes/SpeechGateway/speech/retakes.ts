/** Parts that are too short or fall silent are spoken again, if that is wanted; of each, one take is kept. */
import { joinBlocker } from '../audio';
import { OutcomeUnknownError } from '../core/errors';
import type { StoredAudio } from '../files/storeAudio';
import { spendExtra } from '../requests/session';
import { errorText } from '../run/errors';
import { toneTags, withoutTags } from '../text/toneTags';
import { pausesOf } from './heard';
import { judgeOf, type SpokenSegment } from './oddSegments';
import type { PlannedPart } from './plan';
import { estimateOf } from './price';
import { unknownTake } from './remains';
import { isOnRecord, isSpokenAsJob, type Narration, speak, type SpeechRequest } from './speak';

/** By the index of their part. */
export interface Takes {
	all: StoredAudio[][];
	kept: StoredAudio[];
}

const soundOf = ({ info }: StoredAudio) => ({
	seconds: info.seconds ?? NaN,
	pauses: pausesOf(info),
	beginsAnewAt: info.format === 'mp3' ? info.beginsAnewAt : undefined,
});

/** What there is to judge of spoken parts. */
export const soundsOf = (parts: PlannedPart[], spoken: StoredAudio[]): SpokenSegment[] =>
	parts.map(({ text }, index) => ({
		text: withoutTags(text, toneTags(text)),
		...soundOf(spoken[index]),
	}));

/**
 * Speaks odd parts again, each time as a request of its own: none after an unknown outcome, and none that the spending limit has no
 * room for. Parts of previous versions, which are not to be paid for again, and jobs stay as they are. Throws OutcomeUnknownError
 * with all parts when a take may have been charged; where one was not made, the file is made of what there is.
 */
export async function retakeOdd(
	narration: Narration,
	first: StoredAudio[],
	wanted: number,
): Promise<Takes> {
	const { item, plan, requests } = narration;
	const { parts } = plan;
	const most = item.ledger.hasUnknown ? 0 : wanted;
	const judge = judgeOf(soundsOf(parts, first));
	const oddAs = (index: number, take = first[index]) => judge(index, soundOf(take));
	const failures: Array<{ index: number; take: number; error: unknown }> = [];
	const takesOf = async (index: number): Promise<StoredAudio[]> => {
		const takes = [first[index]];
		if (parts[index].reused || isSpokenAsJob(item, requests[index])) return takes;
		for (let take = 2; ; take++) {
			const request = takeOf(requests[index], take);
			// A take on record is asked for whatever the settings are now: nothing is sent, and an unknown one throws again.
			const isWanted = take <= most + 1 && oddAs(index, takes.at(-1))?.isWorthRetaking;
			if (!isWanted && !isOnRecord(item, request)) return takes;
			try {
				takes.push(await speakTake(narration, request));
			} catch (error) {
				failures.push({ index, take, error });
				return takes;
			}
		}
	};
	const all = await Promise.all(first.map(async (_, index) => await takesOf(index)));
	const kept = all.map((takes, index) => {
		if (takes.length === 1) return takes[0];
		const usual = oddAs(index)?.usualSeconds ?? 0;
		const fitting = takes.filter(({ info }) => !joinBlocker(takes[0].info, info));
		const fluent = fitting.filter((take) => oddAs(index, take)?.kind !== 'longPause');
		return nearest(fluent.length > 0 ? fluent : fitting, usual);
	});
	const unknown = failures.flatMap(({ error, ...which }) =>
		error instanceof OutcomeUnknownError ? [{ ...which, error }] : [],
	);
	if (unknown.length > 0) throw await unknownTake(narration, kept, unknown);
	for (const { index, take, error } of failures)
		item.session.hints.add(
			`Segment ${index + 1}, take ${take} of item ${item.index + 1} was not made: ${errorText(error).message}. The file has the best take there is.`,
		);
	return { all, kept };
}

const takeOf = (request: SpeechRequest, take: number): SpeechRequest => ({
	...request,
	part: { ...request.part, take },
	fileName: `${request.fileName}-take-${take}`,
});

/** Speaks a part again, unless that would pass the spending limit. */
async function speakTake(narration: Narration, request: SpeechRequest): Promise<StoredAudio> {
	const { item, input } = narration;
	if (isOnRecord(item, request)) return await speak(narration, request);
	const { session } = item;
	const { maxEstimatedTokens: limit, tokensToSpare } = input;
	const { estimatedTokens } = estimateOf(input, String(request.body.input));
	const spent = session.lasting.spent + session.retakeTokens + estimatedTokens;
	if ((limit > 0 && spent > limit) || spendExtra(session, estimatedTokens, tokensToSpare) > 0)
		throw new Error('It would pass "Spending Limit (Tokens)"');
	session.retakeTokens += estimatedTokens;
	try {
		return await speak(narration, request);
	} finally {
		session.retakeTokens -= estimatedTokens;
	}
}

/** The take whose length is nearest to the usual one, as a ratio; of equal ones the first. */
function nearest(takes: StoredAudio[], usualSeconds: number): StoredAudio {
	const distance = ({ info: { seconds = 0 } }: StoredAudio) =>
		Math.abs(Math.log(seconds / usualSeconds));
	return takes.reduce((best, take) => (distance(take) < distance(best) ? take : best));
}
