/* eslint-disable @n8n/community-nodes/no-restricted-imports -- runs outside n8n */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import type { Log } from '../../test/support/n8n/steps';
import { probe, secondReader } from '../../test/support/readers';
import { toldOf } from '../../test/support/workflow';

/** Below the current folder, which is that of the repository when npm runs the demo. */
export const OUTPUT_FOLDER = 'demo-output';

/** What the node made, and how to read its files out of n8n's store. */
export interface Narrated {
	/** The node's items, by branch. */
	outputs: INodeExecutionData[][];
	read(binary: IBinaryData): Promise<Buffer>;
}

/** Writes the audio files and shows a table of them; returns whether every row has its file. */
export async function report(
	{ outputs: [success = [], unknown = []], read }: Narrated,
	log: Log,
): Promise<boolean> {
	await mkdir(OUTPUT_FOLDER, { recursive: true });
	const save = async (binary: IBinaryData) => {
		const file = path.join(OUTPUT_FOLDER, path.basename(binary.fileName!));
		await writeFile(file, await read(binary));
		return file;
	};
	const rows: string[][] = [];
	const episodes: string[] = [];
	for (const item of success) {
		const { binary = {} } = item;
		const told = toldOf(item);
		const file = await save(binary.data);
		const seconds = Number(told.durationSeconds).toFixed(1);
		rows.push([rows.length + 1, told.characters, seconds, file, told.estimatedTokens].map(String));
		if (binary.chapters)
			episodes.push(`${file}, ${await save(binary.chapters)}\n${contentsOf(file)}`);
	}
	if (rows.length > 0)
		log(`\n${table(['item', 'characters', 'seconds', 'file', 'tokens'], rows)}\n`);
	for (const episode of episodes) log(`${episode}\n`);
	if (unknown.length > 0) log(`${unknown.length} rows have an unknown outcome: see "Review list"`);
	return rows.length > 0 && unknown.length === 0;
}

/** What two programs that are not ours read in a file: its tags, cover and chapters. */
function contentsOf(file: string): string {
	const absolute = path.resolve(file);
	const read = { ffprobe: () => probe(absolute), 'music-metadata': () => readWith(absolute) };
	return Object.entries(read)
		.map(([name, readFile]) => {
			try {
				const { tags, cover, chapters } = readFile();
				const texts = ['title', 'artist', 'album', 'date'].flatMap((key) => tags[key] ?? []);
				return [
					`  ${name}: ${texts.join(' · ')}${cover ? ` · cover of ${cover.length} bytes` : ''}`,
					...chapters.map(({ start, title }) => `    ${start.toFixed(3).padStart(8)} s  ${title}`),
				].join('\n');
			} catch (error) {
				return `  ${name}: ${(error as Error).message}`;
			}
		})
		.join('\n');
}

/** The second reader's findings under the names of the first. */
function readWith(file: string) {
	const { common, chapters = [] } = secondReader(file);
	const [picture] = common.picture ?? [];
	return {
		tags: {
			...Object.fromEntries(['title', 'artist', 'album'].map((key) => [key, String(common[key])])),
			date: String(common.year),
		} as Record<string, string>,
		cover: picture && Buffer.from(picture.data, 'base64'),
		chapters,
	};
}

/** Lines of a table with aligned columns; numbers to the right. */
function table(head: string[], rows: string[][]): string {
	const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
	const line = (row: string[]) =>
		row
			.map((cell, i) =>
				Number.isNaN(Number(rows[0]?.[i])) ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
			)
			.join('  ');
	return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
