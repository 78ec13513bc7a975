import { countCharacters } from '../../nodes/SpeechGateway/text/characters';
import { CORPUS } from './corpus';
import { cut } from './prepared';

/** Where segments start in the midst of a sentence, with what stands around. */
function cutsWithin(sentences: string[], source: string, limit: number): string[] {
	const starts = new Set<number>();
	let at = 0;
	for (const sentence of sentences) {
		at = source.indexOf(sentence, at);
		starts.add(at);
		at += sentence.length;
	}
	return cut(source, limit)
		.filter(({ start }) => !starts.has(start))
		.map(({ start }) => `${source.slice(start - 20, start)}|${source.slice(start, start + 20)}`);
}
const longest = (sentences: string[]) => Math.max(...sentences.map(countCharacters));

test('there are 14 languages', () => {
	expect(CORPUS).toHaveLength(14);
	expect(CORPUS.flatMap(({ paragraphs }) => paragraphs)).toHaveLength(47);
});

test.each(CORPUS)('no sentence in $language is cut that fits', ({ space, paragraphs }) => {
	const all = paragraphs.flat();
	const asOne = all.join(space);
	const asParagraphs = paragraphs.map((sentences) => sentences.join(space)).join('\n\n');
	for (let limit = longest(all); limit < 400; limit++) {
		expect([limit, cutsWithin(all, asOne, limit)]).toEqual([limit, []]);
		expect([limit, cutsWithin(all, asParagraphs, limit)]).toEqual([limit, []]);
	}
	for (const sentences of paragraphs)
		expect(cutsWithin(sentences, sentences.join(space), longest(sentences))).toEqual([]);
	// And over and over, at usual limits.
	const often = Array.from({ length: 8 }, () => all).flat();
	for (const limit of [300, 600, 1000])
		expect(cutsWithin(often, often.join(space), limit)).toEqual([]);
});
