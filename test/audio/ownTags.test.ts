/* eslint-disable @n8n/community-nodes/no-restricted-imports -- test code runs outside n8n */
import type { ReadableFormat } from '../../nodes/SpeechGateway/audio';
import { readMetadata } from '../../nodes/SpeechGateway/audio/tags';
import { PNG } from '../support/png';
import { run } from '../support/readers';
import { fixture, joinFiles, pieces, stream, withFile } from './support';
import { readFileSync } from 'node:fs';

const read = async (format: ReadableFormat, bytes: Uint8Array, size = 777) =>
	await readMetadata(format, stream(pieces(bytes, size)));

const PARTS = {
	mp3: 'mp3-24000-mono-cbr.mp3',
	wav: 'wav-24000-mono-s16.wav',
	opus: 'opus-mono-20ms.opus',
};
const TAGS = {
	title: '第一章 🎙️',
	artist: 'Zoë',
	album: 'Album',
	year: '2026',
	comment: 'One\nTwo',
};

describe.each(Object.entries(PARTS) as Array<[ReadableFormat, string]>)('%s', (format, name) => {
	test.each([1, 777, 100_000])('what was written is read, in chunks of %d', async (size) => {
		const cover = { mimeType: 'image/png' as const, bytes: new Uint8Array(PNG) };
		const starts = [0, 0.25, 0.5];
		const chapters = starts.map((startSeconds, index) => ({
			title: `Chapter ${index} — ü`,
			startSeconds,
			endSeconds: starts[index + 1] ?? 1,
		}));
		const metadata = { tags: { ...TAGS, cover }, chapters, record: '{"parts":[]}' };
		const { bytes } = await joinFiles(format, [fixture(name)], 0, undefined, () => metadata);
		expect(await read(format, bytes, size)).toEqual({
			tags: metadata.tags,
			record: metadata.record,
			chapters: chapters.map(({ title, startSeconds }) => ({ title, startSeconds })),
		});
		for (let cut = 0; cut < bytes.length; cut += Math.ceil(bytes.length / 40))
			await read(format, bytes.subarray(0, cut)); // does not throw
	});

	test.each(['3', '4'])('what ffmpeg wrote is read (ID3v2.%s)', async (version) => {
		const chapter = (start: number, title: string) =>
			`[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${start + 100}\ntitle=${title}\n`;
		const meta = `;FFMETADATA1\ntitle=Größe\nartist=A\ndate=2026\ncomment=C\n${chapter(0, 'Eins')}${chapter(400, '二')}`;
		const source = fixture(name);
		const bytes = withFile(`source.${format}`, source, (path) => {
			const out = `${path}.${format}`;
			const args = ['-v', 'error', '-i', path, '-f', 'ffmetadata', '-i', '-', '-map', '0:a'];
			const more = ['-map_metadata', '1', '-map_chapters', '1', '-c', 'copy'];
			const v = format === 'mp3' ? ['-id3v2_version', version] : [];
			run('ffmpeg', [...args, ...more, ...v, out], Buffer.from(meta));
			return new Uint8Array(readFileSync(out));
		});
		const { tags, chapters } = await read(format, bytes);
		expect(tags).toMatchObject({ title: 'Größe', artist: 'A', year: '2026' });
		// ffmpeg writes no chapters into WAV.
		expect(chapters).toEqual(
			format === 'wav'
				? []
				: [
						{ title: 'Eins', startSeconds: 0 },
						{ title: '二', startSeconds: 0.4 },
					],
		);
	});
});

test('files without any say nothing', async () => {
	for (const name of Object.values(PARTS)) {
		const format = name.split('.')[1] as ReadableFormat;
		const { tags, chapters } = await read(format, fixture(name));
		expect({ ...tags, chapters }).toEqual({ chapters: [] });
	}
	expect(await read('pcm', new Uint8Array(100))).toEqual({ tags: {}, chapters: [] });
});
