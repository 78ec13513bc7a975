import type { IDataObject } from 'n8n-workflow';
import type { Tags } from '../audio/tags';
import { InputError } from '../core/errors';
import { isRecord } from '../core/json';
import { isEmpty } from './checks';
import { type InputOf, option } from './field';
import { choiceOption, type Choices, type FileRef, isFile, textColumn } from './kinds';

/** What a user says about a file; for the cover, where it is. */
export type TagValues = Omit<Tags, 'cover'> & { coverBinaryPropertyName?: FileRef };

/** The tags that the editor offers; the cover is named by its field. */
const TEXT_TAGS = [
	{ displayName: 'Title', name: 'title', placeholder: 'e.g. Episode 1: The beginning' },
	{ displayName: 'Artist', name: 'artist', placeholder: 'e.g. Anna Example' },
	{ displayName: 'Album', name: 'album', placeholder: 'e.g. The Example Podcast' },
	{ displayName: 'Year', name: 'year', placeholder: 'e.g. 2026' },
	{ displayName: 'Comment', name: 'comment', placeholder: 'e.g. Recorded in May 2026' },
	{
		displayName: 'Cover Binary Field',
		name: 'coverBinaryPropertyName',
		placeholder: 'e.g. cover',
		description: 'The binary field of the incoming item that holds a JPEG or PNG picture',
	},
] as const;

/** Title, artist, cover and the like; `{}` if none is set. An empty tag counts as not set. */
export const tagsOption = option<TagValues>(
	{
		displayName: 'Tags',
		name: 'tags',
		type: 'fixedCollection',
		placeholder: 'Add Tags',
		default: { values: Object.fromEntries(TEXT_TAGS.map(({ name }) => [name, ''])) },
		description: 'Title, artist, cover and other details that players show, in any format but PCM',
		options: [
			{
				displayName: 'Tags',
				name: 'values',
				values: TEXT_TAGS.map(textColumn),
			},
		],
	},
	{},
	(value) => {
		// An expression may give the tags themselves, or a list as in other tables.
		const [values] = [isRecord(value) && 'values' in value ? value.values : value].flat();
		return isRecord(values) ? tagValues(values) : undefined;
	},
);

/** Throws InputError for a tag that is no text, and for a year that players would not show: ID3v2.3 has four digits for it. */
function tagValues(values: IDataObject): TagValues {
	const read: TagValues = {};
	for (const { displayName, name } of TEXT_TAGS) {
		const value = values[name];
		if (isEmpty(value)) continue;
		if (name === 'coverBinaryPropertyName' && isFile(value)) {
			read[name] = value;
			continue;
		}
		if (typeof value !== 'string' && typeof value !== 'number') {
			throw new InputError(`"${displayName}" must be a text, but is ${JSON.stringify(value)}`);
		}
		// A NUL would end the text; only a comment may have several lines.
		const text = String(value).replaceAll('\0', '');
		const clean = (name === 'comment' ? text : text.replace(/\s+/g, ' ')).trim();
		if (clean !== '') read[name] = clean;
	}
	if (read.year !== undefined && !/^\d{4}$/.test(read.year)) {
		throw new InputError(`"Year" must have four digits, but is ${JSON.stringify(read.year)}`);
	}
	return read;
}

/** Whether the file gets chapters, and which. `choices`: what a chapter can be here, but for none at all. */
export const chaptersOption = <T extends string = never>(choices: Choices<'headings' | T>) =>
	choiceOption<'none' | 'headings' | T>({
		displayName: 'Chapters',
		name: 'chapters',
		default: 'headings',
		unset: 'none',
		description:
			'Chapter marks in the file, and as Podcasting 2.0 chapters in the binary field "chapters"',
		choices: { none: { name: 'None' }, ...choices },
	});

/** Options of what makes audio that is published. `headings`: what a chapter is here. */
export const podcastFields = (headings: { name: string; description: string }) => ({
	chapters: chaptersOption({ headings }),
	tags: tagsOption,
});

/** The values of `podcastFields`. */
export type PodcastValues = InputOf<ReturnType<typeof podcastFields>>;
