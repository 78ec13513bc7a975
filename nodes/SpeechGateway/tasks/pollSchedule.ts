import type { WaitSettings } from '../fields/wait';

/** Share of a job's age that may pass between two polls: a result is noticed within a fifth of what it took. */
const SHARE_OF_AGE = 0.2;
/** The golden ratio: its multiples spread evenly, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/** Milliseconds until the next poll of a job of the given age: it starts at the initial interval and grows with the age. */
export const nextPollMs = (
	ageMs: number,
	{ pollIntervalMs, maxPollIntervalMs }: Pick<WaitSettings, 'pollIntervalMs' | 'maxPollIntervalMs'>,
): number => Math.max(pollIntervalMs, Math.min(ageMs * SHARE_OF_AGE, maxPollIntervalMs));

/**
 * Milliseconds until the first poll of the job that is the nth (from 0) to be waited for: one initial interval, more or
 * less by up to a half, so that the polls of jobs submitted together are spread evenly, then and later.
 */
export const firstPollMs = (nth: number, initialMs: number): number =>
	initialMs * (0.5 + ((0.5 + nth * GOLDEN_RATIO) % 1));

/** Words that gateways use for the same status; compared without case, spaces, hyphens and underscores. */
const COMPLETED = /^(completed?|success|succeeded|successful|done|finished|ready)$/;
const FAILED =
	/^(fail|failed|failure|error|errored|rejected|expired|timed?out|cancell?ed|aborted|terminated)$/;

/**
 * What a job's or video's status means. Unknown words count as still processing: a paid job is never given up because of
 * a word that is not documented.
 */
export function jobProgress(status: unknown): 'completed' | 'failed' | 'processing' {
	if (typeof status !== 'string') return 'processing';
	const word = status.toLowerCase().replace(/[\s_-]/g, '');
	if (COMPLETED.test(word)) return 'completed';
	return FAILED.test(word) ? 'failed' : 'processing';
}
