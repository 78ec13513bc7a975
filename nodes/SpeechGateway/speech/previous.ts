/**
 * The previous versions of a file: which of their segments are used again, and how they get out of them. A file that
 * this node made carries a record of its segments (`segmentsRecord`). Those whose request is the same in the new text
 * are cut out of the file, without decoding, and joined with what is spoken anew; nothing is paid for them.
 */
import {
	canBeTagged,
	lengthOf,
	type PlannedAudio,
	type RequestedFormat,
	WITH_HEADERS,
} from '../audio';
import { readMetadata } from '../audio/tags';
import { asError, InputError } from '../core/errors';
import type { FileRef } from '../fields/kinds';
import type { Manner } from '../fields/speech';
import type { Parameters } from '../fields/parameters';
import { listedNames } from '../fields/checks';
import { hashOf, withSuffix } from '../files/fileName';
import { inspectInput, nameOf, OtherFormatError } from '../files/inputAudio';
import { chunksOf, fileOf, findFile, placeOf } from '../files/inputFile';
import { storeSlices } from '../files/storeSlices';
import { isStoredAudio, type StoredAudio } from '../files/storeAudio';
import type { ItemRequests } from '../requests/itemRequests';
import { requestKey } from '../requests/requestKey';
import { fingerprintOf } from '../text/knownSegments';
import {
	type RecordedManner,
	type RecordedSegment,
	readRecord,
	writeRecord,
} from './segmentsRecord';
import type { NarrationInput, OnRecord, Plan, PlannedSegment, PreviousVersion } from './plan';
import type { Narration } from './speak';
import { speechBody } from './speaking';

/** What decides whether anything of the previous versions can be used again. */
type Comparable = Manner &
	Pick<NarrationInput, 'previousBinaryPropertyName' | 'speakAgainAt'> &
	OnRecord;

/** The option's name, for errors. */
const LABEL = 'Previous Version';

/**
 * The input with what its previous versions say of themselves; `formats`: whether they must be of the format that is asked for,
 * or the other way round. Throws InputError when there is none that can be used.
 */
export async function withPrevious<I extends Comparable>(
	input: I,
	parameters: Parameters,
	formats: 'asked for' | 'any' = 'asked for',
): Promise<I & OnRecord> {
	const { previousBinaryPropertyName: fieldNames = '', responseFormat, speakAgainAt } = input;
	const fields = typeof fieldNames === 'string' ? listedNames(fieldNames) : [fieldNames];
	if (fields.length === 0) {
		if (speakAgainAt.length === 0) return input;
		throw new InputError(
			'"Speak Again At" needs a previous version, from which the other segments are taken',
			`Add the option "${LABEL}". Nothing was sent.`,
		);
	}
	if (formats === 'asked for' && !canBeTagged(responseFormat)) {
		throw new InputError(
			`A ${responseFormat} file has no room for a record of its segments, so it cannot have a previous version`,
			`Use ${WITH_HEADERS}, or remove the option "${LABEL}". Nothing was sent.`,
		);
	}
	const { nodeCall, index } = parameters;
	// Which of several fields an item has, such as `completed` and `completed_4`, depends on what was finished of it.
	const present = fields.filter((field) => findFile(nodeCall, index, field));
	const passedOver = fields
		.filter((field) => !present.includes(field))
		.map(
			(field) =>
				`Not all items have a file in "${placeOf(field, LABEL)}": it was passed over there.`,
		);
	let format = formats === 'any' ? undefined : responseFormat;
	const previous: PreviousVersion[] = [];
	const unrecorded: string[] = [];
	for (const field of present.length > 0 ? present : fields) {
		const version = await readVersion(parameters, field, format);
		if (typeof version === 'string') {
			unrecorded.push(version);
			continue;
		}
		previous.push(version);
		format ??= version.info.format;
	}
	if (previous.length === 0) {
		throw new InputError(
			`${unrecorded[0]} has no record of its segments, so nothing of it can be used again`,
			`Use the file as Generate or Dialogue made it: in ${WITH_HEADERS}, of several segments, or of one if the option "${LABEL}" was added. Files that Join made have none, and other programs may remove it. Leave the option empty to have everything spoken. Nothing was sent.`,
		);
	}
	previous[0].again = segmentsAt(previous[0], speakAgainAt);
	for (const name of unrecorded)
		passedOver.push(
			`${name} of item ${index + 1} has no record of its segments: it was passed over.`,
		);
	return {
		...input,
		responseFormat: format,
		previous,
		...(passedOver.length > 0 && { passedOver }),
	};
}

