import type { Bench } from '../support/n8n/bench';
import type { N8n } from '../support/n8n/server';

/** One comparison of the bench. */
export interface BenchCase {
	/** For `--only`. */
	name: string;
	title: string;
	/** Whether it needs an n8n that has done nothing yet, because memory is measured. */
	fresh?: boolean;
	run(stage: Stage): Promise<Report>;
}

export interface Stage {
	n8n: N8n;
	bench: Bench;
	/** The package as it is published. */
	tarball: string;
	log: (line: string) => void;
}

export interface Report {
	head: string[];
	rows: Array<Array<string | number>>;
	/** What was aimed at. */
	checks: Check[];
	notes?: string[];
}

export interface Check {
	what: string;
	value: number;
	limit: number;
	/** The value must not be above the limit; `least`: not below it. */
	kind?: 'most' | 'least';
	unit?: string;
}

export const holds = ({ value, limit, kind }: Check): boolean =>
	kind === 'least' ? value >= limit : value <= limit;

/** Three digits are more than any of these measurements is worth. */
export const round = (value: number): number => Number(value.toPrecision(3));

/**
 * The smallest of several measurements of each: what a shared machine adds is noise, and never negative. They take turns, so
 * that none has the quieter machine.
 */
export async function bestOfEach<T>(
	times: number,
	size: (result: T) => number,
	...measures: Array<() => Promise<T>>
): Promise<T[]> {
	const found: T[] = [];
	for (let i = 0; i < times; i++) {
		for (const [index, measure] of measures.entries()) {
			const next = await measure();
			if (i === 0 || size(next) < size(found[index])) found[index] = next;
		}
	}
	return found;
}
