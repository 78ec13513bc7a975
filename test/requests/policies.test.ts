import { gatewayRoot } from '../../nodes/SpeechGateway/gateway/baseUrl';
import type { InputError } from '../../nodes/SpeechGateway/core/errors';
import { explainRefusal } from '../../nodes/SpeechGateway/requests/explain';
import { gatewayWords, plain } from '../../nodes/SpeechGateway/gateway/gatewayWords';
import {
	firstPollMs,
	jobProgress,
	nextPollMs,
	SHORTEST_SLEEP_MS,
	wakeUpAt,
} from '../../nodes/SpeechGateway/tasks/pollSchedule';
import {
	backoffMs,
	MAX_RETRY_AFTER_MS,
	retryAfterMs,
} from '../../nodes/SpeechGateway/requests/retryPolicy';

describe('base URL', () => {
	test.each([
		['https://host', 'https://host'],
		['https://host/', 'https://host'],
		['https://host/v1', 'https://host'],
		['https://host/v1/', 'https://host'],
		[' https://host/v1/v1/ ', 'https://host'],
		['https://host/gateway/v1', 'https://host/gateway'],
		['https://host/gateway/', 'https://host/gateway'],
		['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080'],
		['https://host/v1?x=1#y', 'https://host'],
		['https://host/v10', 'https://host/v10'],
		['\thttps://host/v1\n', 'https://host'],
		['https://host//', 'https://host'],
		['https://host/gateway//v1//', 'https://host/gateway'],
		['https://host/V1', 'https://host'],
		['https://host/Gateway/V1/v1/', 'https://host/Gateway'],
		['HTTPS://Host/V1', 'https://host'],
		['gateway.example.com', 'https://gateway.example.com'],
		['gateway.example.com/prefix/v1', 'https://gateway.example.com/prefix'],
		['gateway.example.com:8443/v1', 'https://gateway.example.com:8443'],
		['localhost/v1', 'https://localhost'],
		['localhost:8080', 'https://localhost:8080'],
		['192.0.2.1/v1', 'https://192.0.2.1'],
		['https://user:secret@host/v1?key=secret#secret', 'https://host'],
	])('%s → %s', (given, root) => expect(gatewayRoot(given)).toBe(root));

	test.each([
		'',
		'host',
		'ftp://secret@host',
		'ftp://host/secret',
		'not a url secret',
		'sk-secret',
		'sk-secret/with+more=',
		'secret:sk-secret@host',
		'https://',
		'https://secret host/',
		'eyJhbGciOi.eyJzZWNyZXQ_.c2lnbmF0dXJl0',
	])('"%s" is refused, and not repeated', (given) => {
		expect(() => gatewayRoot(given)).toThrow(/base URL/);
		try {
			gatewayRoot(given);
		} catch (error) {
			const { message, description } = error as InputError;
			expect(message + description).not.toMatch(/secret|eyJ/);
		}
	});
});

