import { matchAt } from './characters';
import { type Edit, type MappedText, rewrite, unchanged } from './mapped';

/** Names of the characters from U+00A0 to U+00FF, in order. */
const LATIN_1 =
	'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
	'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring ' +
	'AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml ' +
	'times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil ' +
	'egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ' +
	'ugrave uacute ucirc uuml yacute thorn yuml';
/** `name:hex` for the rest of HTML 4, Latin Extended-A and what editors write. HTML 5 has 1,800 more, mostly for mathematics. */
const OTHERS =
	'quot:22 amp:26 lt:3c gt:3e QUOT:22 AMP:26 LT:3c GT:3e COPY:a9 REG:ae ' +
	'Tab:9 NewLine:a excl:21 num:23 dollar:24 percnt:25 apos:27 lpar:28 rpar:29 ast:2a plus:2b comma:2c period:2e ' +
	'sol:2f colon:3a semi:3b equals:3d quest:3f commat:40 lsqb:5b bsol:5c rsqb:5d lowbar:5f lcub:7b verbar:7c ' +
	'vert:7c rcub:7d NonBreakingSpace:a0 half:bd Amacr:100 amacr:101 Abreve:102 abreve:103 Aogon:104 aogon:105 ' +
	'Cacute:106 cacute:107 Ccirc:108 ccirc:109 Cdot:10a cdot:10b Ccaron:10c ccaron:10d Dcaron:10e dcaron:10f ' +
	'Dstrok:110 dstrok:111 Emacr:112 emacr:113 Edot:116 edot:117 Eogon:118 eogon:119 Ecaron:11a ecaron:11b ' +
	'Gcirc:11c gcirc:11d Gbreve:11e gbreve:11f Gdot:120 gdot:121 Gcedil:122 Hcirc:124 hcirc:125 Hstrok:126 ' +
	'hstrok:127 Itilde:128 itilde:129 Imacr:12a imacr:12b Iogon:12e iogon:12f Idot:130 imath:131 inodot:131 ' +
	'IJlig:132 ijlig:133 Jcirc:134 jcirc:135 Kcedil:136 kcedil:137 kgreen:138 Lacute:139 lacute:13a Lcedil:13b ' +
	'lcedil:13c Lcaron:13d lcaron:13e Lmidot:13f lmidot:140 Lstrok:141 lstrok:142 Nacute:143 nacute:144 Ncedil:145 ' +
	'ncedil:146 Ncaron:147 ncaron:148 napos:149 ENG:14a eng:14b Omacr:14c omacr:14d Odblac:150 odblac:151 ' +
	'OElig:152 oelig:153 Racute:154 racute:155 Rcedil:156 rcedil:157 Rcaron:158 rcaron:159 Sacute:15a sacute:15b ' +
	'Scirc:15c scirc:15d Scedil:15e scedil:15f Scaron:160 scaron:161 Tcedil:162 tcedil:163 Tcaron:164 tcaron:165 ' +
	'Tstrok:166 tstrok:167 Utilde:168 utilde:169 Umacr:16a umacr:16b Ubreve:16c ubreve:16d Uring:16e uring:16f ' +
	'Udblac:170 udblac:171 Uogon:172 uogon:173 Wcirc:174 wcirc:175 Ycirc:176 ycirc:177 Yuml:178 Zacute:179 ' +
	'zacute:17a Zdot:17b zdot:17c Zcaron:17d zcaron:17e fnof:192 gacute:1f5 circ:2c6 tilde:2dc Alpha:391 Beta:392 ' +
	'Gamma:393 Delta:394 Epsilon:395 Zeta:396 Eta:397 Theta:398 Iota:399 Kappa:39a Lambda:39b Mu:39c Nu:39d Xi:39e ' +
	'Omicron:39f Pi:3a0 Rho:3a1 Sigma:3a3 Tau:3a4 Upsilon:3a5 Phi:3a6 Chi:3a7 Psi:3a8 Omega:3a9 ohm:3a9 alpha:3b1 ' +
	'beta:3b2 gamma:3b3 delta:3b4 epsilon:3b5 zeta:3b6 eta:3b7 theta:3b8 iota:3b9 kappa:3ba lambda:3bb mu:3bc ' +
	'nu:3bd xi:3be omicron:3bf pi:3c0 rho:3c1 sigmaf:3c2 sigma:3c3 tau:3c4 upsilon:3c5 phi:3c6 chi:3c7 psi:3c8 ' +
	'omega:3c9 thetasym:3d1 upsih:3d2 piv:3d6 ensp:2002 emsp:2003 numsp:2007 puncsp:2008 ThinSpace:2009 ' +
	'thinsp:2009 hairsp:200a ZeroWidthSpace:200b zwnj:200c zwj:200d lrm:200e rlm:200f dash:2010 hyphen:2010 ' +
	'ndash:2013 mdash:2014 horbar:2015 Vert:2016 OpenCurlyQuote:2018 lsquo:2018 CloseCurlyQuote:2019 rsquo:2019 ' +
	'rsquor:2019 lsquor:201a sbquo:201a OpenCurlyDoubleQuote:201c ldquo:201c CloseCurlyDoubleQuote:201d rdquo:201d ' +
	'rdquor:201d bdquo:201e ldquor:201e dagger:2020 Dagger:2021 bull:2022 bullet:2022 nldr:2025 hellip:2026 ' +
	'mldr:2026 permil:2030 prime:2032 Prime:2033 lsaquo:2039 rsaquo:203a oline:203e frasl:2044 euro:20ac ' +
	'HilbertSpace:210b hbar:210f planck:210f image:2111 numero:2116 copysr:2117 weierp:2118 real:211c trade:2122 ' +
	'alefsym:2135 DifferentialD:2146 frac13:2153 frac23:2154 frac15:2155 frac25:2156 frac35:2157 frac45:2158 ' +
	'frac16:2159 frac56:215a frac18:215b frac38:215c frac58:215d frac78:215e larr:2190 leftarrow:2190 uarr:2191 ' +
	'rarr:2192 rightarrow:2192 darr:2193 harr:2194 crarr:21b5 lArr:21d0 uArr:21d1 rArr:21d2 dArr:21d3 hArr:21d4 ' +
	'forall:2200 part:2202 exist:2203 empty:2205 nabla:2207 isin:2208 notin:2209 ni:220b prod:220f sum:2211 ' +
	'minus:2212 lowast:2217 radic:221a prop:221d infin:221e ang:2220 and:2227 or:2228 cap:2229 cup:222a int:222b ' +
	'ClockwiseContourIntegral:2232 there4:2234 sim:223c cong:2245 asymp:2248 ne:2260 equiv:2261 le:2264 ge:2265 ' +
	'sub:2282 sup:2283 nsub:2284 sube:2286 supe:2287 oplus:2295 otimes:2297 perp:22a5 sdot:22c5 lceil:2308 ' +
	'rceil:2309 lfloor:230a rfloor:230b lang:2329 rang:232a loz:25ca starf:2605 star:2606 phone:260e female:2640 ' +
	'male:2642 spades:2660 clubs:2663 hearts:2665 diams:2666 sung:266a flat:266d natural:266e sharp:266f ' +
	'check:2713 cross:2717';

