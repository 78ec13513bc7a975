import fc from 'fast-check';
import { ENOUGH_OTHERS, Paces } from '../../nodes/SpeechGateway/requests/paces';

const paces = fc.array(
	fc.record({ item: fc.integer({ min: 0, max: 6 }), pace: fc.integer({ min: 1, max: 20 }) }),
);

test('the median of the other items, whenever it is asked for', () => {
	fc.assert(
		fc.property(paces, (all) => {
			const run = new Paces();
			const known: typeof all = [];
			for (const one of all) {
				run.add('alike', one);
				run.add('others', { item: one.item, pace: 100 });
				known.push(one);
				for (let item = 0; item < 8; item++) {
					const others = known
						.flatMap(({ item: of, pace }) => (of === item ? [] : pace))
						.sort((a, b) => a - b);
					const median = others[Math.floor(others.length / 2)];
					expect(run.medianWithout('alike', item)).toBe(
						others.length < ENOUGH_OTHERS ? undefined : median,
					);
				}
			}
			expect(run.medianWithout('unknown', 0)).toBeUndefined();
		}),
	);
});
