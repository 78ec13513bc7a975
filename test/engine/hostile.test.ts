/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/** A gateway that misbehaves: every misbehaviour × every request × every mode, with the same invariants for each. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TEST_DAY } from '../support/day';
import { MISBEHAVIOURS } from '../support/hostile/misbehaviours';
import { ASKED } from '../support/hostile/operations';
import type { Report, Row } from '../support/hostile/run';
import { markdown, outcomesIn, runTable } from '../support/hostile/table';

/** Growth of a process in which 20 runs are under way at once, or two that are poured all that the network can carry. */
const MAX_MEGABYTES = 800;
/** Only so that a run that hangs ends. */
const LIMIT_MS = 600_000;
const DOCS = path.join(__dirname, 'hostile.md');
const TABLE = /- \*\*A\*\*: [^]*\|(?=\n\n|\n$)/;

let reports: Report[];
let rows: Row[];
beforeAll(async () => {
	reports = await runTable();
	rows = reports.flatMap((report) => report.rows);
}, LIMIT_MS);

const cellOf = ({ asked, misbehaviour }: Row) => `${asked}, answered with ${misbehaviour}`;
const complaint = (row: Row, what: string) =>
	`${cellOf(row)} (${row.mode}, TEST_DAY=${TEST_DAY}): ${what}`;

test('every run ends in time, gives away no key, loses no id and sends nothing twice that may be charged', () => {
	expect(rows.flatMap((row) => row.problems.map((what) => complaint(row, what)))).toEqual([]);
	expect(rows.length).toBeGreaterThan(400);
});

test('no timer, socket, file or unhandled rejection is left', () => {
	expect(reports.flatMap(({ leftOver }) => leftOver)).toEqual([]);
});

test('memory is bounded', () => {
	for (const { megabytes } of reports) expect(megabytes).toBeLessThan(MAX_MEGABYTES);
});

test('in each mode, the outcome is what the documentation says', () => {
	const docs = readFileSync(DOCS, 'utf8');
	if (process.env.WRITE_DOCS) {
		const table = markdown(rows);
		expect(table).not.toContain(' or ');
		writeFileSync(
			DOCS,
			docs.replace(TABLE, () => table),
		);
		return;
	}
	const documented = outcomesIn(docs);
	expect(documented.size).toBe(MISBEHAVIOURS.length * ASKED.length);
	const others = rows.filter((row) => row.outcome !== documented.get(cellOf(row)));
	expect(others.map((row) => complaint(row, row.outcome))).toEqual([]);
});
