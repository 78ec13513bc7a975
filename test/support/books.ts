import { zip } from './zip';

const page = (title: string, text: string) => `<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Not read</title></head>
<body><h1>${title}</h1><p>${text}</p></body></html>`;
const GULLS = page('The gulls', 'The gulls are back – with arguments.');
const GIRL = page('The girl', 'In the morning a boat lay below the rock.');
const CONTENTS = page('Contents', 'A list.');

/** What is in the book's list, and what is read there; its spine has the opposite order. */
const ITEMS = [
	// Names with blanks, links into a file and out of the folder, and one name in two folders.
	['c', 'href="../one/1%20%C3%A9.xhtml#end"', 'book/one/1 é.xhtml', GIRL],
	['b', 'href="../one/1%20%C3%A9.xhtml#start"', 'book/one/1 é.xhtml', GIRL],
	['a', 'href="./two/1%20%C3%A9.xhtml"', 'book/list/two/1 é.xhtml', GULLS],
	['note', 'href="11.xhtml"', 'book/list/11.xhtml', CONTENTS],
	['nav', 'href="1.xhtml" properties="scripted nav"', 'book/list/1.xhtml', CONTENTS],
];
/** An EPUB, `lighthouse.epub`: "The Lighthouse" by Marta Brandt, with the chapters "The gulls" and "The girl". */
export const EPUB = zip({
	mimetype: 'application/epub+zip',
	'book/list/content.opf': `<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title id="t">The Lighthouse</dc:title><dc:creator>Marta Brandt</dc:creator></metadata>
<manifest>${ITEMS.map(([id, attributes]) => `<item id="${id}" ${attributes}/>`).join('')}</manifest>
<spine>${ITEMS.toReversed()
		.map(([id]) => `<itemref idref="${id}"${id === 'note' ? ' linear="no"' : ''}/>`)
		.join('')}</spine></package>`,
	...Object.fromEntries(ITEMS.map(([, , path, text]) => [path, text])),
	'book/list/cover.jpg': 'no text',
});
const paragraph = (style: string, text: string) =>
	`<w:p w:rsidR="1"><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
/** A Word file with the same chapters. */
export const DOCX = zip({
	'[Content_Types].xml': '<Types/>',
	'word/document.xml': `<w:document><w:body>${paragraph('Heading1', 'The gulls')}${paragraph('Normal', 'The gulls are back &amp; loud.')}${paragraph('Heading1', 'The girl')}${paragraph('Normal', 'A boat lay below the rock.')}</w:body></w:document>`,
});
