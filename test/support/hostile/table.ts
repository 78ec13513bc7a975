/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import path from 'node:path';
import { REPOSITORY } from '../n8n/install';
import { run } from '../n8n/steps';
import { MISBEHAVIOURS } from './misbehaviours';
import { ASKED } from './operations';
import type { Report, Row } from './run';

/** Runs the cells of the day in two processes at once. */
export async function runTable(): Promise<Report[]> {
	return await Promise.all(
		['light', 'heavy'].map(async (weight) => {
			const args = ['--import', 'tsx', path.join(__dirname, 'run.ts'), weight];
			const { stdout } = await run(process.execPath, args, { cwd: REPOSITORY });
			return JSON.parse(stdout.trim().split('\n').at(-1)!) as Report;
		}),
	);
}

/** The outcome of each cell, as a page with the table says. */
export function outcomesIn(page: string): Map<string, string> {
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

/**
 * The outcomes in Markdown: a list of misbehaviours, those with the same outcomes as one entry with a letter; a table with
 * a line a request, a column a letter.
 */
export function markdown(rows: Row[]): string {
	const outcome = (misbehaviour: string, asked: string) => {
		const found = rows.filter((row) => row.misbehaviour === misbehaviour && row.asked === asked);
		return [...new Set(found.map((row) => row.outcome))].join(' or ') || '–';
	};
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	const names = ASKED.map(({ name }) => name);
	const alike = new Map<string, string[]>();
	for (const { name } of MISBEHAVIOURS) {
		const outcomes = names.map((asked) => outcome(name, asked)).join();
		alike.set(outcomes, [...(alike.get(outcomes) ?? []), name]);
	}
	const groups = [...alike.values()];
	const letters = groups.map((_, index) => String.fromCharCode('A'.charCodeAt(0) + index));
	return [
		...groups.map((group, index) => `- **${letters[index]}**: ${group.join(' · ')}`),
		'',
		line(['request', ...letters]),
		line(['---', ...letters.map(() => '---')]),
		...names.map((asked) => line([asked, ...groups.map(([first]) => outcome(first, asked))])),
	].join('\n');
}
