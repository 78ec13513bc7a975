/** Chapters of plain text, as books, transcripts and writers number them. */
import { plainHeadings } from '../../nodes/SpeechGateway/text/plainHeadings';

const titlesOf = (text: string) => plainHeadings(text).map(({ at, end }) => text.slice(at, end));

const TITLES: Array<[language: string, titles: string]> = [
	[
		'English',
		'CHAPTER I.¦Chapter 7: What now?¦Chapter the First.¦CHAPTER TWENTY-ONE¦Part the Second.¦BOOK III—The Sea¦Chapter 12. He laughs!¦Epilogue.¦PROLOGUE¦Chapter One!¦Letter 4.¦Stave I: A ghost.¦Ch. 3.¦XIV.¦2.',
	],
	[
		'German',
		'Kapitel 1.¦Erstes Kapitel.¦Kapitel Zwei: Der Regen¦2. Kapitel¦Teil IV. Wohin?¦Nachwort.',
	],
	[
		'French',
		'Chapitre premier.¦CHAPITRE II. La pluie.¦Première partie¦Chapitre 3 : Qui vient ?¦CHAPITRE Ier.¦Chapitre 1er¦2e partie.¦Épilogue'.replace(
			'¦Épilogue',
			'¦Avant-propos.',
		),
	],
	[
		'Spanish',
		'Capítulo primero.¦CAPÍTULO 2. ¿Quién viene?¦Primera parte.¦Parte segunda.¦Capítulo 1.º¦Epílogo.',
	],
	['Portuguese', 'Capítulo III: A casa.¦Livro Segundo.¦Prefácio.'],
	['Italian', 'Capitolo 4. La fine.¦Capitolo primo¦Prologo.'],
	['Russian', 'Глава 2. Дом.¦Глава первая.¦ЧАСТЬ III¦Глава 5: Кто там?¦Эпилог.'],
	['Polish', 'Rozdział 3. Las.¦Rozdział pierwszy¦Epilog.'],
	['Dutch', 'Hoofdstuk 5. De zee.¦Eerste hoofdstuk.¦Nawoord.'],
	['Turkish', '1. Bölüm¦Bölüm 2: Yağmur.'],
	['Hungarian', 'I. fejezet¦Első fejezet.'],
	['Chinese', '第一章。¦第12章 归来¦第三回：风雨。¦尾声'],
	['Japanese', '第1章。¦第二話　雨¦エピローグ'],
	['Korean', '제1장.¦제 2 장 비¦3장.¦에필로그'],
	['Greek', 'Κεφάλαιο 3.¦ΚΕΦΑΛΑΙΟ ΠΡΩΤΟ.¦Κεφάλαιο Β΄.'],
	['Hebrew', 'פרק ב.¦פרק י"ב.¦פרק 3'],
	['Hindi', 'अध्याय २।'],
	['Swedish', 'Första kapitlet.'],
	['Vietnamese', 'Chương 2: Mưa.'],
];
describe('numbered titles', () => {
	test.each(TITLES)('%s', (_language, titles) => {
		for (const title of titles.split('¦')) {
			const text = `It was late.\n\n${title}\n\nIt rained here.\n`;
			expect(titlesOf(text)).toEqual([title]);
			expect(titlesOf(text.replaceAll('\n', '\r\n'))).toEqual([title]);
		}
	});
	test('without blank lines around them', () => {
		const text =
			'Kapitel 1.\nEs war spät.\nKapitel 2. Der Regen.\nEs regnete.\nKapitel 3: Wer kam?\nNiemand.';
		expect(titlesOf(text)).toEqual(['Kapitel 1.', 'Kapitel 2. Der Regen.', 'Kapitel 3: Wer kam?']);
	});
});

test('spelled out, directly above the text', () => {
	const text =
		'CHAPTER ONE\nIt was late.\n\nErstes Kapitel.\nEs regnete.\n\nPart of it\nwas gone.\n';
	expect(titlesOf(text)).toEqual(['CHAPTER ONE', 'Erstes Kapitel.']);
});

