import { type Outcome, OUTCOMES } from './outcome';

/** Longest first pause; it doubles with every attempt. Five tries within a few seconds outlive no overload. */
const BASE_DELAY_MS = 1_000;
/** Longest pause of our own. */
const MAX_DELAY_MS = 8_000;
/** The longest `Retry-After` that is waited out; after a longer one, the item ends with an error at once. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

/**
 * Exponential backoff with jitter, ms: half to all of 1, 2, 4 and then 8 s (attempt 0 is the first), so that requests
 * which failed together do not come back together.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
	const most = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt);
	return Math.round((most * (1 + random())) / 2);
}

/** After "too many requests" without `Retry-After`: windows are minutes, and the default retries should outlive one. */
const FIRST_WINDOW_MS = 1_000;
const LONGEST_WINDOW_MS = 60_000;

/** The pause after a 429, ms: 1 to 2 s for the first, four times as much each time, at most a minute. */
export function throttledMs(attempt: number, random: () => number = Math.random): number {
	return Math.round(Math.min(LONGEST_WINDOW_MS, FIRST_WINDOW_MS * (1 + random()) * 4 ** attempt));
}

/** A `Retry-After` header (seconds or HTTP date) in ms from now; undefined when absent or unreadable. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
	if (header === undefined) return undefined;
	const value = header.trim();
	if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
	// Every HTTP date has a time; without one, JavaScript would read a date into almost any word.
	const date = /\d\d:\d\d:\d\d/.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Milliseconds of the units in which words name a wait. */
const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The wait that words ask for, ms: "Try again in 20 seconds", "in 1m30s"; undefined if they name none. */
export function waitInWords(words: string): number | undefined {
	const [, wait] =
		/\b(?:try|retry)(?: again)? (?:in|after) ((?:\d+(?:\.\d+)? ?(?:ms|milliseconds?|h|hours?|m|min|minutes?|s|sec|seconds?)\b ?|\d+(?:\.\d+)?[hm](?=\d))+)/i.exec(
			words,
		) ?? [];
	if (wait === undefined) return undefined;
	const parts = [...wait.matchAll(/([\d.]+) ?(ms|milli|[hms])/gi)];
	const sum = parts.reduce((all, [, number, unit]) => {
		const name = /^m(?:s|illi)$/i.test(unit) ? 'ms' : unit.toLowerCase();
		return all + Number(number) * UNITS[name];
	}, 0);
	return Math.ceil(sum);
}

/** The pause after the failure of a request, ms; `failures`: how many came before it. */
export const pauseAfter = (
	{ outcome, retryAfter }: { outcome: Outcome; retryAfter?: number },
	failures: number,
): number =>
	retryAfter ??
	(OUTCOMES[outcome].inRun === 'slower' ? throttledMs(failures) : backoffMs(failures));
