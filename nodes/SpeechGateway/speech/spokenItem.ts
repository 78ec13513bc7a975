import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { countCharacters } from '../text/segment';
import { toneTags, withoutTags } from '../text/toneTags';
import { withExtension } from '../files/fileName';
import type { JoinedFile } from '../files/joinStored';
import type { StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import type { Pause } from './heard';
import { oddSegments } from './oddSegments';
import { contentHash, type NarrationInput, type Speech, type SpeechPart } from './parts';
import { reusedIn } from './previous';
import { spokenTokens } from './price';
import { isSpokenAsJob } from './speak';
import { type HeardText, subtitles, type TimedText } from './subtitles';

/** The item of a speech that was spoken and joined. `who`: what it says about voices; `spoken`: the parts one by one. */
export async function spokenItem(
	item: ItemRequests,
	input: NarrationInput,
	speech: Speech,
	who: IDataObject,
	{ info, binary, starts, chapters }: JoinedFile,
	spoken: StoredAudio[],
): Promise<INodeExecutionData> {
	const { parts } = speech;
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
	for (const warning of warnings)
		item.session.hints.add(`Please listen to item ${item.index + 1}: ${warning}.`);
	const json: IDataObject = {
		model: input.model,
		...who,
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
	const heard = timed.map((text, index) => withPauses(text, spoken[index].info));
	const cues = await subtitleFile(item, input, heard);
	return {
		json,
		binary: { [input.binaryPropertyName]: binary, ...cues, ...(chapters && { chapters }) },
	};
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
		return { text, speed, seconds, isJob: isSpokenAsJob(item, request) };
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

/** The pauses of a part, within its time in the file. */
function withPauses(text: TimedText, info: StoredAudio['info']): HeardText {
	if (!('pauses' in info) || !info.pauses) return text;
	const seconds = text.endSeconds - text.startSeconds;
	const within = (milliseconds: number) => Math.min(seconds, milliseconds / 1000);
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
