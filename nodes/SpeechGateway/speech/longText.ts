import type { EstimateValues } from '../fields/speech';
import type { Parameters } from '../fields/parameters';
import { checkTaggable } from '../files/podcast';
import type { PreparedText } from '../text/prepare';
import { cutIntoSegments, headingsOf, type OnRecord, type PlannedHeading, planner } from './plan';
import { withPrevious } from './previous';
import { checkLength, hintsOn, preparedText } from './speaking';

/** Plain JSON: the ledger keeps it once a text of several segments is paid for in part. */
export type LongTextInput = EstimateValues & OnRecord;

/** Reads the previous version and checks the text, which is read and cut only once for the object returned; see `derived`. */
export async function checkedText<V extends EstimateValues>(
	values: V,
	parameters: Parameters,
): Promise<V & OnRecord> {
	const input = await withPrevious(values, parameters);
	if (input.longText === 'single') checkLength(input);
	checkTaggable(input, input.responseFormat, planText(input).headings.length);
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
