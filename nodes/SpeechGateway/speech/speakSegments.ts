/**
 * From a plan to an item. What is missing of the plan is spoken, several segments at once. If the gateway
 * cuts one, the rest is planned anew with shorter segments, around those that are done. When there is audio
 * of all, it becomes one file. Whatever happens on the way, what is paid for goes along: as the file, or as
 * files and words beside the error (`remains.ts`).
 */
import { joinBlocker } from '../audio';
import type { Heading, Tags } from '../audio/tags';
import { asError, GatewayError, OutcomeUnknownError } from '../core/errors';
import { defaultName, withSuffix } from '../files/fileName';
import { type JoinedFile, joinStored } from '../files/joinStored';
import { readTags } from '../files/podcast';
import type { StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import type { Result } from '../requests/records';
import { errorText } from '../requests/errorText';
import { countCharacters } from '../text/characters';
import { fingerprintOf } from '../text/knownSegments';
import { heardAt, pausesOf } from './heard';
import { lettersOf } from './oddSegments';
import {
	type NarrationInput,
	type Plan,
	type PlannedHeading,
	type PlannedSegment,
	type Planner,
	voiceIdsIn,
} from './plan';
import { cutReused, hintOnReuse, recordFor } from './previous';
import {
	describeRemains,
	firstError,
	howToGetSegments,
	isDone,
	type SegmentResult,
	pausesBetween,
} from './remains';
import { learnedLength, lengthAfterCuts } from './shorter';
import { hintOnTimes, shortSlots } from './slots';
import { doneAudio, type Narration, speak, type SpeechRequest } from './speak';
import { speechBody } from './speaking';
import { spokenItem } from './spokenItem';
import { voiceNameOf } from './voices';

/** Requests longer than this come near the gateway's limit of about 100 seconds. */
const NEAR_THE_LIMIT_CHARACTERS = 1310;

/**
 * Speaks what is missing of a plan, joins all of it, and makes the item. Nothing paid for is lost: what
 * is done goes along with an error, joined run by run, as does the text that remains. `planner`: plans
 * the rest anew when the gateway cuts a segment.
 */
export const speaks =
	<I extends NarrationInput>(planner: Planner<I>) =>
	async (input: I, item: ItemRequests, plan: Plan): Promise<Result> => {
		hintOnPlan(item, input, plan);
		const withSegmentsOf = (maxSegmentCharacters: number): Narration => {
			if (maxSegmentCharacters === input.maxSegmentCharacters)
				return narrationOf(item, input, plan);
			// What was sent keeps its cuts. The hash names what was asked for, however it is cut.
			const rest = { ...input, maxSegmentCharacters, sent: item.ledger.sentSegments };
			const { contentHash } = plan;
			return narrationOf(item, rest, { ...planner(rest, voiceIdsIn(plan)), contentHash });
		};
		// Again after each cut, with shorter segments than before for what is missing: so it ends, whatever is cut.
		let narration = withSegmentsOf(learnedLength(item, input));
		let results: SegmentResult[] = [];
		for (let length: number | undefined; ; narration = withSegmentsOf(length)) {
			results = await speakAll(narration, await cutReused(narration));
			length = lengthAfterCuts(item.session, narration.input, errorsIn(narration.plan, results));
			if (length === undefined || length >= narration.input.maxSegmentCharacters) break;
			item.goOn();
		}
		return await finished(narration, results);
	};

function narrationOf(item: ItemRequests, input: NarrationInput, plan: Plan): Narration {
	const { contentHash = '' } = plan;
	const fileName = input.fileName ?? defaultName('speech', item, contentHash);
	const requests = plan.segments.map((segment, index) =>
		requestFor(input, plan, segment, index, fileName),
	);
	return { item, input, plan, fileName, requests };
}

const errorsIn = ({ segments }: Plan, results: SegmentResult[]) =>
	results.flatMap((one, index) =>
		isDone(one) ? [] : [{ text: segments[index].text, error: one.error }],
	);

/** The item of a narration that is done, or the error with all that is. */
async function finished(narration: Narration, results: SegmentResult[]): Promise<Result> {
	if (!results.every(isDone)) throw await firstError(narration, results);
	const file = await joinSegments(narration, results).catch(async (error) => {
		const { json, files } = await describeRemains(narration, results);
		throw new GatewayError(
			`The segments could not be joined: ${errorText(error).message}`,
			`All segments were paid for and none is lost. ${howToGetSegments(narration)}`,
			json,
			files,
		);
	});
	return { branch: 'success', items: [await spokenItem(narration, file, results)] };
}

/**
 * Hints that need no audio: a request near the gateway's limit, what is used again, times that are too short.
 */
function hintOnPlan(item: ItemRequests, input: NarrationInput, plan: Plan): void {
	const { hints } = item.session;
	plan.hints.forEach((hint) => hints.add(hint));
	if (input.longText === 'single' && countCharacters(plan.text) > NEAR_THE_LIMIT_CHARACTERS)
		hints.add(NEAR_THE_LIMIT);
	hintOnReuse(item, input, plan);
	hintOnTimes(item, shortSlots(input, plan.segments));
	const numbers = plan.segments.flatMap(({ lacksPause }, index) => (lacksPause ? index + 1 : []));
	if (numbers.length > 0)
		hints.add(
			`A pause was left out within segment ${numbers.join(', ')} of item ${item.index + 1}, spoken before: only speaking it again makes one ("Speak Again At").`,
		);
	if (!input.isCorrected) return;
	const sent = plan.segments.filter(({ isSent }) => isSent).length;
	const missing = plan.segments.filter(({ isSent, reused }) => !isSent && !reused).length;
	hints.add(
		`The text or a voice of item ${item.index + 1} was changed after segments of it had been sent. Of its present segments, ${sent} ${sent === 1 ? 'was' : 'were'} sent before and not again, ${missing} ${missing === 1 ? 'is' : 'are'} new.`,
	);
}

const NEAR_THE_LIMIT = `In a single request, texts above ${NEAR_THE_LIMIT_CHARACTERS} characters come close to the gateway's limit of about 100 seconds. Set "Long Text" to "Automatic" to split them.`;

/** The request of a segment, whether or not it must be sent. */
function requestFor(
	input: NarrationInput,
	{ segments }: Plan,
	{ text, voice, voiceId = voiceNameOf(voice), key = '', number, line, at }: PlannedSegment,
	index: number,
	fileName: string,
): SpeechRequest {
	const position = index + 1;
	return {
		body: speechBody(input, text, voiceId),
		segment: { ...fingerprintOf(text), key, number, position, line, at, voice: voiceId },
		fileName: segments.length > 1 ? withSuffix(fileName, `segment-${position}`) : fileName,
	};
}

/**
 * Speaks all segments but those that are `reused` or were spoken before, concurrently within the run's limit. After the
 * first failure or cut, or audio that cannot be joined with the rest, no further segment is started and those in flight
 * are awaited.
 */
async function speakAll(
	narration: Narration,
	reused: Array<StoredAudio | undefined>,
): Promise<SegmentResult[]> {
	const { item, requests } = narration;
	const finished = requests.map((request, index) => reused[index] ?? doneAudio(item, request));
	let first: StoredAudio | undefined;
	/** Stops sending when a segment does not fit together with the first: the file could not be joined. */
	const mustFit = (audio: StoredAudio) => {
		first ??= audio;
		if (requests.length > 1 && joinBlocker(first.info, audio.info)) item.fail();
		return audio;
	};
	for (const audio of finished) if (audio) mustFit(audio);
	/** Returns errors instead of throwing them, so that segments in flight are awaited. */
	const speakOne = async (request: SpeechRequest, index: number): Promise<SegmentResult> => {
		try {
			const done = finished[index];
			if (done) return done;
			return mustFit(await speak(narration, request));
		} catch (error) {
			item.giveUp();
			return { status: error instanceof OutcomeUnknownError ? 'unknown' : 'notSent', error };
		}
	};
	return await Promise.all(requests.map(speakOne));
}

/** The file of all segments, with silence, tags, chapters and record. */
async function joinSegments(narration: Narration, spoken: StoredAudio[]): Promise<JoinedFile> {
	const { item, input, plan, fileName } = narration;
	const { segments, headings } = plan;
	// A file of a single segment gets a record only if its user expects a later version.
	const isRecorded = segments.length > 1 || input.previousBinaryPropertyName !== undefined;
	return await joinStored(item.session, spoken, fileName, {
		pauses: pausesBetween(plan),
		tags: await tagsOf(item, input),
		headings:
			input.chapters === 'headings'
				? headings.map((heading) => heardHeading(heading, segments, spoken))
				: undefined,
		recordOf: isRecorded ? recordFor(input, segments) : undefined,
	});
}

/** A heading within a segment begins when its words are heard. */
function heardHeading(
	{ title, segment, after }: PlannedHeading,
	segments: PlannedSegment[],
	spoken: StoredAudio[],
): Heading {
	const { info } = spoken[segment];
	if (after === undefined || info.seconds === undefined) return { title, segment };
	const heard = heardAt(segments[segment].text, info.seconds, pausesOf(info) ?? []);
	return { title, segment, seconds: heard(lettersOf(after)) };
}

/** A cover that was there before the text was spoken, and is not now, must not cost what was paid for. */
async function tagsOf({ session, index }: ItemRequests, { tags }: NarrationInput): Promise<Tags> {
	try {
		return await readTags(session.nodeCall, [index], tags);
	} catch (error) {
		session.hints.add(`The file of item ${index + 1} has no cover: ${asError(error).message}.`);
		return await readTags(session.nodeCall, [index], {
			...tags,
			coverBinaryPropertyName: undefined,
		});
	}
}
