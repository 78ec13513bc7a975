import { readList } from '../../nodes/SpeechGateway/gateway/readList';
import { gatewayWords, plain } from '../../nodes/SpeechGateway/gateway/gatewayWords';
import { firstPollMs, jobProgress, nextPollMs } from '../../nodes/SpeechGateway/tasks/pollSchedule';
import {
	backoffMs,
	retryAfterMs,
	throttledMs,
	waitInWords,
} from '../../nodes/SpeechGateway/requests/retryPolicy';

describe('retry policy', () => {
	test('exponential with full jitter, bounded', () => {
		expect([0, 1, 2, 3, 10, 100].map((attempt) => backoffMs(attempt, () => 1))).toEqual([
			1000, 2000, 4000, 8000, 8000, 8000,
		]);
		expect(backoffMs(5, () => 0)).toBe(4000);
		expect(backoffMs(2, () => 0.5)).toBe(3000);
	});

	test.each([
		['No deployments available for selected model, Try again in 20 seconds. Passed', 20_000],
		['Rate limit reached. Please try again in 1.2s.', 1_200],
		['Please try again in 6m0s. Visit', 360_000],
		['Please try again in 1h2m3s.', 3_723_000],
		['retry after 2 minutes', 120_000],
		['Try again in 500ms', 500],
		['Try again in 3 milliseconds', 3],
		['Try again later', undefined],
		['Try again in a moment', undefined],
		['in 20 seconds', undefined],
	])('%s: the wait that it asks for', (words, wait) => {
		expect(waitInWords(words)).toBe(wait);
	});

	test('after a 429 the default four retries outlive a window of a minute, each at most a minute long', () => {
		const waits = (random: number) => [0, 1, 2, 3, 9].map((nth) => throttledMs(nth, () => random));
		expect(waits(0)).toEqual([1000, 4000, 16_000, 60_000, 60_000]);
		expect(waits(1)).toEqual([2000, 8000, 32_000, 60_000, 60_000]);
	});

	const now = Date.parse('2026-01-01T00:00:00Z');
	test.each([
		['0', 0],
		['1.5', 1500],
		[' 7 ', 7000],
		['in 5', undefined],
		['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
		['Thu, 01 Jan 2020 00:00:00 GMT', 0],
		['soon', undefined],
		['', undefined],
		[undefined, undefined],
	])('Retry-After %s', (header, expected) => expect(retryAfterMs(header, now)).toBe(expected));
});

describe('polls', () => {
	const interval = { pollIntervalMs: 2000, maxPollIntervalMs: 15_000 };
	test('start at the interval, grow with the age, end at the maximum', () => {
		expect(
			[0, 5000, 10_000, 20_000, 60_000, 3_600_000].map((age) => nextPollMs(age, interval)),
		).toEqual([2000, 2000, 2000, 4000, 12_000, 15_000]);
	});
	test('a maximum below the start changes nothing, and a single job is first asked for after one interval', () => {
		expect(nextPollMs(0, { pollIntervalMs: 5000, maxPollIntervalMs: 1000 })).toBe(5000);
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
		[{ detail: { error: 'text' } }, { message: 'text' }],
		[
			{ detail: { error: 'a_code', message: 'In words', type: 't' } },
			{ message: 'In words', code: 't', type: 't' },
		],
		[{ error: { message: 'm', type: 't', code: '400' } }, { message: 'm', code: 't', type: 't' }],
		[{ 'html-message': '<h1>Bad</h1>' }, { message: 'Bad' }],
		[{ detail: [{ loc: ['body', 3], msg: 'no' }] }, { message: 'no', param: '3' }],
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

describe('lists', () => {
	test.each([
		[[{ id: 'a' }], ['a']],
		[{ object: 'list', data: ['a', 7, null, true] }, ['a', 7]],
		[{ results: ['a'] }, ['a']],
		[{ success: true, message: '', data: { items: [{ id: 'a' }], total: 1 } }, ['a']],
		[{ data: { models: ['a'], next: null } }, ['a']],
		[{ items: [] }, []],
		[{ code: 0, data: null }, []],
		[{ data: { items: null } }, []],
	])('the list in %j', (body, ids) => {
		expect(readList(body).map(({ id }) => id)).toEqual(ids);
	});

	const LIST = 'the answer is not a list';
	test.each<[unknown, string]>([
		[{ data: 'none' }, LIST],
		[7, LIST],
		[{ total: 0 }, LIST],
		[{ data: { a: {}, b: {} } }, LIST],
		['none', `${LIST}, but says: "none"`],
		[{ data: null, message: 'Try again' }, `${LIST}, but says: "Try again"`],
		[{ error: { message: 'Try again' }, data: null }, `${LIST}, but says: "Try again"`],
	])('there is none in %j', (body, message) => {
		expect(() => readList(body)).toThrow(new Error(message));
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
