import { matchAt } from './characters';
import { type Edit, type MappedText, rewrite, unchanged } from './mapped';

/**
 * The names of HTML 4, Latin Extended-A and what editors write, in the order of their characters: `9:` is the code of the next one,
 * `=` gives one more name. HTML 5 has 1,800 more, mostly for mathematics.
 */
const NAMES =
	'9:Tab NewLine 21:excl quot=QUOT num dollar percnt amp=AMP apos lpar rpar ast plus comma 2e:period sol 3a:colon ' +
	'semi lt=LT equals gt=GT quest commat 5b:lsqb bsol rsqb 5f:lowbar 7b:lcub verbar=vert rcub ' +
	'a0:nbsp=NonBreakingSpace iexcl cent pound curren yen brvbar sect uml copy=COPY ordf laquo not shy reg=REG macr ' +
	'deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12=half frac34 iquest Agrave ' +
	'Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve ' +
	'Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde ' +
	'auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ' +
	'ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml Amacr amacr Abreve abreve Aogon aogon Cacute ' +
	'cacute Ccirc ccirc Cdot cdot Ccaron ccaron Dcaron dcaron Dstrok dstrok Emacr emacr 116:Edot edot Eogon eogon ' +
	'Ecaron ecaron Gcirc gcirc Gbreve gbreve Gdot gdot Gcedil 124:Hcirc hcirc Hstrok hstrok Itilde itilde Imacr imacr ' +
	'12e:Iogon iogon Idot imath=inodot IJlig ijlig Jcirc jcirc Kcedil kcedil kgreen Lacute lacute Lcedil lcedil ' +
	'Lcaron lcaron Lmidot lmidot Lstrok lstrok Nacute nacute Ncedil ncedil Ncaron ncaron napos ENG eng Omacr omacr ' +
	'150:Odblac odblac OElig oelig Racute racute Rcedil rcedil Rcaron rcaron Sacute sacute Scirc scirc Scedil scedil ' +
	'Scaron scaron Tcedil tcedil Tcaron tcaron Tstrok tstrok Utilde utilde Umacr umacr Ubreve ubreve Uring uring ' +
	'Udblac udblac Uogon uogon Wcirc wcirc Ycirc ycirc Yuml Zacute zacute Zdot zdot Zcaron zcaron 192:fnof 1f5:gacute ' +
	'2c6:circ 2dc:tilde 391:Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho ' +
	'3a3:Sigma Tau Upsilon Phi Chi Psi Omega=ohm 3b1:alpha beta gamma delta epsilon zeta eta theta iota kappa lambda ' +
	'mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega 3d1:thetasym upsih 3d6:piv 2002:ensp emsp ' +
	'2007:numsp puncsp ThinSpace=thinsp hairsp ZeroWidthSpace zwnj zwj lrm rlm dash=hyphen 2013:ndash mdash horbar ' +
	'Vert 2018:OpenCurlyQuote=lsquo CloseCurlyQuote=rsquo=rsquor lsquor=sbquo 201c:OpenCurlyDoubleQuote=ldquo ' +
	'CloseCurlyDoubleQuote=rdquo=rdquor bdquo=ldquor 2020:dagger Dagger bull=bullet 2025:nldr hellip=mldr 2030:permil ' +
	'2032:prime Prime 2039:lsaquo rsaquo 203e:oline 2044:frasl 20ac:euro 210b:HilbertSpace 210f:hbar=planck ' +
	'2111:image 2116:numero copysr weierp 211c:real 2122:trade 2135:alefsym 2146:DifferentialD 2153:frac13 frac23 ' +
	'frac15 frac25 frac35 frac45 frac16 frac56 frac18 frac38 frac58 frac78 2190:larr=leftarrow uarr rarr=rightarrow ' +
	'darr harr 21b5:crarr 21d0:lArr uArr rArr dArr hArr 2200:forall 2202:part exist 2205:empty 2207:nabla isin notin ' +
	'220b:ni 220f:prod 2211:sum minus 2217:lowast 221a:radic 221d:prop infin 2220:ang 2227:and or cap cup int ' +
	'2232:ClockwiseContourIntegral 2234:there4 223c:sim 2245:cong 2248:asymp 2260:ne equiv 2264:le ge 2282:sub sup ' +
	'nsub 2286:sube supe 2295:oplus 2297:otimes 22a5:perp 22c5:sdot 2308:lceil rceil lfloor rfloor 2329:lang rang ' +
	'25ca:loz 2605:starf star 260e:phone 2640:female 2642:male 2660:spades 2663:clubs 2665:hearts diams 266a:sung ' +
	'266d:flat natural sharp 2713:check 2717:cross';

const CODE_POINTS = new Map<string, number>();
let next = 0;
for (const [, code, names] of NAMES.matchAll(/(?:([\da-f]+):)?(\S+)/g)) {
	if (code) next = parseInt(code, 16);
	for (const name of names.split('=')) CODE_POINTS.set(name, next);
	next++;
}

/** The Windows-1252 characters that old pages mean by the numbers 128 to 159. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** A character reference; it must end in a semicolon. */
const CHARACTER_REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/y;

/** Resolves the character reference at an offset; undefined if there is none, or its name is unknown. */
export function referenceAt(text: string, at: number): Edit | undefined {
	const match = matchAt(CHARACTER_REFERENCE, text, at);
	if (!match) return undefined;
	const [whole, decimal, hex, name] = match;
	const code = name ? CODE_POINTS.get(name) : parseInt(decimal ?? hex, decimal ? 10 : 16);
	return code === undefined
		? undefined
		: { start: at, end: at + whole.length, text: characterOf(code) };
}

function characterOf(code: number): string {
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
