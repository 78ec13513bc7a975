/** What a narrator says of a page: what a screen reader would say. Half of it in e-books, whose makers have habits of their own. */
import { segmentPrepared } from '../../nodes/SpeechGateway/text/spokenSegments';
import { prepare } from './prepared';

const read = (source: string, textFormat: 'html' | 'markdown' | 'automatic' = 'html') =>
	prepare(source, { textFormat }).spoken.text;

test.each([
	['10<sup>6</sup> people', '10⁶ people'],
	['2<sup>10</sup> and 2<sup>n</sup>', '2¹⁰ and 2ⁿ'],
	['log<sub>2</sub>8 is 3', 'log₂8 is 3'],
	['10<sup>-3</sup> m, 5<sup>1</sup>/<sub>2</sub> h', '10⁻³ m, 5 1/2 h'],
	['the 3<sup>rd</sup> of 20 m<sup>2</sup>', 'the 3rd of 20 m2'],
	['H<sub>2</sub>O, C<sub>6</sub>H<sub>12</sub>', 'H2O, C6H12'],
])('raised numbers keep apart: %s', (source, text) => {
	expect(read(source)).toBe(text);
	expect(read(source, 'markdown')).toBe(text);
});

test.each([
	['<span aria-hidden="true">Lena</span> <span class="sr-only">Lena</span> ran.', 'Lena ran.'],
	['<b class="screen-reader-text">Five stars</b><i aria-hidden="true">*****</i>', 'Five stars'],
	['<h2 aria-label="A hill"><span aria-hidden="true">A</span> hill</h2>', 'A hill.'],
	['Rated <span role="img" aria-label="two of five">★★</span>.', 'Rated two of five.'],
	['<section aria-label="Chapter 2"><p>It rains.</p></section>', 'It rains.'],
	['It rains. <a href="/s" aria-label="More on rain"><svg></svg></a>', 'It rains. More on rain'],
	['It rains.<a class="x" href="#a"><svg></svg></a>', 'It rains.'],
	['<a class="sr-only" href="#main">Skip</a><p>It rains.</p>', 'It rains.'],
])('for screen readers: %s', (source, text) => {
	expect(read(source)).toBe(text);
});

test.each([
	'display: none',
	'font-size:0',
	'font-size: 0px;color:red',
	'max-height:0;overflow:hidden',
	'opacity:0',
	'visibility:hidden',
])('hidden by %s', (style) => {
	const { spoken, notes } = prepare(`<p style="${style}">Secret.</p><p>Open.</p>`, {
		textFormat: 'html',
	});
	expect(spoken.text).toBe('Open.');
	expect(notes.join()).toMatch(/hidden elements.*"Text Format" to "Plain Text"/);
});
test.each([
	['<td style="font-size:0px"><p style="font-size:15px">Shown.</p>lost</td>', 'Shown.'],
	['<p style="visibility:hidden">lost <b style="visibility:visible">Shown.</b></p>', 'Shown.'],
	['<p style="opacity:0;transform:translateY(20px)">Shown.</p>', 'Shown.'],
	['<p style="opacity:0.5;font-size:0.8em;max-height:10px">Shown.</p>', 'Shown.'],
	['<p hidden>Shown.', ''],
	['<div hidden>Shown.', 'Shown.'],
])('what is shown within, or has no end: %s', (source, text) => {
	expect(read(source)).toBe(text);
});

test.each([
	['went<span class="pagenum">[14]</span> home<a class="fnanchor">[1]</a>', 'went home'],
	['let<span role="doc-pagebreak">11</span>ter', 'letter'],
	['tim<span epub:type="pagebreak" id="p7" title="7"/>ber fell', 'timber fell'],
	['said so<a role="doc-noteref" href="#n">2</a>', 'said so'],
	['said so<a href="#n"><sup>2</sup></a>', 'said so'],
	['<a id="p1"/>One <i class="pageno" id="p2"/>two', 'One two'],
	['One <span class="pageno">12</span>two', 'One two'],
	['said so.<a href="#_ftn1" name="_ftnref1"><span>[1]</span></a> No.', 'said so. No.'],
	['<a class="sym" href="#sdfootnote1anc">1</a>A note', 'A note'],
	['See figure <a href="#f2">2</a>.', 'See figure 2.'],
	['<p class="MsoFootnoteText">A note</p>It rains.', 'It rains.'],
	['<span style="mso-list:Ignore">o<i>&nbsp; </i></span>Rain', 'Rain'],
	['<span style="mso-list:Ignore">2.<i>&nbsp; </i></span>Rain', '2. Rain'],
	['Rain<audio controls><source src="a.mp3">No audio.</audio>', 'Rain'],
	['Rain<audio controls src="a.mp3">No audio.</audio>', 'Rain'],
	['Rain<audio><source src="a.mp3">No audio.</audio>', 'Rain'],
	['<img alt="W">HEN it rains', 'WHEN it rains'],
	['<span class="dropcap">W</span>hen it rains', 'When it rains'],
	['<img class="gaiji" alt="喰"/>い', '喰い'],
	['<img alt="c02-25.jpg (68K)">It rains.', 'It rains.'],
	['Tom &amp;amp; Jerry re\ufeffad&shy;ing', 'Tom & Jerry reading'],
	['<title/><script src="x"/><p>It rains.</p>', 'It rains.'],
])('e-books: %s', (source, text) => {
	expect(read(source)).toBe(text);
});

test('a heading of two lines is one title', () => {
	const { headings } = prepare('<h2>Chapter 2<br>The Storm</h2><p>It rains.</p>', {
		textFormat: 'html',
	});
	expect(headings.map(({ title }) => title)).toEqual(['Chapter 2 The Storm']);
});

test('of ruby, the reading is spoken and the base is shown', () => {
	const source =
		'<p>彼は<ruby>神聖文字<rp>(</rp><rt>ヒエログリフ</rt><rp>)</rp></ruby>と<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>を見た。<ruby>本<rt>・</rt></ruby></p>';
	for (const textFormat of ['html', 'automatic'] as const) {
		const [segment] = segmentPrepared(prepare(source, { textFormat }), {
			maxCharacters: Infinity,
		}).segments;
		expect(segment.text).toBe('彼はヒエログリフととうきょうを見た。本');
		expect(segment.written).toBe('彼は神聖文字と東京を見た。本');
	}
});

test.each([
	'One <x-y>two</x-y> three',
	'One <!-- two',
	'One <script>two',
	'One <textarea>two',
	'One <nav>two',
	'One two <3 <b',
	'One <p hidden="',
])('what has no end swallows nothing: %s', (source) => {
	expect(read(source)).toContain('One');
	expect(read(`${source}\n\nEnd.`, 'markdown')).toContain('End.');
});

test.each([
	['quotes', '>'.repeat(30_000) + ' Rain', 'Rain'],
	['brackets', '['.repeat(50_000) + 'Rain', '['.repeat(50_000) + 'Rain'],
	['stars', '*a '.repeat(50_000), '*a '.repeat(50_000).trim()],
	['prose', 'It *rains*.\n\n'.repeat(80_000), 'It rains.\n\n'.repeat(80_000).trim()],
])('many %s end with their words', (_what, source, text) => {
	expect(read(source, 'markdown') === text).toBe(true);
});
