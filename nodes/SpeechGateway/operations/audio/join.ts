/**
 * Audio → Join: files of one item, or of all, become one without re-encoding; nothing is sent and nothing charged.
 * `prepare` reads each file to its end but keeps none of it, so a damaged or missing file is known before the first
 * byte is written. Then all are streamed from n8n's store into a new file there. With "All Items", the options of the
 * first item hold.
 */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isChained, joinBlocker, wavCodec } from '../../audio';
import { type Heading, readMetadata, type Tags } from '../../audio/tags';
import { InputError } from '../../core/errors';
import { listedNames } from '../../fields/checks';
import { audio, type JoinValues } from './audio.form';
import { defaultName, hashOf } from '../../files/fileName';
import { ffmpegLine, inspectInput, type InspectedAudio, stemOf } from '../../files/inputAudio';
import { chunksOf, placeOf } from '../../files/inputFile';
import { joinStored } from '../../files/joinStored';
import { defineOperation } from '../../requests/operation';
import type { Result } from '../../requests/records';
import type { Session } from '../../requests/session';
import { checkOutputField, checkTaggable, readTags } from '../../files/podcast';

interface InputFile extends InspectedAudio {
	/** Its name and where it is from, for messages. */
	name: string;
	title: string;
}

type JoinInput = JoinValues & { files: InputFile[] };

/** Joins audio files of an item, or of all items, into one. */
export const join = defineOperation(audio.join, {
	async prepare(input, { nodeCall, index }): Promise<JoinInput> {
		const { binaryPropertyName: fields } = input;
		const places = typeof fields === 'string' ? listedNames(fields) : [fields];
		if (places.length === 0) throw new InputError('"Input Binary Field" names no field');
		// Some nodes hand over items that have files, and no json at all.
		const { json: { title } = {} }: Partial<INodeExecutionData> = nodeCall.items[index];
		const files: InputFile[] = [];
		for (const place of places) {
			const file = await inspectInput(nodeCall, index, place);
			const { fileName = placeOf(place) } = file.binary;
			// A table has a title such as 1984 as a number.
			const named = typeof title === 'string' || typeof title === 'number';
			files.push({
				...file,
				name: `"${fileName}" (item ${index + 1})`,
				title: (named && String(title).trim()) || stemOf(fileName),
			});
		}
		return { ...input, files };
	},

	async execute(input, { session, index }) {
		return await joined(session, input, [{ index, input }]);
	},

	combines: ({ combine }) => combine === 'allItems',
	async combine(all, session) {
		return await joined(session, all[0].input, all);
	},
});

/** One file of all files of the items, with the options `input`. */
async function joined(
	session: Session,
	input: JoinInput,
	all: Array<{ index: number; input: JoinInput }>,
): Promise<Result> {
	const files = all.flatMap((item) => item.input.files);
	const { pauseBetween, outputBinaryPropertyName } = input;
	checkOutputField(outputBinaryPropertyName, { chapters: input.chapters !== 'none' });
	checkAlike(files);
	const { own, headings } = await ownMetadata(session, input, files);
	checkTaggable(input, files[0].info.format, headings?.length ?? 0);
	const { nodeCall } = session;
	const indexes = all.map(({ index }) => index);
	const hash = hashOf(files.map(({ sha256 }) => sha256).join());
	const { fileName = defaultName('joined', all[0], hash) } = input;
	const { binary, info, starts, chapters } = await joinStored(session, files, fileName, {
		pauses: { between: pauseBetween },
		cancel: session.transport.cancel,
		tags: await readTags(nodeCall, indexes, input.tags),
		ownTags: own,
		headings,
	});
	const { seconds = 0 } = info;
	const json: IDataObject = {
		files: files.length,
		durationSeconds: seconds,
		bytes: info.bytes,
		mimeType: binary.mimeType,
		fileName: binary.fileName,
		starts,
	};
	return {
		branch: 'success',
		items: [
			{ json, binary: { [outputBinaryPropertyName]: binary, ...(chapters && { chapters }) } },
		],
	};
}

/** What the files carry: tags, each from the first file that has it, and the headings of chapters. */
async function ownMetadata(
	{ nodeCall, transport }: Session,
	{ chapters }: JoinInput,
	files: InputFile[],
): Promise<{ own: Tags; headings?: Heading[] }> {
	const own: Tags = {};
	const headings: Heading[] = [];
	for (const [segment, { binary, info, title }] of files.entries()) {
		transport.cancel?.throwIfAborted();
		const found = await readMetadata(info.format, await chunksOf(nodeCall, binary));
		Object.assign(own, { ...found.tags, ...own });
		const ofFile = found.chapters.map((chapter) => ({
			title: chapter.title,
			segment,
			seconds: chapter.startSeconds,
		}));
		const whole = { title: chapters === 'headings' ? title : (found.tags.title ?? title), segment };
		headings.push(...(chapters === 'files' && ofFile.length > 0 ? ofFile : [whole]));
	}
	return { own, headings: chapters === 'none' ? undefined : headings };
}

/** Throws InputError for the first file that does not fit the first one; it names the one to convert, and how. */
function checkAlike(files: InputFile[]): void {
	const [first] = files;
	for (const [index, file] of files.entries()) {
		const blocker = joinBlocker(first.info, file.info, index + 1);
		if (!blocker) continue;
		const named = blocker.replace(
			/\bsegment (\d+)\b/g,
			(_, number) => files[Number(number) - 1].name,
		);
		// The shorter of two is more likely the intro than the episode.
		const [shorter, longer] = [first, file].sort(
			(a, b) => (a.info.seconds ?? 0) - (b.info.seconds ?? 0),
		);
		const chained = [first, file].find(({ info }) => isChained(info));
		throw new InputError(
			`The files cannot be joined: ${named}`,
			`Convert ${chained ? 'it' : 'one of them'} first, for example with: ${convertLine(chained ?? shorter, chained ?? longer)}. This node does not re-encode audio, so that no quality is lost.`,
		);
	}
}

/** The ffmpeg command that makes a file fit another one. */
function convertLine({ binary, info: own }: InputFile, { info }: InputFile): string {
	const rate = 'sampleRate' in info && info.format !== 'opus' ? ` -ar ${info.sampleRate}` : '';
	const codec = info.format === 'wav' ? ` -c:a ${wavCodec(info)}` : '';
	const raw = info.format === 'pcm' ? ` -ac ${info.channels} -f s16le` : '';
	const from = own.format === 'pcm' ? `-f s16le -ar ${own.sampleRate} -ac ${own.channels} ` : '';
	return ffmpegLine(binary, `${rate}${codec}${raw}`, info.format, from);
}
