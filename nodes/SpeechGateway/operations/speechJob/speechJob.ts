import { countCharacters } from '../../text/characters';
import type { SpeechValues } from '../../fields/speech';
import { speechJob } from './speechJob.form';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { downloadAudio, submitJob } from '../../speech/speak';
import { checkVoices, voiceIds, voiceNameOf } from '../../speech/voices';
import { checkBudget, checkLength, hintsOn, preparedText, speechBody } from '../../speech/speaking';
import { taskOperations } from '../taskOperations';

const spokenOf = (input: SpeechValues): string => preparedText(input).spoken.text;

const tokensOf = (input: SpeechValues): number =>
	estimateOf(input, spokenOf(input)).estimatedTokensAsJob;

export const speechJobOperations = taskOperations(speechJob, {
	thing: 'job',
	prepare<V extends SpeechValues>(input: V) {
		checkLength(input);
		return input;
	},
	checkAll: (all, spent) => checkBudget(all, tokensOf, spent),
	lookUp: ({ model, voice }, item) => checkVoices(item, model, [voice]),
	describe: (input) => ({
		characters: countCharacters(spokenOf(input)),
		estimatedTokens: tokensOf(input),
	}),

	about: ({ text, fileName }) => ({ input: text, fileName }),

	async submit(item, input) {
		const { model, voice } = input;
		const text = preparedText(input);
		hintsOn(text, true).forEach((hint) => item.session.hints.add(hint));
		const isSent = item.ledger.maybeCharged;
		if (!isSent) hintOnJobPrice(item.session.hints, estimateOf(input, text.spoken.text));
		const ids = isSent ? item.ledger.voices : await voiceIds(item, model, [voice]);
		const body = speechBody(input, text.spoken.text, voiceNameOf(voice, ids));
		const job = await submitJob(item, input.modelMultiplier, { body });
		return { ...job, textFormat: text.format };
	},

	async save(item, id, { responseFormat, fileName, binaryPropertyName }, json) {
		const { binary, info } = await downloadAudio(item, id, responseFormat, fileName);
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
