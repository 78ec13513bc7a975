/** One request of a narration, never paid for twice. */
import type { IDataObject } from 'n8n-workflow';
import { isStoredAudio, storeAudio, type StoredAudio } from '../files/storeAudio';
import { endpoints } from '../gateway/endpoints';
import type { ItemRequests } from '../requests/itemRequests';
import type { SentSegment } from '../requests/records';
import { requestKey, requestName } from '../requests/requestKey';
import { countCharacters } from '../text/characters';
import type { NarrationInput, Plan } from './plan';
import { estimateOf, maxAudioBytes, requestTokens } from './price';
import { canBeSplit, isTooLong, learn } from './shorter';
import { subjectOf } from './speaking';

/** A plan that is being spoken, and the requests of its segments in order: one for each, even if it is not sent. */
export interface Narration {
	item: ItemRequests;
	input: NarrationInput;
	plan: Plan;
	/** The name of its file, as the user wrote it or by default. */
	fileName: string;
	requests: SpeechRequest[];
}

/** One request body of speech and where its audio goes. */
export interface SpeechRequest {
	body: IDataObject;
	/** What the ledger keeps of it, to find the segment in a changed text. */
	segment: SentSegment;
	fileName: string;
}

/** The stored audio of a request that is done; undefined: it is still to be sent. */
export function doneAudio(
	{ ledger }: ItemRequests,
	{ body, segment }: SpeechRequest,
): StoredAudio | undefined {
	const entry = ledger.entry(requestName(requestKey('speech', body), segment));
	return entry?.state === 'done' && isStoredAudio(entry.value) ? entry.value : undefined;
}

/**
 * Speaks a segment; billed. When the gateway cuts it (524, not charged), this throws RequestCutError, and what is long
 * enough to be split goes again as shorter segments (`shorter.ts`).
 */
export async function speak(
	{ item, input }: Narration,
	{ body, segment, fileName }: SpeechRequest,
): Promise<StoredAudio> {
	const text = String(body.input);
	const maxBytes = maxAudioBytes(text, input.speed);
	const characters = countCharacters(text);
	return await item.billed({
		endpoint: endpoints.speech,
		input: body,
		segment,
		about: subjectOf(body),
		ifCut: canBeSplit(input, text)
			? {
					characters,
					isTooLong: () => isTooLong(item, characters),
					wasCut: () => learn(item.session, characters),
				}
			: undefined,
		price: {
			estimate: estimateOf(input, text).estimatedTokens,
			of: ({ info: { seconds } }) =>
				seconds === undefined ? undefined : requestTokens(text, seconds, input.modelMultiplier),
		},
		read: async (response) =>
			await storeAudio(item, response, input.responseFormat, fileName, {
				maxBytes,
				keepDamaged: !('insteadOf' in response),
				askedRate: Number(body.sample_rate),
			}),
	});
}
