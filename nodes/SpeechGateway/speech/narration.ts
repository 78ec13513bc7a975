import type { FileMetadata, RecordOf } from '../files/joinStored';
import type { StoredAudio } from '../files/storeAudio';

/** One request of a narration. */
export interface NarrationPart {
	/** Silence behind it. */
	pauseAfterMs: number;
	/** Sends nothing for a part that comes from a previous version. */
	speak: () => Promise<StoredAudio>;
}

export interface Narration {
	/** Silence before the first part. */
	pauseBeforeMs: number;
	parts: NarrationPart[];
	/** The words of the source for the parts from one index to another, both included. */
	wordsOf(from: number, to: number): string;
	fileName: string;
	trimSilence?: boolean;
	/** What the file is to say of itself; asked for once all is spoken. */
	metadata?: () => Promise<FileMetadata>;
	/** What the file is to remember of its parts. */
	recordOf?: RecordOf;
}

/** What has become of one part. */
export type PartResult =
	| { status: 'done'; audio: StoredAudio }
	| { status: 'unknown' | 'notSent'; error: unknown };

/** Whether there is audio of it, spoken or not. */
export const isDone = (result: PartResult): result is PartResult & { audio: StoredAudio } =>
	'audio' in result;

/** How parts that follow each other are joined, from one index up to another. Pauses at a cut belong to what remains. */
export function seams({ parts, pauseBeforeMs, trimSilence }: Narration, from: number, to: number) {
	const pauses = parts.slice(from, to).map(({ pauseAfterMs }) => pauseAfterMs);
	const last = pauses.pop();
	return {
		pauses: {
			before: from === 0 ? pauseBeforeMs : 0,
			between: pauses,
			after: to === parts.length ? last : 0,
		},
		trimSilence,
	};
}
