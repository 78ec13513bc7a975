/**
 * Speech → Generate and Estimate. Generate sends a text in segments of up to 1,000 characters (`POST /v1/audio/speech`),
 * is charged by the minute of audio, and hands over one file of all of them. A segment that
 * the gateway cuts after 100 seconds (524) costs nothing and goes again in halves. After a 504 the item leaves on
 * Unknown, with the files of what was spoken and the text that remains. Estimate makes the same plan and sends nothing.
 */
import { defined } from '../../core/json';
import { checkTaggable } from '../../files/podcast';
import { type EstimateValues, type GenerateValues, speech } from './speech.form';
import { budgetOf, narration, withFiles } from './narration';
import { defineOperation } from '../../requests/operation';
import { checkBudget, hintsOn, preparedText } from '../../speech/speaking';
import {
	cutIntoSegments,
	isInOneRequest,
	type OnRecord,
	planner,
	textsToSend,
} from '../../speech/plan';
import { hintOnReuse, reusedBeforehand, withPrevious } from '../../speech/previous';
import { estimateOf } from '../../speech/price';
import { hintOnTimes, shortSlots } from '../../speech/slots';
import { countCharacters } from '../../text/characters';

type GenerateInput = GenerateValues & OnRecord;
type EstimateInput = EstimateValues & OnRecord;

/**
 * The plan of a text. "Single Request" cannot be cut: no pauses or times, and chapters only where the text begins.
 * Hints say what was left out for that. Throws InputError when there is nothing to speak in the text, or it is too long
 * for one request.
 */
const planText = planner((input: EstimateInput, earlier) => {
	const { voice, chapters } = input;
	const inOne = isInOneRequest(input);
	const text = preparedText(input, inOne);
	const cut = cutIntoSegments(text, input, earlier(voice, 0));
	checkTaggable(input, input.responseFormat, cut.chapters.length);
	const hints = hintsOn(text, inOne);
	if (chapters === 'headings' && text.headings.length === 0) hints.push(NO_HEADINGS);
	if (inOne && chapters === 'headings' && cut.chapters.length < text.headings.length)
		hints.push(NO_CHAPTERS_IN_ONE_REQUEST);
	return {
		pauseBeforeMs: cut.pauseBeforeMs,
		segments: cut.segments.map((segment) => ({ ...segment, voice, line: 0 })),
		lines: [{ text, headings: [] }],
		text: cut.text,
		textFormat: text.format,
		headings: cut.chapters,
		hints,
	};
});

const NO_HEADINGS =
	'No headings were found in the text, so the file has no chapters. Check the option "Text Format".';
const NO_CHAPTERS_IN_ONE_REQUEST =
	'Chapters were left out: where they begin is not known in a single request. Set "Long Text" to "Automatic".';

/** Speaks a text of any length into one file; charged as `narration.ts` says. */
export const generate = defineOperation(speech.generate, {
	prepare: withFiles<GenerateValues>,
	...narration<GenerateInput>(planText, ({ text }) => text),
});

/**
 * What Generate would send, and cost, for a text; no network, so it is free and needs no credential. It plans as
 * Generate does.
 */
export const estimate = defineOperation(speech.estimate, {
	prepare: async (values: EstimateValues, parameters) =>
		await withPrevious(values, parameters, 'any'),
	plan: planText,
	checkAll: (all, spent, session) => checkBudget(all.map(budgetOf), spent, session),

	async execute(input, item, plan) {
		// The hints that Generate would give, before anything is paid for.
		plan.hints.forEach((hint) => item.session.hints.add(hint));
		hintOnReuse(item, input, plan);
		const short = shortSlots(input, plan.segments);
		hintOnTimes(item, short);
		const texts = textsToSend(plan);
		const isWhole = texts.length === plan.segments.length;
		const estimate = estimateOf(input, texts, isWhole ? plan.text : undefined);
		const estimated = {
			characters: countCharacters(plan.text),
			segments: plan.segments.length,
			...estimate,
			minutes: twoPlaces(estimate.minutes),
			audioTokens: twoPlaces(estimate.audioTokens),
			...(input.previous && reusedBeforehand(input.previous, plan)),
			textFormat: plan.textFormat,
			...(short.warnings.length > 0 &&
				defined({ warnings: short.warnings, suggestedSpeed: short.suggestedSpeed })),
			// A title may belong to another voice by now, which only the gateway knows.
			...(typeof input.voice === 'string' && { contentHash: plan.contentHash }),
		};
		return { branch: 'success', items: [{ json: estimated }] };
	},
});

/** For people: two places. */
const twoPlaces = (value: number): number => Number(value.toFixed(2));
