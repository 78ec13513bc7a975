import type { AudioFormat, AudioInfo, ForeignInfo } from '../audio';
import {
	AudioInspector,
	DamagedAudioError,
	hasMp3Frames,
	isFlac,
	looksLikeText,
	MIME_TYPES,
	sniffAudioFormat,
} from '../audio';
import { describeUnreadable, type Unreadable } from './unreadable';

/** What an answer is. */
interface Content {
	format: AudioFormat | 'flac';
	mimeType: string;
	extension: string;
}

/** Recognises an answer by its first bytes, the requested format and the declared type. */
export function recognise(
	head: Buffer,
	wanted: AudioFormat,
	contentType = '',
	redact: (text: string) => string,
): Content | Unreadable {
	const readable = (format: AudioFormat | 'flac'): Content => ({
		...{ format, mimeType: MIME_TYPES[format], extension: format },
	});
	const found = sniffAudioFormat(head);
	// PCM can look like the two bytes of an MP3 header; then the declared type decides.
	const chance = wanted === 'pcm' && found === 'mp3' && !/mpeg|mp3/i.test(contentType);
	if (found && !chance) return readable(found);
	if (isFlac(head)) return readable('flac');
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
export function checkOf(content: Content | Unreadable): {
	feed(chunk: Uint8Array): void;
	end(): AudioInfo | ForeignInfo;
} {
	if ('format' in content && content.format !== 'flac') return new AudioInspector(content.format);
	let bytes = 0;
	return {
		feed(chunk) {
			bytes += chunk.length;
		},
		end() {
			if ('format' in content) return { format: 'flac', bytes };
			throw notAudio(content);
		},
	};
}
