import { countCharacters, segmentText } from '../../nodes/SpeechGateway/text/segment';
import { CORPUS } from './corpus';

/** Where segments start in the midst of a sentence, with what stands around. */
function cutsWithin(sentences: string[], source: string, limit: number): string[] {
	const starts = new Set<number>();
	let at = 0;
	for (const sentence of sentences) {
		at = source.indexOf(sentence, at);
		starts.add(at);
		at += sentence.length;
	}
	return segmentText(source, { maxCharacters: limit })
		.filter(({ start }) => !starts.has(start))
		.map(({ start }) => `${source.slice(start - 20, start)}|${source.slice(start, start + 20)}`);
}

test('there are 30 paragraphs in 10 languages', () => {
	expect(CORPUS).toHaveLength(10);
	expect(CORPUS.flatMap(({ paragraphs }) => paragraphs)).toHaveLength(30);
});

describe.each(CORPUS)('$language', ({ space, paragraphs }) => {
	const all = paragraphs.flat();
	const longest = Math.max(...all.map(countCharacters));
	test('no sentence is cut that fits in a segment', () => {
		for (let limit = longest; limit < 400; limit++) {
			const asOne = all.join(space);
			expect([limit, cutsWithin(all, asOne, limit)]).toEqual([limit, []]);
			const asParagraphs = paragraphs.map((sentences) => sentences.join(space)).join('\n\n');
			expect([limit, cutsWithin(all, asParagraphs, limit)]).toEqual([limit, []]);
		}
	});
	test('and every sentence end can be cut at', () => {
		for (const sentences of paragraphs) {
			const limit = Math.max(...sentences.map(countCharacters));
			expect(cutsWithin(sentences, sentences.join(space), limit)).toEqual([]);
		}
	});
});

test('the same text over and over, at usual limits', () => {
	for (const { space, paragraphs } of CORPUS) {
		const sentences = Array.from({ length: 8 }, () => paragraphs.flat()).flat();
		for (const limit of [300, 600, 1000]) {
			expect(cutsWithin(sentences, sentences.join(space), limit)).toEqual([]);
		}
	}
});
