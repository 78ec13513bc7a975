/** What nobody says of a script: music and stage directions, told by their shape. */
import { isPauseMark } from './pauses';
import type { Parentheses } from './toneTags';
import { isTone } from './tones';

/** List and quote marks, and those of headings. */
const DECORATION = /^(?:[ \t]{0,20}(?:[-*+>]|#{1,6})[ \t]{1,20}){1,3}/;
const EMPHASIS = /^([*_]{1,3})(.+)\1$/u;
/** Where a voice comes from, as screenplays say it: `(V.O.)`, `(O.S.)`. */
const OFF_SCREEN = /^[VO]\.[OSC]\.?$/i;
const LETTERS = /\p{L}{2}|\p{Lo}|[([][VO]\.[OSC]\.?[\])]/u;
/** Brackets of all kinds with what is in them. */
const GROUP =
	/\[[^[\]\n]{1,300}\]|［[^［］\n]{1,300}］|【[^【】\n]{1,300}】|\([^()\n]{1,300}\)|（[^（）\n]{1,300}）/gu;
const MUSIC =
	/^[♪♫♬♩🎵🎶]|^(?:music|sfx|fx|sound(?: effects?)?|bgm|musik|geräusch|musique|bruitage|música|sonido|musica|effetto sonoro|музыка|звук|音乐|音效|音楽|効果音|음악|효과음)[ \t]*[:：]/iu;
const ENDS_SENTENCE = /[.!?…。！？।؟][\p{Pe}\p{Pf}"'*_]*$/u;

const UP_TO_SIX_WORDS = /^\p{L}[\p{L}\p{M}'’-]*(?:,?[ \t]\p{L}[\p{L}\p{M}'’-]*){0,5}$/u;
/** Characters of a direction in a script without spaces, at most. */
const MOST_UNSPACED = 12;

/** How a direction with a comma begins: `nodding, to Ben`; `well, yes` is an aside. */
const MANNER = /^(?:\p{L}+(?:ing|ly)|to|at|with|in|aside)\b/u;

/** Whether the content of brackets has the form of a stage direction: a few words that begin small, or all in capitals. */
export const isDirection = (content: string): boolean => {
	const words = content.trim();
	if (OFF_SCREEN.test(words)) return true;
	if (!UP_TO_SIX_WORDS.test(words) || !LETTERS.test(words)) return false;
	if (words.includes(',') && !MANNER.test(words)) return false;
	return /^\p{Lo}/u.test(words)
		? words.length <= MOST_UNSPACED
		: /^\p{Ll}/u.test(words) || !/\p{Ll}/u.test(words);
};

/** Whether what stands in brackets is for the model or the node: a tone or a pause. */
const isForTheVoice = (group: string, isAfterName: boolean) =>
	isTone(group.slice(1, -1).trim(), isAfterName || /^[[［]/.test(group) ? 'derived' : 'known') ||
	isPauseMark(group);

const BRACKET =
	/^[*_]{0,2}(?:[(（]([^()（）\n]{2,60})[)）]|[[［]([^[\]［］\n]{2,60})[\]］])[*_]{0,2}[ \t\u3000]*/u;
const BEGINS_SENTENCE = /^["'“‘«„¿¡*_([（［「『—–… -]{0,9}[\p{Lu}\p{Lt}\p{Lo}]/u;
/** A script has no more directions than these one behind the other. */
const MOST_DIRECTIONS = 4;

/**
 * A line without the stage directions that stand right behind the name, before a sentence, as in `Anna: (nodding) Yes.`;
 * tones stay. `from`: where the speech starts. `takesDirections`: those in square brackets stay, too.
 */
export function behindName(
	line: string,
	from: number,
	takesDirections: boolean,
): { line: string; direction?: string } {
	let direction: string | undefined;
	let tags = '';
	let rest = line.slice(from);
	for (let n = 0; n < MOST_DIRECTIONS; n++) {
		const [group = '', round, square] = BRACKET.exec(rest) ?? [];
		const content = round ?? square;
		if (content === undefined) break;
		const isTag = isTone(content.trim(), 'derived') || (takesDirections && square !== undefined);
		const words = rest.slice(group.length);
		const isBeforeSentence = BEGINS_SENTENCE.test(words.replace(BRACKET, ''));
		const isNobodys = isDirection(content) || MUSIC.test(content);
		if (!isTag && !(isNobodys && isBeforeSentence)) break;
		if (isTag) tags += group;
		else direction = (direction ?? '') + group;
		rest = words;
	}
	return { line: line.slice(0, from) + tags + rest, direction: direction?.trim() };
}

/**
 * What is left of a line that is nothing but music and stage directions: tones and pauses, or nothing.
 * `[thunder] [pause 1s]` becomes `[pause 1s]`. Undefined: the line has words, and stays as it is.
 * `isAfterName`: a name stands before it, so round brackets around a whole sentence are words. With
 * `parentheses` = `tags`, all brackets are for the model.
 */
export function withoutDirections(
	line: string,
	isAfterName: boolean,
	parentheses: Parentheses,
): string | undefined {
	const bare = line.replace(DECORATION, '').trim();
	const emphasis = EMPHASIS.exec(bare);
	const words = emphasis?.[2] ?? bare;
	if (!isAfterName && MUSIC.test(words)) return '';
	if (!LETTERS.test(words)) return undefined;
	const isItalic = emphasis?.[1].length === 1;
	if (isItalic && !isAfterName && !ENDS_SENTENCE.test(words) && !/[*_:：[\](]/.test(words))
		return '';
	if (parentheses === 'tags') return undefined;
	const isOnlyGroups = words.replace(GROUP, '').replace(/[\s.,;:!…*_-]/gu, '') === '';
	const groups = words.match(GROUP) ?? [];
	if (!isOnlyGroups || words.includes('](') || !groups.some((group) => LETTERS.test(group)))
		return undefined;
	if (isAfterName && /^[(（]/u.test(words) && ENDS_SENTENCE.test(words.slice(0, -1)))
		return undefined;
	const voiced = groups.filter((group) => isForTheVoice(group, isAfterName));
	return voiced.length === groups.length ? undefined : voiced.join(' ');
}
