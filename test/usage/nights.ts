/** Made-up nights: what a run sends, what becomes of it, what others do with its key, and the log that results. */
import type { LogEntry } from '../../nodes/SpeechGateway/usage/logEntry';
import { certainAt, type UnknownRequest } from '../../nodes/SpeechGateway/usage/moment';
import type { UsageLog } from '../../nodes/SpeechGateway/usage/settle';

interface Sent {
	model: string;
	/** Ms since 1970, by our clock. */
	sentAt: number;
	endedAt: number;
	known: 'charged' | 'refused' | 'unknown';
	charged: boolean;
	reason: string;
	requestId: string;
}

export interface Night {
	log: UsageLog;
	unknown: Array<UnknownRequest & { charged: boolean }>;
}

const MIDNIGHT = Date.UTC(2026, 0, 1);
const MODELS = ['fish-speech', 'sim-chat'];

export interface Circumstances {
	/** Clients that use the same key. */
	others?: number;
	/** The log has request IDs. */
	ids?: boolean;
	/** Neighbours are counted, but not listed. */
	counts?: boolean;
	/** Some charges are given back. */
	refunds?: boolean;
	/** Something in front of the gateway holds a request for up to so many seconds before its work. */
	holdSeconds?: number;
	/** Some requests leave seconds after they were begun: DNS. */
	dnsSeconds?: number;
	/** A charge is settled up to so many seconds after the answer. */
	lateSeconds?: number;
	/** The log's clock is up to so many seconds off the one of the gateway's answers. */
	logSeconds?: number;
	/** The gateway's clock, or ours, is set by up to so many seconds between sending and reading. */
	setSeconds?: number;
	/** The log has other names of models. */
	names?: boolean;
	/** The log loses entries of a stretch of time, among them one of a request that was answered. */
	gaps?: boolean;
	/** The gateway is restarted now and then: it keeps what it had set aside for a lost request, without an entry. */
	restarts?: boolean;
}

