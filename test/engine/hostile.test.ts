/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
/** A gateway that misbehaves: every misbehaviour × every request × every mode, with the same invariants for each. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../support/n8n/install';
import type { Report, Row } from '../support/hostile/run';
import { markdown, runTable } from '../support/hostile/table';

/** Growth of a process in which 60 runs are under way at once, or two that are poured all that the network can carry. */
const MAX_MEGABYTES = 800;
const DOCS = path.join(REPOSITORY, 'docs/misbehaving-gateway.md');
const TABLE = /- \*\*A\*\*: [^]*\|(?=\n\n|\n$)/;

let reports: Report[];
let rows: Row[];
beforeAll(async () => {
	const { light, heavy } = await runTable();
	reports = [...light, ...heavy];
	rows = reports.flatMap((report) => report.rows);
});

test('every run ends in time, gives away no key, loses no id and sends nothing twice that may be charged', () => {
	const problems = rows.flatMap(({ misbehaviour, asked, mode, problems: found }) =>
		found.map((problem) => `${asked}, ${mode}, answered with ${misbehaviour}: ${problem}`),
	);
	expect(problems).toEqual([]);
	expect(rows.length).toBeGreaterThan(1200);
});

test('no timer, socket, file or unhandled rejection is left', () => {
	expect(reports.flatMap(({ leftOver }) => leftOver)).toEqual([]);
});

test('memory is bounded', () => {
	for (const { megabytes } of reports) expect(megabytes).toBeLessThan(MAX_MEGABYTES);
});

test('the outcome is the same in every mode, and what the documentation says', () => {
	const table = markdown(rows);
	expect(table).not.toContain(' or ');
	const docs = readFileSync(DOCS, 'utf8');
	if (process.env.WRITE_DOCS)
		writeFileSync(
			DOCS,
			docs.replace(TABLE, () => table),
		);
	else expect(TABLE.exec(docs)?.[0]).toBe(table);
});
