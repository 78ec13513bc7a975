/** What a model says to its reader behind a script, and the last line of a transcript: nobody in it speaks that. */
import { speaksToReader } from './fences';
import { SCENE_PAUSE } from './tidy';

/** What they say it of. */
const OF_SCRIPT =
	/\b(?:scripts?|drafts?|versions?|chang(?:e|es|ing)|edits?|adjust\w*|tweaks?|revis\w+|length|longer|shorter|tone|skript|fassung|änder\w*|länger|kürzer|länge|script|ton|plus (?:court|long)e?|modif\w*|guion|guión|versión|cambi\w*|tono|roteiro|vers(?:ão|ione)|mudan\w*)\b|сценари|верси|脚本|版本|修改|调整/iu;
/** `This script runs about three minutes.` */
const ON_SCRIPT =
	/^[\s*_([>]*(?:note: ?)?(?:this|the above) (?:script|dialogue|draft|version)\b.*\b(?:words?|minutes?|length|tone|style)\b/iu;
/** `Word count: 450`, which stands behind a rule. */
const FIGURES =
	/^[\s*_([>#]*(?:(?:(?:production|host|show) )?notes[*_]{0,3}[ \t]*(?:\n|$)|(?:(?:(?:production|host|show) )?notes?|word count|(?:total |estimated |script )?(?:run ?time|duration|length)|total|tone|style)\b[\w ]{0,20}[*_]{0,3}:)/iu;
const END =
	/^[\s*_([>#—–-]*(?:(?:[Ee]nd of (?:the )?|E(?:nd Of|ND OF) (?:THE )?)(?:[Ss]cript|[Tt]ranscript|[Ee]pisode|[Dd]ialogue|[Pp]odcast|SCRIPT|TRANSCRIPT|EPISODE)|(?:[Tt]ranscribed|[Tt]ranscript|[Tt]ranscription|[Ss]ubtitles|[Cc]aptions) by (?:the )?(?:(?:\p{Lu}|https?:|www\.|@)\S{0,60}\s?){1,6}|Ende des (?:Skripts|Transkripts)|Fin du script|Fin del gui[oó]n)[\s*_)\].!—–-]*$/u;

const RULE = /^[ \t]*(?:[-*_=—][ \t]?){3,}$/;
const isRule = (line: string): boolean => RULE.test(line) || line.trim() === SCENE_PAUSE;
const FENCE_END = /^[ \t]*(?:```|~~~)[ \t]*$/;
const SENTENCE_OR_LINE = /[^.!?…。！？\n]+/gu;

const isForReader = (text: string): boolean =>
	(text.match(SENTENCE_OR_LINE) ?? []).some(speaksToReader);

/**
 * Where the words of a model begin that stand behind the last speech, whose first line is before `from`: behind a rule or
 * the end of a fence all, if they speak to the reader; else the last paragraph, if it also names the script, its version,
 * length or tone, or is its end mark.
 */
export function closingOf(
	lines: string[],
	from: number,
): { at: number; words: string } | undefined {
	const clean = lines.map((line) => line.replace(/\r$/, ''));
	const end = clean.findLastIndex((line) => line.trim() !== '' && !isRule(line));
	if (end < from) return undefined;
	const blank = clean.findLastIndex((line, index) => index < end && line.trim() === '');
	const wordsFrom = (at: number) =>
		clean
			.slice(at, end + 1)
			.join('\n')
			.trim();
	const rule = clean.findIndex(
		(line, at) => at >= from && at < end && (isRule(line) || FENCE_END.test(line)),
	);
	if (rule >= 0) {
		const words = wordsFrom(rule + 1);
		if (isForReader(words) || FIGURES.test(words) || END.test(words))
			return { at: FENCE_END.test(clean[rule]) ? rule + 1 : rule, words };
	}
	if (blank < from) return undefined;
	const words = wordsFrom(blank + 1);
	const isClosing = (isForReader(words) && OF_SCRIPT.test(words)) || ON_SCRIPT.test(words);
	return isClosing || END.test(words) ? { at: blank + 1, words } : undefined;
}
