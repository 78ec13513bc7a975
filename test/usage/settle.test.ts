import { readEntries, type LogEntry } from '../../nodes/SpeechGateway/usage/logEntry';
import {
	certainAt,
	type Neighbours,
	type UnknownRequest,
} from '../../nodes/SpeechGateway/usage/moment';
import { requestVerdict, type UsageLog } from '../../nodes/SpeechGateway/usage/settle';
import { type Circumstances, makeNight } from './nights';

describe('made-up nights', () => {
	const judged = (circumstances: Circumstances) =>
		Array.from({ length: 200 }, (_, seed) => makeNight(seed, circumstances)).flatMap(
			(night, seed) =>
				night.unknown.map((request) => ({
					seed,
					request,
					verdict: requestVerdict(request, night.log),
				})),
		);
	const wrongNo = (all: ReturnType<typeof judged>) =>
		all.filter(({ request, verdict }) => verdict.charged === 'no' && request.charged);

	test.each<Circumstances>([
		{},
		{ ids: true },
		{ refunds: true },
		{ refunds: true, ids: true },
		{ names: true },
		{ dnsSeconds: 5 },
		{ holdSeconds: 20 },
		{ holdSeconds: 120 },
		{ holdSeconds: 8, lateSeconds: 8 },
		{ logSeconds: 60 },
		{ holdSeconds: 20, logSeconds: 60, names: true },
	])(
		'"no" is never wrong, and is said while the run is alone with its key: %j',
		(circumstances) => {
			const all = judged(circumstances);
			expect(wrongNo(all)).toEqual([]);
			expect(all.some(({ verdict }) => verdict.charged === 'no')).toBe(true);
		},
	);

	test.each<Circumstances>([
		{ others: 1 },
		{ others: 4 },
		{ others: 2, ids: true },
		{ others: 1, refunds: true },
		{ others: 1, holdSeconds: 20, logSeconds: 60, dnsSeconds: 5 },
		{ setSeconds: 60 },
		{ setSeconds: 5, holdSeconds: 20 },
		{ counts: true },
		{ lateSeconds: 20, holdSeconds: 5 },
		{ gaps: true },
		{ gaps: true, holdSeconds: 20 },
		{ restarts: true },
		{ restarts: true, others: 2, ids: true },
	])('"no" is never wrong, whatever else there is: %j', (circumstances) => {
		expect(wrongNo(judged(circumstances))).toEqual([]);
	});

	test('with one client, a third of what was not charged is settled', () => {
		const free = judged({}).filter(({ request }) => !request.charged);
		const settled = free.filter(({ verdict }) => verdict.charged === 'no');
		expect(settled.length / free.length).toBeGreaterThan(0.35);
	});

	test('"yes" is said by an ID alone', () => {
		expect(judged({ ids: true }).filter(({ verdict }) => verdict.charged === 'yes')).toEqual([]);
	});
});

/** Given up after 30 s; all is long over when the log is read. */
const SENT = Date.UTC(2026, 0, 1, 3);
type Near = NonNullable<Neighbours['sent']>;
/** Others of the run; those that are charged, by their number, where that is another. */
const near = (sent: Near, charged = sent.filter(([, , is]) => is === 1).length) => ({
	neighbours: { charged, unknown: sent.length - charged, sent } as Neighbours,
});
const lost: UnknownRequest = {
	reason: 'client_timeout',
	sentAt: SENT,
	endedAt: SENT + 30_000,
	...near([]),
};
const entry = (startsAfter: number, seconds: number, more: Partial<LogEntry> = {}): LogEntry => ({
	kind: 'charge',
	model: 'fish-speech',
	at: SENT + 1000 * (startsAfter + seconds),
	seconds,
	quota: 49,
	...more,
});
const refund = (startsAfter: number, seconds: number, more: Partial<LogEntry> = {}) =>
	entry(startsAfter, seconds, { kind: 'refund', ...more });
const error = (startsAfter: number, seconds: number, more: Partial<LogEntry> = {}) =>
	entry(startsAfter, seconds, { kind: 'error', ...more });
const id = (requestId: string) => ({ requestId });
/** Entries from an hour before. */
const OLD = entry(-3600, 1);
const OLD_0 = entry(-3600, 1, id('req_0'));
const verdict = (
	entries: LogEntry[],
	request: Partial<UnknownRequest> = {},
	log: Partial<UsageLog> = {},
) =>
	requestVerdict(
		{ ...lost, ...request },
		{
			entries,
			account: 'a1',
			readAt: SENT + 3_600_000,
			clock: { aheadMs: 0, withinMs: 0 },
			...log,
		},
	);
