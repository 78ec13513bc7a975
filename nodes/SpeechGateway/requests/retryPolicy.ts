import { type Outcome, OUTCOMES } from './outcome';

/** First backoff; doubles with every attempt. Half a second lets a burst pass without slowing a healthy batch. */
const BASE_DELAY_MS = 500;
/** Longest backoff of our own: after half a minute, asking again costs nobody anything. */
const MAX_DELAY_MS = 30_000;
/** Longest `Retry-After` that is waited for; beyond it the user is better told than kept waiting. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;

/**
 * Exponential backoff with full jitter, ms: anywhere between 0 and the ceiling of the attempt (0 for the first), so
 * that requests which failed together do not come back together.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
	return Math.round(random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt));
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

/** The pause after the failure of a request, ms; `failures`: how many came before it. */
export const pauseAfter = (
	{ outcome, retryAfter }: { outcome: Outcome; retryAfter?: number },
	failures: number,
): number =>
	retryAfter ??
	(OUTCOMES[outcome].inRun === 'slower' ? throttledMs(failures) : backoffMs(failures));