/** Created lazily. */
let codePoints: Map<string, number> | undefined;

function table(): Map<string, number> {
	const made = new Map<string, number>();
	LATIN_1.split(' ').forEach((name, i) => made.set(name, 0xa0 + i));
	for (const entry of OTHERS.split(' ')) {
		const [name, hex] = entry.split(':');
		made.set(name, parseInt(hex, 16));
	}
	return made;
}

/** The Windows-1252 characters that old pages mean by the numbers 128 to 159. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** A character reference; it must end in a semicolon. */
const CHARACTER_REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/y;

/** Resolves the character reference at an offset; undefined if there is none, or its name is unknown. */
export function referenceAt(text: string, at: number): Edit | undefined {
	const match = matchAt(CHARACTER_REFERENCE, text, at);
	const character = match ? characterOf(match) : undefined;
	return match && character !== undefined
		? { start: at, end: at + match[0].length, text: character }
		: undefined;
}

function characterOf([, decimal, hex, name]: RegExpExecArray): string | undefined {
	codePoints ??= table();
	const code =
		name === undefined ? parseInt(decimal ?? hex, decimal ? 10 : 16) : codePoints.get(name);
	if (code === undefined) return undefined;
	if (code >= 0x80 && code < 0xa0) return WINDOWS_1252.charAt(code - 0x80);
	if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return '\ufffd';
	return String.fromCodePoint(code);
}

/** Resolves character references. */
export function decode(from: MappedText): MappedText {
	const edits: Edit[] = [];
	const { text } = from;
	for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
		const reference = referenceAt(text, at);
		if (reference) edits.push(reference);
	}
	return rewrite(from, edits);
}

export const decoded = (text: string): string => decode(unchanged(text)).text;