const clock = (aheadMs: number, withinMs = 0) => ({ clock: { aheadMs, withinMs } });
const readAfter = (seconds: number) => ({ readAt: SENT + seconds * 1000 });

/** Beside one charged neighbour, sent 1 s later and answered after 2 s. */
const besideOne = near([[1, 2, 1]]);
/** Beside another that was given up. */
const besideTwin = near([[0, 30, 0]]);
const counted = (charged: number, unknown: number) => ({ neighbours: { charged, unknown } });
const clockAhead = (seconds: number) => ({
	neighbours: { ...near([]).neighbours, clockAhead: seconds },
});
const OF_REQUEST_1 = { neighbours: { ...near([]).neighbours, requestIds: ['req_1'] } };
const OWN = entry(0, 31);
const NEIGHBOUR = entry(1, 2);
/** Nobody's, unless something held its request. */
const LATER = entry(20, 2, { model: 'tts-1' });
const HELD = entry(-27, 1);
const SHORT = entry(0, 3);
const LATE = entry(13, 9);
const heldTwo = near([
	[-30, 4, 1],
	[5, 12, 1],
]);
const OWN_1 = entry(0, 31, id('req_1'));
const OWN_2 = entry(0, 31, id('req_2'));
/** With an ID of new-api's form. */
const byId = (idHeader = 'x-oneapi-request-id') => ({
	requestId: '20260101030000123456789abcDEFGH',
	idHeader,
});
const OTHER = entry(0, 31, id('20260101030001987654321hgfEDCBA'));
/** Beside an answered request, whose ID came in the same header. */
const NEIGHBOUR_1 = entry(1, 2, id('req_1'));
const inHeader = {
	requestId: 'req_3',
	idHeader: 'x-request-id',
	neighbours: { ...near([[1, 2, 1]]).neighbours, requestIds: ['req_1'] },
};
const LOST = { reason: 'connection_lost' };
const used = (totalUsed: number) => ({ totalUsed });
/** A log whose clock is behind by so many seconds; with its own charge, or only the neighbour's, sent 5 s before. */
const behind = (seconds: number, own: boolean): Parameters<typeof verdict> => [
	[OLD, entry(-5 - seconds, 2), ...(own ? [entry(-seconds, 31)] : [])],
	near([[-5, 2, 1]]),
];

