import { createHash } from 'crypto';
import type { Heading } from '../audio/tags';
import { MAX_INPUT_CHARACTERS } from '../core/limits';
import type { PreparedText } from '../text/prepare';
import {
	segmentPrepared,
	shownWords,
	type PreparedSegment,
	type PreparedSegments,
} from '../text/spokenSegments';
import { countCharacters, isSpeakable } from '../text/segment';
import type { PodcastValues } from '../fields/podcast';
import type { FileValues } from '../fields/files';
import type { SegmentValues } from '../fields/segments';
import type { Fingerprint } from '../text/knownParts';
import type { RecordedPart } from './partsRecord';
import type { PreviousVersion } from './previous';
import type { WaitSettings } from '../fields/wait';
import type { Voice } from '../fields/voice';
import { estimateOf } from './price';
import type { SpeakingInput } from './speaking';

/** How texts of any length are spoken. */
export type NarrationInput = SpeakingInput &
	Omit<SegmentValues, 'previousBinaryPropertyName'> &
	Partial<Pick<SegmentValues, 'previousBinaryPropertyName'>> &
	FileValues &
	Partial<PodcastValues> & {
		longText: 'auto' | 'split' | 'job' | 'single';
		previous?: PreviousVersion;
		/** Where every part is a job. */
		whileWaiting?: WaitSettings['whileWaiting'];
	};

/** One request, and whose voice it is. */
export interface SpeechPart extends PreparedSegment {
	voice: Voice;
	speaker?: string;
	/** Where it is in the previous version: it is not sent. */
	reused?: RecordedPart;
}

/** All that is spoken of one item, worked out before anything is sent. */
export interface Speech<P extends SpeechPart = SpeechPart> {
	/** Silence before the first part. */
	pauseBeforeMs: number;
	parts: P[];
	/** All of it, for counting. */
	text: string;
	/** The same without a previous version, where there is one. */
	asNew(): Speech | undefined;
	/** What becomes chapters; empty unless they are asked for. */
	headings: Heading[];
	/** Sentences for hints. */
	hints: string[];
	/** The words of the source for the parts from one index to another, both included. */
	wordsOf(from: number, to: number): string;
}

/**
 * Cuts a text at its pauses, at headings that become chapters, around parts that are `known`, and where it would be too long for
 * one request. One that needs no cut is a single segment, even when there is nothing to speak in it.
 */
export function cutIntoSegments(
	text: PreparedText,
	{
		longText,
		maxSegmentCharacters,
		chapters,
	}: Pick<NarrationInput, 'longText' | 'maxSegmentCharacters' | 'chapters'>,
	known: Fingerprint[] = [],
): PreparedSegments {
	const maxCharacters = longText === 'job' ? MAX_INPUT_CHARACTERS : maxSegmentCharacters;
	const headings = chapters === 'headings' ? text.headings : [];
	const fits =
		known.length === 0 &&
		text.pauses.length === 0 &&
		headings.length === 0 &&
		countCharacters(text.spoken.text) <= maxCharacters;
	if (longText !== 'single' && !fits) {
		return segmentPrepared(text, {
			maxCharacters,
			cutAtHeadings: headings.length > 0,
			known,
		});
	}
	const source = { start: 0, end: text.source.length };
	const written = shownWords(text, 0, text.written.text.length);
	const whole = { text: text.spoken.text, written, source, pauseAfterMs: 0 };
	const opening = headings.filter(({ at }) => !isSpeakable(text.spoken.text.slice(0, at)));
	return {
		pauseBeforeMs: 0,
		segments: [whole],
		text: whole.text,
		chapters: opening.map(({ title, level }) => ({ title, level, segment: 0 })),
	};
}

/** The chapters of a text that has been cut, as headings of its parts. */
export const headingsOf = ({ chapters }: PreparedSegments): Heading[] =>
	chapters.map(({ title, segment }) => ({ title, part: segment }));

/** Between two parts, the longer of the pause that the text asks for and the one that is set; behind the last, the former. */
export const withPauses = <P extends SpeechPart>(parts: P[], pauseBetweenSegments: number): P[] =>
	parts.map((part, index) => ({
		...part,
		pauseAfterMs: Math.max(part.pauseAfterMs, index < parts.length - 1 ? pauseBetweenSegments : 0),
	}));

/** All that is sent, for counting. */
export const sentText = ({ text, parts }: Speech): string =>
	parts.some(({ reused }) => reused)
		? parts.map((part) => (part.reused ? '' : part.text)).join('')
		: text;

/** The voices of what is sent. */
export const voicesToAsk = ({ parts }: Speech): Voice[] =>
	parts.flatMap(({ reused, voice }) => (reused ? [] : [voice]));

/** The estimate for an item, as it would be sent. */
export function tokensOf(
	input: Pick<NarrationInput, 'speed' | 'modelMultiplier' | 'longText'>,
	speech: Speech,
): number {
	const { estimatedTokens, estimatedTokensAsJob } = estimateOf(input, sentText(speech));
	return input.longText === 'job' ? estimatedTokensAsJob : estimatedTokens;
}

/**
 * SHA-256 of all that decides how it sounds: where it is the same, there is no need to speak it again. A previous version does not
 * change it, although the text may be cut in other places.
 */
export function contentHash(
	{ model, responseFormat, speed = 1 }: Pick<NarrationInput, 'model' | 'responseFormat' | 'speed'>,
	speech: Speech,
): string {
	const { pauseBeforeMs, parts } = speech.asNew() ?? speech;
	const spoken = parts.map(({ text, voice, pauseAfterMs }) => [text, voice, pauseAfterMs]);
	const all = [model, responseFormat, speed, spoken];
	if (pauseBeforeMs > 0) all.push(pauseBeforeMs);
	return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}
