import { derived } from '../../core/derived';
import { MAX_INPUT_CHARACTERS } from '../../core/limits';
import type { LongTextValues } from '../../descriptions/speech';
import { checkedLength, hintsOn, preparedText, type SpeakingInput } from '../speaking';
import { cutIntoSegments, type Speech, withPauses } from './parts';

/** Plain JSON: the ledger keeps it once a text of several segments is paid for in part. */
export type LongTextInput = LongTextValues &
	Pick<SpeakingInput, 'tokensToSpare'> & { characters: number };

export const withLength = (given: LongTextValues): LongTextInput => ({
	...given,
	characters: checkedLength(given, given.longText === 'single' ? MAX_INPUT_CHARACTERS : Infinity),
});

/** What is to be spoken of a text, part by part. */
export const speechOf = derived((input: LongTextInput): Speech => {
	const { text: source, voice } = input;
	const text = preparedText(input);
	const cut = cutIntoSegments(text, input);
	const parts = withPauses(
		cut.segments.map((segment) => ({ ...segment, voice })),
		input.pauseBetweenSegments,
	);
	return {
		pauseBeforeMs: cut.pauseBeforeMs,
		parts,
		text: text.spoken.text,
		hints: hintsOn(text, input.longText === 'single'),
		wordsOf: (from, to) => source.slice(parts[from].source.start, parts[to].source.end).trim(),
	};
});
