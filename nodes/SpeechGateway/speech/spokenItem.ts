import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { defined } from '../core/json';
import { countCharacters } from '../text/characters';
import { toneTags, withoutTags } from '../text/toneTags';
import { besideAudio } from '../files/fileName';
import type { JoinedFile } from '../files/joinStored';
import { storeBytes } from '../files/store';
import type { StoredAudio } from '../files/storeAudio';
import { pausesOf } from './heard';
import { heardIn, timesOf } from './heardSegments';
import { lettersOf, type OddSegment, oddSegments, paceOf, type SpokenSegment } from './oddSegments';
import type { Plan } from './plan';
import { reusedIn } from './previous';
import { expectedSeconds, spokenTokens } from './price';
import { firstFew, hintOnTimes, lateSegments } from './slots';
import type { Narration } from './speak';
import {
	type CueShape,
	type HeardText,
	sentenceTimes,
	subtitles,
	type TimedText,
} from './subtitles';
import { voiceNameOf } from './voices';

/**
 * The item of a plan that was spoken and joined. `spoken`: the segments as they were joined. Where the length of the
 * audio is not known (FLAC), it has neither a duration nor times, and no subtitles.
 */
export async function spokenItem(
	narration: Narration,
	file: JoinedFile,
	spoken: StoredAudio[],
): Promise<INodeExecutionData> {
	const { item, input, plan } = narration;
	const { segments } = plan;
	const { info, binary, chapters } = file;
	const { seconds } = info;
	const timed = seconds === undefined ? [] : timesOf(segments, file, spoken);
	const late = lateSegments(input, segments, timed);
	if (seconds !== undefined) hintOnTimes(item, late);
	const heard = heardIn(timed, file, spoken);
	const json: IDataObject = {
		model: input.model,
		...(plan.speakers ? { speakers: plan.speakers } : { voice: voiceOf(plan) }),
		textFormat: plan.textFormat,
		responseFormat: info.format,
		characters: countCharacters(plan.text),
		segments: segments.length,
		...(input.previous &&
			reusedIn(plan, (_, index) => timed[index].endSeconds - timed[index].startSeconds)),
		...(seconds !== undefined && { durationSeconds: seconds }),
		...rateOf(info),
		bytes: info.bytes,
		estimatedTokens: tokensByLength(narration, spoken),
		mimeType: binary.mimeType,
		fileName: binary.fileName,
		contentHash: plan.contentHash,
		...(input.timings && seconds !== undefined && { parts: sentenceTimes(heard) }),
	};
	const warn = (odd: OddSegment[]) => {
		const warnings = [...oddityWarnings(odd, timed), ...late.warnings];
		if (warnings.length > 0) json.warnings = warnings;
	};
	const sounds = soundsOf(narration, spoken);
	warn(oddSegments(sounds));
	item.session.afterAll.push(judgedBySiblings(narration, sounds, warn));
	const cues = await subtitleFile(narration, heard);
	return {
		json,
		binary: { [input.binaryPropertyName]: binary, ...cues, ...(chapters && { chapters }) },
	};
}

/** What bare samples cannot say themselves. */
const rateOf = (info: JoinedFile['info']): IDataObject =>
	info.format === 'pcm'
		? { sampleRate: info.sampleRate, ...(info.channels > 1 && { channels: info.channels }) }
		: {};

/** A warning for each segment that somebody should listen to; without times where these are not known. */
const oddityWarnings = (odd: OddSegment[], timed: TimedText[]): IDataObject[] =>
	odd.map(({ index, words: message }) => {
		const { startSeconds, endSeconds }: Partial<TimedText> = timed[index] ?? {};
		return defined({ segment: index + 1, startSeconds, endSeconds, message });
	});

/**
 * What is to be done when all items have ended: `warn` gets the segments that somebody should listen to, and there is one hint
 * on all of them. An item of too few segments to be compared with each other is compared with the run's other items then.
 */
function judgedBySiblings(
	{ item: { index: at, session }, input: { model, speed }, plan }: Narration,
	sounds: SpokenSegment[],
	warn: (odd: OddSegment[]) => void,
): () => void {
	const { hints, paces } = session;
	const manners = plan.segments.map(({ voice, voiceId = voiceNameOf(voice) }) =>
		JSON.stringify([model, speed, voiceId]),
	);
	for (const [index, sound] of sounds.entries()) {
		const pace = paceOf(sound);
		if (pace !== undefined) paces.add(manners[index], { item: at, pace });
	}
	return () => {
		const odd = oddSegments(sounds, (index) => paces.medianWithout(manners[index], at));
		warn(odd);
		const messages = firstFew(odd.map(({ words }) => words));
		if (odd.length > 0) hints.add(`Please listen to item ${at + 1}: ${messages}.`);
	};
}

/** The voice of a text, which all of its segments have. */
const voiceOf = ({ segments: [{ voice, voiceId = voiceNameOf(voice) }] }: Plan): string => voiceId;

/** Spoken segments as `oddSegments` judges them: tone tags take no time. */
const soundsOf = (
	{ input: { parentheses, speed }, plan: { segments } }: Narration,
	spoken: StoredAudio[],
): SpokenSegment[] =>
	segments.map(({ text: asked }, index) => {
		const { info } = spoken[index];
		const text = withoutTags(asked, toneTags(asked, parentheses));
		return {
			text,
			letters: lettersOf(text),
			seconds: info.seconds ?? NaN,
			expectedSeconds: expectedSeconds(text, speed),
			pauses: pausesOf(info),
			beginsAnewAt: info.format === 'mp3' ? info.beginsAnewAt : undefined,
		};
	});

/** What it cost: by the length of the audio, without pauses; where that is not known, by characters. */
function tokensByLength({ input, plan }: Narration, spoken: StoredAudio[]): number {
	const { speed, modelMultiplier } = input;
	const paid = plan.segments.flatMap(({ text, reused }, index) => {
		if (reused) return [];
		const { seconds } = spoken[index].info;
		return { text, speed, seconds };
	});
	return spokenTokens(paid, modelMultiplier);
}

/** One line of at most so many columns; undefined: the usual two of 42. */
const shapeOf = (columns: number | undefined): CueShape | undefined =>
	columns === undefined ? undefined : { columns, lines: 1 };

/** The file of subtitles under its binary field; nothing if none is wanted, or the length of the audio is not known. */
async function subtitleFile(
	{ item, input, fileName }: Narration,
	timed: HeardText[],
): Promise<IBinaryKeyData> {
	if (input.subtitles === 'none' || timed.length === 0) return {};
	const text = subtitles(input.subtitles, timed, shapeOf(input.captionCharacters));
	const mimeType = input.subtitles === 'srt' ? 'application/x-subrip' : 'text/vtt';
	const name = besideAudio(fileName, input.subtitles);
	const file = await storeBytes(item.session, Buffer.from(text), name, mimeType);
	return { subtitles: file };
}
