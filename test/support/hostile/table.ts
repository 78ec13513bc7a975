/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- test code runs outside n8n */
import path from 'node:path';
import { REPOSITORY } from '../n8n/install';
import { run } from '../n8n/steps';
import { MISBEHAVIOURS } from './misbehaviours';
import { ASKED } from './operations';
import type { Report, Row } from './run';

/** Runs all cells in several processes at once. */
export async function runTable(): Promise<{
	light: Report[];
	heavy: Report[];
}> {
	const part = async (weight: string, number: number, parts: number) => {
		const script = path.join(__dirname, 'run.ts');
		const args = ['--import', 'tsx', script, weight, String(number), String(parts)];
		const { stdout } = await run(process.execPath, args, { cwd: REPOSITORY });
		return JSON.parse(stdout.trim().split('\n').at(-1)!) as Report;
	};
	const parts = async (weight: string, count: number) =>
		await Promise.all(
			Array.from({ length: count }, async (_, index) => await part(weight, index, count)),
		);
	const [light, heavy] = await Promise.all([parts('light', 3), parts('heavy', 2)]);
	return { light, heavy };
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
