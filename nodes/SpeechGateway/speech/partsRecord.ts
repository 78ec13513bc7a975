/** What a file says of its parts, so that a later version of its text need not have them spoken again. No words are in it. */
import type { Place, PlannedAudio } from '../audio';
import { isRecord, parseJson } from '../core/json';
import type { Fingerprint } from '../text/knownParts';

const VERSION = 1;
/** More are refused, as nobody has a text of so many: to read a record must not keep n8n busy. */
const MOST_PARTS = 20_000;
const MOST_CHARACTERS = 400 * MOST_PARTS;
const MOST_MANNERS = 1_000;

export interface RecordedPart extends Fingerprint, Place {
	/** The key of the request that asks for it; see `requestKey`. */
	key: string;
	/** Index of how it is spoken. */
	manner: number;
	/** The second of the file at which its sound ends. */
	end: number;
}

/** What parts have in common. */
export interface Manner {
	model: string;
	speed: number;
	/** The ID of the voice, and its title if it was asked for by that. */
	voice: string;
	title?: string;
}

/** Plain JSON. */
export interface PartsRecord {
	manners: Manner[];
	/** Of the file, in what the places of parts count. */
	length: number;
	/** In the order of the file. */
	parts: RecordedPart[];
}

/** The record as ASCII. */
export const writeRecord = (record: PartsRecord): string =>
	JSON.stringify({ version: VERSION, ...record }).replace(
		/[^\0-\x7f]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);

/**
 * The record of a file that was joined from others, with their parts where they are now. A file that was changed by the join, such
 * as mono made stereo, has no parts in it any more. Undefined when nothing is on record.
 */
export function joinedRecord(
	records: Array<PartsRecord | undefined>,
	{ moved, starts, info: { length } }: PlannedAudio,
): string | undefined {
	const manners: Manner[] = [];
	const parts: RecordedPart[] = [];
	for (const [index, record] of records.entries()) {
		if (!record) continue;
		for (const part of record.parts) {
			const place = moved(index, part);
			const end = part.end + starts[index];
			if (place) parts.push({ ...part, ...place, end, manner: part.manner + manners.length });
		}
		manners.push(...record.manners);
	}
	return parts.length > 0 ? writeRecord({ manners, length, parts }) : undefined;
}

/** Reads a record for a file of this length. Undefined: it does not fit; `newer`: a later version of this node wrote it. */
export function readRecord(text: string, fileLength: number): PartsRecord | 'newer' | undefined {
	const json = text.length > MOST_CHARACTERS ? undefined : parseJson(text);
	if (!isRecord(json)) return undefined;
	const { version, manners, length, parts } = json;
	if (Number(version) > VERSION) return 'newer';
	if (version !== VERSION || length !== fileLength) return undefined;
	if (!Array.isArray(manners) || manners.length > MOST_MANNERS || !manners.every(isManner))
		return undefined;
	if (!Array.isArray(parts) || parts.length === 0 || parts.length > MOST_PARTS) return undefined;
	if (!parts.every(isPart)) return undefined;
	let end = 0;
	for (const { from, to, manner } of parts) {
		if (from < end || to <= from || to > fileLength || manners[manner] === undefined)
			return undefined;
		end = to;
	}
	return { manners, length, parts };
}

const isManner = (value: unknown): value is Manner =>
	isRecord(value) &&
	typeof value.model === 'string' &&
	typeof value.speed === 'number' &&
	typeof value.voice === 'string' &&
	(value.title === undefined || typeof value.title === 'string');

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value);

const isPart = (value: unknown): value is RecordedPart => {
	if (!isRecord(value)) return false;
	const { key, manner, end, units, opening, sum, from, to, delay = 0, padding = 0 } = value;
	return (
		typeof key === 'string' &&
		typeof end === 'number' &&
		[manner, units, opening, sum, from, to, delay, padding].every(isWhole) &&
		Number(units) > 0
	);
};
