/** A fence around all of a text, as models answer: "Here is your script:", the script in a fence, "Let me know …". */
import { letters } from './characters';
import { FENCED, isCode } from './code';

/** So many times more letters than around it has a fence that is the text. */
const TIMES_THE_REST = 3;
const MOST_SENTENCES = 2;
const SENTENCE = /[^.!?…。！？:：]+[.!?…。！？:：]*["”’»)*_]*/gu;
const LEADS_TO_TEXT = /[:：][*_]{0,3}$/u;
/** Rules that set a fence apart. */
const RULE_LINES = /^(?:\s*[-*_]{3,}[ \t]*(?:\n|$))+|(?:\n\s*[-*_]{3,}[ \t]*)+$/g;
/** How models speak to the reader about what they have written. */
const TO_READER =
	/^[\s*_]*(?:(?:just |please )?let me know|(?:would|do|does|did) you |want me |(?:should|shall|can|could|may) i |i(?: can|['’]d| could| hope|['’]ve| have| made| kept) |(?:hope|feel free|if you(?:['’]d| would)? (?:like|want|need|prefer|have))\b|is (?:there anything|this|that)|sag (?:mir|gerne?)|lass mich|möchtest du|möchten sie|soll ich|wenn du|wenn sie|ich kann|voulez|souhaitez|veux-tu|n['’]hésite|dites?-moi|si (?:vous|tu|quieres|desea|vuoi)|je peux|¿?quieres|¿?te gustaría|¿?deseas|puedo|avísame|dime si|quer que|gostaria|posso|me avise|vuoi|fammi sapere|хотите|дайте знать|могу|如果|需要我|您|请告诉)/iu;

/** Whether a sentence of a model is about what it has written, and for its reader. */
export const speaksToReader = (sentence: string): boolean => TO_READER.test(sentence);

const sentencesIn = (text: string): string[] =>
	(text.match(SENTENCE) ?? []).filter((one) => /[\p{L}\p{N}]/u.test(one));

/** The text of the only fence, if all around it is a model's words about it. */
export interface Unfenced {
	text: string;
	/** Its info says so. */
	isMarkdown: boolean;
	/** What stands around it and is left out. */
	around: string;
}

/** Takes a text out of the fence around all of it; undefined: there is none, or the words around it are a part of the text. */
export function withoutFence(source: string): Unfenced | undefined {
	if (!source.includes('```')) return undefined;
	const fences = [...source.matchAll(FENCED)];
	if (fences.length !== 1) return undefined;
	const [{ 0: fence, 2: info, 3: text, index }] = fences;
	const before = source.slice(0, index).trim().replace(RULE_LINES, '').trim();
	const after = source
		.slice(index + fence.length)
		.replace(RULE_LINES, '')
		.trim();
	const isAlone = before === '' && after === '';
	// A page in a fence is a page.
	if (isCode(info, text) && !(isAlone && /^\s*x?html\b/i.test(info))) return undefined;
	const [preface, rest] = [before, after].map(sentencesIn);
	const isPreface =
		before === '' || (LEADS_TO_TEXT.test(before) && preface.length <= MOST_SENTENCES);
	const isForReader = rest.length <= MOST_SENTENCES && rest.every(speaksToReader);
	const isMost = letters(text) >= TIMES_THE_REST * letters(before + after);
	if (!isPreface || !isForReader || !isMost) return undefined;
	const isMarkdown = isMarkdownInfo(info);
	return { text: text.trimEnd(), isMarkdown, around: `${before}\n${after}`.trim() };
}

/** Whether the info of a fence says that its content is Markdown. */
export const isMarkdownInfo = (info: string): boolean => /^\s*(?:markdown|md)\b/i.test(info);
