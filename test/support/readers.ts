/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- test code runs outside n8n */
/** What other programs read in a file: its tags, chapters, cover and length. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from './n8n/install';

/** Gives a file's path to `use`; bytes become a file without a name that says what they are, for that time. */
export function withFile<T>(file: Uint8Array | string, use: (path: string) => T): T {
	if (typeof file === 'string') return use(file);
	const folder = mkdtempSync(join(tmpdir(), 'readers-'));
	try {
		writeFileSync(join(folder, 'audio'), file);
		return use(join(folder, 'audio'));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

export function run(program: 'ffmpeg' | 'ffprobe', args: string[], input?: Uint8Array) {
	const { status, stdout, stderr, error } = spawnSync(program, args, {
		maxBuffer: 1 << 28,
		input,
	});
	if (error) throw new Error(`${program} is not installed (Debian: ffmpeg)`, { cause: error });
	return { status, stdout, stderr: stderr.toString() };
}

/** Tags, chapters and picture as ffmpeg sees them. */
export function probe(file: Uint8Array | string) {
	return withFile(file, (path) => {
		const show = ['-show_format', '-show_streams', '-show_chapters'];
		const { stdout, stderr } = run('ffprobe', ['-v', 'warning', '-of', 'json', ...show, path]);
		const report = JSON.parse(stdout.toString()) as {
			format: { duration: string; tags?: Record<string, string> };
			streams: Array<{ codec_type: string; codec_name: string; tags?: Record<string, string> }>;
			chapters: Array<{ start_time: string; end_time: string; tags: { title: string } }>;
		};
		const cover = report.streams.some(({ codec_type: type }) => type === 'video')
			? run('ffmpeg', [
					'-v',
					'error',
					'-i',
					path,
					'-map',
					'0:v',
					'-c',
					'copy',
					'-f',
					'image2pipe',
					'-',
				]).stdout
			: undefined;
		const own = { ...report.streams[0].tags, ...report.format.tags };
		return {
			tags: Object.fromEntries(
				Object.entries(own).map(([key, value]) => [key.toLowerCase(), value]),
			),
			chapters: report.chapters.map(({ start_time: start, end_time: end, tags }) => ({
				title: tags.title,
				start: Number(start),
				end: Number(end),
			})),
			seconds: Number(report.format.duration),
			codec: report.streams[0].codec_name,
			cover,
			// WAV has texts beyond ASCII in both: for readers that take INFO for ASCII, and for those that know no ID3 there.
			complaints: stderr
				.split('\n')
				.filter((line) => !line.includes('Discarding ID3 tags because more suitable'))
				.join('\n')
				.trim(),
		};
	});
}

export interface SecondReading {
	common: Record<string, unknown> & {
		comment?: Array<{ text?: string } | string>;
		picture?: Array<{ format: string; data: string; type?: string }>;
	};
	duration: number;
	chapters?: Array<{ title: string; start: number }>;
	native: Record<string, Array<{ id: string; value: unknown }>>;
}

/** The same with music-metadata, an ES module that shares no code with ffmpeg. */
export function secondReader(file: Uint8Array | string): SecondReading {
	return withFile(file, (path) => {
		const script = `
			import { parseFile } from 'music-metadata';
			const { common, format, native } = await parseFile(process.argv[1], { includeChapters: true, duration: true });
			const picture = common.picture?.map((one) => ({ ...one, data: Buffer.from(one.data).toString('base64') }));
			const small = Object.fromEntries(Object.entries(native).map(([type, tags]) =>
				[type, tags.filter(({ id }) => !/APIC|PICTURE/.test(id))]));
			console.log(JSON.stringify({
				common: { ...common, picture },
				duration: format.duration,
				native: small,
				chapters: format.chapters?.map(({ title, start }) => ({ title, start })),
			}));`;
		const { stdout, stderr } = spawnSync('node', ['--input-type=module', '-e', script, path], {
			cwd: REPOSITORY,
			maxBuffer: 1 << 28,
		});
		if (stdout.length === 0) throw new Error(stderr.toString());
		return JSON.parse(stdout.toString()) as SecondReading;
	});
}
