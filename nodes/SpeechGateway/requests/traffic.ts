import { derived } from '../core/derived';
import type { Sent } from '../core/errors';
import type { Neighbours } from '../usage/moment';

/** Requests sent this close to each other may be mistaken for one another in the gateway's usage log, ms. */
const NEAR_MS = 10_000;
/** With more neighbours than this, only their number is kept. */
const MOST_NEIGHBOURS = 200;

interface SentRequest {
	/** When it was sent, ms since 1970. */
	at: number;
	model: string;
	endedAt?: number;
	charged?: boolean;
	requestId?: string;
	/** Of a request that may have been charged; filled by `count`. */
	neighbours?: Neighbours;
}

/** The billed requests that one node has sent in one execution with one account, in all its tries and rounds, as far as this process knows. */
export class Traffic {
	/** In the order in which they were sent. */
	private readonly sent = new Map<Sent, SentRequest>();

	begin(sent: Sent): void {
		this.sent.set(sent, { at: Date.parse(sent.sentAt), model: sent.model });
	}

	end(sent: Sent, facts: Pick<SentRequest, 'charged' | 'requestId' | 'neighbours'> = {}): void {
		const request = this.sent.get(sent);
		if (request) Object.assign(request, { endedAt: Date.now(), ...facts });
	}

	/** Forgets a request that was certainly not charged. */
	forget(sent: Sent): void {
		this.sent.delete(sent);
	}

	/** The neighbours of a request that may have been charged; `count` fills them in. Undefined if another process sent it. */
	unknown(sent: Sent): Neighbours | undefined {
		this.end(sent, { neighbours: { charged: 0, unknown: 0 } });
		return this.sent.get(sent)?.neighbours;
	}

	/** Counts the neighbours of all requests that may have been charged; to be called when an attempt has ended. */
	count(): void {
		const all = [...this.sent.values()];
		let first = 0;
		for (const request of all) {
			while (all[first].at < request.at - NEAR_MS) first++;
			if (!request.neighbours) continue;
			const near: SentRequest[] = [];
			for (let at = first; at < all.length && all[at].at <= request.at + NEAR_MS; at++)
				if (all[at] !== request && all[at].model === request.model) near.push(all[at]);
			Object.assign(request.neighbours, neighboursAmong(near, request));
		}
		// What may get more neighbours is as old as NEAR_MS at the most, and they are as old again.
		const now = Date.now();
		for (const [sent, { at }] of this.sent) if (at < now - 2 * NEAR_MS) this.sent.delete(sent);
	}
}

function neighboursAmong(near: SentRequest[], { at }: SentRequest): Neighbours {
	const charged = near.filter((other) => other.charged);
	const counts = { charged: charged.length, unknown: near.length - charged.length };
	if (near.length > MOST_NEIGHBOURS) return counts;
	const requestIds = charged.flatMap(({ requestId }) => requestId ?? []);
	return {
		...counts,
		sent: near.map((other) => [
			inSeconds(other.at - at),
			inSeconds((other.endedAt ?? Date.now()) - other.at),
			other.charged ? 1 : 0,
		]),
		...(requestIds.length > 0 && { requestIds }),
	};
}

const inSeconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;

const byAccount = derived<object, Map<string, Traffic>>(() => new Map());

/** The traffic of the node whose memory this is, with one account. */
export function trafficOf(memory: object, account: string): Traffic {
	const all = byAccount(memory);
	const traffic = all.get(account) ?? new Traffic();
	all.set(account, traffic);
	return traffic;
}
