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
import { errorText } from '../run/errors';
import { type NarrationInput, type Speech, type SpeechPart, voicesToAsk } from './parts';
import { cutReused, hintOnReuse, recordFor, wantsRecord } from './previous';
import { describeRemains, firstError, HOW_TO_GET_PARTS, type Remains, seams } from './remains';
import { type AsJob, isToBeSent, keptAudio, speak, speakAsJob, type SpeechRequest } from './speak';
import { isDone, speakAll } from './speakAll';
import { estimateOf } from './price';
import { speechBody } from './speaking';
import { spokenItem } from './spokenItem';
import { voiceIds, voiceName } from './voices';

/** Ids of voices, asked for when the first of them is needed. */
class Voices {
	private ids: ((voice: Voice) => string) | undefined;

	constructor(
		private readonly item: ItemRequests,
		private readonly model: string,
		private readonly all: Voice[],
	) {}

	async idOf(voice: Voice): Promise<string> {
		this.ids ??= await voiceIds(this.item, this.model, this.all);
		return this.ids(voice);
	}

	/** What is known: after a retry that had nothing to send, a title stays a title. */
	readonly name = (voice: Voice): string => this.ids?.(voice) ?? voiceName(voice);
}

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
	const voices = new Voices(item, input.model, voicesToAsk(speech));
	hintOnReuse(item, input, speech);
	const reusedAudio = await cutReused(item, input, speech);
	// A voice that is not found is told before anything is sent; once something is paid for, it must not cost that.
	const toSpeak = parts.filter(({ reused }) => !reused);
	if (toSpeak.length > 0 && toSpeak.every(({ request }) => isToBeSent(item, request)))
		await voices.idOf(toSpeak[0].voice);

	const results = await speakAll(
		item,
		parts,
		({ reused, request }) => (reused ? reusedAudio(reused) : keptAudio(item, request)),
		(part) => speakPart(item, input, part, voices),
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
		items: [await spokenItem(item, input, speech, who(voices.name), file, spoken)],
	};
}

async function speakPart(
	item: ItemRequests,
	input: NarrationInput,
	{ text, voice, request: name }: SpeechPart,
	voices: Voices,
): Promise<StoredAudio> {
	const id = isToBeSent(item, name) ? await voices.idOf(voice) : voiceName(voice);
	const request: SpeechRequest = {
		name,
		body: speechBody(input, text, id),
		format: input.responseFormat,
		fileName: `${input.fileName}${name === 'speech' ? '' : `-${name.replace(' ', '-')}`}`,
	};
	const { whileWaiting = DEFAULT_WAIT.whileWaiting } = input;
	if (input.longText === 'job')
		return await speakAsJob(item, request, { ...DEFAULT_WAIT, whileWaiting });
	const { estimatedTokens, estimatedTokensAsJob } = estimateOf(input, text);
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
