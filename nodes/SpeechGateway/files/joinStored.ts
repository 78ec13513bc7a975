import type { IBinaryData } from 'n8n-workflow';
import {
	canBeTagged,
	EXTENSIONS,
	joinAudio,
	joinBlocker,
	type JoinedAudio,
	mimeTypeOf,
	type Pauses,
	type PlannedAudio,
} from '../audio';
import { chaptersJson, chaptersOf, type Heading, type Metadata, type Tags } from '../audio/tags';
import { asError } from '../core/errors';
import { storeAgain } from '../requests/storeAgain';
import { besideAudio, withExtension } from './fileName';
import type { Session } from '../requests/session';
import { chunksOf } from './inputFile';
import { fileFrom, storeBytes } from './store';
import type { StoredAudio } from './storeAudio';

interface JoinOptions {
	/** Silence before, between and after the segments. */
	pauses?: Pauses;
	tags?: Tags;
	/** Those of the segments' files, written where `tags` lacks them; no reason to change a single file, which has them. */
	ownTags?: Tags;
	/** What becomes chapters, in the file and in one of their own; undefined: no chapters are wanted. */
	headings?: Heading[];
	/** Makes the record that the file carries of its segments. */
	recordOf?: (plan: PlannedAudio) => string | undefined;
	/** Aborts the join. Not set for paid segments, which are delivered even when the execution is stopped. */
	cancel?: AbortSignal;
}

/** A joined file in n8n's store. */
export interface JoinedFile {
	binary: IBinaryData;
	info: (PlannedAudio['info'] & { bytes: number; channels: number }) | StoredAudio['info'];
	/** Second at which each segment starts, and ends. */
	starts: number[];
	ends: Array<number | undefined>;
	/** The chapters in a file of their own, when they are wanted. */
	chapters?: IBinaryData;
}

/**
 * Joins stored files of one format into one stored file, streaming from and to n8n's binary store. A single file is
 * returned as it is, unless there is something to write into it, or its header contradicts its frames: players would
 * show a wrong length. What one format cannot take (tags in FLAC, pauses in a chained Ogg) is left out with a hint,
 * since its audio is paid for. Throws when the files do not fit together.
 */
export async function joinStored(
	session: Session,
	segments: StoredAudio[],
	fileName: string,
	{ pauses = {}, tags = {}, ownTags, headings, recordOf, cancel }: JoinOptions = {},
): Promise<JoinedFile> {
	const { nodeCall, hints } = session;
	const [{ binary, info }] = segments;
	const isReadable = !joinBlocker(info, info);
	const takesTags = isReadable && canBeTagged(info.format);
	const isTagged = Object.keys(tags).length > 0 || (headings ?? []).length > 0;
	const { before = 0, after = 0 } = pauses;
	const hasPauses = typeof before !== 'number' || Math.max(before, after) > 0;
	if (isTagged && !takesTags)
		hints.add(`Chapters and tags cannot be written into this ${info.format} file.`);
	if (segments.length === 1 && hasPauses && !isReadable)
		hints.add(`Pauses at the start and at the end cannot be put into this ${info.format} file.`);
	const takesPauses = hasPauses && isReadable;
	const isMisleading = info.format === 'mp3' && info.isMisleading;
	const isChanged =
		isMisleading || takesPauses || (takesTags && (isTagged || recordOf !== undefined));
	const chaptersIn = (starts: number[], seconds: number) =>
		chaptersOf(headings ?? [], starts, seconds);
	const allTags = { ...ownTags, ...tags };
	const metadataOf = (plan: PlannedAudio): Metadata => ({
		tags: allTags,
		chapters: chaptersIn(plan.starts, plan.info.seconds),
		record: recordOf?.(plan),
	});
	const segmentOf = ({ info, binary }: StoredAudio) => ({
		info,
		open: async () => await chunksOf(nodeCall, binary),
	});
	let file: JoinedFile;
	if (segments.length > 1 || isChanged) {
		const metadata = takesTags ? metadataOf : undefined;
		const joined = await joinAudio(segments.map(segmentOf), pauses, metadata);
		file = await storeJoined(session, joined, segments, fileName, cancel);
	} else {
		file = {
			binary: { ...binary, fileName: withExtension(fileName, ...EXTENSIONS[info.format]) },
			info,
			starts: [0],
			ends: [info.seconds],
		};
	}
	const { seconds } = file.info;
	if (!headings || seconds === undefined) return file;
	const json = chaptersJson({ tags: allTags, chapters: chaptersIn(file.starts, seconds) });
	const name = besideAudio(fileName, 'chapters.json');
	const chapters = await storeBytes(session, Buffer.from(json), name, 'application/json+chapters');
	return { ...file, chapters };
}

/**
 * Stores a joined file. Each try joins it anew from the stored segments, so nothing of it is held in memory in case
 * n8n's store fails.
 */
async function storeJoined(
	session: Session,
	{ info, channels, starts, ends, chunks }: JoinedAudio,
	segments: StoredAudio[],
	fileName: string,
	cancel?: AbortSignal,
): Promise<JoinedFile> {
	const { nodeCall } = session;
	let bytes = 0;
	const counted = async function* () {
		bytes = 0;
		for await (const chunk of chunks()) {
			cancel?.throwIfAborted();
			bytes += chunk.length;
			yield chunk;
		}
	};
	// Any stored segment lends the class of n8n's streams; without one, n8n keeps files in memory, and so does this.
	const [id] = segments.flatMap(({ binary }) => binary.id ?? []);
	const store = async () => {
		const anyReadable =
			id === undefined ? id : (await nodeCall.helpers.getBinaryStream(id)).destroy();
		const data = await fileFrom(counted(), anyReadable);
		const name = withExtension(fileName, ...EXTENSIONS[info.format]);
		return await nodeCall.store(data, name, mimeTypeOf({ ...info, channels }));
	};
	const binary = await store().catch(async (error) => {
		cancel?.throwIfAborted();
		return await storeAgain(session, asError(error), store);
	});
	return { binary, info: { ...info, channels, bytes }, starts, ends };
}
