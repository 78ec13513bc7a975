import type { Heading } from '../audio/tags';
import { derived } from '../core/derived';
import { MAX_INPUT_CHARACTERS } from '../core/limits';
import { countCharacters } from '../text/characters';
import type { PreparedText } from '../text/prepare';
import type { EstimateValues } from '../fields/longText';
import type { Parameters } from '../fields/parameters';
import { checkTaggable } from '../files/podcast';
import { checkedLength, hintsOn, preparedText, type SpeakingInput } from './speaking';
import { knownParts, type PreviousVersion, withPrevious, withReused } from './previous';
import { cutIntoSegments, headingsOf, type Speech, withPauses } from './parts';

interface Counted extends Pick<SpeakingInput, 'tokensToSpare'> {
	characters: number;
	previous?: PreviousVersion;
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
	const { text, headings } = speechOf(input);
	input.characters = countCharacters(text);
	checkTaggable(input, input.responseFormat, headings.length);
	return input;
}

/** What is to be spoken of a text, part by part. */
export const speechOf = derived((input: LongTextInput): Speech => {
	const { text: source, voice } = input;
	const text = preparedText(input);
	const isWhole = input.longText === 'single';
	const cut = cutIntoSegments(text, input, knownParts(input, voice));
	const parts = withReused(
		input,
		withPauses(
			cut.segments.map((segment) => ({ ...segment, voice })),
			input.pauseBetweenSegments,
		),
	);
	const headings = headingsOf(cut);
	return {
		pauseBeforeMs: cut.pauseBeforeMs,
		parts,
		text: cut.text,
		asNew: () => (input.previous ? speechOf({ ...input, previous: undefined }) : undefined),
		headings,
		hints: [...hintsOn(text, isWhole), ...chapterHints(input, text, headings)],
		wordsOf: (from, to) => source.slice(parts[from].source.start, parts[to].source.end).trim(),
	};
});

/** What users should know about the chapters they asked for. */
function chapterHints(
	{ chapters, longText }: LongTextInput,
	{ headings }: PreparedText,
	found: Heading[],
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
