import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import { subtitles } from '../../core/text/subtitles';
import { withExtension } from '../../core/fileName';
import type { ItemRequests } from '../../run/requests/itemRequests';
import { narrate } from '../../flows/narrate';
import { endpoints } from '../../gateway/endpoints';
import { defineOperation } from '../../run/operation';
import { type AsJob, speak, speakAsJob, type SpeechRequest } from '../../flows/speak';
import { checkBudget, estimateOf, speechBody } from '../fields/speech';
import type { InputOf } from '../../run/fields/field';
import { DEFAULT_WAIT, whileWaitingForJobs } from '../fields/wait';
import {
	longTextFields,
	type LongTextInput,
	type Part,
	partsOf,
	tokensOf,
	withLength,
} from './longText';

/** Requests longer than this come near the gateway's limit of about 100 seconds. */
const NEAR_THE_LIMIT_CHARACTERS = 1310;

const fields = { ...longTextFields, whileWaiting: whileWaitingForJobs };

type Input = InputOf<typeof fields> & LongTextInput;

export const generate = defineOperation({
	resource: 'speech',
	operation: 'generate',
	name: 'Generate',
	action: 'Generate speech from text',
	description: 'Turn text of any length into an audio file; charged by the minute of audio',
	sends: [endpoints.speech, endpoints.createJob, endpoints.job, endpoints.jobContent],
	input: fields,
	prepare: (given): Input => ({ ...withLength(given), whileWaiting: given.whileWaiting }),
	checkAll: (all) => checkBudget(all, tokensOf),
	describe: (input) => ({
		input: input.text,
		fileName: input.fileName,
		characters: input.characters,
		estimatedTokens: tokensOf(input),
	}),

	retryWith: (
		paid,
		{ fileName, binaryPropertyName, subtitles, maxEstimatedTokens, tokensToSpare, whileWaiting },
	) => ({
		...paid,
		...{ fileName, binaryPropertyName, subtitles, maxEstimatedTokens, tokensToSpare, whileWaiting },
	}),

	async execute(input, item) {
		const parts = partsOf(input);
		if (input.longText === 'single' && input.characters > NEAR_THE_LIMIT_CHARACTERS) {
			item.session.hints.add(
				`Texts above ${NEAR_THE_LIMIT_CHARACTERS} characters come near the gateway's limit of about 100 seconds in a single request; "Long Text: Automatic" splits them.`,
			);
		}
		const { info, binary, starts } = await narrate(item, {
			source: input.text,
			parts: parts.map((part, index) => ({
				...part,
				speak: async () => await speakPart(item, input, part, parts.length > 1 ? index + 1 : 0),
			})),
			fileName: input.fileName,
			pauseMilliseconds: input.pauseBetweenSegments,
		});
		const json: IDataObject = {
			model: input.model,
			voice: input.voice,
			responseFormat: info.format,
			characters: input.characters,
			segments: parts.length,
			...(info.seconds !== undefined && { durationSeconds: info.seconds }),
			bytes: info.bytes,
			estimatedTokens: tokensOf(input),
			mimeType: binary.mimeType,
			fileName: binary.fileName,
		};
		const withSubtitles =
			info.seconds === undefined
				? {}
				: await subtitleFile(item, input, parts, starts, info.seconds);
		return {
			branch: 'success',
			items: [{ json, binary: { [input.binaryPropertyName]: binary, ...withSubtitles } }],
		};
	},
});

async function speakPart(item: ItemRequests, input: Input, part: Part, number: number) {
	const request: SpeechRequest = {
		name: number > 0 ? `segment ${number}` : 'speech',
		body: speechBody(input, part.text),
		format: input.responseFormat,
		fileName: number > 0 ? `${input.fileName}-segment-${number}` : input.fileName,
	};
	if (input.longText === 'job')
		return await speakAsJob(item, request, { ...DEFAULT_WAIT, whileWaiting: input.whileWaiting });
	const { estimatedTokens, estimatedTokensAsJob } = estimateOf({ ...input, text: part.text });
	const asJob: AsJob = {
		wait: DEFAULT_WAIT,
		extraTokens: Math.max(0, estimatedTokensAsJob - estimatedTokens),
		tokensToSpare: input.tokensToSpare,
	};
	return await speak(item, request, input.longText === 'auto' ? asJob : undefined);
}

async function subtitleFile(
	item: ItemRequests,
	input: LongTextInput,
	parts: Part[],
	starts: number[],
	seconds: number,
): Promise<IBinaryKeyData> {
	if (input.subtitles === 'none') return {};
	const pauseSeconds = input.pauseBetweenSegments / 1000;
	const text = subtitles(
		input.subtitles,
		parts.map((part, index) => ({
			text: part.text,
			startSeconds: starts[index],
			endSeconds: index + 1 < starts.length ? starts[index + 1] - pauseSeconds : seconds,
		})),
	);
	const mimeType = input.subtitles === 'srt' ? 'application/x-subrip' : 'text/vtt';
	const fileName = withExtension(input.fileName, input.subtitles);
	const { prepareBinaryData } = item.session.context.helpers;
	return { subtitles: await prepareBinaryData(Buffer.from(text), fileName, mimeType) };
}