test('what stands around the chapters of a book', () => {
	const text = ['Prologue: The Fall', 'Chapter 1', 'Interlude', 'Chapter 2', 'Chapter 3', 'It ends']
		.map((title) => `${title}\n\nIt was late.\n\n`)
		.join('');
	expect(titlesOf(text)).toEqual([
		'Prologue: The Fall',
		'Chapter 1',
		'Interlude',
		'Chapter 2',
		'Chapter 3',
	]);
});

test.each([
	'Page 12',
	'Seite 3 von 10',
	'Introduction: this is about rain.',
	'Alice folded her hands, and began:--',
	'He read on —',
	'http://www.example.org',
	'www.example.org',
	'me@example.org',
	'Part of it was gone.',
	'Act now.',
	'Chapter 3 of this book says so.',
	'Part I liked best.',
	'Chapters are good.',
	'Chapter 3: he said --',
	'第一章讲的是下雨。',
	'Der Teil davon.',
])('no title: %s', (line) => {
	expect(titlesOf(`It was late.\n\n${line}\n\nIt rained here.\n`)).toEqual([]);
});
test('a line within a paragraph is no title', () => {
	expect(titlesOf('It is as we saw in\nChapter 3. He went out and\nnever came back.')).toEqual([]);
});

/** A book as archives of old books write it. */
function book(word: string, count: number, { mark = '.', title = true, last = 'EPILOGUE' } = {}) {
	const names = ['The Harbour', 'A Letter', 'Who Knocks?', 'Rain', 'The Long Way Home'];
	const titles = Array.from({ length: count }, (_, i) =>
		title ? `${word} ${i + 1}${mark} ${names[i % names.length]}.` : `${word} ${i + 1}${mark}`,
	);
	titles.push(last);
	const body = titles
		.map(
			(one, i) =>
				`${one}\n\nIt was day ${i + 1} of the voyage, and the sea lay still;\nnobody spoke.\n\n[Illustration]\n\nYours ever\n\nThe old man`,
		)
		.join('.\n\n\n\n');
	const front =
		'*** START OF THE EBOOK ***\n\n\nTHE STILL SEA;\n\nor, THE HARBOUR.\n\nBy A. Writer\n\nRelease date: June 1, 2001\n\n\nCONTENTS\n';
	return {
		titles,
		text: `${front}\n${titles.join('\n\n')}\n\n\nTHE STILL SEA\n\nFor my mother\n\n${body}.\n\n*** END OF THE EBOOK ***\nhttp://www.example.org\n`,
	};
}
test.each([
	['135 chapters and an epilogue', book('CHAPTER', 135)],
	['bare numbers', book('Chapter', 12, { title: false })],
	['German', book('Kapitel', 30, { mark: ':', last: 'Nachwort.' })],
	['Russian', book('ГЛАВА', 20, { last: 'Эпилог.' })],
	['Spanish', book('Capítulo', 9, { last: 'Epílogo' })],
])('a book with a table of contents: %s', (_what, { text, titles }) => {
	expect(titlesOf(text)).toEqual(titles);
	const lines = plainHeadings(text);
	expect(lines[0].at).toBeGreaterThan(text.indexOf('For my mother'));
});
test('chapters count anew in each part', () => {
	const part = (n: string) => `PART ${n}\n\nCHAPTER 1\n\nIt rained.\n\nCHAPTER 2\n\nIt snowed.`;
	expect(titlesOf(`${part('I')}\n\n${part('II')}\n`)).toEqual([
		'PART I',
		'CHAPTER 1',
		'CHAPTER 2',
		'PART II',
		'CHAPTER 1',
		'CHAPTER 2',
	]);
});
test('a table of contents at the end', () => {
	const text = `${[1, 2, 3].map((n) => `Chapitre ${n}.\n\nIl pleut.`).join('\n\n')}\n\nTABLE\n\nChapitre 1.\nChapitre 2.\nChapitre 3.\nFin.\n`;
	expect(plainHeadings(text).filter(({ at }) => at > text.indexOf('TABLE'))).toEqual([]);
	expect(titlesOf(text)).toHaveLength(3);
});
test('long texts', () => {
	for (const line of ['Chapter 1.\n', 'a\n\n', ' ', 'Chapter ', 'I. ', '第'])
		plainHeadings(line.repeat(500_000 / line.length));
});
