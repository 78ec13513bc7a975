/**
 * What is spoken of an item. A draft is what the text alone says: segments, pauses, headings. The plan adds where the
 * sound of each segment comes from: a previous version of the file, a request on record, or one that is still to be
 * sent. Request keys decide: a segment is the same if the same words would be sent for the same voice, model, speed and
 * format. To keep it so, a changed text is cut around segments of the earlier one, which are found by their hashes
 * wherever they stand now. The plan is plain data, made anew from the input in each attempt; nothing is sent for it.
 */
import { type AudioInfo, canBeJoined } from '../audio';
import type { Heading } from '../audio/tags';
import { grouped } from '../core/grouped';
import type { FileValues } from '../fields/files';
import type { FileRef } from '../fields/kinds';
import type { PodcastValues } from '../fields/podcast';
import type { SegmentValues } from '../fields/segments';
import type { Manner } from '../fields/speech';
import type { Voice } from '../fields/voice';
import { hashOf } from '../files/fileName';
import type { SegmentOnRecord } from '../requests/itemLedger';
import type { VoiceIds } from '../requests/records';
import { requestKey } from '../requests/requestKey';
import {
	type EarlierSegments,
	type Fingerprint,
	fingerprintOf,
	KnownSegments,
} from '../text/knownSegments';
import type { TextFormat } from '../text/format';
import type { PreparedText } from '../text/prepare';
import { countCharacters } from '../text/characters';
import { timeMark } from '../text/pauses';
import { writtenAgain } from '../text/remainder';
import { isSpeakable } from '../text/segment';
import {
	type PreparedSegment,
	type PreparedSegments,
	segmentPrepared,
	shownWords,
} from '../text/spokenSegments';
import type { SegmentsRecord, RecordedSegment } from './segmentsRecord';
import { estimateOf } from './price';
import { speechBody, type SpeakingInput } from './speaking';

/** An earlier file. Plain JSON: the ledger keeps it, so that a retry cuts the text in the same way. */
export interface PreviousVersion {
	field: FileRef;
	info: AudioInfo;
	record: SegmentsRecord;
	/** The indexes of its segments that are to be spoken again. */
	again: number[];
}

/** How texts of any length are spoken. */
export type NarrationInput = SpeakingInput &
	SegmentValues &
	FileValues &
	PodcastValues & {
		/** `single`: the text is never cut. A dialogue has no choice. */
		longText?: 'auto' | 'single';
	} & OnRecord;

/** What is known of an item besides what the user set. */
export interface OnRecord {
	previous?: PreviousVersion[];
	/** Hints on files that were given as previous versions and are not there, or have no record. */
	passedOver?: string[];
	/** What earlier attempts have paid for, or may have. */
	sent?: SegmentOnRecord[];
	voiceIds?: VoiceIds;
	/** The text or its voices were changed since. */
	isCorrected?: boolean;
}

/** One request, and whose voice it is. */
export interface DraftSegment extends PreparedSegment {
	voice: Voice;
	speaker?: string;
	/** The line that it belongs to. */
	line: number;
}

/** A segment, and where its sound comes from: a request, or a previous version. */
export interface PlannedSegment extends DraftSegment {
	/** The ID of its voice, and the key of its request; undefined as long as only a title is known. */
	voiceId?: string;
	key?: string;
	/** Which of several equal requests it is, from 1. */
	number: number;
	/** An earlier attempt has sent it. */
	isSent?: boolean;
	/** Where it is in a previous version: it is not sent. */
	reused?: RecordedSegment & { file: number };
}

/** A line of a script, or a whole text. */
export interface Line {
	text: PreparedText;
	/** Whose words they are, as a script says it. */
	name?: string;
	/** Headings directly before it, as written. */
	headings: string[];
	/** The second at which it is to be heard, if the script says so before the name. */
	heardAt?: number;
}

/** A heading, and the words of its segment that are spoken before it. */
export type PlannedHeading = Pick<Heading, 'title' | 'segment'> & { after?: string };

/** What a text says, before it is known what of it is on record. */
export interface Draft {
	/** Silence before the first segment. */
	pauseBeforeMs: number;
	segments: DraftSegment[];
	lines: Line[];
	/** All of it, for counting. */
	text: string;
	/** What it was read as. */
	textFormat: TextFormat;
	/** In a script: who speaks, in order. */
	speakers?: string[];
	/** What becomes chapters; empty unless they are asked for. */
	headings: PlannedHeading[];
	/** Sentences for hints. */
	hints: string[];
}

