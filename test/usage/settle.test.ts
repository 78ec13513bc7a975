import { readEntries, type LogEntry } from '../../nodes/SpeechGateway/usage/logEntry';
import type { Neighbours, UnknownRequest } from '../../nodes/SpeechGateway/usage/moment';
import { certainAt, settle, type UsageLog } from '../../nodes/SpeechGateway/usage/settle';
import { makeNight } from './nights';

describe('made-up nights', () => {
	const judged = (options: Parameters<typeof makeNight>[1]) =>
		Array.from({ length: 400 }, (_, seed) => makeNight(seed, options)).flatMap((night, seed) =>
			night.unknown.map((request) => ({ seed, request, verdict: settle(request, night.log) })),
		);
	const wrong = (all: ReturnType<typeof judged>, said: 'yes' | 'no') =>
		all.filter(
			({ request, verdict }) => verdict.charged === said && request.charged !== (said === 'yes'),
		);

	test.each([
		{},
		{ others: 1 },
		{ others: 4 },
		{ others: 2, ids: true },
		{ others: 1, counts: true },
		{ others: 1, refunds: true },
	])('"no" is never wrong, whoever else uses the key: %j', (options) => {
		const all = judged(options);
		expect(wrong(all, 'no')).toEqual([]);
		expect(all.some(({ verdict }) => verdict.charged === 'no')).toBe(true);
	});

	test.each([{}, { ids: true }, { counts: true }, { refunds: true }])(
		'"yes" is never wrong while the run is alone with its key: %j',
		(options) => {
			const all = judged(options);
			expect(wrong(all, 'yes')).toEqual([]);
			expect(all.some(({ verdict }) => verdict.charged === 'yes')).toBe(true);
		},
	);

	test('with one client, at most one in ten stays unknown', () => {
		const all = judged({});
		const unknown = all.filter(({ verdict }) => verdict.charged === 'unknown');
		expect(unknown.length / all.length).toBeLessThan(0.1);
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
	model: 'fish-speech',
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
	entry(startsAfter, seconds, { kind: 'other', ...more });
const id = (requestId: string) => ({ requestId });
/** Entries from an hour before. */
const OLD = entry(-3600, 1);
const OLD_0 = entry(-3600, 1, id('req_0'));
const verdict = (
	entries: LogEntry[],
	request: Partial<UnknownRequest> = {},
	log: Partial<UsageLog> = {},
) =>
	settle(
		{ ...lost, ...request },
		{ entries, readAt: SENT + 3_600_000, clock: { aheadMs: 0, withinMs: 0 }, ...log },
	);
const clock = (aheadMs: number, withinMs = 0) => ({ clock: { aheadMs, withinMs } });
const readAfter = (seconds: number) => ({ readAt: SENT + seconds * 1000 });

/** Beside one charged neighbour, sent 1 s later and answered after 2 s. */
const besideOne = near([[1, 2, 1]]);
const ofRequest1 = { neighbours: { ...besideOne.neighbours, requestIds: ['req_1'] } };
/** Beside another that was given up, sent 2 s later. */
const besideLost = near([[2, 30, 0]]);
const besideTwin = near([[0, 30, 0]]);
const counted = (charged: number, unknown: number): Partial<UnknownRequest> => ({
	neighbours: { charged, unknown },
});
const OWN = entry(0, 31);
const NEIGHBOUR = entry(1, 2);
const OWN_1 = entry(0, 31, id('req_1'));
const OWN_2 = entry(0, 31, id('req_2'));
const PROXIES: Partial<UnknownRequest> = {
	...id('8f3c-FRA'),
	neighbours: { charged: 0, unknown: 0, sent: [], requestIds: ['8f3b-FRA'] },
};

test.each<[string, 'yes' | 'no' | 'unknown', ...Parameters<typeof verdict>]>([
	['one entry that fits', 'yes', [OLD, OWN]],
	['one of another model', 'no', [OLD, entry(0, 31, { model: 'other' })]],
	['an error', 'no', [OLD, error(0, 31)]],
	['it starts 2.5 s later', 'yes', [OLD, entry(2.5, 31)]],
	['it starts 2.6 s later', 'no', [OLD, entry(2.6, 31)]],
	['it starts 1.5 s earlier', 'yes', [OLD, entry(-1.5, 31)]],
	['it starts 1.6 s earlier', 'no', [OLD, entry(-1.6, 31)]],
	['it took 1 s less than we waited', 'yes', [OLD, entry(0, 29)]],
	['it took 2 s less: an answer that got lost, or another', 'unknown', [OLD, entry(0, 28)]],
	['the run broke off at once', 'yes', [OLD, entry(0, 3)], { reason: 'interrupted' }],
	['a clock that is ahead', 'yes', [OLD, entry(300, 31)], {}, clock(300_000)],
	['a clock that is known to 2 s', 'yes', [OLD, entry(4, 31)], {}, clock(0, 2000)],
	['a clock that is not known', 'unknown', [OLD], {}, { clock: undefined }],
	['sent by another execution', 'unknown', [OLD], { reason: 'already_sent' }],

	['the only entry is the neighbour’s', 'no', [OLD, NEIGHBOUR], besideOne],
	['an entry for each', 'yes', [OLD, NEIGHBOUR, OWN], besideOne],
	['its neighbours are not known', 'unknown', [OLD, OWN], { neighbours: undefined }],
	['one of two neighbours is not described', 'unknown', [OLD, NEIGHBOUR], near([[1, 2, 1]], 2)],
	['one for each, one of somebody else', 'yes', [OLD, NEIGHBOUR, OWN, entry(7, 3)], besideOne],
	['the neighbour’s is missing', 'unknown', [OLD, entry(60, 2)], besideOne],
	['the neighbour’s took 2 s less', 'no', [OLD, entry(1, 0)], besideOne],
	['the neighbour’s took 1 s more', 'no', [OLD, entry(1, 3)], besideOne],
	['one of 2 s more is not the neighbour’s', 'unknown', [OLD, entry(1, 4)], besideOne],
	['one of 3 s less is not the neighbour’s', 'unknown', [OLD, entry(1, 0)], near([[1, 3, 1]])],
	['two short ones, one the neighbour’s', 'unknown', [OLD, NEIGHBOUR, entry(1, 2)], besideOne],
	['one entry, and another that was given up', 'unknown', [OLD, OWN], besideTwin],
	['two entries, and another that was given up', 'yes', [OLD, OWN, entry(0, 31)], besideTwin],
	['only the other explains one', 'yes', [OLD, entry(1, 31), entry(4, 31)], besideLost],
	[
		'the other explains one, and nobody the other',
		'unknown',
		[OLD, entry(1, 31), entry(4, 31), entry(8, 3)],
		besideLost,
	],

	['as many entries as were charged', 'no', [OLD, NEIGHBOUR, entry(5, 2)], counted(2, 1)],
	['fewer', 'unknown', [OLD, NEIGHBOUR], counted(2, 1)],
	['one more, of two', 'unknown', [OLD, NEIGHBOUR, OWN], counted(1, 1)],
	['all', 'yes', [OLD, NEIGHBOUR, OWN, entry(1, 31)], counted(1, 1)],
	['all, but none fits', 'unknown', [OLD, NEIGHBOUR, entry(5, 31), entry(6, 31)], counted(1, 1)],
	['more than all', 'unknown', [OLD, NEIGHBOUR, OWN, entry(1, 31)], counted(0, 1)],
	// At an edge, it may be that of a request that is not counted.
	['one 11 s before', 'unknown', [OLD, entry(-11, 2)], counted(0, 0)],
	['one 12 s later', 'unknown', [OLD, entry(12, 2)], counted(0, 0)],
	['one that fits, one 11 s before', 'unknown', [OLD, OWN, entry(-11, 2)], counted(0, 1)],
	['one that fits, one 12 s later', 'unknown', [OLD, OWN, entry(12, 2)], counted(0, 1)],

	['its ID is there', 'yes', [OLD, OWN_2], id('req_2')],
	['its ID is there, at any time', 'yes', [OLD, entry(90, 31, id('req_2'))], id('req_2')],
	['its ID is not there', 'no', [OLD_0, OWN_1], id('req_2')],
	['an error has its ID', 'no', [OLD_0, error(0, 31, id('req_2'))], id('req_2')],
	['its ID is not there, an error has none', 'no', [OLD_0, OWN_1, error(0, 1)], id('req_2')],
	['its ID, and no clock', 'unknown', [OLD_0], id('req_2'), { clock: undefined }],
	...['8f3a-FRA', 'req-2', 'req_23456'].map(
		(other): [string, 'yes', ...Parameters<typeof verdict>] => [
			`its ID ${other} is of another kind`,
			'yes',
			[OLD_0, OWN_1],
			id(other),
		],
	),
	['not all have IDs', 'yes', [OLD, OWN_1], id('req_2')],
	['its ID is a proxy’s', 'yes', [OWN_1, OLD], id('8f3a-FRA')],
	[
		'its ID is a proxy’s, of the same kind as a neighbour’s in the log',
		'no',
		[entry(-3600, 1, id('8f3a-FRA')), entry(0, 31, id('8f3b-FRA'))],
		PROXIES,
	],
	[
		'a neighbour’s ID of another kind says nothing against it',
		'no',
		[entry(-3600, 1, id('req_1')), entry(0, 31, id('8f3b-FRA'))],
		{ ...PROXIES, neighbours: { ...PROXIES.neighbours!, requestIds: ['req_1'] } },
	],
	[
		'the entry is a neighbour’s by its ID',
		'no',
		[OLD, entry(1, 31, id('req_1'))],
		{ neighbours: { ...near([[1, 30, 1]]).neighbours, requestIds: ['req_1'] } },
	],
	[
		'the neighbour’s by its ID, though another one fits the neighbour, too',
		'no',
		[OLD, entry(1, 2, id('req_1')), entry(3, 2, id('req_9'))],
		ofRequest1,
	],
	['the neighbour’s by its ID, however long', 'no', [OLD, NEIGHBOUR, OWN_1], ofRequest1],
	['refunded, by its ID', 'no', [OLD, OWN_2, refund(40, 0, id('req_2'))], id('req_2')],
	['refunded, by the ID of the entry', 'no', [OLD, OWN_2, refund(40, 0, id('req_2'))]],
	['an error with its ID is no refund', 'yes', [OLD, OWN_2, error(40, 0, id('req_2'))]],
	['another ID was refunded', 'yes', [OLD, OWN_2, refund(40, 0, id('req_3'))]],
	['refunded, without IDs', 'no', [OLD, OWN, refund(0, 31)]],
	['another amount was refunded', 'yes', [OLD, OWN, refund(0, 31, { quota: 50 })]],
	['something later was refunded', 'yes', [OLD, OWN, refund(1.1, 31)]],
	['one of two was refunded', 'unknown', [OLD, OWN, entry(2, 31), refund(1, 31)]],

	['an empty log', 'unknown', []],
	['a log that goes back 59 s', 'unknown', [entry(-60, 1)]],
	['a log that goes back 60 s', 'no', [entry(-61, 1)]],
	['the same by a clock that is ahead', 'unknown', [entry(-61, 1)], {}, clock(-2_000)],
	['too early', 'unknown', [OLD], {}, readAfter(209.999)],
	['after 180 s', 'no', [OLD], {}, readAfter(210)],
	['after as long as we waited', 'no', [OLD], { endedAt: SENT + 300_000 }, readAfter(600)],
	['before that', 'unknown', [OLD], { endedAt: SENT + 300_000 }, readAfter(599.999)],
	['never too early for a charge', 'yes', [OLD, OWN], {}, readAfter(40)],
])('%s: %s', (_, charged, ...given) => {
	const found = verdict(...given);
	expect(found).toMatchObject({ charged });
	expect(found.why).toMatch(/^[A-Z].*\.$/);
	expect(found.entry !== undefined).toBe(charged === 'yes');
});

test.each([
	['the one that no neighbour needs', [OLD, OWN, entry(1, 30)], near([[2, 30, 1]])],
	['it, whatever their order', [OLD, entry(1, 30), OWN], near([[2, 30, 1]])],
	['the one that was not refunded', [OLD, OWN_1, refund(40, 0, id('req_1')), OWN], {}],
])('of several charges, %s', (_, entries, request) => {
	expect(verdict(entries, request).entry).toBe(OWN);
});

test.each<[RegExp, ...Parameters<typeof verdict>]>([
	[/no charge from that moment/, [OLD]],
	[/those of other requests/, [OLD, NEIGHBOUR], besideOne],
	[/refunded/, [OLD, OWN, refund(0, 31)]],
])('a no says why: %s', (why, ...given) => {
	expect(verdict(...given)).toMatchObject({ charged: 'no', why: expect.stringMatching(why) });
});

test('when it is certain', () => {
	expect(certainAt(lost)).toBe(SENT + 210_000);
	expect(verdict([OLD], {}, { readAt: SENT }).why).toContain('Ask again at 2026-01-01T03:03:30Z.');
});

test.each([
	[{ type: 2, model_name: 'm', created_at: 5, use_time: 1, quota: 49, request_id: '' }, 'charge'],
	[{ type: 6, model_name: 'm', created_at: 5, use_time: 0, quota: 49 }, 'refund'],
	[{ type: 5, created_at: 5 }, 'other'],
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