/**
 * A previous version; the name of its file if it has no record, as other files of the item may have one.
 * Throws InputError when it cannot be used: of another format, with a record that this version of the
 * node cannot read, or changed by another program.
 */
async function readVersion(
	{ nodeCall, index }: Parameters,
	field: FileRef,
	format: RequestedFormat | undefined,
): Promise<PreviousVersion | string> {
	const binary = fileOf(nodeCall, index, field, LABEL);
	const name = nameOf(binary, placeOf(field, LABEL));
	const read = await inspectInput(nodeCall, index, field, LABEL).catch((error) => {
		// Such as subtitles: no more than a file without a record.
		if (error instanceof OtherFormatError) return undefined;
		throw asError(error);
	});
	if (!read) return name;
	const { info } = read;
	const { record: text } = await readMetadata(info.format, await chunksOf(nodeCall, binary));
	if (text === undefined) return name;
	if (format !== undefined && info.format !== format) {
		throw new InputError(
			`${name} is ${info.format} audio, but "Audio Format" is ${format}`,
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
			`The record of segments in ${name.replace(/^The/, 'the')} is damaged or does not fit its audio`,
			'Another program has changed the file since it was made. Use an unchanged copy, or leave the option empty to have everything spoken. Nothing was sent.',
		);
	}
	return { field, info: { ...info, pauses: undefined }, record, again: [] };
}

/** The indexes of the segments that sound at some seconds of a file; in a pause, of the segment behind it. */
function segmentsAt({ info, record: { segments } }: PreviousVersion, times: number[]): number[] {
	const { seconds } = info;
	return times.map((time) => {
		if (time > seconds) {
			throw new InputError(
				`"Speak Again At" names second ${time}, but the previous version ends after ${seconds.toFixed(1)} s`,
				'Take a time from the file in "Previous Version". Nothing was sent.',
			);
		}
		const index = segments.findIndex(({ end }) => end > time);
		return index < 0 ? segments.length - 1 : index;
	});
}

/** How many segments are used again, and how long they play, to the millisecond; `secondsOf`: how long one does. */
export function reusedIn(
	{ segments }: Plan,
	secondsOf: (segment: NonNullable<PlannedSegment['reused']>, index: number) => number,
): { reusedSegments: number; reusedSeconds: number } {
	const seconds = segments.flatMap(({ reused }, index) => (reused ? secondsOf(reused, index) : []));
	const sum = seconds.reduce((total, some) => total + some, 0);
	return { reusedSegments: seconds.length, reusedSeconds: Number(sum.toFixed(3)) };
}

/** What is used again, before it is cut out: lengths are shares of the whole file's. */
export const reusedBeforehand = (
	previous: PreviousVersion[],
	plan: Plan,
): ReturnType<typeof reusedIn> =>
	reusedIn(plan, ({ file, from, to }) => {
		const { info, record } = previous[file];
		return (info.seconds * (to - from)) / record.length;
	});

/**
 * Gives a hint if nothing of the previous versions can be used, or a voice has become another one since: its title is
 * the same, its ID is not. Both cost as much as the first time, which nobody expects of a small correction.
 */
export function hintOnReuse(
	{ session, index }: Pick<ItemRequests, 'session' | 'index'>,
	input: Comparable,
	plan: Plan,
): void {
	input.passedOver?.forEach((hint) => session.hints.add(hint));
	const manners = (input.previous ?? []).flatMap(({ record }) => record.manners);
	const before = new Map([
		...manners.map(({ title, voice }) => [title, voice] as const),
		...Object.entries(input.voiceIds ?? {}).map(
			([title, id]) => [hashOf(title), hashOf(id)] as const,
		),
	]);
	for (const { voice, voiceId } of plan.segments) {
		if (typeof voice === 'string' || voiceId === undefined) continue;
		const idBefore = before.get(hashOf(voice.title));
		if (idBefore !== undefined && idBefore !== hashOf(voiceId))
			session.hints.add(
				`The voice "${voice.title}" is another one than before, so all of its segments in item ${index + 1} are spoken with the new one.`,
			);
	}
	if (!input.previous || plan.segments.some(({ reused }) => reused)) return;
	const cause = whyNothingReused(manners, input, plan.segments);
	session.hints.add(
		`Nothing of the previous version of item ${index + 1} is used again: ${cause}.`,
	);
}

