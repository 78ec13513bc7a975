/**
 * What a file says of its segments, so that a later version of its text need not have them spoken
 * again. It goes wherever the file goes, so it has hashes instead of words. Whoever reads one trusts
 * nothing in it: other programs cut files and copy tags.
 */
import type { Place } from '../audio';
import { isRecord, parseJson } from '../core/json';
import type { Fingerprint } from '../text/knownSegments';

/** Raised when the meaning of a record changes; a later one is refused by name. */
const VERSION = 1;
/** More are refused, as nobody has a text of so many: to read a record must not keep n8n busy. */
const MOST_SEGMENTS = 20_000;
const MOST_CHARACTERS = 400 * MOST_SEGMENTS;
const MOST_MANNERS = 1_000;

/** A segment of a file: its words as hashes, and its place. */
export interface RecordedSegment extends Fingerprint, Place {
	/** The key of the request that asks for it; see `requestKey`. */
	key: string;
	/** Index of how it is spoken. */
	manner: number;
	/** The second of the file at which its sound ends. */
	end: number;
}

/** What segments have in common. */
export interface RecordedManner {
	model: string;
	speed: number;
	/** SHA-256 of the voice's ID, and of its title if it was asked for by that: a published file names no voice. */
	voice: string;
	title?: string;
}

/** Plain JSON. */
export interface SegmentsRecord {
	manners: RecordedManner[];
	/** Of the file, in what the places of segments count. */
	length: number;
	/** In the order of the file. */
	segments: RecordedSegment[];
}

/** The record as JSON in ASCII, which the tags of all formats can hold. */
export const writeRecord = ({ segments: parts, ...record }: SegmentsRecord): string =>
	JSON.stringify({ version: VERSION, ...record, parts }).replace(
		/[^\0-\x7f]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);

/** Reads a record for a file of this length. Undefined: it does not fit; `newer`: a later version of this node wrote it. */
export function readRecord(text: string, fileLength: number): SegmentsRecord | 'newer' | undefined {
	const json = text.length > MOST_CHARACTERS ? undefined : parseJson(text);
	if (!isRecord(json)) return undefined;
	const { version, manners, length, parts: segments } = json;
	if (Number(version) > VERSION) return 'newer';
	if (version !== VERSION || length !== fileLength) return undefined;
	if (!Array.isArray(manners) || manners.length > MOST_MANNERS || !manners.every(isManner))
		return undefined;
	if (!Array.isArray(segments) || segments.length === 0 || segments.length > MOST_SEGMENTS)
		return undefined;
	if (!segments.every(isSegment)) return undefined;
	let end = 0;
	for (const { from, to, manner } of segments) {
		if (from < end || to <= from || to > fileLength || manners[manner] === undefined)
			return undefined;
		end = to;
	}
	return { manners, length, segments };
}

const isManner = (value: unknown): value is RecordedManner =>
	isRecord(value) &&
	typeof value.model === 'string' &&
	typeof value.speed === 'number' &&
	typeof value.voice === 'string' &&
	(value.title === undefined || typeof value.title === 'string');

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value);

const isSegment = (value: unknown): value is RecordedSegment => {
	if (!isRecord(value)) return false;
	const { key, manner, end, units, opening, sum, from, to, delay = 0, padding = 0 } = value;
	return (
		typeof key === 'string' &&
		typeof end === 'number' &&
		[manner, units, opening, sum, from, to, delay, padding].every(isWhole) &&
		Number(units) > 0
	);
};
