import { groupBy } from './groupBy';
import type { Mutant } from './mutate';
import type { Result } from './state';

export interface Tried {
	mutant: Mutant;
	/** Not there yet: undefined. */
	result: Result | undefined;
}

const short = (file: string) => file.replace('nodes/SpeechGateway/', '');

/** By which a mutant is found in bench/mutants.json: wherever its line moves, and only as long as that stays as it is. */
export const keyOf = ({ file, change, code }: Mutant): string =>
	`${short(file)}: ${change}, in: ${code.slice(0, 100)}`;

export interface Reason {
	/** Nobody could notice the change; else the mutant counts as a survivor. */
	equivalent: boolean;
	why: string;
}

/** A table per file, and what survived, with the reasons. */
export function describeResults(all: Tried[], reasons: Record<string, Reason>): string {
	const reasonFor = ({ mutant }: Tried): Reason | undefined => reasons[keyOf(mutant)];
	const row = (name: string, of: Tried[]): string => {
		const tried = of.filter(({ result }) => result);
		const alive = tried.filter(({ result }) => result!.state !== 'killed');
		const equivalent = alive.filter((one) => reasonFor(one)?.equivalent).length;
		const killed = tried.length - alive.length;
		const counted = tried.length - equivalent;
		const share = counted === 0 ? '–' : `${((100 * killed) / counted).toFixed(0)} %`;
		const noEnd = tried.filter(({ result }) => result!.noEnd).length;
		return `| ${name} | ${of.length} | ${tried.length} | ${killed} | ${noEnd} | ${equivalent} | ${alive.length - equivalent} | ${share} |`;
	};
	const rooms = [...groupBy(all, ({ mutant }) => short(mutant.file).replace(/\/[^/]+$/, '/'))];
	const files = [...groupBy(all, ({ mutant }) => short(mutant.file))].filter(([, of]) =>
		of.some(({ result }) => result),
	);
	const head = [
		'| | mutants | tried | killed | of these by no end | equivalent | survived | killed of those that matter |',
		'| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
	];
	const lines = [
		'# Mutants',
		'',
		'Small changes to the code, one at a time, and whether any test fails: `npm run mutants`, with the engine and unit tests.',
		'_Tried_: a sample; files that are not in the second table have not been tried at all. _No end_: a test did not end, also',
		'when it was tried again with more time. Survivors "after 100 of 1000 tests" have met only some tests of every file that comes by.',
		'_Equivalent_: changes nothing that anybody could notice; the reason stands below.',
		'',
		...head,
		...rooms.map(([room, of]) => row(room, of)),
		row('**all**', all),
		'',
		'## By file',
		'',
		...head,
		...files.map(([file, of]) => row(file, of)),
		'',
		'## Survivors',
		'',
	];
	const alive = all
		.filter(({ result }) => result && result.state !== 'killed')
		.sort(({ mutant: a }, { mutant: b }) => a.file.localeCompare(b.file) || a.start - b.start);
	for (const one of alive) {
		const { mutant, result } = one;
		const reason = reasonFor(one);
		const why = reason
			? `${reason.equivalent ? 'equivalent: ' : ''}${reason.why}`
			: result!.state === 'not covered'
				? 'no test comes by'
				: result!.tried! < result!.of!
					? `after ${result!.tried} of ${result!.of} tests`
					: 'open';
		lines.push(
			`- ${short(mutant.file)}:${mutant.line} \`${mutant.change.replaceAll('`', "'")}\`: ${why}`,
		);
	}
	return `${lines.join('\n')}\n`;
}
