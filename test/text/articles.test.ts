import type { TextFormat } from '../../nodes/SpeechGateway/text/format';
import { prepare } from './prepared';

const read = (source: string, textFormat: TextFormat) => prepare(source, { textFormat });

test('an answer of a chat model', () => {
	const { written, headings, notes } = read(
		`## How to brew **good** coffee ☕

You need *three* things — see [the guide](https://coffee.example.com/guide_v2?x=1&y=2) or https://www.example.com/a_b/c.html.

1. **Beans**: use \`fresh\` ones[^1]
2. **Water**, at 93 °C
   - soft
   - filtered

> “Grind right before brewing.”[2](https://src.example.com).

| Method | Time | Note |
|:-------|:----:|-----:|
| French press | 4 min | |
| Espresso | 25 s | *strong* |

\`\`\`python
def brew(grams):  # comment
    return grams * 16
\`\`\`

---

Use \`snake_case\`, 2 * 3 * 4, C# and #1; it costs $5 & more. Is that ok?

- [x] done
- [ ] open

![A cup of coffee](https://cdn.example.com/IMG_1234.jpg)

[^1]: Roasted at most four weeks ago,
    as a rule.
`,
		'markdown',
	);
	expect(written.text).toBe(
		`How to brew good coffee ☕.

You need three things — see the guide or link to example.com.

1. Beans: use fresh ones.
2. Water, at 93 °C.
soft.
filtered.

“Grind right before brewing.”.

Method, Time, Note.
French press, 4 min.
Espresso, 25 s, strong.

Use snake_case, 2 * 3 * 4, C# and #1; it costs $5 & more. Is that ok?

done.
open.

A cup of coffee.`,
	);
	expect(headings).toMatchObject([{ at: 0, level: 2, title: 'How to brew good coffee ☕' }]);
	expect(notes).toEqual([
		'Footnotes were left out, and marks that refer to them or to sources, such as [1].',
		'Code blocks were left out: code is not spoken.',
	]);
});

test('an entry of a feed', () => {
	const { written, notes } = read(
		`<![CDATA[]]><p>Prices rose 3&nbsp;% in May, the office said on Monday&hellip;</p>
<figure class="wp-block-image"><img src="x.jpg" alt="Shoppers at a market"/><figcaption>Photo: A. Smith / Agency</figcaption></figure>
<p><strong>Why?</strong> Energy &amp; food, says Dr. M&uuml;ller (<a href="https://example.org/cv">profile</a>).<br/>More at <a href="https://www.example.org/news/2024/05/?utm_source=rss&amp;utm_medium=feed">https://www.example.org/news/2024/05/?utm_source=rss&amp;utm_medium=feed</a></p>
<h3>What comes next</h3>
<ul>
  <li>A meeting in June</li>
  <li><p>New numbers in July.</p></li>
</ul>
<script>track('<p>no</p>');</script><style>.a{color:red}</style><iframe src="https://ads.example.com">ad</iframe>
<p>The post <a rel="nofollow" href="https://example.org/?p=1">Prices</a> appeared first on <a href="https://example.org">The Example</a>.</p><img width="1" height="1" src="https://track.example.com/p.gif" alt="">`,
		'html',
	);
	expect(written.text).toBe(
		`Prices rose 3 % in May, the office said on Monday…

Shoppers at a market.
Photo: A. Smith / Agency.

Why? Energy & food, says Dr. Müller (profile).
More at link to example.org

What comes next.

A meeting in June.
New numbers in July.

The post Prices appeared first on The Example.`,
	);
	expect(notes).toEqual([]);
});

test('a page of a wiki', () => {
	const { written, headings } = read(
		`<div class="mw-parser-output"><p>The <b>red kite</b> (<i lang="la">Milvus milvus</i>) is a bird of prey.<sup id="cite_ref-1" class="reference"><a href="#cite_note-1"><span class="cite-bracket">&#91;</span>1<span class="cite-bracket">&#93;</span></a></sup> It is 60&#8211;70&#160;cm long.<sup><a href="#fn2">2</a></sup></p>
<div id="toc" class="toc"><ul><li><a href="#x">1 Name</a></li></ul></div>
<div class="mw-heading mw-heading2"><h2 id="Name">Name</h2><span class="mw-editsection"><span>[</span><a href="/edit">edit</a><span>]</span></span></div>
<p>E = mc<sup>2</sup>, H<sub>2</sub>O and 5 &lt; 6.</p>
<table class="wikitable"><caption>Numbers</caption><tbody><tr><th>Country</th><th>Pairs</th></tr><tr><td>Germany</td><td>14,000</td></tr></tbody></table>
<dl><dt>Kite</dt><dd>A bird</dd></dl>
<h2>References</h2><ol class="references"><li id="cite_note-1">Smith 1999</li></ol>
<p style="display: none">hidden</p><!-- NewPP limit report --></div>`,
		'html',
	);
	expect(written.text).toBe(
		`The red kite (Milvus milvus) is a bird of prey. It is 60–70 cm long.

Name.

E = mc2, H2O and 5 < 6.

Numbers.

Country, Pairs.
Germany, 14,000.

Kite.
A bird.

References.`,
	);
	expect(headings.map(({ title }) => title)).toEqual(['Name', 'References']);
});

test('a post of a CMS, with front matter and HTML within', () => {
	const { written, headings } = read(
		`---
title: "The night train"
tags:
  - travel
---

The Night Train
===============

<p align="center"><img src="a.png" alt="hero.png"></p>

It left at 23:05\\* sharp. <b>Nobody</b> spoke,  
not even the guard.<!-- more --><br>The rest is ~~silence~~ history.

    Indented by habit, this is still a paragraph of the story.

\\* Winter timetable. Contact <anna@example.com> or <https://example.com/train>.

[ref]: https://example.com "Unused"
`,
		'markdown',
	);
	expect(written.text).toBe(
		`The Night Train.

It left at 23:05* sharp. Nobody spoke,
not even the guard.
The rest is silence history.

Indented by habit, this is still a paragraph of the story.

* Winter timetable. Contact anna@example.com or link to example.com.`,
	);
	expect(headings).toMatchObject([{ level: 1, title: 'The Night Train' }]);
});
