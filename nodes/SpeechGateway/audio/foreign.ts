/** Audio that is recognised but not read: servers of fish-speech send it, whatever format is asked for. */
import { hasText } from './bytes';
import { keysOf } from '../core/json';

interface ForeignEntry {
	/** As people call it. */
	name: string;
	mimeType: string;
	extension: string;
	/** The first bytes. */
	mark: string;
}

const ENTRIES = {
	flac: { name: 'FLAC', mimeType: 'audio/flac', extension: 'flac', mark: 'fLaC' },
} satisfies Record<string, ForeignEntry>;

export type ForeignFormat = keyof typeof ENTRIES;
export const FOREIGN_FORMATS: Record<ForeignFormat, ForeignEntry> = ENTRIES;

/** What is known of such a file; how long it plays is not. Plain JSON. */
export interface ForeignInfo {
	format: ForeignFormat;
	bytes: number;
	seconds?: undefined;
}

/** The format that begins with these bytes, if it is none of those that are read. */
export const sniffForeignFormat = (head: Uint8Array): ForeignFormat | undefined =>
	keysOf(ENTRIES).find((format) => hasText(head, 0, ENTRIES[format].mark));
