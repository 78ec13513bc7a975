import { Polling } from '../../nodes/SpeechGateway/tasks/polling';
import { useVirtualTime, wait } from '../support/clock';

useVirtualTime();

const turns = (polling: Polling, count: number, isLikelyDone: boolean) =>
	Array.from({ length: count }, () => polling.turn(isLikelyDone));

test('polls of one run are spread: 40 a second, and 100 of those that are likely to be the last', async () => {
	const polling = new Polling();
	expect(turns(polling, 3, false)).toEqual([0, 25, 50]);
	expect(turns(polling, 3, true)).toEqual([75, 85, 95]);
	await wait(1000);
	expect(turns(polling, 2, false)).toEqual([0, 25]);
});

test('of the first job, nobody knows how long it takes', () => {
	const polling = new Polling();
	expect(polling).toMatchObject({ waiting: 0, done: 0 });
	expect(polling.likelyAge(1, 0)).toBe(Infinity);
});

test('the others are likely to take as long as the quickest, or as long for their size', () => {
	const polling = new Polling();
	polling.learn(8000, 100);
	expect(polling.likelyAge(100, 0)).toBe(8000);
	expect([0, 4000, 8000].map((age) => polling.likelyAge(50, age))).toEqual([4000, 8000, Infinity]);
	expect([0, 8000, 16_000].map((age) => polling.likelyAge(200, age))).toEqual([
		...[8000, 16_000, Infinity],
	]);
});

test('only a quicker job is news, in all or for its size', () => {
	const polling = new Polling();
	const isNews = (age: number, size: number) => {
		const { news } = polling;
		polling.learn(age, size);
		return news.aborted;
	};
	expect(isNews(8000, 100)).toBe(true);
	expect(isNews(8000, 100)).toBe(false);
	expect(isNews(9000, 100)).toBe(false);
	expect(isNews(9000, 200)).toBe(true);
	expect(polling.likelyAge(100, 0)).toBe(4500);
	expect(polling.likelyAge(100, 4500)).toBe(8000);
	expect(isNews(7000, 10)).toBe(true);
	expect(polling.likelyAge(100, 4500)).toBe(7000);
	expect(polling.likelyAge(10, 0)).toBe(450);
	expect(polling.news.aborted).toBe(false);
});
