import {
	AUDIO_FORMATS,
	type AudioFormat,
	type AudioInfo,
	AudioInspector,
	DamagedAudioError,
	FOREIGN_FORMATS,
	type ForeignFormat,
	type ForeignInfo,
	hasMp3Frames,
	looksLikeText,
	sniffAudioFormat,
	sniffForeignFormat,
} from '../audio';
import { describeUnreadable, type Unreadable } from './unreadable';

interface FileType {
	mimeType: string;
	extension: string;
}

type Content =
	| (FileType & { format: AudioFormat })
	| (FileType & { foreign: ForeignFormat; name: string })
	| Unreadable;

/** Recognises an answer by its first bytes, the requested format and the declared type. */
export function recognise(
	head: Buffer,
	wanted: AudioFormat,
	contentType = '',
	redact: (text: string) => string,
): Content {
	const readable = (format: AudioFormat): Content => ({ format, ...AUDIO_FORMATS[format] });
	const found = sniffAudioFormat(head);
	// PCM can look like the two bytes of an MP3 header; then the declared type decides.
	const chance = wanted === 'pcm' && found === 'mp3' && !/mpeg|mp3/i.test(contentType);
	if (found && !chance) return readable(found);
	const foreign = sniffForeignFormat(head);
	if (foreign) {
		const { name, mimeType, extension } = FOREIGN_FORMATS[foreign];
		return { foreign, name, mimeType, extension };
	}
	const isText = looksLikeText(head);
	if (wanted === 'pcm' && !isText && !/json|html|xml|text/i.test(contentType))
		return readable('pcm');
	if (!isText && hasMp3Frames(head)) return readable('mp3');
	return describeUnreadable(head, contentType, redact);
}

/** The error of an answer that is no audio. */
export const notAudio = ({ looksLike }: Unreadable) =>
	new DamagedAudioError(`this is not readable audio; it looks like ${looksLike}`);

/** Reads all of it, and says at the end what it is; throws when it is damaged. */
export function checkOf(content: Content): {
	feed(chunk: Uint8Array): void;
	end(): AudioInfo | ForeignInfo;
} {
	if ('format' in content) return new AudioInspector(content.format);
	let bytes = 0;
	return {
		feed(chunk) {
			bytes += chunk.length;
		},
		end() {
			if ('foreign' in content) return { format: content.foreign, bytes };
			throw notAudio(content);
		},
	};
}
