import { DELIBERATE, readings } from './commonmarkExamples';

test('all examples of the CommonMark specification', () => {
	const all = readings();
	const different = all.filter(({ expected, got }) => expected !== got);
	expect(different.filter(({ number }) => !(number in DELIBERATE))).toEqual([]);
	expect(different).toHaveLength(Object.keys(DELIBERATE).length);
	expect(all).toHaveLength(652);
});
