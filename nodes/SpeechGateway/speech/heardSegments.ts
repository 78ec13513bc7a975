import type { JoinedFile } from '../files/joinStored';
import type { StoredAudio } from '../files/storeAudio';
import { pausesOf } from './heard';
import type { PlannedSegment } from './plan';
import { type HeardText, sentenceTimes, type TimedText } from './subtitles';

/** Where each segment is heard in the joined file, in the words of the source. One without a time begins with its file. */
export const timesOf = (
	segments: PlannedSegment[],
	{ starts, ends }: Pick<JoinedFile, 'starts' | 'ends'>,
	spoken: StoredAudio[],
): TimedText[] =>
	segments.map(({ written, speaker, heardAt }, index) => ({
		text: written,
		startSeconds: starts[index] + (heardAt === undefined ? 0 : leadOf(spoken[index])),
		endSeconds: ends[index] ?? starts[index],
		...(speaker !== undefined && { speaker }),
	}));

/** Seconds of silence before anything is heard in a file; 0 where that is not known. */
const leadOf = ({ info }: StoredAudio): number => ('lead' in info && info.lead) || 0;

/** The pauses of a segment within its time in the file, seconds from its start; undefined where they are not known. */
function withHeardPauses(text: TimedText, startsAt: number, info: StoredAudio['info']): HeardText {
	const late = text.startSeconds - startsAt;
	const seconds = text.endSeconds - text.startSeconds;
	const pauses = pausesOf(info)
		?.map(({ start, end }) => ({
			start: Math.max(0, start - late),
			end: Math.min(seconds, end - late),
		}))
		.filter(({ start, end }) => end > start);
	return { ...text, pauses };
}

/** The segments of a file at their times, with the pauses that are heard in them. */
export const heardIn = (
	timed: TimedText[],
	{ starts }: Pick<JoinedFile, 'starts'>,
	spoken: StoredAudio[],
): HeardText[] =>
	timed.map((text, index) => withHeardPauses(text, starts[index], spoken[index].info));

/** The sentences of a file of segments, in seconds of it; none where its length is not known. */
export function partsOf(
	segments: PlannedSegment[],
	file: JoinedFile,
	spoken: StoredAudio[],
): ReturnType<typeof sentenceTimes> {
	if (file.info.seconds === undefined) return [];
	return sentenceTimes(heardIn(timesOf(segments, file, spoken), file, spoken));
}
