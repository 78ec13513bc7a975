/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
/** How texts are read and cut: shares of examples, cuts in mid-sentence, time for long texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { prepareText, type TextFormat } from '../../nodes/SpeechGateway/text/prepare';
import { segmentText } from '../../nodes/SpeechGateway/text/segment';
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { DELIBERATE, readings } from '../text/commonmarkExamples';
import { CORPUS } from '../text/corpus';

type Row = Array<string | number>;

const prepare = (source: string, textFormat: TextFormat) =>
	prepareText(source, {
		textFormat,
		parentheses: 'tags',
		pronunciations: [],
		pauseAfterParagraphs: 0,
	});

export function commonmark(): Row {
	const all = readings();
	const passed = all.filter(({ expected, got }) => expected === got).length;
	return [
		all.length,
		passed,
		Object.keys(DELIBERATE).length,
		all.length - passed - Object.keys(DELIBERATE).length,
	];
}

const FOLDER = join(__dirname, '../text/readings');
const FORMATS: Record<string, TextFormat> = { '.md': 'markdown', '.html': 'html', '.txt': 'plain' };

/** Name, format, characters, characters read, whether it is read as it should be. */
export function articles(): Row[] {
	return readdirSync(FOLDER)
		.filter((name) => !name.endsWith('.spoken.txt'))
		.map((name) => {
			const source = readFileSync(join(FOLDER, name), 'utf8');
			const format = FORMATS[extname(name)];
			const spoken = prepare(source, format).spoken.text.trim();
			const isRight = `${spoken}\n` === readFileSync(join(FOLDER, `${name}.spoken.txt`), 'utf8');
			return [name, format, source.length, spoken.length, isRight ? '✓' : '✗'];
		});
}

/** A cutter that knows nothing of language, beside the node's: at the last full stop and space, else at a space. */
function plainCuts(source: string, limit: number): number[] {
	const starts: number[] = [];
	for (let at = 0; source.length - at > limit; ) {
		const part = source.slice(at, at + limit);
		const stop = Math.max(...['. ', '! ', '? ', '。'].map((mark) => part.lastIndexOf(mark)));
		const end = stop > 0 ? stop + 1 : part.lastIndexOf(' ') > 0 ? part.lastIndexOf(' ') : limit;
		at += end;
		while (source.charAt(at) === ' ') at++;
		starts.push(at);
	}
	return starts;
}

/** Language, then cuts and cuts in mid-sentence at limits around 300 characters: a plain cutter's and the node's. */
export function cuts(): Row[] {
	return CORPUS.map(({ language, space, paragraphs }) => {
		const sentences = Array.from({ length: 8 }, () => paragraphs.flat()).flat();
		const source = sentences.join(space);
		const ends = new Set<number>();
		let at = 0;
		for (const sentence of sentences) {
			at = source.indexOf(sentence, at);
			ends.add(at);
			at += sentence.length;
		}
		const count = (cutAt: (limit: number) => number[]) => {
			const all = Array.from({ length: 20 }, (_, i) => cutAt(250 + 7 * i)).flat();
			return [all.length, all.filter((start) => !ends.has(start)).length];
		};
		const own = (limit: number) =>
			segmentText(source, { maxCharacters: limit })
				.slice(1)
				.map(({ start }) => start);
		return [
			language,
			paragraphs.length,
			...count((limit) => plainCuts(source, limit)),
			...count(own),
		];
	});
}

/** Name, seconds to read 1 MB of text and to cut it. */
export function speeds(): Row[] {
	const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
	const texts: Array<[string, string, TextFormat]> = [
		['plain text, English', CORPUS[0].paragraphs.flat().join(' '), 'plain'],
		[
			'plain text, Chinese',
			CORPUS.find(({ space }) => space === '')!
				.paragraphs.flat()
				.join(''),
			'plain',
		],
		['Markdown of a chat model', read('chatgpt-nested.md'), 'markdown'],
		['Markdown of GitHub', read('github-readme.md'), 'markdown'],
		['HTML of a wiki', read('wikipedia-page.html'), 'html'],
		['HTML of a newsletter', read('newsletter.html'), 'html'],
		['only opening brackets', '[', 'markdown'],
	];
	return texts.map(([name, text, format]) => {
		const source = `${text}\n\n`.repeat(Math.ceil(1e6 / (text.length + 2))).slice(0, 1e6);
		let from = performance.now();
		const prepared = prepare(source, format);
		const reading = performance.now() - from;
		from = performance.now();
		segmentPrepared(prepared, { maxCharacters: 1000 });
		return [name, (reading / 1000).toFixed(2), ((performance.now() - from) / 1000).toFixed(2)];
	});
}
