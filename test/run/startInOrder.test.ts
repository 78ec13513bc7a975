/* eslint-disable @n8n/community-nodes/no-restricted-globals -- runs outside n8n */
import { givingWay } from '../../nodes/SpeechGateway/core/pause';
import { startInOrder } from '../../nodes/SpeechGateway/run/startInOrder';

const ITEMS = Array.from({ length: 300 }, (_, index) => index);
const turn = async () => await new Promise((resolve) => setImmediate(resolve));

test('items start in order, one for each that has its turn, and none before n8n had its own', async () => {
	const started: Array<{ onTurn: () => void; end: () => void }> = [];
	let gaveWay = 0;
	const starts = ITEMS.map((item) => async (onTurn: () => void) => {
		expect(item).toBe(started.length);
		expect(gaveWay).toBe(item + 1);
		await new Promise<void>((end) => started.push({ onTurn, end }));
		return item;
	});
	const ends = startInOrder(starts, async () => void gaveWay++);
	await turn();
	expect(started).toHaveLength(200);
	for (let again = 0; again < 2; again++) started[7].onTurn();
	await turn();
	expect(started).toHaveLength(201);
	// One that ends without a turn makes room, too.
	for (let at = 0; at < ITEMS.length; at++) {
		started[at].end();
		await turn();
	}
	expect(await ends).toEqual(ITEMS);
});

test('a run that has computed for a while lets the rest of the process go on, and one that has not does not wait', async () => {
	let others = 0;
	setImmediate(() => others++);
	const giveWay = givingWay();
	await giveWay();
	expect(others).toBe(0);
	// A pause that is over before the process looks at what else there is, as on a busy machine, is followed by another.
	for (let round = 0; round < 5; round++) {
		for (const from = performance.now(); performance.now() - from < 60; );
		await giveWay();
	}
	expect(others).toBe(1);
});

test('a run that is over waits for nobody, however long it has computed', () => {
	let isOver = false;
	const giveWay = givingWay(() => isOver);
	for (const from = performance.now(); performance.now() - from < 60; );
	isOver = true;
	expect(giveWay()).toBeUndefined();
	isOver = false;
	expect(giveWay()).toBeInstanceOf(Promise);
});
