/**
 * What Generate and Dialogue have in common, step by step. Read: the files that decide what is sent. Plan: the
 * segments, without the network. Look up: the IDs of voices that are named by title. Check: the estimate of all items
 * against the spending limit, less what is on record. Execute: one `POST /v1/audio/speech` a segment, charged by the
 * minute of audio, and one joined file. A segment that the gateway cuts (524) is not charged and goes again in smaller
 * ones; one of unknown outcome (504) ends its item on Unknown, with everything that was spoken attached.
 */
import type { Parameters } from '../../fields/parameters';
import { mannerOf } from '../../fields/speech';
import { checkOutputField, readTags } from '../../files/podcast';
import type { ItemLedger } from '../../requests/itemLedger';
import type { ItemRequests } from '../../requests/itemRequests';
import type { Run } from '../../requests/session';
import type { Planned } from '../../requests/operation';
import {
	type NarrationInput,
	type OnRecord,
	type Plan,
	type Planner,
	type Priced,
	tokensOf,
	tokensToSend,
	voicesToAsk,
} from '../../speech/plan';
import { withPrevious } from '../../speech/previous';
import { speaks } from '../../speech/speakSegments';
import { checkBudget } from '../../speech/speaking';
import { lookUpVoices } from '../../speech/voices';
import { countCharacters } from '../../text/characters';
import { fingerprintOf } from '../../text/knownSegments';

/** Reads the previous versions. Throws InputError for a file or cover that is none, and for two files in one field. */
export async function withFiles<I extends NarrationInput>(
	values: I,
	parameters: Parameters,
): Promise<I & OnRecord> {
	const input = await withPrevious(values, parameters);
	checkOutputField(input.binaryPropertyName, {
		subtitles: input.subtitles !== 'none',
		chapters: input.chapters !== 'none',
	});
	// The bytes are read again when they are written: the ledger keeps the input, and while it is spoken they are not needed.
	await readTags(parameters.nodeCall, [parameters.index], input.tags);
	return input;
}

/** The work of an operation that speaks what `planner` plans. `textOf`: the text or script, to show on Unknown. */
export const narration = <I extends NarrationInput>(
	planner: Planner<I>,
	textOf: (input: I) => string,
) => ({
	plan: planner,
	lookUp: ({ input, plan }: Planned<I, Plan>, item: () => ItemRequests) =>
		lookUpVoices(item, input.model, voicesToAsk(plan)),
	checkAll(all: Array<Planned<I, Plan>>, spent: number, run: Run) {
		checkBudget(all.map(budgetOf), spent, run);
	},
	// `tokensToSend` leaves out what is on record, so `spent` must keep it: else a retry could spend it twice.
	estimatesRest: true,
	execute: speaks(planner),
	describe: (input: I, plan: Plan) => ({
		input: textOf(input),
		fileName: input.fileName,
		characters: countCharacters(plan.text),
		estimatedTokens: tokensOf(input, plan),
	}),
	/**
	 * The input of a retry. An item of several segments goes on with the present text and voices: what is on record of
	 * them is not sent again. A single request is finished as it was paid for.
	 */
	retryWith(paid: I, now: I, { sentSegments: sent, voices }: ItemLedger): I {
		const onRecord = { sent, voiceIds: voices };
		const before = planner(paid);
		const [first] = before.segments;
		// Unless it was split since, because the gateway has cut it.
		const isWhole =
			before.segments.length === 1 &&
			sent.every(({ units }) => units === fingerprintOf(first.text).units);
		if (isWhole) return { ...withNewTarget(paid, now), ...onRecord };
		const { longText } = paid;
		const manner = mannerOf(paid);
		const previous = now.responseFormat === manner.responseFormat ? now.previous : undefined;
		const used: I = {
			...now,
			...manner,
			longText,
			previous: previous ?? paid.previous,
			...onRecord,
		};
		// Once corrected, segments on record stay where they were spoken: later retries must find them anywhere, too.
		const isCorrected = paid.isCorrected || said(before) !== said(planner(used));
		return { ...used, isCorrected };
	},
	identity,
	says: (input: I, { segments }: Plan) => {
		const spoken: Array<{ voice: string; words: string }> = [];
		for (const { text, voice, voiceId } of segments) {
			const named = voiceId ?? JSON.stringify(voice);
			const words = text.replace(/\s+/g, '');
			const last = spoken.at(-1);
			if (last?.voice === named) last.words += words;
			else spoken.push({ voice: named, words });
		}
		const manner = mannerOf(input);
		return [{ ...manner, speed: manner.speed ?? 1 }, spoken];
	},
	// Two calls of an agent are one if they would sound the same: words, voices, silence and times of the whole file.
	asks: (input: I, { pauseBeforeMs, segments }: Plan) => [
		mannerOf(input),
		pauseBeforeMs,
		...segments.map(({ text, voice, voiceId, pauseAfterMs, heardAt }) => [
			text,
			voiceId ?? voice,
			pauseAfterMs,
			heardAt,
		]),
	],
});

/** An item for the spending limit: what its plan will still cost, without segments that are on record or reused. */
export const budgetOf = <I extends Priced>({ input, plan }: Planned<I, Plan>) => ({
	maxEstimatedTokens: input.maxEstimatedTokens,
	tokens: tokensToSend(input, plan),
});

/** What was paid for, with what a retry may change without speaking anything anew. */
function withNewTarget<P extends NarrationInput>(paid: P, now: Partial<NarrationInput>): P {
	const { fileName, binaryPropertyName, subtitles, captionCharacters, timings } = now;
	const { maxEstimatedTokens, tags } = now;
	const target = {
		fileName,
		binaryPropertyName,
		subtitles,
		captionCharacters,
		timings,
		tags,
	};
	return { ...paid, ...target, maxEstimatedTokens };
}

/** What is said, and in whose voices. */
const said = ({ text, segments }: Plan): string =>
	JSON.stringify([
		text.replace(/\s+/g, ''),
		...new Set(segments.map(({ voice }) => JSON.stringify(voice))),
	]);

/** The input without where the result goes and what is on record: what is spoken. */
const identity = (input: NarrationInput): object => ({
	...withNewTarget(input, {}),
	sent: undefined,
	voiceIds: undefined,
	isCorrected: undefined,
});
