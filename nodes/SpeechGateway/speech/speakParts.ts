import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { oddSegments } from './oddSegments';
import type { Tags } from '../audio/tags';
import { spokenTokens } from './price';
import { asError } from '../core/errors';
import { countCharacters } from '../text/segment';
import { toneTags, withoutTags } from '../text/toneTags';
import type { Pause } from './heard';
import { type HeardText, subtitles, type TimedText } from './subtitles';
import { withExtension } from '../files/fileName';
import { DEFAULT_WAIT } from '../fields/wait';
import type { StoredAudio } from '../files/storeAudio';
import { narrate } from './narrate';
import {
	type AsJob,
	isSpokenAsJob,
	isToBeSent,
	speak,
	speakAsJob,
	type SpeechRequest,
} from './speak';
import { voiceIds, voiceName } from './voices';
import type { Voice } from '../fields/voice';
import type { ItemRequests } from '../requests/itemRequests';
import type { Result } from '../requests/records';
import { readTags } from '../files/podcast';
import { estimateOf, speechBody } from './speaking';
import {
	contentHash,
	type NarrationInput,
	type Speech,
	type SpeechPart,
	voicesToAsk,
} from './parts';
import { cutReused, hintOnReuse, recordFor, reusedIn, wantsRecord } from './previous';

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

/** Speaks all parts, joins them, and makes the item of them. `who`: what the item says about voices. */
export async function speakParts(
	item: ItemRequests,
	input: NarrationInput,
	speech: Speech,
	who: (voiceOf: (voice: Voice) => string) => IDataObject,
): Promise<Result> {
	const { pauseBeforeMs, parts, wordsOf } = speech;
	const { hints } = item.session;
	speech.hints.forEach((hint) => hints.add(hint));
	const voices = new Voices(item, input.model, voicesToAsk(speech));
	hintOnReuse(item, input, speech);
	const reusedAudio = await cutReused(item, input, speech);
	// A voice that is not found is told before anything is sent; once something is paid for, it must not cost that.
	const toSpeak = parts.filter(({ reused }) => !reused);
	if (toSpeak.length > 0 && toSpeak.every(({ request }) => isToBeSent(item, request)))
		await voices.idOf(toSpeak[0].voice);

	const { info, binary, starts, trimmed, spoken, chapters } = await narrate(item, {
		pauseBeforeMs,
		parts: parts.map((part) => ({
			pauseAfterMs: part.pauseAfterMs,
			speak: async () =>
				part.reused ? reusedAudio(part.reused) : await speakPart(item, input, part, voices),
		})),
		wordsOf,
		fileName: input.fileName,
		trimSilence: input.trimSilence,
		metadata: async () => ({
			tags: await tagsOf(item, input),
			headings: input.chapters === 'headings' ? speech.headings : undefined,
		}),
		recordOf: wantsRecord(input, parts) ? recordFor(input, parts) : undefined,
	});
	const { seconds } = info;
	const timed = seconds === undefined ? [] : timesOf(parts, starts, seconds);
	const lengths = spoken.map((audio) => audio.info.seconds);
	const warnings = lengths.every((length) => length !== undefined)
		? oddSegments(
				parts.map(({ text }, index) => ({
					text: withoutTags(text, toneTags(text)),
					seconds: lengths[index],
				})),
			)
		: [];
	for (const warning of warnings) hints.add(`Please listen to item ${item.index + 1}: ${warning}.`);
	const json: IDataObject = {
		model: input.model,
		...who(voices.name),
		responseFormat: info.format,
		characters: countCharacters(speech.text),
		segments: parts.length,
		...(input.previous &&
			reusedIn(speech, (_, index) => timed[index].endSeconds - timed[index].startSeconds)),
		...(seconds !== undefined && { durationSeconds: seconds }),
		bytes: info.bytes,
		estimatedTokens: tokensByLength(item, input, parts, spoken),
		mimeType: binary.mimeType,
		fileName: binary.fileName,
		contentHash: contentHash(input, speech),
		...(warnings.length > 0 && { warnings }),
		...(input.timings && seconds !== undefined && { parts: timed }),
	};
	const heard = timed.map((text, index) => withPauses(text, spoken[index].info, trimmed[index]));
	const subtitles = await subtitleFile(item, input, heard);
	return {
		branch: 'success',
		items: [
			{
				json,
				binary: {
					[input.binaryPropertyName]: binary,
					...subtitles,
					...(chapters && { chapters }),
				},
			},
		],
	};
}

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

/** What it cost: by the length of the audio, without pauses; of a job, or of audio of unknown length, by characters. */
function tokensByLength(
	item: ItemRequests,
	{ speed, modelMultiplier }: NarrationInput,
	parts: SpeechPart[],
	spoken: StoredAudio[],
): number {
	const requests = parts.flatMap(({ text, request, reused }, index) => {
		if (reused) return [];
		const { seconds } = spoken[index].info;
		return isSpokenAsJob(item, request) ? { text } : { text, speed, seconds };
	});
	return spokenTokens(requests, modelMultiplier);
}

/** Where each part starts and ends in the joined file, in the words of the source. */
const timesOf = (parts: SpeechPart[], starts: number[], seconds: number): TimedText[] =>
	parts.map(({ written, speaker, pauseAfterMs }, index) => ({
		text: written,
		startSeconds: starts[index],
		endSeconds: (starts[index + 1] ?? seconds) - pauseAfterMs / 1000,
		...(speaker !== undefined && { speaker }),
	}));

/** The pauses of a part within what is left of it in the file. Records of earlier versions of this node have none. */
function withPauses(text: TimedText, info: StoredAudio['info'], trimmed: number): HeardText {
	if (!('pauses' in info) || !info.pauses) return text;
	const seconds = text.endSeconds - text.startSeconds;
	const within = (milliseconds: number) =>
		Math.max(0, Math.min(seconds, milliseconds / 1000 - trimmed));
	const pauses: Pause[] = [];
	for (let at = 0; at + 1 < info.pauses.length; at += 2) {
		const [start, end] = [within(info.pauses[at]), within(info.pauses[at + 1])];
		if (end > start) pauses.push({ start, end });
	}
	return { ...text, pauses };
}

async function subtitleFile(
	item: ItemRequests,
	input: NarrationInput,
	timed: HeardText[],
): Promise<IBinaryKeyData> {
	if (input.subtitles === 'none' || timed.length === 0) return {};
	const text = subtitles(input.subtitles, timed);
	const mimeType = input.subtitles === 'srt' ? 'application/x-subrip' : 'text/vtt';
	const fileName = withExtension(input.fileName, input.subtitles);
	const { prepareBinaryData } = item.session.execution.helpers;
	return { subtitles: await prepareBinaryData(Buffer.from(text), fileName, mimeType) };
}