test.each<[string, 'yes' | 'no' | 'unknown', ...Parameters<typeof verdict>]>([
	['one charge that fits', 'unknown', [OLD, OWN]],
	['one of another model', 'unknown', [OLD, entry(0, 31, { model: 'FISH-SPEECH' })]],
	['an error', 'no', [OLD, error(0, 31)]],
	['it starts 2 s earlier', 'unknown', [OLD, entry(-2, 32)]],
	['it was held for a minute', 'unknown', [OLD, entry(60, 3)]],
	['it was held until it is certain', 'unknown', [OLD, entry(212, 3)]],
	['one that starts when it is long certain', 'no', [OLD, entry(273, 3)]],
	['by a clock that is a minute behind', 'unknown', [OLD, entry(-60, 3)]],
	['one that starts long before', 'no', [OLD, entry(-63, 3)]],
	['a clock that is ahead', 'unknown', [OLD, entry(300, 31)], {}, clock(300_000)],
	['a clock that is known to 2 s', 'unknown', [OLD, entry(4, 31)], {}, clock(0, 2000)],
	['a clock that is not known', 'unknown', [OLD], {}, { clock: undefined }],
	['a clock that was right when it was sent', 'no', [OLD], clockAhead(2)],
	['a clock that was set since', 'unknown', [OLD], clockAhead(2.1)],
	['a clock that was set back since', 'unknown', [OLD, OWN], clockAhead(-2.1)],
	['sent by another execution', 'unknown', [OLD], { reason: 'already_sent' }],
	['sent by this account', 'no', [OLD], { paidBy: 'a1' }],
	['sent by another account', 'unknown', [OLD], { paidBy: 'a2' }],
	[
		'another account’s, though the ID is there',
		'unknown',
		[OWN_2],
		{ paidBy: 'a2', ...id('req_2') },
	],
	['a damaged answer', 'unknown', [OLD], { reason: 'damaged_response' }],
	['a file that was not stored', 'unknown', [OLD], { reason: 'not_stored' }],
	['any answer with success', 'unknown', [OLD], { httpCode: '201' }],
	['a damaged answer that was charged', 'unknown', [OLD, OWN], { reason: 'damaged_response' }],
	['the page of a proxy', 'unknown', [OLD], { httpCode: '504' }],
	['the page of a proxy, and the total agrees', 'no', [OLD], { httpCode: '504' }, used(49)],
	[
		'the page of a proxy, and something is set aside',
		'unknown',
		[OLD],
		{ httpCode: '504' },
		used(50),
	],
	['a lost connection', 'unknown', [OLD], LOST],
	['a lost connection, and the total agrees', 'no', [OLD], LOST, used(49)],
	['a lost connection of a request with an ID', 'unknown', [OLD], { ...LOST, ...byId() }],
	[
		'the total agrees with a log that is not whole',
		'unknown',
		Array(1000).fill(OLD),
		LOST,
		used(49),
	],
	['the total agrees with one that is', 'no', Array(999).fill(OLD), LOST, used(49)],
	['the total is less what was given back', 'unknown', [OLD, refund(-3000, 0)], LOST, used(49)],
	['an answer of the gateway itself', 'no', [OLD, OTHER], { httpCode: '504', ...byId() }],

	['the only charge is the neighbour’s', 'no', [OLD, NEIGHBOUR], besideOne],
	['a charge for each', 'unknown', [OLD, NEIGHBOUR, OWN], besideOne],
	['its neighbours are not known', 'unknown', [OLD, OWN], { neighbours: undefined }],
	['its neighbours are not known, and nothing is there', 'no', [OLD], { neighbours: undefined }],
	['the neighbour’s is missing', 'unknown', [OLD, entry(120, 2)], besideOne],
	['the neighbour was held, too', 'no', [OLD, entry(15, 2)], near([[1, 16, 1]])],
	['the neighbour was held, one more', 'unknown', [OLD, entry(15, 2), LATER], near([[1, 16, 1]])],
	['one that began before, and was charged after', 'no', [OLD, entry(3, 2)], near([[-20, 25, 1]])],
	['one charge, and another that was given up', 'unknown', [OLD, OWN], besideTwin],
	['two charges, and another that was given up', 'unknown', [OLD, OWN, entry(0, 31)], besideTwin],
	['no charge, and another that was given up', 'no', [OLD], besideTwin],
	['both neighbours were held, and one charged late', 'unknown', [OLD, HELD, SHORT, LATE], heldTwo],
	['the log’s clock is behind, as the neighbour’s shows', 'unknown', ...behind(30, true)],
	['the log’s clock is behind, and only the neighbour’s is there', 'no', ...behind(30, false)],
	['the log’s clock is behind by more than a minute', 'unknown', ...behind(70, true)],

	['counts explain nothing', 'unknown', [OLD, NEIGHBOUR], counted(1, 1)],
	['counts, and nothing to explain', 'no', [OLD], counted(1, 1)],

	['its ID is there', 'yes', [OLD, OWN_2], id('req_2')],
	['its ID is there, at any time', 'yes', [OLD, entry(90, 31, id('req_2'))], id('req_2')],
	['its ID is there, and no clock', 'yes', [OWN_2], id('req_2'), { clock: undefined }],
	['its ID is not there, another one is', 'unknown', [OLD_0, OWN_1], id('req_2')],
	['its ID is not there, another one was held', 'unknown', [OLD_0, LATER], id('req_2')],
	['its ID is not there, nor anything else', 'no', [OLD_0], id('req_2')],
	['new-api has another ID there', 'no', [OLD, OTHER], byId()],
	['new-api has one without an ID there, too', 'unknown', [OLD, OTHER, OWN], byId()],
	['new-api has one of another form', 'unknown', [OLD, OWN_1], byId()],
	['the ID is that of a proxy', 'unknown', [OLD, OTHER], byId('cf-ray')],
	['the ID is that of a trace', 'unknown', [OLD, OTHER], byId('x-portkey-trace-id')],
	['an answered request is there under its own', 'no', [OLD, NEIGHBOUR_1, OWN_2], inHeader],
	['it is there under another', 'unknown', [OLD, NEIGHBOUR, OWN_2], inHeader],
	[
		'nobody knows in which header it came',
		'unknown',
		[OLD, NEIGHBOUR_1, OWN_2],
		{ ...inHeader, idHeader: undefined },
	],
	[
		'an error has it, whatever else is there',
		'no',
		[OLD, OWN, error(0, 31, id('req_2'))],
		id('req_2'),
	],
	['an error and a charge have it', 'yes', [OLD, OWN_2, error(0, 2, id('req_2'))], id('req_2')],
	['refunded, and its charge is gone', 'unknown', [OLD, refund(40, 0, id('req_2'))], id('req_2')],
	['an error has its ID', 'no', [OLD_0, error(0, 31, id('req_2'))], id('req_2')],
	['the entry is a neighbour’s by its ID', 'no', [OLD, entry(1, 31, id('req_1'))], OF_REQUEST_1],
	['refunded, by its ID', 'no', [OLD, OWN_2, refund(40, 0, id('req_2'))], id('req_2')],
	[
		'refunded in part',
		'yes',
		[OLD, OWN_2, refund(40, 0, { ...id('req_2'), quota: 48 })],
		id('req_2'),
	],
	['refunded, by the ID of the charge', 'no', [OLD, OWN_2, refund(40, 0, id('req_2'))]],
	[
		'refunded in part, by that',
		'unknown',
		[OLD, OWN_2, refund(40, 0, { ...id('req_2'), quota: 9 })],
	],
	['an error with its ID is no refund', 'unknown', [OLD, OWN_2, error(40, 0, id('req_2'))]],
	['another ID was refunded', 'unknown', [OLD, OWN_2, refund(40, 0, id('req_3'))]],

	['an empty log', 'unknown', []],
	['a log that goes back 59 s', 'unknown', [error(-60, 1)]],
	['a log that goes back 60 s', 'no', [error(-61, 1)]],
	['the same by a clock that is ahead', 'unknown', [error(-61, 1)], {}, clock(-2_000)],
	['too early', 'unknown', [OLD], {}, readAfter(209.999)],
	['after 180 s', 'no', [OLD], {}, readAfter(210)],
	['after as long as we waited', 'no', [OLD], { endedAt: SENT + 300_000 }, readAfter(600)],
	['before that', 'unknown', [OLD], { endedAt: SENT + 300_000 }, readAfter(599.999)],
	['refunded so far', 'unknown', [OWN_2, refund(40, 0, id('req_2'))], id('req_2'), readAfter(209)],
])('%s: %s', (_, charged, ...given) => {
	const found = verdict(...given);
	expect(found).toMatchObject({ charged });
	expect(found.why).toMatch(/^[A-Z].*\.$/);
	expect(found.entry !== undefined).toBe(charged === 'yes');
});

