import { explore, type Faults } from './everyOrder';

/** Nobody pays twice, nobody waits for ever, no result is lost, and what was not sent is not called sent. */
test.each<[runs: number, names: string[], Partial<Faults>]>([
	[3, ['x', 'y'], { deaths: 1, thefts: 1 }],
	[3, ['x', 'y'], { refusals: 2 }],
	[3, ['x'], { deaths: 1, doubts: 1 }],
	[3, ['x'], { deaths: 2 }],
	[3, ['x'], { locks: 2, deaths: 1 }],
	[2, ['x', 'y'], { thefts: 1, failures: 1 }],
	[2, ['x'], { deaths: 1, thefts: 1, failures: 1, refusals: 1 }],
	[2, ['x'], { doubts: 1, failures: 1, refusals: 1 }],
])('every order of the steps of %s runs that want %s, with %o', (runs, names, faults) => {
	const none = { deaths: 0, thefts: 0, doubts: 0, failures: 0, refusals: 0, locks: 0 };
	expect(explore(runs, names, { ...none, ...faults }).wrong).toBeUndefined();
});
