import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import type { Heading, Tags } from '../audio/tags';
import { DEFAULT_WAIT } from '../fields/wait';
import { type JoinedFile, joinStored } from '../files/joinStored';
import { readTags } from '../files/podcast';
import type { StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import type { Result } from '../requests/records';
import { errorText } from '../run/errors';
import { fingerprintOf } from '../text/knownParts';
import { heardAt, pausesOf } from './heard';
import { withInnerPauses } from './innerPauses';
import { lettersOf } from './oddSegments';
import type { NarrationInput, Plan, PlannedHeading, PlannedPart } from './plan';
import { cutReused, hintOnReuse, recordFor, wantsRecord } from './previous';
import { describeRemains, firstError, HOW_TO_GET_PARTS, type Remains, seams } from './remains';
import { retakeOdd } from './retakes';
import { type AsJob, keptAudio, speak, speakAsJob, type SpeechRequest } from './speak';
import { asDone, isDone, speakAll } from './speakAll';
import { estimateOf } from './price';
import { speechBody } from './speaking';
import { spokenItem } from './spokenItem';
import { voiceName } from './voices';

/**
 * Speaks what is missing of a plan, joins all of it, and makes the item. Nothing paid for is lost: what is done goes along with an
 * error, joined run by run, as does the text that remains. `who`: what the item says about voices; `problem`: why nothing may be sent.
 */
export async function speakParts(
	item: ItemRequests,
	input: NarrationInput,
	plan: Plan,
	who: IDataObject,
	problem?: Error,
): Promise<Result> {
	giveHints(item, input, plan);
	const reusedAudio = await cutReused(item, input, plan);
	const requests = plan.parts.map((part, index) => requestFor(input, plan, part, index));
	const results = await speakAll(
		item,
		plan.parts,
		({ reused }, index) => (reused ? reusedAudio(reused) : keptAudio(item, requests[index])),
		async (_, index) => {
			if (problem) throw problem;
			return await speakPart(item, input, requests[index]);
		},
	);
	if (!results.every(isDone)) throw await firstError(item, input, plan, results);
	const spoken = results.map(({ audio }) => audio);
	const retakeOddSegments = problem ? 0 : input.retakeOddSegments;
	const takes = await retakeOdd(item, { ...input, retakeOddSegments }, plan, requests, spoken);
	const paused = await withInnerPauses(item, plan, takes.kept);
	let file: JoinedFile;
	try {
		file = await joinParts(item, input, plan, paused);
	} catch (error) {
		throw notJoined(error, await describeRemains(item, input, plan, takes.kept.map(asDone)));
	}
	return {
		branch: 'success',
		items: [await spokenItem(item, input, plan, who, file, paused, takes, requests)],
	};
}

function giveHints(item: ItemRequests, input: NarrationInput, plan: Plan): void {
	const { hints } = item.session;
	plan.hints.forEach((hint) => hints.add(hint));
	hintOnReuse(item, input, plan);
	const sent = plan.parts.filter(({ isSent }) => isSent).length;
	if (!input.isCorrected || sent === 0) return;
	const missing = plan.parts.filter(({ isSent, reused }) => !isSent && !reused).length;
	hints.add(
		`The text of item ${item.index + 1} was changed after ${sent} of its present parts had been sent: these were not sent again, ${missing} new ${missing === 1 ? 'one was' : 'ones were'}.`,
	);
}

/** What is sent for a part, if it is. */
function requestFor(
	input: NarrationInput,
	{ parts }: Plan,
	{ text, voice, voiceId = voiceName(voice), key = '', number }: PlannedPart,
	index: number,
): SpeechRequest {
	const segment = index + 1;
	return {
		body: speechBody(input, text, voiceId),
		number,
		part: { ...fingerprintOf(text), key, number, segment, voice: voiceId },
		modelMultiplier: input.modelMultiplier,
		format: input.responseFormat,
		fileName: parts.length > 1 ? `${input.fileName}-segment-${segment}` : input.fileName,
	};
}

async function speakPart(
	item: ItemRequests,
	input: NarrationInput,
	request: SpeechRequest,
): Promise<StoredAudio> {
	const { whileWaiting = DEFAULT_WAIT.whileWaiting } = input;
	if (input.longText === 'job')
		return await speakAsJob(item, request, { ...DEFAULT_WAIT, whileWaiting });
	const { estimatedTokens, estimatedTokensAsJob } = estimateOf(input, String(request.body.input));
	const asJob: AsJob = {
		wait: DEFAULT_WAIT,
		extraTokens: Math.max(0, estimatedTokensAsJob - estimatedTokens),
		tokensToSpare: input.tokensToSpare,
	};
	return await speak(item, request, input.longText === 'auto' ? asJob : undefined);
}

async function joinParts(
	item: ItemRequests,
	input: NarrationInput,
	plan: Plan,
	spoken: StoredAudio[],
): Promise<JoinedFile> {
	const { parts, headings } = plan;
	return await joinStored(item.session, spoken, input.fileName, {
		...seams(plan),
		tags: await tagsOf(item, input),
		headings:
			input.chapters === 'headings'
				? headings.map((heading) => heardHeading(heading, parts, spoken))
				: undefined,
		recordOf: wantsRecord(input, parts) ? recordFor(input, parts) : undefined,
	});
}

/** A heading within a part begins when its words are heard. */
function heardHeading(
	{ title, part, after }: PlannedHeading,
	parts: PlannedPart[],
	spoken: StoredAudio[],
): Heading {
	const { info } = spoken[part];
	if (after === undefined || info.seconds === undefined) return { title, part };
	const heard = heardAt(parts[part].text, info.seconds, pausesOf(info) ?? []);
	return { title, part, seconds: heard(lettersOf(after)) };
}

const notJoined = (error: unknown, { json, files }: Remains) =>
	new GatewayError(
		`The parts could not be joined: ${errorText(error).message}`,
		`All parts were paid for and none is lost. ${HOW_TO_GET_PARTS}`,
		json,
		files,
	);

/** A cover that was there before the text was spoken, and is not now, must not cost what was paid for. */
async function tagsOf(
	{ session, index }: ItemRequests,
	{ tags = {} }: NarrationInput,
): Promise<Tags> {
	try {
		return await readTags(session.execution, [index], tags);
	} catch (error) {
		session.hints.add(`The file of item ${index + 1} has no cover: ${asError(error).message}.`);
		return await readTags(session.execution, [index], {
			...tags,
			coverBinaryPropertyName: undefined,
		});
	}
}