test('the candidates are the charges that keep it from "no", the ten nearest', () => {
	const charges = Array.from({ length: 20 }, (_, index) => entry(index, 31));
	const { candidates } = verdict([OLD, NEIGHBOUR, ...charges.toReversed()], besideOne);
	expect(candidates).toEqual(charges.slice(0, 10));
	expect(verdict([OLD, OTHER, LATER], byId()).candidates).toEqual([LATER]);
	expect(verdict([OLD]).candidates).toBeUndefined();
});

test('a no by a refund says so', () => {
	const { why } = verdict([OLD, OWN_2, refund(40, 0, id('req_2'))], id('req_2'));
	expect(why).toContain('refunded');
});

test('when it is certain', () => {
	expect(certainAt(lost)).toBe(SENT + 210_000);
	expect(verdict([OLD], {}, { readAt: SENT }).why).toContain('Ask again at 2026-01-01T03:03:30Z.');
});

test.each([
	[{ type: 2, model_name: 'm', created_at: 5, use_time: 1, quota: 49, request_id: '' }, 'charge'],
	[{ type: 6, model_name: 'm', created_at: 5, use_time: 0, quota: 49 }, 'refund'],
	[{ type: 5, created_at: 5 }, 'error'],
	[{ type: 3, created_at: 5 }, 'other'],
	[{ type: 2, created_at: 5, use_time: 1, quota: 49 }, undefined],
	[{ type: 2, model_name: '', created_at: 5, use_time: 1, quota: 49 }, undefined],
	[{ type: 2, model_name: 'm', created_at: 5, quota: 49 }, undefined],
	[{ type: 2, model_name: 'm', use_time: 1, quota: 49 }, undefined],
	['text', undefined],
])('the entry %j is a %s', (given, kind) => {
	const entries = readEntries([given]);
	expect(entries?.[0].kind).toBe(kind);
	if (kind === 'charge')
		expect(entries).toEqual([{ kind, model: 'm', at: 5000, seconds: 1, quota: 49 }]);
});
