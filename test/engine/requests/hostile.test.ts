/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/** A gateway that misbehaves: every misbehaviour × every request × every mode, with the same invariants for each. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TEST_DAY } from '../../support/day';
import { REPOSITORY } from '../../support/n8n/install';
import { run } from '../../support/n8n/steps';
import { MISBEHAVIOURS } from '../../support/hostile/misbehaviours';
import { ASKED } from '../../support/hostile/operations';
import type { Report, Row } from '../../support/hostile/run';

/** Growth of a process in which 20 runs are under way at once, or two that are poured all that the network can carry. */
const MAX_MEGABYTES = 800;
/** Only so that a run that hangs ends. */
const LIMIT_MS = 600_000;
const DOCS = path.join(__dirname, 'hostile.md');

let reports: Report[];
let rows: Row[];
/** Runs the cells of the day in two processes at once. */
beforeAll(async () => {
	const script = path.join(REPOSITORY, 'test/support/hostile/run.ts');
	reports = await Promise.all(
		['light', 'heavy'].map(async (weight) => {
			const args = ['--import', 'tsx', script, weight];
			const { stdout } = await run(process.execPath, args, { cwd: REPOSITORY });
			return JSON.parse(stdout.trim().split('\n').at(-1)!) as Report;
		}),
	);
	rows = reports.flatMap((report) => report.rows);
}, LIMIT_MS);

const cellOf = ({ asked, misbehaviour }: Row) => `${asked}, answered with ${misbehaviour}`;
const complaint = (row: Row, what: string) =>
	`${cellOf(row)} (${row.mode}, TEST_DAY=${TEST_DAY}): ${what}`;

test('every run ends in time, gives away no key, loses no id and sends nothing twice that may be charged', () => {
	expect(rows.flatMap((row) => row.problems.map((what) => complaint(row, what)))).toEqual([]);
	expect(rows.length).toBeGreaterThan(350);
});

test('no timer, socket, file or unhandled rejection is left', () => {
	expect(reports.flatMap(({ leftOver }) => leftOver)).toEqual([]);
});

test('memory is bounded', () => {
	for (const { megabytes } of reports) expect(megabytes).toBeLessThan(MAX_MEGABYTES);
});

test('in each mode, the outcome is what the documentation says', () => {
	const documented = outcomesIn(readFileSync(DOCS, 'utf8'));
	expect(documented.size).toBe(MISBEHAVIOURS.length * ASKED.length);
	const others = rows.filter((row) => row.outcome !== documented.get(cellOf(row)));
	expect(others.map((row) => complaint(row, row.outcome))).toEqual([]);
});

/** The outcome of each cell, as a page with the table says. */
function outcomesIn(page: string): Map<string, string> {
	const groups = [...page.matchAll(/^- \*\*[A-Z]\*\*: (.+)$/gm)].map(([, names]) =>
		names.split(' · '),
	);
	const lines = [...page.matchAll(/^\| (.+?) +\|$/gm)].map(([, cells]) => cells.split(/ +\| +/));
	return new Map(
		lines
			.slice(2)
			.flatMap(([asked, ...outcomes]) =>
				outcomes.flatMap((outcome, group) =>
					groups[group].map((name) => [`${asked}, answered with ${name}`, outcome] as const),
				),
			),
	);
}