/** A draft whose segments are known by their keys, and where each of them comes from. */
export interface Plan extends Draft {
	segments: PlannedSegment[];
	/** Names all that decides how it sounds: with the same hash, there is no need to speak it again. */
	contentHash?: string;
}

type PlanInput = Pick<NarrationInput, keyof Manner | 'pauseBetweenSegments' | keyof OnRecord>;

/** The segments on record that sound as this voice would speak them now in a line. */
export type EarlierIn = (voice: Voice, line: number) => EarlierSegments | undefined;

/**
 * Plans an input, with the IDs of voices as far as they were looked up. `before`: its plan without them,
 * whose cuts still hold where nothing is on record.
 */
export type Planner<I> = (input: I, ids?: VoiceIds, before?: Plan) => Plan;

/**
 * A planner from what an operation makes of its text. `draft`: cuts the text around the segments that are known. IDs
 * that were looked up take the place of those that the voices had when they last spoke.
 */
export const planner =
	<I extends PlanInput>(draft: (input: I, earlier: EarlierIn) => Draft): Planner<I> =>
	(input, looked = {}, before) => {
		const ids = { ...input.voiceIds, ...looked };
		const isAnew = input.previous !== undefined || input.sent !== undefined;
		const drafted = before && !isAnew ? before : draft(input, knownIn(input, ids));
		const segments = placed(input, ids, withPauses(drafted.segments, input.pauseBetweenSegments));
		return { ...drafted, segments, contentHash: contentHash(drafted.pauseBeforeMs, segments) };
	};

const voiceIdOf = (ids: VoiceIds, voice: Voice): string | undefined =>
	typeof voice === 'string' ? voice : ids[voice.title];

/** The IDs of the voices of a plan that are asked for by title. */
export const voiceIdsIn = ({ segments }: Plan): VoiceIds =>
	Object.fromEntries(
		segments.flatMap(({ voice, voiceId }) =>
			typeof voice === 'string' || voiceId === undefined ? [] : [[voice.title, voiceId]],
		),
	);

/**
 * What voices are called in records: the hash of the ID, or as long as that is not known, the one that the title has in
 * the first previous version that knows it.
 */
function voiceNames(
	{ previous = [] }: PlanInput,
	ids: VoiceIds,
): (voice: Voice) => string | undefined {
	const titled = new Map(
		previous
			.flatMap(({ record }) => record.manners)
			.reverse()
			.map(({ title, voice }) => [title, voice]),
	);
	const names = new Map<string, string | undefined>();
	return (voice) => {
		const id = voiceIdOf(ids, voice);
		const asked = JSON.stringify([id, voice]);
		if (!names.has(asked)) {
			const title = typeof voice === 'string' ? voice : voice.title;
			names.set(asked, id === undefined ? titled.get(hashOf(title)) : hashOf(id));
		}
		return names.get(asked);
	};
}

/**
 * The segments on record, by the voice that spoke them. Those of previous versions may stand anywhere in the text; what
 * was sent for this item stands where it stood, or also elsewhere if the text was changed since.
 */
function knownIn(input: PlanInput, ids: VoiceIds): EarlierIn {
	const { previous = [], sent = [], isCorrected } = input;
	const sentBy = grouped(sent, (segment) => hashOf(segment.voice));
	const ofVoice = (voice: string) => {
		const inFiles = previous.flatMap(({ record }) => spokenAlike(record, input, voice));
		const own = sentBy.get(voice) ?? [];
		if (inFiles.length === 0 && own.length === 0) return undefined;
		// The words of a text that was changed may be anywhere.
		const moved = new KnownSegments(isCorrected ? [...inFiles, ...own] : inFiles);
		return { moved, lines: grouped(own, ({ line }) => line) };
	};
	const nameOf = voiceNames(input, ids);
	const voices = new Map<string, ReturnType<typeof ofVoice>>();
	return (voice, line) => {
		const name = nameOf(voice);
		if (name === undefined) return undefined;
		if (!voices.has(name)) voices.set(name, ofVoice(name));
		const earlier = voices.get(name);
		return earlier && { moved: earlier.moved, placed: earlier.lines.get(line) ?? [] };
	};
}

