/** What a file says of its parts, so that a later version of its text need not have them spoken again. No words are in it. */
import { createHash } from 'crypto';
import type { Place } from '../audio';
import { isRecord, keysOf, parseJson } from '../core/json';
import type { Voice } from '../fields/voice';
import { evenlySpaced, type Fingerprint } from '../text/knownParts';

const VERSION = 1;

/** Bits of the number that a part's flags make. */
const FLAGS = { isTold: 1, isExcerpt: 2 } as const;

export interface RecordedPart extends Fingerprint, Place {
	/** Names what was sent; see `partHash`. */
	hash: string;
	/** Index of its voice. */
	voice: number;
}

/** Plain JSON. */
export interface PartsRecord {
	/** Hashes, which tell why nothing can be used; see `nameHash`. */
	model: string;
	voices: string[];
	speed: number;
	/** Of the file, in what the places of parts count. */
	length: number;
	/** In the order of the file. */
	parts: RecordedPart[];
}

/** Names all that decides how a part sounds. */
export const partHash = (
	text: string,
	voice: Voice,
	{ model, speed = 1 }: { model: string; speed?: number },
): string => hashOf([evenlySpaced(text), voice, model, speed], 22);

/** Names a model or a voice. */
export const nameHash = (name: Voice): string => hashOf(name, 8);

const hashOf = (value: unknown, length: number): string =>
	createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, length);

/** The record as ASCII. */
export function writeRecord({ parts, ...rest }: PartsRecord): string {
	const rows = parts.map((part) => {
		const { hash, voice, units, opening, sum, from, to, delay, padding } = part;
		const flags = FLAG_NAMES.reduce((bits, name) => bits | (part[name] ? FLAGS[name] : 0), 0);
		return [hash, voice, units, opening, sum, from, to, flags, delay ?? null, padding ?? null];
	});
	return JSON.stringify({ version: VERSION, ...rest, parts: rows });
}

/** Reads a record for a file of this length. Undefined: it does not fit; `newer`: a later version of this node wrote it. */
export function readRecord(text: string, fileLength: number): PartsRecord | 'newer' | undefined {
	const json = parseJson(text);
	if (!isRecord(json)) return undefined;
	const { version, model, voices, speed, length, parts: rows } = json;
	if (Number(version) > VERSION) return 'newer';
	if (version !== VERSION || length !== fileLength || !Array.isArray(rows)) return undefined;
	if (typeof model !== 'string' || typeof speed !== 'number' || !isTexts(voices)) return undefined;
	const parts = rows.flatMap((row: unknown) => (Array.isArray(row) ? (partOf(row) ?? []) : []));
	let end = 0;
	for (const { from, to, voice } of parts) {
		if (from < end || to <= from || to > fileLength || voices[voice] === undefined)
			return undefined;
		end = to;
	}
	return parts.length === rows.length && parts.length > 0
		? { model, voices, speed, length, parts }
		: undefined;
}

const FLAG_NAMES = keysOf(FLAGS);

const isTexts = (value: unknown): value is string[] =>
	Array.isArray(value) && value.every((one) => typeof one === 'string');

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

function partOf([hash, ...numbers]: unknown[]): RecordedPart | undefined {
	const needed = numbers.slice(0, 7);
	const [delay, padding] = numbers.slice(7);
	if (typeof hash !== 'string' || needed.length < 7 || !needed.every(isWhole)) return undefined;
	if (delay !== null && !isWhole(delay)) return undefined;
	if (padding !== null && !isWhole(padding)) return undefined;
	const [voice, units, opening, sum, from, to, flags] = needed;
	if (units < 1) return undefined;
	return {
		...{ hash, voice, units, opening, sum, from, to },
		...(delay !== null && { delay }),
		...(padding !== null && { padding }),
		...Object.fromEntries(
			FLAG_NAMES.filter((name) => (flags & FLAGS[name]) !== 0).map((name) => [name, true]),
		),
	};
}
