import type { IDataObject } from 'n8n-workflow';
import { asError, GatewayError } from '../core/errors';
import type { Tags } from '../audio/tags';
import { DEFAULT_WAIT } from '../fields/wait';
import type { Voice } from '../fields/voice';
import { type JoinedFile, joinStored } from '../files/joinStored';
import { readTags } from '../files/podcast';
import type { StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import type { Result } from '../requests/records';
import { requestKey } from '../requests/requestKey';
import { errorText } from '../run/errors';
import { fingerprintOf } from '../text/knownParts';
import { type NarrationInput, type Speech, type SpeechPart, voicesToAsk } from './parts';
import { cutReused, hintOnReuse, recordFor, wantsRecord } from './previous';
import { describeRemains, firstError, HOW_TO_GET_PARTS, type Remains, seams } from './remains';
import { type AsJob, keptAudio, speak, speakAsJob, type SpeechRequest } from './speak';
import { isDone, speakAll } from './speakAll';
import { estimateOf } from './price';
import { speechBody } from './speaking';
import { spokenItem } from './spokenItem';
import { voiceIds } from './voices';

/**
 * Speaks all parts, joins them, and makes the item of them. Nothing paid for is lost: what is done goes along with an error,
 * joined run by run, as does the text that remains. `who`: what the item says about voices.
 */
export async function speakParts(
	item: ItemRequests,
	input: NarrationInput,
	speech: Speech,
	who: (voiceOf: (voice: Voice) => string) => IDataObject,
): Promise<Result> {
	const { parts } = speech;
	speech.hints.forEach((hint) => item.session.hints.add(hint));
	hintOnReuse(item, input, speech);
	const reusedAudio = await cutReused(item, input, speech);
	const idOf = await voiceIds(item, input.model, voicesToAsk(speech));
	const requests = requestsFor(input, parts, idOf);
	const results = await speakAll(
		item,
		parts,
		({ reused }, index) => (reused ? reusedAudio(reused) : keptAudio(item, requests[index])),
		(_, index) => speakPart(item, input, requests[index]),
	);
	if (!results.every(isDone)) throw await firstError(item, input, speech, results);
	const spoken = results.map(({ audio }) => audio);
	let file: JoinedFile;
	try {
		file = await joinParts(item, input, speech, spoken);
	} catch (error) {
		throw notJoined(error, await describeRemains(item, input, speech, results));
	}
	return {
		branch: 'success',
		items: [await spokenItem(item, input, speech, who(idOf), file, spoken, requests)],
	};
}

/** What is sent for each part, if it is. */
function requestsFor(
	input: NarrationInput,
	parts: SpeechPart[],
	idOf: (voice: Voice) => string,
): SpeechRequest[] {
	const numbers = new Map<string, number>();
	return parts.map(({ text, voice }, index) => {
		const id = idOf(voice);
		const body = speechBody(input, text, id);
		const key = requestKey('speech', body);
		const number = (numbers.get(key) ?? 0) + 1;
		numbers.set(key, number);
		const segment = index + 1;
		return {
			body,
			number,
			part: { ...fingerprintOf(text), segment, voice: id },
			modelMultiplier: input.modelMultiplier,
			format: input.responseFormat,
			fileName: parts.length > 1 ? `${input.fileName}-segment-${segment}` : input.fileName,
		};
	});
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
	speech: Speech,
	spoken: StoredAudio[],
): Promise<JoinedFile> {
	const { parts, headings } = speech;
	return await joinStored(item.session, spoken, input.fileName, {
		...seams(speech),
		tags: await tagsOf(item, input),
		headings: input.chapters === 'headings' ? headings : undefined,
		recordOf: wantsRecord(input, parts) ? recordFor(input, parts) : undefined,
	});
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
