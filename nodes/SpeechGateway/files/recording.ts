import { createHash } from 'crypto';
import type { NodeCall } from '../engine/nodeCall';
import {
	type ReadableFormat,
	type AudioInfo,
	type AudioReader,
	DamagedAudioError,
	EXTENSIONS,
	inspectorOf,
	sniffAudioFormat,
} from '../audio';
import { InputError } from '../core/errors';
import { MAX_RECORDING_MB } from '../core/limits';
import type { FileRef } from '../fields/kinds';
import { chunksOf, fileOf, placeOf } from './inputFile';
import { withHead } from './withHead';

const MEGABYTE = 1024 * 1024;
const MAX_BYTES = MAX_RECORDING_MB * MEGABYTE;

/** Facts about a recording on the node's input. */
export interface Recording {
	fileName: string;
	mimeType: string;
	/** Of the file, as hexadecimal digits. */
	sha256: string;
	/** Undefined for formats that are not read here (m4a, flac, …). */
	seconds?: number;
}

/**
 * Reads a recording of an item without keeping it in memory. Throws InputError when it is missing, empty, too large or no
 * audio.
 */
export async function inspectRecording(
	nodeCall: NodeCall,
	index: number,
	recording: FileRef,
): Promise<Recording> {
	const file = fileOf(nodeCall, index, recording);
	const place = placeOf(recording);
	const refusal = (what: string) =>
		new InputError(
			`The file in "${place}" ${what}`,
			'Use a recording such as mp3, wav or m4a. Nothing was sent.',
		);
	let inspector: AudioReader<AudioInfo> | undefined;
	let format: ReadableFormat | undefined;
	let bytes = 0;
	const hash = createHash('sha256');
	for await (const chunk of withHead(await chunksOf(nodeCall, file))) {
		if (bytes === 0) {
			format = sniffAudioFormat(chunk);
			if (!format && !/^((audio|video)\/|application\/(ogg|octet-stream))/.test(file.mimeType)) {
				throw refusal(`is not audio but "${file.mimeType}"`);
			}
			if (!format && isEncoded(chunk))
				throw refusal('is a text, not audio: a data URL or base64 must be decoded first');
			if (format) inspector = inspectorOf(format);
		}
		bytes += chunk.length;
		// A file that is too large is only counted, so that the error can name its size.
		if (bytes <= MAX_BYTES) {
			hash.update(chunk);
			inspector = unlessDamaged(() => {
				inspector?.feed(chunk);
				return inspector;
			});
		}
	}
	if (bytes === 0) throw new InputError(`The file in "${place}" is empty`);
	if (bytes > MAX_BYTES) {
		const megabytes = Math.ceil((10 * bytes) / MEGABYTE) / 10;
		throw new InputError(
			`The recording in "${place}" is larger than ${MAX_RECORDING_MB} MB: it has ${megabytes.toFixed(1)} MB`,
			'Shorten it or save it as mp3; 30 to 60 seconds of clear speech are enough. Nothing was sent.',
		);
	}
	return {
		fileName:
			file.fileName ??
			`recording.${(format && EXTENSIONS[format][0]) ?? file.fileExtension ?? 'bin'}`,
		mimeType: file.mimeType,
		sha256: hash.digest('hex'),
		seconds: unlessDamaged(
			() => inspector?.end().seconds,
			() => refusal('holds no sound'),
		),
	};
}

/**
 * If a recording cannot be read to its end, only its length is unknown; the gateway decides whether it is good. One without
 * any sound is refused (`ifNothing`).
 */
function unlessDamaged<T>(read: () => T, ifNothing?: () => Error): T | undefined {
	try {
		return read();
	} catch (error) {
		if (ifNothing && error instanceof DamagedAudioError && error.isNothing) throw ifNothing();
		return undefined;
	}
}

/** A data URL, or base64 without its address. */
const DATA_URL = /^\s*data:[\w/+.-]*(?:;[^,]{0,200})?,/;
const BASE64 = /^[\w+/\s-]{40,}=*\s*$/;
/** How m4a, FLAC, WebM and AMR begin, which are sent but not read here. */
const OTHER_AUDIO = /^(?:[^]{4}ftyp|fLaC|[^]E\xdf\xa3|#!AMR)/;

/** Whether a file is the text of an encoded recording, and not the recording. */
function isEncoded(head: Uint8Array): boolean {
	const text = Buffer.from(head).toString('latin1');
	if (DATA_URL.test(text)) return true;
	if (!BASE64.test(text)) return false;
	const decoded = Buffer.from(text, 'base64');
	return sniffAudioFormat(decoded) !== undefined || OTHER_AUDIO.test(decoded.toString('latin1'));
}