/** One night. */
export function makeNight(
	seed: number,
	{
		others = 0,
		ids = false,
		counts = false,
		refunds = false,
		holdSeconds = 0,
		dnsSeconds = 0,
		lateSeconds = 0,
		logSeconds = 0,
		setSeconds = 0,
		names = false,
		gaps = false,
		restarts = false,
	}: Circumstances,
): Night {
	const random = seededRandom(seed);
	const between = (least: number, most: number) => least + random() * (most - least);
	const pick = <T>(all: T[]): T => all[Math.floor(random() * all.length)];
	const skewMs = between(-600_000, 600_000);
	const logMs = 1000 * between(-logSeconds, logSeconds);
	const setMs = 1000 * between(-setSeconds, setSeconds);
	const entries: LogEntry[] = [];
	const booked: LogEntry[] = [];
	/** What the key has used in all, in the log or not. */
	let totalUsed = 0;
	/** As new-api books it: whole seconds, by its own clock. */
	const book = (model: string, sentAt: number, workMs: number, requestId: string, back = false) => {
		const arrived = sentAt + skewMs + logMs + between(0, 900);
		const settled = Math.floor((arrived + workMs) / 1000 + between(0, lateSeconds));
		const seconds = settled - Math.floor(arrived / 1000);
		const quota = refunds ? 49 : Math.ceil(workMs / 50);
		const charge: LogEntry = {
			kind: 'charge',
			model: names ? pick(['fish-speech-1.5', 'FISH-SPEECH', 'tts-1']) : model,
			at: settled * 1000,
			seconds,
			quota,
			...(ids && { requestId }),
		};
		entries.push(charge);
		if (back) entries.push({ ...charge, kind: 'refund' });
		else totalUsed += quota;
		return charge;
	};

	const concurrency = 1 + Math.floor(random() * 6);
	const timeoutMs = between(5_000, 60_000);
	const outage = between(0, 0.2);
	const sent: Sent[] = [];
	const freeAt = Array.from({ length: concurrency }, () => MIDNIGHT + between(0, 500));
	const count = 5 + Math.floor(random() * 40);
	for (let index = 0; index < count; index++) {
		const place = freeAt.indexOf(Math.min(...freeAt));
		const [sentAt, model] = [freeAt[place], random() < 0.8 ? MODELS[0] : MODELS[1]];
		const requestId = `req_${String(index).padStart(4, '0')}`;
		const workMs = between(200, 15_000);
		const heldMs = 1000 * (between(0, holdSeconds) + (random() < 0.1 ? dnsSeconds : 0));
		const answered = {
			model,
			sentAt,
			endedAt: sentAt + heldMs + workMs + between(50, 900),
			requestId,
			reason: '',
		};
		let one: Sent = { ...answered, known: 'charged', charged: true };
		if (random() < 0.1)
			one = { ...answered, known: 'refused', charged: false, endedAt: sentAt + between(50, 900) };
		else if (random() < outage) {
			const charged = random() < 0.5;
			// Given up, lost on the way back, broken off at once and found later, or answered into a dead connection.
			const [reason, waitedMs, worksMs] = pick([
				['client_timeout', timeoutMs, timeoutMs + between(0, timeoutMs)],
				['client_timeout', timeoutMs, timeoutMs + between(0, 170_000)],
				[
					'connection_lost',
					between(0, 2) < 1 ? workMs : heldMs + workMs,
					workMs + between(-300, 30_000),
				],
				['interrupted', between(20_000, 900_000), workMs],
				...(random() < 0.1 ? [['client_timeout', timeoutMs, Math.min(workMs, timeoutMs)]] : []),
			] as Array<[string, number, number]>);
			one = { ...answered, known: 'unknown', charged, reason, endedAt: sentAt + waitedMs };
			const back = refunds && !charged && random() < 0.5;
			if (restarts && charged && reason === 'connection_lost') totalUsed += 49;
			else if (charged || back) book(model, sentAt + heldMs, worksMs, requestId, back);
		}
		if (one.known === 'charged') booked.push(book(model, sentAt + heldMs, workMs, requestId));
		sent.push(one);
		freeAt[place] =
			(one.reason === 'interrupted' ? sentAt + workMs : one.endedAt) + between(0, 1_500);
	}
	const until = Math.max(...freeAt);
	for (let client = 0; client < others; client++)
		for (let at = MIDNIGHT + between(0, 9_000); at < until; at += between(300, 20_000))
			book(
				random() < 0.8 ? MODELS[0] : MODELS[1],
				at,
				between(200, 90_000),
				`req_${9000 + entries.length}`,
				refunds && random() < 0.3,
			);

	if (gaps && booked.length > 0) {
		const { at: middle } = pick(booked);
		const [from, until] = [middle - 1000 * between(0, 60), middle + 1000 * between(0, 60)];
		const left = entries.filter(({ at }) => at < from || at > until);
		entries.splice(0, entries.length, ...left);
	}
	const unknown = sent.filter(({ known }) => known === 'unknown');
	const readAt = Math.max(0, ...unknown.map(certainAt)) + between(0, 60_000);
	const oldest = MIDNIGHT - between(130_000, 9_000_000) + skewMs;
	entries.push({ kind: 'other', model: '', at: oldest, seconds: 0, quota: 0 });
	const clockMs = Math.floor(skewMs / 1000) * 1000 + between(0, 500);
	const tenth = (ms: number) => Math.round(ms / 100) / 10;
	return {
		log: {
			entries,
			account: '',
			readAt,
			totalUsed,
			clock: { aheadMs: clockMs + setMs, withinMs: 0 },
		},
		unknown: unknown.map((one) => {
			const near = sent.filter(
				(other) =>
					other !== one &&
					other.known !== 'refused' &&
					other.endedAt >= one.sentAt - 62_000 &&
					other.sentAt <= certainAt(one),
			);
			const charged = near.filter(({ known }) => known === 'charged');
			return {
				...one,
				requestId: undefined,
				neighbours: {
					charged: charged.length,
					unknown: near.length - charged.length,
					...(!counts && {
						sent: near.map((other): [number, number, 0 | 1] => [
							tenth(other.sentAt - one.sentAt),
							tenth(other.endedAt - other.sentAt),
							other.known === 'charged' ? 1 : 0,
						]),
					}),
					...(ids && { requestIds: charged.map(({ requestId }) => requestId) }),
					...(charged.length > 0 && { clockAhead: clockMs / 1000 }),
				},
			};
		}),
	};
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
