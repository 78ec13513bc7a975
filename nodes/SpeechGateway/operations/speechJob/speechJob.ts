/**
 * Speech as a job: `POST /v1/audio/speech/jobs`, charged up front by the number of characters. The limit of 100 seconds
 * does not hold for jobs, but one job is one recording: pauses and times in its text are left out, with a hint.
 */
import type { Voice } from '../../fields/voice';
import type { SpeechValues } from '../../fields/speech';
import type { VoiceIds } from '../../requests/records';
import { speechJob } from './speechJob.form';
import { estimateOf, hintOnJobPrice, MAX_AUDIO_BYTES } from '../../speech/price';
import { storeAudio } from '../../files/storeAudio';
import { fetchFile, submitTask } from '../../tasks/task';
import { joinStored } from '../../files/joinStored';
import { lookUpVoices, voiceNameOf } from '../../speech/voices';
import { checkBudget, hintsOn, preparedText, speechBody, subjectOf } from '../../speech/speaking';
import { countCharacters } from '../../text/characters';
import type { TextFormat } from '../../text/format';
import { taskOperations } from '../taskOperations';

/** What one job speaks. */
interface JobPlan {
	text: string;
	textFormat: TextFormat;
	/** Its ID, once it is looked up. */
	voice: Voice;
	hints: string[];
}

/**
 * Plans a job: the whole text in one request, of 10,000 characters at most. `ids`: voices that were looked up.
 * `before`: the plan from before the look-up, in which only the voice changes.
 */
function planJob(input: SpeechValues, ids: VoiceIds = {}, before?: JobPlan): JobPlan {
	const voice =
		typeof input.voice === 'string' ? input.voice : (ids[input.voice.title] ?? input.voice);
	if (before) return { ...before, voice };
	const text = preparedText(input, true);
	return { text: text.spoken.text, textFormat: text.format, voice, hints: hintsOn(text, true) };
}

/** What the job will be charged; known before it is sent, since the gateway goes by its characters (billing rule 2). */
const jobTokens = (input: SpeechValues, { text }: JobPlan): number =>
	estimateOf(input, text).estimatedTokensAsJob;

/** What the forms of `speechJob.form.ts` do. */
export const speechJobOperations = taskOperations(speechJob, {
	kind: 'job',
	stem: 'speech',
	plan: planJob,
	lookUp: ({ input: { model }, plan: { voice } }, item) => lookUpVoices(item, model, [voice]),
	checkAll(all, spent, session) {
		const estimates = all.map(({ input, plan }) => ({
			maxEstimatedTokens: input.maxEstimatedTokens,
			tokens: jobTokens(input, plan),
		}));
		checkBudget(estimates, spent, session);
	},
	asks: (input, { text, voice }) => speechBody(input, text, JSON.stringify(voice)),
	describe: (input, plan) => ({
		characters: countCharacters(plan.text),
		estimatedTokens: jobTokens(input, plan),
	}),

	about: ({ text, fileName }) => ({ input: text, fileName }),

	async submit(item, input, { text, textFormat, voice, hints }) {
		hints.forEach((hint) => item.session.hints.add(hint));
		// A job of an earlier attempt is only taken up: a hint on its price would come too late.
		if (!item.ledger.maybeCharged) hintOnJobPrice(item.session, estimateOf(input, text));
		const body = speechBody(input, text, voiceNameOf(voice));
		const job = await submitTask(item, 'job', {
			input: body,
			about: subjectOf(body),
			price: { estimate: estimateOf(input, text).estimatedTokensAsJob, isExact: true },
		});
		return { ...job, textFormat };
	},

	async save(item, id, { responseFormat, fileName, binaryPropertyName }, json) {
		const audio = await fetchFile(
			item,
			{ kind: 'job', id },
			async (response) =>
				await storeAudio(item, response, responseFormat, fileName, { maxBytes: MAX_AUDIO_BYTES }),
		);
		// For its name, and a header that fits its frames.
		const { binary, info } = await joinStored(item.session, [audio], fileName);
		return {
			json: {
				...json,
				...(info.seconds !== undefined && { durationSeconds: info.seconds }),
				bytes: info.bytes,
			},
			binary: { [binaryPropertyName]: binary },
		};
	},
});
