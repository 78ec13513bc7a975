import { cutText } from '../../nodes/SpeechGateway/text/segment';
import { toneTags } from '../../nodes/SpeechGateway/text/toneTags';
import { prepareText, type TextOptions } from '../../nodes/SpeechGateway/text/prepare';

/** A text made ready to be spoken; of the options, only those that a test is about are set. */
export const prepare = (source: string, options: Partial<TextOptions> = {}) =>
	prepareText(source, {
		textFormat: 'plain',
		parentheses: 'readAloud',
		pronunciations: [],
		pauseAfterParagraphs: 0,
		...options,
	});

/** A text cut with its tone tags whole. */
export const cut = (text: string, limit: number) =>
	cutText(text, limit, { tags: toneTags(text, 'tags') });

export const readMarkdown = (markdown: string): string =>
	prepare(markdown, { textFormat: 'markdown' }).written;
