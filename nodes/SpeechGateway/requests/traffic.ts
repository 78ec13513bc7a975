import { defined } from '../core/json';
import type { Sent } from '../core/errors';
import { certainAt, type Neighbours } from '../usage/moment';

/** A request that ended this long before another was sent may still be charged after it, by the log's clock, ms: see `Moment`. */
const NEAR_BEFORE_MS = 62_000;
/** The most neighbours of a request that are listed; of more, only their number is kept. */
const MOST_NEIGHBOURS = 1_000;
/** The most neighbours that are listed in all, which bounds them to a few MB. */
const MOST_LISTED = 100_000;

interface SentRequest {
	/** When it was sent, ms since 1970. */
	sentAt: number;
	/** When it was answered or given up. */
	endedAt?: number;
	charged?: boolean;
	requestId?: string;
	/** The header that the ID came in. */
	idHeader?: string;
	/** By how much the gateway's clock was ahead when it ended, ms. */
	clockAheadMs?: number;
	/** Of a request that may have been charged; filled by `count`. */
	neighbours?: Neighbours;
}

type End = Pick<SentRequest, 'charged' | 'requestId' | 'idHeader' | 'clockAheadMs' | 'neighbours'>;

/**
 * The billed requests that one node has sent in one execution with one account, in all its tries and rounds, as far as
 * this process knows.
 */
export class Traffic {
	/** In the order in which they were sent. */
	private readonly sent = new Map<Sent, SentRequest>();

	/** A billed request leaves. `sent` stands for it here, by its identity as an object. */
	begin(sent: Sent): void {
		this.sent.set(sent, { sentAt: Date.parse(sent.sentAt) });
	}

	/** It was answered, or given up. */
	end(sent: Sent, facts: End = {}): void {
		const request = this.sent.get(sent);
		if (request) Object.assign(request, { endedAt: Date.now(), ...facts });
	}

	/** Forgets a request that was certainly not charged. */
	forget(sent: Sent): void {
		this.sent.delete(sent);
	}

	/** The neighbours of a request that may have been charged; `count` fills them in. Undefined if another process sent it. */
	unknown(sent: Sent, facts: Omit<End, 'neighbours'>): Neighbours | undefined {
		this.end(sent, { ...facts, neighbours: { charged: 0, unknown: 0 } });
		return this.sent.get(sent)?.neighbours;
	}

	/** Lists the neighbours of all requests that may have been charged; to be called when an attempt has ended. */
	count(): void {
		const now = Date.now();
		const all = [...this.sent.values()];
		const unknown = all.filter(({ neighbours }) => neighbours);
		const most = Math.min(MOST_NEIGHBOURS, MOST_LISTED / unknown.length);
		let oldest = now;
		for (const request of unknown) {
			const { sentAt, endedAt = now } = request;
			const until = certainAt({ sentAt, endedAt });
			if (until > now) oldest = Math.min(oldest, sentAt);
			const near = all.filter(
				(other) =>
					other !== request &&
					other.sentAt <= until &&
					(other.endedAt ?? now) >= sentAt - NEAR_BEFORE_MS,
			);
			Object.assign(request.neighbours!, neighboursAmong(near, request, most));
		}
		for (const [sent, { endedAt = now }] of this.sent)
			if (endedAt < oldest - NEAR_BEFORE_MS) this.sent.delete(sent);
	}
}

/** Neighbours as Settle reads them: times in seconds, relative to the request in question, so that they stay short. */
function neighboursAmong(
	near: SentRequest[],
	{ sentAt, clockAheadMs, idHeader }: SentRequest,
	most: number,
): Neighbours {
	const charged = near.filter((other) => other.charged);
	const counts = { charged: charged.length, unknown: near.length - charged.length };
	const clock =
		clockAheadMs ?? near.find((other) => other.clockAheadMs !== undefined)?.clockAheadMs;
	const clockAhead = clock === undefined ? undefined : inSeconds(clock);
	if (near.length > most) return defined({ ...counts, clockAhead });
	const requestIds = near.flatMap((other) =>
		idHeader === undefined || other.idHeader === idHeader ? (other.requestId ?? []) : [],
	);
	return defined({
		...counts,
		sent: near.map((other) => [
			inSeconds(other.sentAt - sentAt),
			inSeconds((other.endedAt ?? Date.now()) - other.sentAt),
			other.charged ? 1 : 0,
		]),
		requestIds: requestIds.length > 0 ? requestIds : undefined,
		clockAhead,
	});
}

const inSeconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;
