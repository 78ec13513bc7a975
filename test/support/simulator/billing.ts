/** The service's billing rules. Amounts are tokens and not rounded: the rules name no rounding. */
import type { ChargeKind } from './world';

const TOKENS_PER_MINUTE = 1000;

/** Jobs are charged before their audio exists, at this pace, whatever the speed. */
const JOB_CHARACTERS_PER_MINUTE = 250;

const TOKENS_PER_VOICE = 1000;

/** The rules price no video; any fixed number serves. */
const TOKENS_PER_VIDEO = 5000;

/** The rules name no tokenizer. Here: one token a wide (CJK and the like) character, one for every four others begun. */
export function countTokens(text: string): number {
	let wide = 0;
	let narrow = 0;
	for (const character of text) {
		if (character.codePointAt(0)! >= 0x2e80) wide++;
		else narrow++;
	}
	return wide + Math.ceil(narrow / 4);
}

/** Characters are Unicode code points. */
export function countCharacters(text: string): number {
	return [...text].length;
}

export interface Price {
	kind: ChargeKind;
	tokens: number;
	input: string;
}

export const price = {
	speech: (input: string, seconds: number, multiplier: number): Price => ({
		kind: 'speech',
		tokens: ((seconds / 60) * TOKENS_PER_MINUTE + countTokens(input)) * multiplier,
		input,
	}),
	job: (input: string, multiplier: number): Price => ({
		kind: 'job',
		tokens:
			((countCharacters(input) / JOB_CHARACTERS_PER_MINUTE) * TOKENS_PER_MINUTE +
				countTokens(input)) *
			multiplier,
		input,
	}),
	voice: (title: string): Price => ({ kind: 'voice', tokens: TOKENS_PER_VOICE, input: title }),
	chat: (input: string, tokens: number, multiplier: number): Price => ({
		kind: 'chat',
		tokens: tokens * multiplier,
		input,
	}),
	video: (prompt: string, multiplier: number): Price => ({
		kind: 'video',
		tokens: TOKENS_PER_VIDEO * multiplier,
		input: prompt,
	}),
};
