/** Lines of a script that nobody says: music and stage directions, told by their shape. */
import { isPauseMark } from './pauses';
import type { Parentheses } from './toneTags';
import { isTone } from './tones';

/** List and quote marks, and those of headings. */
const DECORATION = /^(?:[ \t]{0,20}(?:[-*+>]|#{1,6})[ \t]{1,20}){1,3}/;
const EMPHASIS = /^([*_]{1,3})(.+)\1$/u;
const LETTERS = /\p{L}{2}|\p{Lo}/u;
/** Brackets of all kinds with what is in them. */
const GROUP =
	/\[[^[\]\n]{1,300}\]|［[^［］\n]{1,300}］|【[^【】\n]{1,300}】|\([^()\n]{1,300}\)|（[^（）\n]{1,300}）/gu;
const MUSIC =
	/^[♪♫♬♩🎵🎶]|^(?:music|sfx|fx|sound(?: effects?)?|bgm|musik|geräusch|musique|bruitage|música|sonido|musica|effetto sonoro|музыка|звук|音乐|音效|音楽|効果音|음악|효과음)[ \t]*[:：]/iu;
const ENDS_SENTENCE = /[.!?…。！？।؟][\p{Pe}\p{Pf}"'*_]*$/u;

/** Whether what stands in brackets is for the model or the node: a known tone or a pause. */
const isForTheVoice = (group: string) => isTone(group.slice(1, -1).trim()) || isPauseMark(group);

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
	if (!LETTERS.test(words)) return MUSIC.test(words) && !isAfterName ? '' : undefined;
	if (!isAfterName && MUSIC.test(words)) return '';
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
	const voiced = groups.filter(isForTheVoice);
	return voiced.length === groups.length ? undefined : voiced.join(' ');
}
