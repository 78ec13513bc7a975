export interface PollInterval {
	/** First interval, ms. */
	initialMs: number;
	/** Longest interval, ms. */
	maximumMs: number;
}

/** Share of a job's age that may pass between two polls: a result is noticed within a fifth of what it took. */
const SHARE_OF_AGE = 0.2;
/** Intervals are shortened by up to this share, so that jobs submitted together drift apart. */
const JITTER = 0.15;

/** Milliseconds until the next poll of a job of the given age: it starts at the initial interval and grows with the age. */
export function nextPollMs(
	ageMs: number,
	{ initialMs, maximumMs }: PollInterval,
	random: () => number = Math.random,
): number {
	const interval = Math.min(
		Math.max(initialMs, ageMs * SHARE_OF_AGE),
		Math.max(initialMs, maximumMs),
	);
	return interval * (1 - JITTER * random());
}

/** Words of gateways that say the same; compared without case, blanks, hyphens and underscores. */
const COMPLETED = new Set([
	'complete',
	'completed',
	'success',
	'succeeded',
	'successful',
	'done',
	'finished',
	'ready',
]);
const FAILED = new Set([
	...['failed', 'failure', 'error', 'errored', 'rejected', 'expired', 'timeout', 'timedout'],
	...['cancelled', 'canceled', 'aborted', 'terminated'],
]);

/**
 * What a job's or video's status means. Unknown words count as still processing: a paid job is never given up because of
 * a word that is not documented.
 */
export function jobProgress(status: unknown): 'completed' | 'failed' | 'processing' {
	if (typeof status !== 'string') return 'processing';
	const word = status.toLowerCase().replace(/[\s_-]/g, '');
	if (COMPLETED.has(word)) return 'completed';
	return FAILED.has(word) ? 'failed' : 'processing';
}
