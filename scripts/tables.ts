/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- runs outside n8n */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seams } from '../test/bench/seams';
import { articles, commonmark, cuts, speeds } from '../test/bench/texts';
import { REPOSITORY } from '../test/support/n8n/install';

type Row = Array<string | number>;

const row = (cells: Row) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: Row[]) =>
	[head, head.map((_, at) => (at === 0 ? '---' : '--:')), ...rows].map(row).join('\n');
const sum = (rows: Row[], column: number) =>
	rows.reduce((total, cells) => total + Number(cells[column]), 0);

function text(): string {
	const read = articles();
	const cut = cuts();
	return [
		'# How texts are read and cut',
		'Written by `npm run tables`.',
		'## CommonMark',
		'The words that are read of each example of the specification, against those that a browser shows.',
		table(['examples', 'read alike', 'otherwise on purpose', 'wrong'], [commonmark()]),
		'## Articles',
		'What chat models, editors, feeds and wikis write (`test/text/readings`), against what a listener should hear.',
		table(['text', 'format', 'characters', 'read', 'as it should be'], read),
		`${read.filter((cells) => cells[4] === '✓').length} of ${read.length}.`,
		'## Cuts in mid-sentence',
		'30 paragraphs in 10 languages, as one text, cut at 20 limits from 250 to 383 characters: by a cutter that looks for a full stop and a space, and by the node.',
		table(
			['language', 'paragraphs', 'plain: cuts', 'in mid-sentence', 'node: cuts', 'in mid-sentence'],
			[...cut, ['all', ...[1, 2, 3, 4, 5].map((column) => sum(cut, column))]],
		),
		'## Time for 1 MB of text, in seconds',
		table(['text', 'read', 'cut'], speeds()),
	].join('\n\n');
}

async function audio(): Promise<string> {
	const rows = await seams(console.log);
	return [
		'# What is heard where parts meet',
		'Written by `npm run tables`. Sound is cut into pieces in mid-sound, each is encoded on its own, and all are put together: copied one behind the other by ffmpeg (concat, copy), and joined by the node. A ratio is the peak within 60 ms of a seam over that of the pieces at their edges; above 1.5, it is heard as a blast. The level is that of the same 60 ms against the pieces, in dB: far below 0 is a gap. Decoders: libopus and ffmpeg’s.',
		table(
			[
				'codec',
				'sound',
				'seams',
				...['copied', 'joined'].flatMap((how) => [
					`${how}: blasts`,
					'worst peak ratio',
					'level, dB',
				]),
			],
			rows,
		),
		table(
			['', 'seams', 'blasts, copied', 'blasts, joined'],
			['opus', 'mp3'].map((format) => {
				const own = rows.filter(([codec]) => String(codec).startsWith(format));
				return [format, sum(own, 2), sum(own, 3), sum(own, 6)];
			}),
		),
		'## What remains',
		[
			'- Nothing is encoded anew, so parts meet at whole frames: a seam is up to one frame (MP3: 24 or 26 ms, Opus: a packet) longer or shorter than it should be. In Opus, 2.5 to 12.5 ms of silence stand at each seam: without them, decoders predict one part from the other, and blast.',
			'- MP3 at 44.1 kHz: where loud steady tones meet at full level, the overlap of two frames can reach one and a half times their peak (2 of 58 seams here, none with speech or music).',
			'- MP3 without a header that tells the delay of its encoder (streamed files): LAME’s are recognised by its signature. What remains at each seam is up to 24 ms below 32 kHz and 26 to 52 ms above, where what LAME adds is less than a frame on either side; of other encoders nothing is known, and all that they add remains (up to 70 ms).',
			'- Quiet edges of MP3 and Opus are judged by what stands at the front of each frame, not by decoding it, and cut in whole frames.',
		].join('\n'),
	].join('\n\n');
}

/** `npm run tables`: what is read, cut and heard, as tables in bench/. `--only text` or `--only audio` writes one of them. */
export async function main(args: string[]): Promise<number> {
	const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : undefined;
	const tables: Record<string, () => string | Promise<string>> = { text, audio };
	for (const [name, write] of Object.entries(tables)) {
		if (only !== undefined && only !== name) continue;
		await writeFile(path.join(REPOSITORY, 'bench', `${name}.md`), `${await write()}\n`);
		console.log(`bench/${name}.md`);
	}
	return 0;
}
