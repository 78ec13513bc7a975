/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import path from 'node:path';
import { groupBy } from './groupBy';
import type { Mutant } from './mutate';
import { hash } from './state';
import type { TestPlace, TestReport } from './worker';

/** So much test time, as measured without a mutant, is spent on a mutant before all others have had their turn. */
const FIRST_ROUND_MS = 10_000;
/** What is quicker costs nothing: tables of cases, which come by the same places with other values. */
const CHEAP_MS = 10;
/** Of the tests that killed mutants nearby, so many come first. */
const KILLERS = 6;

export interface Survey {
	tests: TestReport[];
	/** The sources that each test file loads. */
	loads: Record<string, string[]>;
}

/** Which tests killed which mutants: what killed one tends to kill its neighbours. */
export class Killers {
	private readonly byPlace = new Map<string, Map<string, number>>();

	note(mutant: Mutant, file: string, name: string): void {
		for (const place of placesOf(mutant)) {
			const tests = this.byPlace.get(place) ?? new Map<string, number>();
			const test = `${file}: ${name}`;
			tests.set(test, (tests.get(test) ?? 0) + 1);
			this.byPlace.set(place, tests);
		}
	}

	/** The best of the same function, then those of the same file. */
	of(mutant: Mutant): string[] {
		const best = placesOf(mutant).flatMap((place) =>
			[...(this.byPlace.get(place) ?? [])]
				.sort(([, one], [, other]) => other - one)
				.slice(0, KILLERS)
				.map(([test]) => test),
		);
		return [...new Set(best)];
	}
}

const placesOf = ({ file, around }: Mutant) => [`${file}:${around[0]}`, file];

export interface Plan {
	/** All that are cheap, and one of those that come by the same places of the source or, if there is time, its folder. */
	first: TestPlace[];
	/** All the others. */
	rest: TestPlace[];
	/** The files of both. */
	files: string[];
}

/** How much a test file is about a source: the one of its name, then those of its folder; then the engine before units. */
function closeness(testFile: string, source: string): number {
	const base = path.basename(source, '.ts');
	if (path.basename(testFile) === `${base}.test.ts`) return 4;
	const folder = path.dirname(source).replace('nodes/SpeechGateway', 'test');
	if (path.dirname(testFile) === folder) return 3;
	return testFile.startsWith('test/engine/') ? 2 : 1;
}

/** The tests that come by a mutant: first what killed its neighbours, then one of each kind, those of the closest test files first. */
export function planFor(mutant: Mutant, { tests, loads }: Survey, killers: Killers): Plan {
	const near = tests.filter(({ hits, file }) =>
		mutant.place < 0
			? loads[file].includes(mutant.file)
			: hits[mutant.file]?.includes(mutant.place),
	);
	const names = new Map(near.map((test) => [`${test.file}: ${test.name}`, test]));
	const known = killers.of(mutant).flatMap((name) => names.get(name) ?? []);
	const taken = new Set(known);

	const groups = [...groupBy(near, ({ file }) => file)].map(([file, all]) => ({
		file,
		all,
		// A file all of whose tests come by is more likely to be about the place.
		share: all.length / tests.filter((test) => test.file === file).length,
		time: timeOf(all),
	}));
	const order = ({ file, share }: { file: string; share: number }) =>
		share + closeness(file, mutant.file);
	groups.sort((one, other) => order(other) - order(one) || one.time - other.time);

	for (const test of near)
		if (test.milliseconds < (closeness(test.file, mutant.file) === 4 ? 10 : 1) * CHEAP_MS)
			taken.add(test);
	const folder = path.dirname(mutant.file);
	let left = FIRST_ROUND_MS;
	for (const within of [mutant.file, folder]) {
		const alike = [...groupBy(near, (test) => placesWithin(test, within)).values()];
		for (const group of alike.sort((one, other) => one.length - other.length)) {
			if (group.some((test) => taken.has(test))) continue;
			const quickest = group.reduce((one, other) =>
				other.milliseconds < one.milliseconds ? other : one,
			);
			// A slow one waits for the second round: in its time, many others have theirs.
			if (quickest.milliseconds > Math.min(left, FIRST_ROUND_MS / 8)) continue;
			left -= quickest.milliseconds;
			taken.add(quickest);
		}
	}
	const chosen = groups.flatMap(({ all }) =>
		all.filter((test) => taken.has(test) && !known.includes(test)),
	);
	const rest = groups.flatMap(({ all }) => all.filter((test) => !taken.has(test)));
	return {
		first: [...known, ...chosen].map(toPlace),
		rest: rest.map(toPlace),
		files: groups.map(({ file }) => file).sort(),
	};
}

const placesOfTests = new WeakMap<TestReport, Map<string, string>>();

/** Where a test comes by within a source or a folder; tests that come by the same places tend to notice the same. */
function placesWithin(test: TestReport, within: string): string {
	const known = placesOfTests.get(test) ?? new Map<string, string>();
	placesOfTests.set(test, known);
	let places = known.get(within);
	if (places === undefined) {
		const hits = Object.entries(test.hits).filter(([file]) => file.startsWith(within));
		places = hash(...hits.map(([file, all]) => `${file} ${all.sort().join()}`).sort());
		known.set(within, places);
	}
	return places;
}

const timeOf = (tests: TestReport[]) =>
	tests.reduce((sum, { milliseconds }) => sum + milliseconds, 0);

const toPlace = ({ file, index, milliseconds }: TestReport): TestPlace => ({
	file,
	index,
	milliseconds,
});
