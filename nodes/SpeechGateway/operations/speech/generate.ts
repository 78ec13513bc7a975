import type { Parameters } from '../../fields/parameters';
import { checkTaggable } from '../../files/podcast';
import { type EstimateValues, type GenerateValues, speech } from './speech.form';
import { checked, narration } from './narration';
import { planWithVoices, voiceNameOf } from '../../speech/voices';
import { defineOperation } from '../../run/operation';
import { checkBudget, checkLength, hintsOn, preparedText } from '../../speech/speaking';
import {
	cutIntoSegments,
	type OnRecord,
	planner,
	textToSend,
	tokensToSend,
} from '../../speech/plan';
import { hintOnReuse, reusedBeforehand, withPrevious } from '../../speech/previous';
import { estimateOf, hintOnJobPrice } from '../../speech/price';
import { speakParts } from '../../speech/speakParts';
import { countCharacters } from '../../text/characters';

/** Requests longer than this come near the gateway's limit of about 100 seconds. */
const NEAR_THE_LIMIT_CHARACTERS = 1310;

type GenerateInput = GenerateValues & OnRecord;

/** The plan of a text. */
const planText = planner((input: EstimateValues & OnRecord, known) => {
	const { text: source, voice, longText, chapters } = input;
	const text = preparedText(input);
	const cut = cutIntoSegments(text, input, known(voice));
	const headings = cut.chapters.map(({ segment, ...heading }) => ({ ...heading, part: segment }));
	const isWhole = longText === 'single';
	const hints = hintsOn(text, isWhole);
	if (chapters === 'headings' && text.headings.length === 0) hints.push(NO_HEADINGS);
	if (isWhole && chapters === 'headings' && headings.length < text.headings.length)
		hints.push(NO_CHAPTERS_IN_ONE_REQUEST);
	return {
		pauseBeforeMs: cut.pauseBeforeMs,
		parts: cut.segments.map((segment) => ({ ...segment, voice, line: 0 })),
		lines: [{ text: source, headings: [] }],
		text: cut.text,
		headings,
		hints,
	};
});

const NO_HEADINGS =
	'No headings were found in the text, so the file has no chapters. Check the option "Text Format".';
const NO_CHAPTERS_IN_ONE_REQUEST =
	'Chapters were left out: where they begin is not known in a single request. Set "Long Text" to "Automatic", "Split" or "Job".';

/** Reads the previous version and checks the text, which is read and cut only once for the object returned; see `derived`. */
async function checkedText<V extends EstimateValues>(
	values: V,
	parameters: Parameters,
): Promise<V & OnRecord> {
	const input = await withPrevious(values, parameters);
	if (input.longText === 'single') checkLength(input);
	checkTaggable(input, input.responseFormat, planText(input).headings.length);
	return input;
}

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

export const estimate = defineOperation(speech.estimate, {
	prepare: checkedText<EstimateValues>,
	checkAll: (all, spent) =>
		checkBudget(all, (input) => tokensToSend(input, planText(input)), spent),

	async execute(input, item) {
		const plan = planText(input);
		plan.hints.forEach((hint) => item.session.hints.add(hint));
		hintOnReuse(item, input, plan);
		const estimate = estimateOf(input, textToSend(plan));
		if (input.longText === 'job') hintOnJobPrice(item.session.hints, estimate);
		const estimated = {
			characters: countCharacters(plan.text),
			segments: plan.parts.length,
			...estimate,
			...(input.previous && reusedBeforehand(input.previous, plan)),
			textFormat: preparedText(input).format,
			// A title may belong to another voice by now, which only the gateway knows.
			...(typeof input.voice === 'string' && { contentHash: plan.contentHash }),
		};
		return { branch: 'success', items: [{ json: estimated }] };
	},
});
