import {
	audioFormatOf,
	type AudioInfo,
	canBeJoined,
	DamagedAudioError,
	EXTENSIONS,
	type ForeignInfo,
	inspectorOf,
	isPcmType,
	looksLikeText,
	MIME_TYPES,
	pcmTypeOf,
	type RequestedFormat,
} from '../audio';
import { parseJson } from '../core/json';
import { gatewayWords, MAY_BE_A_WEBSITE } from '../gateway/gatewayWords';
import type { RedactedStream } from '../gateway/redact';

interface FileType {
	mimeType: string;
	/** The first is the usual one. */
	extensions: [string, ...string[]];
}

/** What an answer is. */
interface Content extends FileType {
	/** Anything else may repeat what was sent, with the API key. */
	isAudio: boolean;
	/** Reads all of it, and says at the end what it is; throws when it is damaged, or no audio at all. */
	inspector: { feed(chunk: Uint8Array): void; end(): AudioInfo | ForeignInfo };
}

/**
 * Recognises an answer by its first bytes, the requested format and the declared type. PCM has no header: what is
 * declared as it may be it and, where it was asked for, whatever is not declared as text. Its rate and channels are those
 * of the declared type or, where that names no rate, `askedRate`. `redact`: see `describeUnreadable`.
 */
export function recognise(
	head: Uint8Array,
	wanted: RequestedFormat,
	contentType = '',
	redact: (text: string) => string,
	askedRate?: number,
): Content {
	const mayBePcm = wanted === 'pcm' && !/json|html|xml|text/i.test(contentType);
	const format = audioFormatOf(head, mayBePcm || isPcmType(contentType));
	if (!format) {
		const { looksLike, ...content } = describeUnreadable(head, contentType, redact);
		const refuse = () => {
			throw new DamagedAudioError(
				`this is not readable audio; it looks like ${looksLike}`,
				isText(content.mimeType),
			);
		};
		return { ...content, isAudio: false, inspector: { feed: refuse, end: refuse } };
	}
	const mimeType = format === 'pcm' ? pcmTypeOf(contentType, askedRate) : MIME_TYPES[format];
	const inspector = canBeJoined(format) ? inspectorOf(format, mimeType) : foreignInspector(format);
	return { mimeType, extensions: EXTENSIONS[format], isAudio: true, inspector };
}

/** Whether a type of `describeUnreadable` is that of a page, a message or a text. */
export const isText = (mimeType: string): boolean => /^text\/|\/(?:json|xml)$/.test(mimeType);

/** Only counts what is not read here. */
function foreignInspector(format: ForeignInfo['format']): Content['inspector'] {
	let bytes = 0;
	return { feed: ({ length }) => (bytes += length), end: () => ({ format, bytes }) };
}

/** Longest excerpt of a text that is repeated to the user. */
const MAX_EXCERPT = 200;

/**
 * Describes an answer that is no audio, by its first bytes and its declared type. `looksLike`: in words, to follow "it looks
 * like"; `redact`: takes the API key out of text, before it is cut.
 */
export function describeUnreadable(
	head: Uint8Array,
	contentType: string,
	redact: (text: string) => string,
): FileType & { looksLike: string } {
	const declared = contentType.split(';')[0].trim().toLowerCase();
	const text = redact(
		Buffer.from(head)
			.toString('utf8')
			.replace(/^\uFEFF/, ''),
	);
	const isMarkup = looksLikeText(head);
	// A character may be cut at the end of the head.
	if (!isMarkup && /[^\P{Cc}\s]|\uFFFD(?!$)/u.test(text)) {
		return {
			looksLike: 'unreadable bytes',
			mimeType: /^(audio|video)\/[\w.+-]+$/.test(declared) ? declared : 'application/octet-stream',
			extensions: ['bin'],
		};
	}
	const [kind, mimeType, extension] = textType(text, isMarkup);
	const body = extension === 'json' ? (parseJson(text) ?? text) : text;
	const looksLike = withMessage(kind, body);
	return {
		looksLike: extension === 'html' ? `${looksLike}. The base URL ${MAY_BE_A_WEBSITE}` : looksLike,
		mimeType,
		extensions: [extension],
	};
}

/** What a text is, by its beginning; the Content-Type of error pages is often wrong. */
function textType(
	text: string,
	isMarkup: boolean,
): [kind: string, mimeType: string, extension: string] {
	if (!isMarkup) return ['text', 'text/plain', 'txt'];
	if (/^\s*<\?xml/i.test(text)) return ['an XML message', 'application/xml', 'xml'];
	if (/^\s*</.test(text)) return ['a web page', 'text/html', 'html'];
	return ['a JSON message', 'application/json', 'json'];
}

/** The message in it, or all of it. */
function withMessage(kind: string, body: unknown): string {
	const words = gatewayWords(body).message ?? gatewayWords(JSON.stringify(body)).message;
	if (!words) return kind;
	return `${kind}: "${words.length > MAX_EXCERPT ? `${words.slice(0, MAX_EXCERPT)}…` : words}"`;
}

/** The chunks of a text without the API key, also where it is split. What is no text passes unchanged, byte by byte. */
export async function* redacted(
	chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
	stream: RedactedStream,
): AsyncGenerator<Uint8Array> {
	for await (const chunk of chunks) {
		const ready = stream.push(Buffer.from(chunk).toString('latin1'));
		if (ready) yield Buffer.from(ready, 'latin1');
	}
	const rest = stream.end();
	if (rest) yield Buffer.from(rest, 'latin1');
}
