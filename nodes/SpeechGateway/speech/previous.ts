/** The previous version of a file: which of its parts are used again, and how they get out of it. */
import { type AudioInfo, canBeCut, formatsThat, lengthOf, type Place } from '../audio';
import { InputError } from '../core/errors';
import type { Parameters } from '../fields/parameters';
import type { Voice } from '../fields/voice';
import { fileOf } from '../files/inputFile';
import { inspectPrevious, storeSlices } from '../files/previousFile';
import { isStoredAudio, type StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import { type Fingerprint, fingerprintOf } from '../text/knownParts';
import type { NarrationInput, Speech, SpeechPart } from './parts';
import {
	nameHash,
	partHash,
	type PartsRecord,
	type RecordedPart,
	readRecord,
	writeRecord,
} from './partsRecord';

/** Plain JSON: the ledger keeps it, so that a retry cuts the text in the same way. */
export interface PreviousVersion {
	info: AudioInfo;
	record: PartsRecord;
}

/** What decides whether anything of it is used. */
type Comparable = Pick<
	NarrationInput,
	'model' | 'speed' | 'responseFormat' | 'previous' | 'previousBinaryPropertyName'
>;

const LABEL = 'Previous Version';

/** The input with what its previous version says of itself. Throws InputError when there is none that can be used. */
export async function withPrevious<I extends Comparable>(
	input: I,
	{ execution, index }: Parameters,
): Promise<I> {
	const { previousBinaryPropertyName: file, responseFormat } = input;
	if (!file) return input;
	if (!canBeCut(responseFormat)) {
		throw new InputError(
			`A ${responseFormat} file has no room for a record of its parts, so it cannot have a previous version`,
			`Use ${formatsThat(canBeCut)}, or remove the option "${LABEL}". Nothing was sent.`,
		);
	}
	const { info, name, record: text } = await inspectPrevious(execution, index, file, LABEL);
	if (text === undefined) {
		throw new InputError(
			`${name} has no record of its parts, so nothing of it can be used again`,
			`Files of several segments that Generate and Dialogue make in ${formatsThat(canBeCut)} have one, and files of a single segment if the option "${LABEL}" was added. Joined files have none, and other programs may remove it. Leave the option empty to have everything spoken. Nothing was sent.`,
		);
	}
	if (info.format !== responseFormat) {
		throw new InputError(
			`${name} is ${info.format} audio, but "Audio Format" is ${responseFormat}`,
			'Choose the same format, or leave the option empty to have everything spoken. Nothing was sent.',
		);
	}
	const record = readRecord(text, lengthOf(info));
	if (record === 'newer') {
		throw new InputError(
			`${name} was made by a later version of this node, whose record this one cannot read`,
			'Update the package, or leave the option empty to have everything spoken. Nothing was sent.',
		);
	}
	if (!record) {
		throw new InputError(
			`The record of parts in ${name.replace(/^The/, 'the')} is damaged or does not fit its audio`,
			'Another program has changed the file since it was made. Use an unchanged copy, or leave the option empty to have everything spoken. Nothing was sent.',
		);
	}
	return { ...input, previous: { info: { ...info, quiet: undefined }, record } };
}

/** The parts of the previous version that sound as they would now in this voice, wherever they are in the text. */
export function knownParts(
	{ previous, model, speed = 1 }: Comparable,
	voice: Voice,
): Fingerprint[] {
	const record = previous?.record;
	if (!record || record.model !== nameHash(model) || record.speed !== speed) return [];
	const number = record.voices.indexOf(nameHash(voice));
	return record.parts.filter((part) => part.voice === number);
}

/** The parts of a speech, with what is used again of the previous version. */
export function withReused<P extends SpeechPart>(input: Comparable, parts: P[]): P[] {
	if (!input.previous) return parts;
	const byHash = new Map(input.previous.record.parts.map((part) => [part.hash, part]));
	return parts.map((part) => ({
		...part,
		reused: byHash.get(partHash(part.text, part.voice, input)),
	}));
}

/** What is used again; `secondsOf`: how long a part plays. */
export function reusedIn(
	{ parts }: Speech,
	secondsOf: (part: RecordedPart, index: number) => number,
): { reusedSegments: number; reusedSeconds: number } {
	const seconds = parts.flatMap(({ reused }, index) => (reused ? secondsOf(reused, index) : []));
	const sum = seconds.reduce((total, some) => total + some, 0);
	return { reusedSegments: seconds.length, reusedSeconds: Number(sum.toFixed(3)) };
}

/** What is used again, before it is cut out: lengths are shares of the whole file's. */
export function reusedBeforehand(
	{ info, record }: PreviousVersion,
	speech: Speech,
): ReturnType<typeof reusedIn> {
	return reusedIn(speech, ({ from, to }) => (info.seconds * (to - from)) / record.length);
}

/** Gives a hint if nothing of the previous version can be used. */
export function hintOnReuse(
	{ session, index }: Pick<ItemRequests, 'session' | 'index'>,
	input: Comparable,
	speech: Speech,
): void {
	const why = whyNothingReused(input, speech);
	if (why === undefined) return;
	session.hints.add(`Nothing of the previous version of item ${index + 1} is used again: ${why}.`);
}

/** Undefined: something is, or there is no previous version. */
function whyNothingReused(input: Comparable, { parts }: Speech): string | undefined {
	const { previous, model, speed = 1 } = input;
	if (!previous || parts.some(({ reused }) => reused)) return undefined;
	const { record } = previous;
	const hasVoice = parts.some(({ voice }) => record.voices.includes(nameHash(voice)));
	if (record.model !== nameHash(model)) return 'it was made with another model';
	if (record.speed !== speed) return 'it was made at another speed';
	return hasVoice
		? 'none of its segments is in the text any more'
		: 'it was made with other voices';
}

/** What the joined file is to say of its parts. */
export function recordFor(
	input: Comparable,
	parts: SpeechPart[],
): (places: Place[], info: AudioInfo) => string {
	const voices = [...new Set(parts.map(({ voice }) => nameHash(voice)))];
	return (places, info) =>
		writeRecord({
			model: nameHash(input.model),
			voices,
			speed: input.speed ?? 1,
			length: lengthOf(info),
			parts: parts.map(
				(part, index): RecordedPart => ({
					...fingerprintOf(part.text),
					...places[index],
					hash: partHash(part.text, part.voice, input),
					voice: voices.indexOf(nameHash(part.voice)),
				}),
			),
		});
}

/** Whether the file gets a record: one of a single part only where a later version of it is to be expected. */
export const wantsRecord = (
	{ previousBinaryPropertyName }: NarrationInput,
	parts: SpeechPart[],
): boolean => parts.length > 1 || previousBinaryPropertyName !== undefined;

/**
 * Cuts the parts that are used again out of the previous version, before anything is sent, and keeps them on record: a retry
 * uses them whatever has become of the file.
 */
export async function cutReused(
	item: ItemRequests,
	{ previous, previousBinaryPropertyName: file, fileName }: NarrationInput,
	{ parts }: Speech,
): Promise<(part: RecordedPart) => StoredAudio | undefined> {
	const kept = ({ hash }: RecordedPart) => {
		const value = item.ledger.reused(hash);
		return value && isStoredAudio(value) ? value : undefined;
	};
	const all = new Map(parts.flatMap(({ reused }) => (reused ? [[reused.hash, reused]] : [])));
	const missing = [...all.values()].filter((part) => !kept(part)).sort((a, b) => a.from - b.from);
	if (missing.length > 0 && previous && file) {
		const { execution } = item.session;
		const binary = fileOf(execution, item.index, file, LABEL);
		const numberOf = ({ hash }: RecordedPart) =>
			parts.findIndex(({ reused }) => reused?.hash === hash) + 1;
		const slices = await storeSlices(
			execution,
			binary,
			previous.info,
			missing,
			(index) => `${fileName}-segment-${numberOf(missing[index])}`,
		);
		item.ledger.reuse(Object.fromEntries(missing.map(({ hash }, index) => [hash, slices[index]])));
	}
	return kept;
}
