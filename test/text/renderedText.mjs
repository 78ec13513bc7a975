/** A worker that answers Markdown with the text that micromark renders of it: jest's own modules cannot load its packages. */
import { parentPort } from 'node:worker_threads';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** Not read on purpose, or not always. */
const LEFT_OUT = new Set([
	'code',
	'definition',
	'footnoteDefinition',
	'footnoteReference',
	'image',
	'imageReference',
]);
const WITHIN_WORDS = new Set(['emphasis', 'strong', 'delete', 'link', 'linkReference']);
/** Numbers of sources and footnotes in brackets. */
const SOURCE_MARK = /\[(?:\^[^\s\]]+|\d{1,3})\]/g;

function textOf(node, source, columns) {
	const { type, value = '', children = [], position } = node;
	if (LEFT_OUT.has(type)) return '';
	if (type === 'text') return value.replace(SOURCE_MARK, '');
	if (type === 'inlineCode') {
		// Unlike its value, the source has the spaces at both ends.
		return source.slice(position.start.offset, position.end.offset).replace(/^`+|`+$/g, '');
	}
	if (type === 'break' || (type === 'html' && /^<br\b/i.test(value))) return '\n';
	if (type === 'html') return '';
	const shown = type === 'tableRow' ? children.slice(0, columns) : children;
	const width = type === 'table' ? children[0].children.length : undefined;
	const text = shown.map((child) => textOf(child, source, width)).join('');
	if (!WITHIN_WORDS.has(type)) return `\n${text}\n`;
	return /^(?:\^\S+|\d{1,3})$/.test(text) ? '' : text;
}

parentPort.on('message', (markdown) => {
	const tree = fromMarkdown(markdown, {
		extensions: [gfm()],
		mdastExtensions: [gfmFromMarkdown()],
	});
	parentPort.postMessage(textOf(tree, markdown));
});
