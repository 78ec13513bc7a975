/**
 * The gateway cuts what takes too long (524), and charges nothing for it. Its words, and what of the item was not sent
 * yet, go again as segments of half that length at the most; what is done stays as it is, and in its place.
 */
import { NotStartedError, RequestCutError } from '../core/errors';
import type { ItemRequests } from '../requests/itemRequests';
import type { Session } from '../requests/session';
import { countCharacters } from '../text/characters';
import { isInOneRequest, type NarrationInput } from './plan';

/** A gateway that cuts even so short a text is too slow for any, or down. Characters. */
const SHORTEST = 150;

type Splitting = Pick<NarrationInput, 'longText' | 'responseFormat' | 'maxSegmentCharacters'>;

/** Whether a text goes again as shorter segments when the gateway cuts it. */
export const canBeSplit = (input: Splitting, text: string): boolean =>
	!isInOneRequest(input) && countCharacters(text) > SHORTEST;

/** The longest segment to try after one of so many characters was cut: half, since the time it takes grows with them. */
const lengthAfter = (characters: number): number => Math.max(SHORTEST, Math.floor(characters / 2));

const isBegun = ({ ledger }: ItemRequests): boolean => ledger.entries().length > 0;

/** The length to begin with: what was learned of this item or, before anything of it is sent, in this run. */
export const learnedLength = (item: ItemRequests, input: Splitting): number =>
	Math.min(
		input.maxSegmentCharacters,
		...item.ledger.cutLengths.map(lengthAfter),
		isBegun(item) ? Infinity : item.session.longest.characters,
	);

/** Whether a text is longer than what was learned in this run since its item was planned. */
export const isTooLong = (item: ItemRequests, characters: number): boolean =>
	!isBegun(item) && characters > item.session.longest.characters;

/** A text of so many characters was cut: what is not begun yet begins with half of that. */
export function learn({ longest }: Session, characters: number): void {
	longest.characters = Math.min(longest.characters, lengthAfter(characters));
}

/** The length to go on with after these errors. Undefined: nothing was cut, or the item has failed for another reason. */
export function lengthAfterCuts(
	session: Session,
	input: Splitting,
	errors: Array<{ text: string; error: unknown }>,
): number | undefined {
	const cut = errors.filter(({ error }) => error instanceof RequestCutError);
	const isOver = errors.some(
		({ error }) =>
			!(error instanceof RequestCutError) &&
			!(error instanceof NotStartedError && error.reason === 'requestFailed'),
	);
	const texts = cut.map(({ text }) => text);
	if (cut.length === 0 || isOver || !texts.every((text) => canBeSplit(input, text)))
		return undefined;
	const shortest = Math.min(input.maxSegmentCharacters, ...texts.map(countCharacters));
	const { characters: learned } = session.longest;
	// A text that was not sent, because it was too long, goes in segments of the length that was learned.
	const length = learned < shortest ? learned : lengthAfter(shortest);
	hintOnLength(session, length);
	return length;
}

/** Says the length that was learned, the latest one alone. */
function hintOnLength({ longest, hints }: Session, characters: number): void {
	hints.delete(longest.hint);
	longest.hint = `The gateway cut segments that took too long (524); this was not charged. Shorter ones of up to ${characters} characters were sent instead: set "Max Segment Characters" to ${characters} to begin with these.`;
	hints.add(longest.hint);
}
