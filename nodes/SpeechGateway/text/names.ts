/** Names of speakers before a colon, and what only looks like one. */
import { setOf } from './characters';
import { isDirection } from './directions';
import { TIME_RANGE } from './times';
import { type Parentheses, toneTags } from './toneTags';
import { isTone } from './tones';

/** A name at the start of a line, with list and quote marks, pictures and Markdown's emphasis around it, before a colon: `**host_1:**`. */
const NAME_AT_LINE_START =
	/^(\uFEFF?[ \t]{0,20}(?:(?:[-*+>]|\d{1,3}[.)]|\p{Extended_Pictographic}[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u200d]{0,7})[ \t]{1,4}){0,2}(?:[*_]{1,3}|\[)?)([^\s:：*_[\]()（）<>"“”](?:[^:：*_[\]()（）<>\n]|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])){0,59}?)((?:[*_]{1,3}|\])?[ \t]*(?:[*_]{1,3}(?=[(（[［]))?(?:[(（]([^()（）\n]{1,60})[)）][ \t]*|([[［][^[\]［］\n]{1,60}[\]］])[ \t]*)?(?:[*_]{1,3})?[:：](?:[*_]{1,3})?)[ \t\u3000]*/gmu;

/** A name without what would end it in a script. */
export const writtenName = (name: string): string => name.replace(/[:：\s]+/g, ' ').trim();

/** Words that often stand before a colon, but are no speakers; folded. */
const LABELS = setOf(
	'note notes warning caution tip tips hint important info information example examples update edit summary question ' +
		'answer q a ps p.s nb n.b attention remember result results source sources title subject date time place location ' +
		'scene act chapter part section episode setting cast characters intro outro music sound sfx fx ingredients directions ' +
		'steps step pros cons todo total price address phone email tel fax website url http https www from to cc re day ' +
		'conclusion introduction disclaimer spoiler correction reminder problem solution reason fact bonus option options ' +
		'also however therefore meanwhile finally first second third next pro con contra verdict hook cta caption visual ' +
		'monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag ' +
		'lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo ' +
		'hinweis achtung beispiel merke wichtig frage antwort quelle titel datum ort szene akt kapitel zutaten tipp fazit ' +
		'exemple attention remarque note conseil nota ejemplo atención consejo aviso esempio attenzione exemplo atenção ' +
		'примечание внимание пример важно 注意 注 例 提示 备注 说明 重要 第一 第二 第三 第四 首先 其次 最后 最後 メモ ヒント 例え ملاحظة',
);
/** Names for the narrator, folded. */
export const NARRATORS = setOf(
	'narrator narration erzähler erzählerin narrateur narratrice narrador narradora narratore narratrice рассказчик 旁白 叙述者 ナレーター ナレーション 내레이터 الراوي',
);

/** A word of a name: capitalized or in a script without case, a short number, or a particle such as `von`. */
const NAME_WORD =
	/^(?:(?:\p{Lu}|\p{Lt}|\p{Lo})[\p{L}\p{M}'’._-]*\d{0,3}|\p{Ll}{1,20}_?\d{1,3}|\d{1,3}|(?:von|van|de|da|del|der|la|le|al|bin|the|of|di|du)|[#&]\d*)$/u;

/** Pictures before or behind a name: `🎙️ Anna`. */
const PICTURES =
	/^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u200d]+\s*)+(?=\S)|(?<=\S)(?:\s*[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u200d]+)+$/gu;
const withoutPictures = (name: string) => name.trim().replace(PICTURES, '');

/** A name as it is compared: without case, width, emphasis, pictures and more than one space. */
export const foldName = (name: string) =>
	withoutPictures(name)
		.normalize('NFKC')
		.toLowerCase()
		.replace(/\s+/g, ' ')
		.replace(/^[*_\s]+|[*_\s]+$/g, '');

/** Whether words can be the name of a speaker: up to four, each of which begins like a name. */
export function looksLikeName(name: string): boolean {
	const words = name.split(/\s+/);
	return words.length <= 4 && words.every((word) => NAME_WORD.test(word)) && /\p{L}/u.test(name);
}

/** Whether a name stands for the narrator. */
export const isNarrator = (name: string): boolean => NARRATORS.has(foldName(name));

/** A name at the start of a line. */
export interface Name {
	/** Where its line starts, and where the speech starts. */
	at: number;
	from: number;
	name: string;
	/** The name without what does not matter in it. */
	key: string;
	/** Whether a tone follows the name: `Anna (laughing): …`. */
	isDirected: boolean;
	/** The direction as a tone tag; empty if it is none, as in `Anna (at the door): …`. */
	tone: string;
	/** A direction that is no tone. */
	direction?: string;
	/** Whether the name is emphasized or in brackets. */
	isMarked: boolean;
}

const TIME_MARK = new RegExp(`^[[［]${TIME_RANGE}[\\]］]$`, 'u');

/**
 * What stands where a name does: before a colon at the start of a line. Also finds labels and other
 * words (`Note: …`); who of them speaks is for the caller to say. `parentheses`: whether `[…]`
 * behind a name is a tone if it is no known one. `isKnown`: whether a name with its bracket, `Maria (Host)`, is one as a whole.
 */
export function namesIn(
	script: string,
	parentheses: Parentheses,
	isKnown: (key: string) => boolean = () => false,
): Name[] {
	return [...script.matchAll(NAME_AT_LINE_START)].flatMap((match) => {
		const [speech, marks, name, marksBehind, round, square] = match;
		const isTag = square !== undefined && toneTags(square, 'tags').length > 0;
		const content = round ?? square?.slice(1, -1) ?? '';
		// `Table [2]: …` is text.
		if (square !== undefined && !isTag && !TIME_MARK.test(square) && !isDirection(content))
			return [];
		const isRoundTone = round !== undefined && isTone(round.trim(), 'derived');
		const isSquareTone =
			isTag && (parentheses === 'tags' || isTone(square.slice(1, -1).trim(), 'derived'));
		const whole = `${withoutPictures(name)} (${round?.trim()})`;
		const isWhole = round !== undefined && isKnown(foldName(whole));
		const tone = isRoundTone ? `(${round.trim()}) ` : isSquareTone ? `${square} ` : '';
		const isNoTone = tone === '' && !isWhole && isDirection(content) && !/^\p{Lu}/u.test(content);
		return {
			at: match.index,
			from: match.index + speech.length,
			name: isWhole ? whole : withoutPictures(name),
			key: foldName(isWhole ? whole : name),
			isDirected: tone !== '',
			tone: isWhole ? '' : tone,
			direction: isNoTone ? content : undefined,
			isMarked: /[*_[]$/.test(marks) || /[*_]$/.test(marksBehind),
		};
	});
}

/** One word, capitalized or in a script without case, and at most a number after it: `Ben`, `Speaker 2`, `小明`. */
export const SINGLE_NAME =
	/^(?:\p{Lu}[\p{L}\p{M}'’-]{1,29}|\p{Lo}[\p{Lo}\p{M}]{0,7})(?: ?\d{1,3}| [A-Z])?$/u;
/** A name that begins with a title, so that its other words may be anything: `Dr. von Hagen`. */
export const TITLE =
	/^(?:Dr|Mrs?|Ms|Mx|Prof|Sir|Lady|Lord|Miss|Captain|Capt|Frau|Herr|Mme|Mlle|Monsieur|Madame|M|Señora?|Sra?|Doña?|Don|Signora?|Sig)\.?\s/u;

/** Whether a folded name is one that stands before a colon without speaking, such as "note". */
export const isLabel = (key: string) => LABELS.has(key) || LABELS.has(key.split(/[ \d]/)[0]);