/** The likeliest cause, to follow a colon: what the user has changed for all segments at once. */
function whyNothingReused(
	manners: RecordedManner[],
	{ model, speed = 1 }: Comparable,
	segments: PlannedSegment[],
): string {
	if (!manners.some((manner) => manner.model === model)) return 'it was made with another model';
	if (!manners.some((manner) => manner.speed === speed)) return 'it was made at another speed';
	const voices = new Set(manners.map(({ voice }) => voice));
	return segments.some(({ voiceId }) => voiceId !== undefined && voices.has(hashOf(voiceId)))
		? 'none of its segments is in the text any more'
		: 'it was made with other voices';
}

/** Writes what a joined file is to say of its segments; undefined as long as not all voices are known by their IDs. */
export function recordFor(
	manner: Manner,
	segments: PlannedSegment[],
): ((plan: PlannedAudio) => string) | undefined {
	if (segments.some(({ voiceId }) => voiceId === undefined)) return undefined;
	const { model, speed = 1 } = manner;
	const recorded = ({ voice, voiceId = '' }: PlannedSegment): string => {
		const title = typeof voice === 'string' ? undefined : hashOf(voice.title);
		return JSON.stringify({ model, speed, voice: hashOf(voiceId), title } satisfies RecordedManner);
	};
	const manners = [...new Set(segments.map(recorded))];
	return ({ places, ends, info: { format: responseFormat, length } }) =>
		writeRecord({
			manners: manners.map((one) => JSON.parse(one) as RecordedManner),
			length,
			segments: segments.map((segment, index): RecordedSegment => {
				const { text, voiceId = '' } = segment;
				// The audio may have come in another format than was asked for: the next version will ask for that one.
				const body = speechBody({ ...manner, responseFormat }, text, voiceId);
				return {
					...fingerprintOf(text),
					...places[index],
					key: requestKey('speech', body),
					manner: manners.indexOf(recorded(segment)),
					end: ends[index],
				};
			}),
		});
}

/**
 * The name under which the ledger keeps a segment that was cut out: equal segments of a file have equal keys, but each
 * its place.
 */
const placeName = ({ key, from }: RecordedSegment): string => `${key} ${from}`;

/**
 * Cuts the segments that are used again out of the previous versions, before anything is sent, and keeps them on
 * record: a retry uses them whatever has become of the files. Returns them by the indexes of their segments; undefined:
 * it is to be spoken. Throws InputError when a file does not fit its record.
 */
export async function cutReused({
	item,
	input,
	plan,
	fileName,
}: Narration): Promise<Array<StoredAudio | undefined>> {
	const cutOut = (segment: RecordedSegment) => {
		const value = item.ledger.reused(placeName(segment));
		return value && isStoredAudio(value) ? value : undefined;
	};
	for (const [file, { field, info }] of (input.previous ?? []).entries()) {
		// One slice for each place, in the order of the file, as `storeSlices` reads it once. Several segments may share a slice.
		const missing = plan.segments
			.flatMap(({ reused }, index) =>
				reused?.file === file && !cutOut(reused)
					? [{ ...reused, fileName: withSuffix(fileName, `segment-${index + 1}`) }]
					: [],
			)
			.sort((a, b) => a.from - b.from)
			.filter(({ from }, index, all) => from !== all[index - 1]?.from);
		if (missing.length === 0) continue;
		const { nodeCall } = item.session;
		const binary = fileOf(nodeCall, item.index, field, LABEL);
		const slices = await storeSlices(nodeCall, binary, info, missing);
		item.ledger.reuse(
			Object.fromEntries(missing.map((segment, index) => [placeName(segment), slices[index]])),
		);
	}
	return plan.segments.map(({ reused }) => reused && cutOut(reused));
}