/** The segments of a file that a voice has spoken in the present manner. */
function spokenAlike(
	{ segments, manners }: SegmentsRecord,
	{ model, speed = 1 }: PlanInput,
	voice: string,
): RecordedSegment[] {
	const isSame = manners.map(
		(manner) => manner.model === model && manner.speed === speed && manner.voice === voice,
	);
	return segments.filter(({ manner }) => isSame[manner]);
}

/**
 * Looks each segment up by its key: in the previous versions, then among what was sent before. Equal requests are told
 * apart by their number, since each is spoken and paid for by itself: the second "Yes." of a script is number 2 of its
 * key. What is used again costs nothing, so where a file has two equal places and the text now three, the second serves
 * twice.
 */
function placed(input: PlanInput, ids: VoiceIds, segments: DraftSegment[]): PlannedSegment[] {
	const spokenAgain = (input.previous ?? []).map(({ again }) => new Set(again));
	const previous = (input.previous ?? []).map(({ record }, file) =>
		grouped(
			record.segments.map((segment, index) => ({ segment, isAgain: spokenAgain[file].has(index) })),
			({ segment }) => segment.key,
		),
	);
	const byUse = (a: SegmentOnRecord, b: SegmentOnRecord) =>
		Number(b.isDone) - Number(a.isDone) || a.number - b.number;
	const sent = grouped((input.sent ?? []).toSorted(byUse), ({ key }) => key);
	const likely = likelyReuse(input, ids);
	const counts = new Map<string, number>();
	const numbersLeft = new Map<string, ReturnType<typeof numbersFrom>>();
	return segments.map((segment): PlannedSegment => {
		const voiceId = voiceIdOf(ids, segment.voice);
		if (voiceId === undefined) return { ...segment, number: 1, ...likely(segment) };
		const key = requestKey('speech', speechBody(input, segment.text, voiceId));
		const nth = (counts.get(key) ?? 0) + 1;
		counts.set(key, nth);
		for (const [file, places] of previous.entries()) {
			const found = places.get(key);
			if (!found) continue;
			const { segment: reused, isAgain } = found[Math.min(nth, found.length) - 1];
			if (isAgain) break;
			return { ...segment, voiceId, key, number: nth, reused: { ...reused, file } };
		}
		const numbers = numbersLeft.get(key) ?? numbersFrom(sent.get(key) ?? []);
		numbersLeft.set(key, numbers);
		return { ...segment, voiceId, key, ...numbers.next().value };
	});
}

/**
 * Where the words of a segment are in a previous version, if the voice of that title is still the same. Only an estimate
 * keeps this: what is spoken is looked up by its key, once the voice's ID is known.
 */
function likelyReuse(
	input: PlanInput,
	ids: VoiceIds,
): (segment: DraftSegment) => Pick<PlannedSegment, 'reused'> {
	const { previous = [] } = input;
	const nameOf = voiceNames(input, ids);
	const ofVoice = new Map<string, Map<string, PlannedSegment['reused']>>();
	return ({ voice, text }) => {
		const name = nameOf(voice);
		if (name === undefined) return {};
		let places = ofVoice.get(name);
		if (!places) {
			const all = previous.flatMap(({ record, again }, file) => {
				const spokenAgain = new Set(again.map((index) => record.segments[index]));
				return spokenAlike(record, input, name)
					.filter((recorded) => !spokenAgain.has(recorded))
					.map((recorded) => [wordsName(recorded), { ...recorded, file }] as const);
			});
			places = new Map(all.reverse());
			ofVoice.set(name, places);
		}
		const reused = places.get(wordsName(fingerprintOf(text)));
		return reused ? { reused } : {};
	};
}

const wordsName = ({ units, opening, sum }: Fingerprint): string => `${units} ${opening} ${sum}`;

/** The numbers for equal requests, without end: those on record in their order, then the free ones from 1. */
function* numbersFrom(
	onRecord: SegmentOnRecord[],
): Generator<Pick<PlannedSegment, 'number' | 'isSent'>, never> {
	const taken = new Set(onRecord.map(({ number }) => number));
	for (const number of taken) yield { number, isSent: true };
	for (let number = 1; ; number++) if (!taken.has(number)) yield { number, isSent: false };
}

/** Hashes the keys in order with their silences and times; undefined as long as a voice is known by its title alone. */
function contentHash(pauseBeforeMs: number, segments: PlannedSegment[]): string | undefined {
	const content = segments.map(({ key, pauseAfterMs, heardAt }) => [
		key,
		pauseAfterMs,
		...(heardAt === undefined ? [] : [heardAt]),
	]);
	return segments.every(({ key }) => key !== undefined)
		? requestKey('content', [pauseBeforeMs, content])
		: undefined;
}

