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

/** The outcomes as a table of Markdown: a column a request, a line all misbehaviours with the same outcomes. */
export function markdown(rows: Row[]): string {
	const outcome = (misbehaviour: string, asked: string) => {
		const found = rows.filter((row) => row.misbehaviour === misbehaviour && row.asked === asked);
		return [...new Set(found.map((row) => row.outcome))].join(' or ') || '–';
	};
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	const names = ASKED.map(({ name }) => name);
	const alike = new Map<string, string[]>();
	for (const { name } of MISBEHAVIOURS) {
		const outcomes = names.map((asked) => outcome(name, asked)).join(' | ');
		alike.set(outcomes, [...(alike.get(outcomes) ?? []), name]);
	}
	return [
		line(['answered with', ...names]),
		line(['---', ...names.map(() => '---')]),
		...[...alike].map(([outcomes, misbehaviours]) => line([misbehaviours.join(' · '), outcomes])),
	].join('\n');
}
