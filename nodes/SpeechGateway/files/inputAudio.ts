import type { Execution } from '../engine/execution';
import type { IBinaryData } from 'n8n-workflow';
import type { AudioFormat, AudioInfo, AudioReader } from '../audio';
import {
	audioFormatOf,
	DamagedAudioError,
	inspectorOf,
	SNIFFED_BYTES,
	WITH_HEADERS,
} from '../audio';
import { asError, InputError } from '../core/errors';
import type { StoredAudio } from './storeAudio';
import type { FileRef } from '../fields/kinds';
import { chunksOf, fileOf, placeOf } from './inputFile';

/** PCM can only be recognised by the file's name; n8n has no MIME type for it. */
const PCM_TYPES = /^audio\/(x-)?pcm\b/;
const PCM_EXTENSION = /\.pcm$/i;

/** The file is of none of the formats that are read here. */
export class OtherFormatError extends InputError {}

/**
 * Reads an audio file of an incoming item from its first byte to its last, keeping none of it: what it is, how long it plays, and
 * whether it is whole. Throws InputError, with the name of the file, when it is missing, damaged, or no audio that can be read.
 * `label`: the parameter that names the field.
 */
export async function inspectInput(
	execution: Execution,
	index: number,
	file: FileRef,
	label?: string,
): Promise<StoredAudio & { info: AudioInfo }> {
	const binary = fileOf(execution, index, file, label);
	const name = nameOf(binary, placeOf(file, label));
	let head = Buffer.alloc(0);
	let inspector: AudioReader<AudioInfo> | undefined;
	const begin = () => {
		const begun = inspectorOf(recognisedFormat(head, binary, name));
		begun.feed(head);
		return begun;
	};
	try {
		for await (const chunk of await chunksOf(execution, binary)) {
			execution.cancel?.throwIfAborted();
			if (inspector) inspector.feed(chunk);
			else head = Buffer.concat([head, chunk]);
			if (head.length >= SNIFFED_BYTES) inspector ??= begin();
		}
		return { binary, info: (inspector ?? begin()).end() };
	} catch (error) {
		throw error instanceof DamagedAudioError ? unreadable(name, error) : asError(error);
	}
}

const unreadable = (name: string, { message }: Error) =>
	new InputError(
		`${name} cannot be read: ${message}`,
		'Open it in a player: if it does not play to the end there either, create or download it again.',
	);

/** The file as messages call it. */
export const nameOf = ({ fileName }: IBinaryData, place: string): string =>
	fileName ? `The file "${fileName}" in "${place}"` : `The file in "${place}"`;

function recognisedFormat(
	head: Buffer,
	{ mimeType, fileName }: IBinaryData,
	name: string,
): AudioFormat {
	if (head.length === 0) throw new InputError(`${name} is empty`);
	const isPcm = PCM_TYPES.test(mimeType) || PCM_EXTENSION.test(fileName ?? '');
	const format = audioFormatOf(head, isPcm);
	if (format === 'flac') {
		throw new OtherFormatError(
			`${name} is FLAC audio, which cannot be joined without re-encoding it`,
			`Convert all files to the same format first: ${WITH_HEADERS}.`,
		);
	}
	if (format) return format;
	throw new OtherFormatError(
		`${name} is not ${WITH_HEADERS} but "${mimeType}"`,
		`Files that can be joined: ${WITH_HEADERS}, and PCM from this node.`,
	);
}
