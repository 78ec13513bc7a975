/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import path from 'node:path';
import { groupBy } from './groupBy';
import type { Mutant } from './mutate';
import type { TestPlace, TestReport } from './worker';

/** So much test time, as measured without a mutant, is spent on a mutant before all others have had their turn. */
const FIRST_ROUND_MS = 8_000;
/** Of the tests that killed mutants nearby, so many come first. */
const KILLERS = 6;
/** A test that takes longer waits until all others have had their turn. */
const SLOW_MS = 1_000;

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
	/** Few tests of every file that comes by. */
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

/** The tests that come by a mutant: first what killed its neighbours, then a little of every test file, the closest first. */
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

	// What is done once, when the source is loaded, matters to tests that come by the rest of it.
	const isInUse = ({ hits }: TestReport) => mutant.place >= 0 || hits[mutant.file] !== undefined;
	const areUsed = near.some(isInUse);
	for (const { all } of groups) {
		// Evenly spread over the file, as neighbours in it often test the same; the quickest of each stretch.
		const quick = all.filter((test) => test.milliseconds < SLOW_MS && (!areUsed || isInUse(test)));
		const stretches = Math.ceil((FIRST_ROUND_MS / groups.length / timeOf(quick)) * quick.length);
		const length = Math.max(1, quick.length / stretches);
		for (let at = 0; at < quick.length; at += length) {
			const stretch = quick.slice(Math.floor(at), Math.max(at + 1, Math.floor(at + length)));
			taken.add(
				stretch.reduce((one, other) => (other.milliseconds < one.milliseconds ? other : one)),
			);
		}
	}
	const rest = groups.flatMap(({ all }) => all.filter((test) => !taken.has(test)));
	return {
		first: [...taken].map(toPlace),
		rest: rest.map(toPlace),
		files: groups.map(({ file }) => file).sort(),
	};
}

const timeOf = (tests: TestReport[]) =>
	tests.reduce((sum, { milliseconds }) => sum + milliseconds, 0);

const toPlace = ({ file, index, milliseconds }: TestReport): TestPlace => ({
	file,
	index,
	milliseconds,
});
