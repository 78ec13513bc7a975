/** Letters that only look like letters: `𝗧𝗵𝗲 𝘀𝗲𝗮`, `Ⓣⓗⓔ`, `Ｔｈｅ`, `①`. Voices spell them, or say nothing. */

/** Mathematical letters and digits, with those that Unicode had before them. */
const MATHEMATICAL =
	/(?:[ℂℊ-ℓℕℙ-ℝℤℨℬℭℯ-ℱℳℴ](?=[\u{1d400}-\u{1d7ff}])|[\u{1d400}-\u{1d7ff}])(?:[\u{1d400}-\u{1d7ff}ℂℊ-ℓℕℙ-ℝℤℨℬℭℯ-ℱℳℴ]{0,300}[\u{1d400}-\u{1d7ff}])?/gu;
const CIRCLED_WORD = /[Ⓐ-ⓩ]{2,300}/g;
const FULL_WIDTH = /[Ａ-Ｚａ-ｚ]{2,300}/g;
const CIRCLED_NUMBER = /[①-⑳❶-❿➀-➉➊-➓](?=([\p{L}\p{N}])?)/gu;
/** A bullet in a font of symbols. */
const SYMBOL_BULLET = /^([ \t]{0,20})[\ue000-\uf8ff][ \t]+/gm;
const ANY = /[\u{1d400}-\u{1d7ff}Ⓐ-ⓩＡ-Ｚａ-ｚ①-⑳❶-➓\ue000-\uf8ff]/u;

const normal = (letters: string): string => letters.normalize('NFKC');

function numberInCircle(circled: string): number {
	const code = circled.charCodeAt(0);
	return code < 0x2776 ? code - 0x245f : ((code - 0x2776) % 10) + 1;
}

/**
 * Letters that only look like letters are letters; a circled number is it and a space. U+0002, a hyphen in text from PDFs,
 * becomes U+FFFE, another such sign.
 */
export function plainLetters(source: string): string {
	const text = source.replaceAll('\u0002', '\ufffe');
	if (!ANY.test(text)) return text;
	return text
		.replace(MATHEMATICAL, normal)
		.replace(CIRCLED_WORD, normal)
		.replace(FULL_WIDTH, normal)
		.replace(CIRCLED_NUMBER, (one, next?: string) => `${numberInCircle(one)}${next ? ' ' : ''}`)
		.replace(SYMBOL_BULLET, '$1');
}