/** Whether a text is spoken in one request: its user wants it so, or its segments could not become one file. */
export const isInOneRequest = ({
	longText,
	responseFormat,
}: Pick<NarrationInput, 'longText' | 'responseFormat'>): boolean =>
	longText === 'single' || !canBeJoined(responseFormat);

/**
 * Cuts a text at its pauses, at headings that become chapters, around segments of an `earlier` text, and where it would
 * be too long for one request. One that needs no cut is a single segment, even when there is nothing to speak in it.
 */
export function cutIntoSegments(
	text: PreparedText,
	input: Pick<NarrationInput, 'longText' | 'responseFormat' | 'maxSegmentCharacters' | 'chapters'>,
	earlier?: EarlierSegments,
): PreparedSegments {
	const { maxSegmentCharacters: maxCharacters } = input;
	const headings = input.chapters === 'headings' ? text.headings : [];
	const fits =
		!earlier &&
		text.pauses.length === 0 &&
		headings.length === 0 &&
		countCharacters(text.spoken.text) <= maxCharacters;
	if (!isInOneRequest(input) && !fits) {
		return segmentPrepared(text, {
			maxCharacters,
			cutAtHeadings: headings.length > 0,
			earlier,
		});
	}
	const place = { start: 0, end: text.written.length };
	const written = shownWords(text, 0, place.end);
	const whole = { text: text.spoken.text, written, place, at: 0, pauseAfterMs: 0 };
	const opening = headings.filter(({ at }) => !isSpeakable(text.spoken.text.slice(0, at)));
	return {
		pauseBeforeMs: 0,
		segments: [whole],
		text: whole.text,
		chapters: opening.map(({ title }) => ({ title, segment: 0 })),
	};
}

/** The longer of the text's pause and the option's; after the last segment, only the text's. */
const withPauses = (segments: DraftSegment[], pauseBetweenSegments: number): DraftSegment[] =>
	segments.map((segment, index) => ({
		...segment,
		pauseAfterMs: Math.max(
			segment.pauseAfterMs,
			index < segments.length - 1 ? pauseBetweenSegments : 0,
		),
	}));

/**
 * The words of the segments from one index to another, both included, as a text or script that can be spoken by itself:
 * a line that was cut has its name again (`Anna: …`), but its headings and time only where it begins.
 */
export function wordsOf({ segments, lines }: Plan, from: number, to: number): string {
	return [...grouped(segments.slice(from, to + 1), ({ line }) => line)]
		.map(([line, said]) => {
			const { text, name, headings, heardAt } = lines[line];
			const words = writtenAgain(text, {
				start: said[0].place.start,
				end: said[said.length - 1].place.end,
			});
			const isWhole = from === 0 || segments[from - 1].line !== line;
			const time = isWhole && heardAt !== undefined ? `${timeMark(heardAt)} ` : '';
			return [
				...(isWhole ? headings.map((title) => `# ${title}`) : []),
				name === undefined ? words : `${time}${name}: ${words}`,
			].join('\n');
		})
		.join('\n');
}

/** The words of each request that is paid for; `left`: of those that are still to be sent. */
const paidTexts = ({ segments }: Plan, left = false): string[] =>
	segments.flatMap(({ reused, isSent, text }) => (reused || (left && isSent) ? [] : text));

/** The words of each request that is still to be sent. */
export const textsToSend = (plan: Plan): string[] => paidTexts(plan, true);

/** What decides about a price, besides the text. */
export type Priced = Pick<NarrationInput, 'speed' | 'modelMultiplier' | 'maxEstimatedTokens'>;

/** The estimate for an item: of all its requests, whenever they were sent. */
export const tokensOf = (input: Priced, plan: Plan): number =>
	estimateOf(input, paidTexts(plan)).estimatedTokens;

/** The estimate for what is still to be sent, which the spending limit is about. */
export const tokensToSend = (input: Priced, plan: Plan): number =>
	estimateOf(input, textsToSend(plan)).estimatedTokens;

/**
 * The voices of what is to be sent, and those by title of what is taken from a previous version: another voice may have
 * it by now.
 */
export const voicesToAsk = ({ segments }: Plan): Voice[] =>
	segments.flatMap(({ reused, isSent, voice }) =>
		isSent || (reused && typeof voice === 'string') ? [] : [voice],
	);
