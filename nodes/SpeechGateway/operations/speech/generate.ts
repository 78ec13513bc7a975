import { type GenerateValues, speech } from './speech.form';
import { checked, narration } from './narration';
import { planWithVoices, voiceNameOf } from '../../speech/voices';
import { defineOperation } from '../../run/operation';
import { preparedText } from '../../speech/speaking';
import { checkedText, type LongTextInput, planText } from '../../speech/longText';
import { textToSend } from '../../speech/plan';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { speakParts } from '../../speech/speakParts';
import { countCharacters } from '../../text/characters';

/** Requests longer than this come near the gateway's limit of about 100 seconds. */
const NEAR_THE_LIMIT_CHARACTERS = 1310;

type GenerateInput = GenerateValues & LongTextInput;

export const generate = defineOperation<GenerateValues, GenerateInput>(speech.generate, {
	async prepare(given, parameters) {
		return await checked(await checkedText(given, parameters), parameters);
	},
	...narration<GenerateInput>(planText, ({ text }) => text),

	async execute(input, item) {
		const { plan, problem } = await planWithVoices(item, input, planText);
		if (input.longText === 'single' && countCharacters(plan.text) > NEAR_THE_LIMIT_CHARACTERS) {
			item.session.hints.add(
				`In a single request, texts above ${NEAR_THE_LIMIT_CHARACTERS} characters come close to the gateway's limit of about 100 seconds. Set "Long Text" to "Automatic" to split them.`,
			);
		}
		if (input.longText === 'job')
			hintOnJobPrice(item.session.hints, estimateOf(input, textToSend(plan)));
		const { voiceId: voice = voiceNameOf(input.voice) } = plan.parts[0];
		const who = { voice, textFormat: preparedText(input).format };
		return await speakParts(item, input, plan, who, problem);
	},
});
