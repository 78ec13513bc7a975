import { derived } from '../core/derived';
import type { Session } from '../requests/session';

/** Most polls a second of one run: polls of hundreds of jobs are spread out. */
const POLLS_PER_SECOND = 40;
/** The same for polls that are likely to find their job done. */
const LAST_POLLS_PER_SECOND = 100;

/** What one run knows of the jobs and videos that it waits for. */
export const pollingOf: (session: Session) => Polling = derived(() => new Polling());

/** The tasks that one run waits for: when each may be polled, and what finished ones tell about the others. */
export class Polling {
	waiting = 0;
	private nextAt = 0;
	/** What the quickest job took, ms: in all, and for each unit of its size. */
	private quickest = { inAll: Infinity, each: Infinity };
	private learning = new AbortController();

	/**
	 * Milliseconds until the caller's turn, so that polls of many jobs never come in a burst. Ask when ready to poll: each call
	 * takes a turn.
	 */
	turn(isLikelyDone: boolean): number {
		const now = performance.now();
		const at = Math.max(now, this.nextAt);
		this.nextAt = at + 1000 / (isLikelyDone ? LAST_POLLS_PER_SECOND : POLLS_PER_SECOND);
		return at - now;
	}

	/**
	 * The next age, ms, at which a job of this size is likely to be done: as quick as the quickest, for its size or however
	 * long it is. Infinity when there is none after the given age.
	 */
	likelyAge(size: number, afterMs: number): number {
		const { inAll, each } = this.quickest;
		return Math.min(...[inAll, each * size].filter((age) => age > afterMs), Infinity);
	}

	/** A job of this size was done at this age, in ms, or a little before. */
	learn(ageMs: number, size: number): void {
		const { inAll, each } = this.quickest;
		if (ageMs >= inAll && ageMs / size >= each) return;
		this.quickest = { inAll: Math.min(ageMs, inAll), each: Math.min(ageMs / size, each) };
		this.learning.abort();
		this.learning = new AbortController();
	}

	/** Aborts when a likely age has changed. */
	get news(): AbortSignal {
		return this.learning.signal;
	}
}
