import { createHash } from 'crypto';
import type { NodeCall } from '../engine/nodeCall';
import type { IBinaryData } from 'n8n-workflow';
import type { ReadableFormat, AudioInfo, AudioReader } from '../audio';
import {
	audioFormatOf,
	canBeJoined,
	DamagedAudioError,
	inspectorOf,
	isPcmType,
	looksLikeText,
	UnreadAudioError,
	WITH_HEADERS,
} from '../audio';
import { asError, InputError } from '../core/errors';
import type { StoredAudio } from './storeAudio';
import type { FileRef } from '../fields/kinds';
import { chunksOf, fileOf, placeOf } from './inputFile';
import { withHead } from './withHead';

/** Bare samples are known by their type or, as n8n has none for them, by the file's name. */
const PCM_EXTENSION = /\.pcm$/i;

/** An audio file that was read to its end, and the SHA-256 of its bytes. */
export interface InspectedAudio extends StoredAudio {
	info: AudioInfo;
	sha256: string;
}

/** The file is of none of the formats that are read here. */
export class OtherFormatError extends InputError {}

/**
 * Reads an audio file of an incoming item from its first byte to its last, keeping none of it: what it is, how long it
 * plays, and whether it is whole. Throws InputError, with the name of the file, when it is missing, damaged, or no
 * audio that can be read. `label`: the parameter that names the field.
 */
export async function inspectInput(
	nodeCall: NodeCall,
	index: number,
	file: FileRef,
	label?: string,
): Promise<InspectedAudio> {
	const binary = fileOf(nodeCall, index, file, label);
	const name = nameOf(binary, placeOf(file, label));
	const hash = createHash('sha256');
	let inspector: AudioReader<AudioInfo> | undefined;
	let format: ReadableFormat | undefined;
	try {
		for await (const chunk of withHead(await chunksOf(nodeCall, binary))) {
			nodeCall.cancel?.throwIfAborted();
			format ??= recognisedFormat(chunk, binary, name);
			inspector ??= inspectorOf(format, binary.mimeType);
			inspector.feed(chunk);
			hash.update(chunk);
		}
		if (!inspector) throw new InputError(`${name} is empty`);
		return { binary, info: inspector.end(), sha256: hash.digest('hex') };
	} catch (error) {
		if (!(error instanceof DamagedAudioError)) throw asError(error);
		throw unreadable(name, error, binary, format);
	}
}

const unreadable = (name: string, error: Error, binary: IBinaryData, format?: ReadableFormat) =>
	new InputError(
		`${name} cannot be read: ${error.message}`,
		error instanceof UnreadAudioError
			? `Convert it first, for example with: ${ffmpegLine(binary, format === 'opus' ? ' -ac 2' : '', format)}.`
			: 'Open it in a player: if it does not play to the end there either, create or download it again.',
	);

/** A name without its extension. */
export const stemOf = (fileName: string): string => fileName.replace(/(?<=.)\.[^.]*$/, '');

/**
 * The ffmpeg command that makes another file of one. `from`, `to`: its options for the one and the other. By the name of a
 * format it knows what to make; of `.ogg`, it would make Vorbis.
 */
export function ffmpegLine(
	{ fileName = 'file' }: IBinaryData,
	to = '',
	format: ReadableFormat = 'mp3',
	from = '',
): string {
	const name = fileName.replace(/["$`\\]/g, '_');
	return `ffmpeg ${from}-i "${name}"${to} "${stemOf(name)}-converted.${format}"`;
}

/** The file as messages call it. */
export const nameOf = ({ fileName }: IBinaryData, place: string): string =>
	fileName ? `The file "${fileName}" in "${place}"` : `The file in "${place}"`;

/**
 * The format by the first bytes, since names and MIME types are often wrong; only PCM goes by them. Throws
 * OtherFormatError.
 */
function recognisedFormat(head: Uint8Array, binary: IBinaryData, name: string): ReadableFormat {
	const { mimeType, fileName } = binary;
	const isPcm = isPcmType(mimeType) || PCM_EXTENSION.test(fileName ?? '');
	const format = audioFormatOf(head, isPcm);
	if (format && !canBeJoined(format)) {
		throw new OtherFormatError(
			`${name} is ${format.toUpperCase()} audio, which cannot be joined without re-encoding it`,
			`Convert all files to the same format first: ${WITH_HEADERS}, for example with: ${ffmpegLine(binary)}.`,
		);
	}
	if (format) return format;
	const isAudioByType = mimeType.startsWith('audio/');
	const isSound = /^(?:audio|video)\//.test(mimeType) && !looksLikeText(head);
	throw new OtherFormatError(
		`${name} is not ${WITH_HEADERS}${isAudioByType ? ', though its type is' : ' but'} "${mimeType}"`,
		`Files that can be joined: ${WITH_HEADERS}, and PCM from this node.${isSound ? ` Convert it first, for example with: ${ffmpegLine(binary)}.` : ''}`,
	);
}