describe('retry policy', () => {
	test('exponential with full jitter, bounded', () => {
		expect([0, 1, 2, 3, 10, 100].map((attempt) => backoffMs(attempt, () => 1))).toEqual([
			500, 1000, 2000, 4000, 30_000, 30_000,
		]);
		expect(backoffMs(5, () => 0)).toBe(0);
		expect(backoffMs(2, () => 0.5)).toBe(1000);
	});

	const now = Date.parse('2026-01-01T00:00:00Z');
	test.each([
		['0', 0],
		['3', 3000],
		['1.5', 1500],
		[' 7 ', 7000],
		['120', 120_000],
		['2.25', 2250],
		['in 5', undefined],
		['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
		['Thu, 01 Jan 2020 00:00:00 GMT', 0],
		['soon', undefined],
		['', undefined],
		[undefined, undefined],
	])('Retry-After %s', (header, expected) => expect(retryAfterMs(header, now)).toBe(expected));
});

test('nobody waits longer than ten minutes for a gateway', () => {
	expect(MAX_RETRY_AFTER_MS).toBe(600_000);
});

describe('polls', () => {
	const interval = { pollIntervalMs: 2000, maxPollIntervalMs: 15_000 };
	test('start at the interval, grow with the age, end at the maximum', () => {
		expect(
			[0, 5000, 10_000, 20_000, 60_000, 3_600_000].map((age) => nextPollMs(age, interval)),
		).toEqual([2000, 2000, 2000, 4000, 12_000, 15_000]);
	});
	test('a maximum below the start changes nothing', () => {
		expect(nextPollMs(0, { pollIntervalMs: 5000, maxPollIntervalMs: 1000 })).toBe(5000);
	});
	test('the first of a single job is after one interval', () => {
		expect(firstPollMs(0, 2000)).toBe(2000);
	});
	test.each([2, 10, 100])('the first of %d jobs are evenly spread over an interval', (jobs) => {
		const polls = Array.from({ length: jobs }, (_, nth) => firstPollMs(nth, 2000));
		const between = [1000, ...polls.sort((a, b) => a - b), 3000];
		const gaps = between.slice(1).map((at, index) => at - between[index]);
		expect(Math.max(...gaps)).toBeLessThanOrEqual((3 * 2000) / (jobs + 1));
	});
	test.each([
		['completed', 'completed'],
		['failed', 'failed'],
		['pending', 'processing'],
		['queued', 'processing'],
		['in_progress', 'processing'],
		['a new word', 'processing'],
		['unfinished', 'processing'],
		[undefined, 'processing'],
		[null, 'processing'],
		[{ toString: 1 }, 'processing'],
		...['succeeded', 'Success', 'DONE', 'finished', ' ready '].map((word) => [word, 'completed']),
		...['cancelled', 'Canceled', 'expired', 'ERROR', 'rejected'].map((word) => [word, 'failed']),
		...['aborted', 'timeout', 'timed_out', 'Timed Out'].map((word) => [word, 'failed']),
	] as Array<[unknown, string]>)('status %j', (status, progress) =>
		expect(jobProgress(status)).toBe(progress),
	);
});

describe("the gateway's words", () => {
	test.each([
		[{ error: { message: 'm', code: 'c', param: 'p' } }, { message: 'm', code: 'c', param: 'p' }],
		[{ error: 'text' }, { message: 'text' }],
		[{ message: 'text' }, { message: 'text' }],
		[{ detail: 'text' }, { message: 'text' }],
		[
			{ detail: [{ loc: ['body', 'speed'], msg: 'too fast' }] },
			{ message: 'too fast', param: 'speed' },
		],
		['<html><style>x{}</style><h1>Bad</h1> gateway</html>', { message: 'Bad gateway' }],
		['', {}],
		[null, {}],
		[[1], {}],
	])('%j', (body, words) => {
		expect(JSON.parse(JSON.stringify(gatewayWords(body)))).toEqual(words);
	});

	test('one line, bounded', () => {
		expect(plain('a\n\tb\u0000c')).toBe('a b c');
		expect(plain('x'.repeat(10_000))).toHaveLength(501);
	});
});

test.each([
	[502, '<html><h1>Bad Gateway</h1></html>', /\(502\): "Bad Gateway"$/],
	[500, '', /own answer \(500\)$/],
	[504, { error: { message: 'no news' } }, /\(504\): "no news"$/],
	[408, 'slow', /\(408\): "slow"$/],
])('what may have been charged is not called free: %i %j', (status, body, message) => {
	const error = explainRefusal({ status, body }, { url: 'https://host/v1/videos' });
	expect(error.message).toMatch(message);
	expect(error.description).not.toMatch(/not charged|gateway says/);
});

describe('explaining never throws', () => {
	const odd: unknown = { toString: 1, toJSON: 1, valueOf: null };
	test.each([
		[{ detail: [{ loc: [odd], msg: odd }] }],
		[{ detail: [{ loc: [[odd]] }] }],
		[{ detail: [odd] }],
		[{ error: odd, message: odd, code: odd, param: odd }],
		[{ error: { message: [odd], code: [odd], type: odd, param: 1 } }],
		[[odd]],
		[odd],
		[12],
		[true],
	])('%j', (body) => {
		for (const status of [400, 403, 404, 422, 429, 500, 504])
			expect(explainRefusal({ status, body }, { url: '', model: 'm', voice: 'v' })).toBeDefined();
	});

	test('a number as the place of a field', () => {
		expect(gatewayWords({ detail: [{ loc: ['body', 3], msg: 'no' }] })).toMatchObject({
			param: '3',
		});
	});
});

describe('markup', () => {
	test.each([
		['<script>a<b>c</script>text', 'text'],
		['<SCRIPT src="x">a</SCRIPT >t<style>b</style>u', 't u'],
		['<style>never closed', undefined],
		['a < b and c > d', 'a d'],
		['<scripts>kept</scripts>', 'kept'],
	])('%s → %s', (page, text) => expect(plain(page)).toBe(text));

	test.each(['<script ', '<script>', '<style ><', '<a'])('%s, over and over', (part) => {
		expect(plain(part.repeat(5_000))?.length ?? 0).toBeLessThanOrEqual(501);
	});
});

describe('errors say what happened and what to do', () => {
	const url = 'https://host/v1/audio/speech';
	const explain = (status: number, subject = {}, body: unknown = {}) =>
		explainRefusal({ status, body, requestId: 'req_1' }, { url, ...subject });
	test.each([
		[401, {}, {}, /API key/, /credential "Speech Gateway API"/],
		[402, {}, {}, /balance/, /Top up/],
		[
			403,
			{ voice: 'v1' },
			{ error: { message: 'voice of another account' } },
			/voice "v1" does not belong/,
			/Pick one from the list/,
		],
		[403, {}, {}, /lacks the capability/, /console/],
		[
			403,
			{ thing: 'job', id: 'spj_1' },
			{},
			/may not access the job "spj_1"/,
			/account that created/,
		],
		[
			404,
			{ model: 'nope' },
			{ error: { message: 'unknown model' } },
			/^The gateway has no model "nope" that can speak \(404\)$/,
			/^Not every model of the list can speak: try "fish-speech"\. The gateway says/,
		],
		...[
			'The model `nope` does not exist',
			'No such model: nope',
			'nope is not a valid model: model not found',
			"model 'nope' isn't supported or doesn't exist",
		].map((message): [number, object, object, RegExp, RegExp] => [
			404,
			{ model: 'nope' },
			{ error: { message } },
			/^The gateway has no model "nope" that can speak \(404\)$/,
			/^(?!.*base URL)/,
		]),
		...['Invalid URL (POST /v1/v1/models)', 'Route not found; see the list of models'].map(
			(message): [number, object, object, RegExp, RegExp] => [
				404,
				{ model: 'nope' },
				{ error: { message } },
				/no model "nope" that can speak/,
				/one \/v1/,
			],
		),
		[404, { model: 'nope' }, {}, /no such address, or no model "nope" that can speak/, /one \/v1/],
		[
			404,
			{ model: 'fish-speech' },
			{},
			/no model "fish-speech"/,
			/^This account may not have it: /,
		],
		[
			404,
			{ model: 'nope', url: 'https://host/v1/chat/completions' },
			{ error: { code: 'model_not_found' } },
			/^The gateway has no model "nope" that can chat \(404\)$/,
			/^Not every model of the list can chat: pick another one\.$/,
		],
		[
			404,
			{ url: 'https://host/v1/v1/models' },
			'',
			/^The gateway has no such address \(404\)$/,
			/one \/v1/,
		],
		[404, { thing: 'job', id: 'spj_1' }, {}, /no job "spj_1"/, /Check the ID/],
		[
			422,
			{},
			{ error: { param: 'speed', message: 'no' } },
			/parameter "speed"/,
			/The gateway says: "no"/,
		],
		[422, {}, { error: { parameter: 'speed' } }, /parameter "speed"/, /Change or remove/],
		[422, {}, { errors: [{ field: 'speed', message: 'no' }] }, /parameter "speed"/, /says: "no"/],
		[
			422,
			{},
			{ error: { details: [{ param: 'speed' }] } },
			/parameter "speed"/,
			/Change or remove/,
		],
		[429, {}, {}, /too many requests/, /Concurrency/],
		[524, { model: 'm' }, {}, /100 seconds/, /not charged.* cut again: .*Speech Job/],
		[
			524,
			{ model: 'm', url: 'https://host/v1/chat/completions' },
			{},
			/100 seconds/,
			/not charged.* cut again: ask for less/,
		],
		[
			524,
			{ thing: 'job', id: 'spj_1' },
			{},
			/100 seconds/,
			/^It was not charged. Run it again later.$/,
		],
		[500, {}, { error: { message: 'x' } }, /^The gateway had an error \(500\)$/, /not charged/],
		[521, {}, '<html>down</html>', /not the gateway's own answer \(521\)/, /not charged/],
		[403, {}, '<html>no</html>', /proxy or firewall/, /The answer says: "no"/],
		[407, {}, '', /proxy .* asks for a login/, /HTTPS_PROXY/],
	])('%i %j', (status, subject, body, message, description) => {
		const error = explain(status, subject, body);
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(error.details).toMatchObject({ httpCode: String(status), requestId: 'req_1' });
	});
});

test.each([
	['a new job: as soon as n8n can', 0, Infinity, SHORTEST_SLEEP_MS],
	['of ten minutes: a fifth of that', 600_000, Infinity, 120_000],
	['of an hour: five minutes at the most', 3_600_000, Infinity, 300_000],
	['when the wait ends before', 600_000, 100_000, 100_000],
	['when it ends too soon to sleep', 600_000, 1000, SHORTEST_SLEEP_MS],
])('a sleep, %s', (_, age, left, nap) => {
	const now = 10_000_000;
	expect(wakeUpAt(now - age, now + left, now)).toBe(now + nap);
});
