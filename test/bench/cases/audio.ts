/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- runs outside n8n */
import { AudioInspector, joinAudio, type AudioFormat } from '../../../nodes/SpeechGateway/audio';
import { segmentText } from '../../../nodes/SpeechGateway/text/segment';
import { REPOSITORY } from '../../support/n8n/install';
import { run } from '../../support/n8n/steps';
import { renderAudio } from '../../support/simulator/audio';
import { round, type BenchCase } from '../case';

const MB = 1024 * 1024;
const FORMATS: AudioFormat[] = ['mp3', 'wav', 'opus', 'pcm'];
const PARTS = 60;

interface Figures {
	segmenter: Record<string, number>;
	joiner: Record<string, { megabytes: number; inspect: number; join: number; concat: number }>;
	hourGrowth: number;
}

/** In a process of its own, so that the memory is its own. */
export const audio: BenchCase = {
	name: 'audio',
	title: 'Segmenting and joining, without network',
	async run() {
		const { stdout } = await run(
			process.execPath,
			['--expose-gc', '--require', 'tsx/cjs', __filename],
			{ cwd: REPOSITORY },
		);
		const { segmenter, joiner, hourGrowth } = JSON.parse(stdout) as Figures;
		return {
			head: ['', 'MB/s', 'beside'],
			rows: [
				...Object.entries(segmenter).map(([name, speed]) => [`segment ${name}`, round(speed), '']),
				...Object.entries(joiner).flatMap(([format, { inspect, join, concat }]) => [
					[`inspect ${format}`, round(inspect), ''],
					[`join ${format}, ${PARTS} parts`, round(join), `Buffer.concat ${round(concat)} MB/s`],
				]),
				[
					'join a wav of one hour from 60 parts: memory grew by',
					`${round(hourGrowth)} MB`,
					'173 MB file',
				],
			],
			checks: [
				{ what: 'memory to join one hour of wav', value: hourGrowth, limit: 30, unit: 'MB' },
			],
		};
	},
};

const speed = (bytes: number, from: number) => bytes / MB / ((performance.now() - from) / 1000);

function segmenting(): Figures['segmenter'] {
	const texts = {
		English: 'The quick brown fox jumps over the lazy dog. And the dog, it seems, does not mind! ',
		Chinese: '敏捷的棕色狐狸跳过了懒狗。狗似乎并不介意！天气很好，他们继续散步。',
		Thai: 'สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัขขี้เกียจ และสุนัขก็ไม่ว่าอะไร ',
	};
	return Object.fromEntries(
		Object.entries(texts).map(([name, text]) => {
			const long = text.repeat(Math.ceil(300_000 / text.length));
			segmentText(long.slice(0, 20_000), { maxCharacters: 1000 });
			const from = performance.now();
			segmentText(long, { maxCharacters: 1000 });
			return [name, speed(Buffer.byteLength(long), from)];
		}),
	);
}

const file = (format: AudioFormat, seconds: number) =>
	Buffer.concat([...renderAudio('A text.', seconds, format).chunks()]);
async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
async function inspect(format: AudioFormat, bytes: Buffer) {
	const inspector = new AudioInspector(format);
	for await (const piece of pieces(bytes)) inspector.feed(piece);
	return inspector.end();
}

async function joining(format: AudioFormat) {
	const part = file(format, 60);
	await inspect(format, part);
	let from = performance.now();
	const info = await inspect(format, part);
	for (let i = 1; i < 10; i++) await inspect(format, part);
	const inspected = speed(10 * part.length, from);
	const { chunks } = await joinAudio(
		Array.from({ length: PARTS }, () => ({ info, open: () => pieces(part) })),
	);
	from = performance.now();
	let bytes = 0;
	for await (const chunk of chunks()) bytes += chunk.length;
	const joined = speed(bytes, from);
	from = performance.now();
	const all = Buffer.concat(Array.from({ length: PARTS }, () => part));
	return {
		megabytes: bytes / MB,
		inspect: inspected,
		join: joined,
		concat: speed(all.length, from),
	};
}

/** Parts come from and go to a stream, as from and to n8n's store. */
async function oneHour(): Promise<number> {
	const part = file('wav', 60);
	const info = await inspect('wav', part);
	const { chunks } = await joinAudio(
		Array.from({ length: 60 }, () => ({ info, open: () => pieces(part) })),
	);
	(globalThis as { gc?: () => void }).gc?.();
	const before = process.memoryUsage().rss;
	let most = before;
	for await (const chunk of chunks()) if (chunk) most = Math.max(most, process.memoryUsage().rss);
	return (most - before) / MB;
}

async function main() {
	const figures: Figures = { segmenter: segmenting(), joiner: {}, hourGrowth: await oneHour() };
	for (const format of FORMATS) figures.joiner[format] = await joining(format);
	console.log(JSON.stringify(figures));
}

if (require.main === module) void main();
