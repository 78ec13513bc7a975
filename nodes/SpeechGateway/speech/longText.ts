import { MAX_INPUT_CHARACTERS } from '../core/limits';
import { countCharacters } from '../text/characters';
import type { PreparedText } from '../text/prepare';
import type { EstimateValues } from '../fields/longText';
import type { Parameters } from '../fields/parameters';
import { checkTaggable } from '../files/podcast';
import {
	cutIntoSegments,
	headingsOf,
	type OnRecord,
	type PlannedHeading,
	planner,
	type PreviousVersion,
} from './plan';
import { withPrevious } from './previous';
import { checkedLength, hintsOn, preparedText, type SpeakingInput } from './speaking';

interface Counted extends Pick<SpeakingInput, 'tokensToSpare'>, OnRecord {
	characters: number;
	previous?: PreviousVersion[];
}

/** Plain JSON: the ledger keeps it once a text of several segments is paid for in part. */
export type LongTextInput = EstimateValues & Counted;

/** Checks the text and counts it. The text is read and cut only once for the object returned; see `derived`. */
export async function withLength<V extends EstimateValues>(
	values: V,
	parameters: Parameters,
): Promise<V & Counted> {
	const given = await withPrevious(values, parameters);
	const max = given.longText === 'single' ? MAX_INPUT_CHARACTERS : Infinity;
	const input = Object.assign(given, { characters: checkedLength(given, max) });
	const { text, headings } = planText(input);
	input.characters = countCharacters(text);
	checkTaggable(input, input.responseFormat, headings.length);
	return input;
}

/** The plan of a text. */
export const planText = planner((input: LongTextInput, known) => {
	const { text: source, voice } = input;
	const text = preparedText(input);
	const cut = cutIntoSegments(text, input, known(voice));
	const headings = headingsOf(cut);
	return {
		pauseBeforeMs: cut.pauseBeforeMs,
		parts: cut.segments.map((segment) => ({ ...segment, voice, line: 0 })),
		lines: [{ text: source, headings: [] }],
		text: cut.text,
		headings,
		hints: [...hintsOn(text, input.longText === 'single'), ...chapterHints(input, text, headings)],
	};
});

/** What users should know about the chapters they asked for. */
function chapterHints(
	{ chapters, longText }: LongTextInput,
	{ headings }: PreparedText,
	found: PlannedHeading[],
): string[] {
	if (chapters !== 'headings') return [];
	if (headings.length === 0) return [NO_HEADINGS];
	return longText === 'single' && found.length < headings.length
		? [NO_CHAPTERS_IN_ONE_REQUEST]
		: [];
}

const NO_HEADINGS =
	'No headings were found in the text, so the file has no chapters. Check the option "Text Format".';
const NO_CHAPTERS_IN_ONE_REQUEST =
	'Chapters were left out: where they begin is not known in a single request. Set "Long Text" to "Automatic", "Split" or "Job".';
